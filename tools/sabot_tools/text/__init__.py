"""Text: what people read on a terminal."""
