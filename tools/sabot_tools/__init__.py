"""The `sabot` command: one module for each action."""
