"""Actions: one module a command of sabot."""
