"""Signs: what stands on the sign of a table by its rulebook, its setup and its limits, and how people change it."""
