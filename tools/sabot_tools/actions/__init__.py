"""Actions: one module per command of sabot."""
