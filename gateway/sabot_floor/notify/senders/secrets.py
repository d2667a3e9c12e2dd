"""Secrets: what the files of a channel hold, read when it is needed; kept out of every sentence."""

from pathlib import Path

from sabot_protocol.inputs.secret_file import SecretError, secret

from sabot_floor.notify.senders.connection import SendError

_MOST_BYTES = 2000


def read(path: str) -> str:
    """Return the text in a file that only its owner can use; SendError if it cannot be used."""
    try:
        found = secret(Path(path), _MOST_BYTES)
    except SecretError as error:
        raise SendError(str(error)) from None
    if found is None:
        raise SendError(f"{path}: no such file; write the secret into it, and chmod 600 {path}")
    try:
        text = found.decode().strip()
    except UnicodeDecodeError:
        text = ""
    if not text or not text.isprintable() or len(found) >= _MOST_BYTES:
        raise SendError(f"{path}: expected one line of text, at most {_MOST_BYTES} bytes; put the secret into it")
    return text


def without(text: str, *secrets: str) -> str:
    """Return a text in which no secret can be read; one of a few characters is no secret."""
    for one in secrets:
        if len(one) >= 4:
            text = text.replace(one, "…")
    return text
