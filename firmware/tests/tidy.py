"""Imported before the modules under test: source is compiled here, and its garbage must not lie between what stays."""

import gc

gc.collect()
gc.threshold(8192)
