"""Plain text: make text safe for the ledger, for a terminal and for a spreadsheet."""

import re
import unicodedata

# Escape sequences of a terminal.
_SEQUENCES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    "|(?:\x1b[PX\\]^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)?"  # OSC and its like: titles, links
    "|\x1b[ -~]"
)
_FORMULA = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    "\uff1d",
    "\uff0b",
    "\uff0d",
    "\uff20",
)  # the last four are full-width


def plain(text: str) -> str:
    """Return printable characters and single spaces only, in NFC, without escape sequences."""
    kept = (
        " " if char.isspace() else char for char in _SEQUENCES.sub("", text) if char.isspace() or char.isprintable()
    )
    return unicodedata.normalize("NFC", " ".join("".join(kept).split()))


def printable(text: str) -> str:
    """Return one line for a terminal, with a replacement character for each that cannot be printed."""
    return text if text.isprintable() else "".join(char if char.isprintable() else "\ufffd" for char in text)


def escaped_json(text: bytes) -> bytes:
    """Return the same JSON with every unprintable character escaped."""
    decoded = text.decode(errors="replace")
    if decoded.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else _escape(char) for char in decoded).encode()


def _escape(char: str) -> str:
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def csv_cell(value: object) -> object:
    """Put a quote before text that a spreadsheet would take for a formula; leave numbers as they are."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with its noun: 1 entry, 2 entries; `many` where the plural does not end in s alone."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"
