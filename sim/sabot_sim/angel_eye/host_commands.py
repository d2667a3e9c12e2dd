"""Commands of the host as the shoe takes them: the name of what to do, or the code of the NAK."""

from typing import Final

from sabot_protocol.angel_eye import build
from sabot_protocol.angel_eye.tables import ADDRESS, COMMANDS, NAK_CODES

_LENGTH: Final = 6  # address, type, data
_TYPES: Final = frozenset(kind for kind, _ in COMMANDS)
OTHER: Final = NAK_CODES["other"]


def refusal(command: build.Command, bcc: str) -> int | None:
    """Return why a shoe that counts the BCC in this form does not take a command; None if it does."""
    if command.bcc != bcc:
        return NAK_CODES["bcc"]
    if len(command.text) != _LENGTH:
        return NAK_CODES["format"]
    address, kind, data = command.parts
    if address != ADDRESS:
        return NAK_CODES["address"]
    if kind not in _TYPES:
        return NAK_CODES["command"]
    return None if (kind, data) in COMMANDS else NAK_CODES["type"]
