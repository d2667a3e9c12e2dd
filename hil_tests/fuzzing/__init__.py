"""Fuzzing of every parser that an outsider reaches: `make fuzz`, and README.md."""
