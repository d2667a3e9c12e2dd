"""The `sabot` command: one module an action."""
