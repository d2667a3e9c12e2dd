"""Ops: check a config, probe what it names, measure."""
