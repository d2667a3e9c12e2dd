"""The figures of `sabot bench figures`: one module per group, each with a function `figures`."""
