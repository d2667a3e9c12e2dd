"""Packages: what a release is delivered as, and what installs it on a PC."""
