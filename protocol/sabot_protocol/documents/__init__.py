"""Documents: the files that `sabot generate` writes from the definitions."""
