"""Limits of a capture of a serial line, for the daemon that grants it and the command that asks."""

from typing import Final

MOST_CAPTURE_S: Final = 3600
MOST_CAPTURE_BYTES: Final = 1 << 26
