"""Update: an image over the wire, into the slot that does not run. Loaded while one is received, and only then."""
