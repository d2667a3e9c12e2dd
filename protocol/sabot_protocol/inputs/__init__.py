"""Inputs: files, keys, texts and JSON from outside, read with bounds; an error names the place and the next step."""
