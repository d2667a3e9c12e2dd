"""The figures of `sabot bench figures`: one module a group, each with a function `figures`."""
