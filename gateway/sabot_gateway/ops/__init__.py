"""Ops: check a config, measure, take signals."""
