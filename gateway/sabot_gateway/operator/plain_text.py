"""Plain text: what people type, without control characters; what a terminal may show; what a spreadsheet may open."""

import re
import unicodedata

# Sequences of a terminal.
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
    """Letters, digits, signs and single spaces, in NFC; no control or format character, no order of a terminal."""
    kept = (
        " " if char.isspace() else char for char in _SEQUENCES.sub("", text) if char.isspace() or char.isprintable()
    )
    return unicodedata.normalize("NFC", " ".join("".join(kept).split()))


def shown(text: str) -> str:
    """One line for a terminal: what cannot be printed is a replacement character."""
    return text if text.isprintable() else "".join(char if char.isprintable() else "\ufffd" for char in text)


def escaped_json(text: bytes) -> bytes:
    """The same JSON, with every character that a terminal may obey written as an escape."""
    decoded = text.decode(errors="replace")
    if decoded.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else _escape(char) for char in decoded).encode()


def _escape(char: str) -> str:
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def csv_cell(value: object) -> object:
    """A text that a spreadsheet would take for a formula gets a quote before it; numbers stay numbers."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
