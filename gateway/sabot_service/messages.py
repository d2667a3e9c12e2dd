"""Messages of the control socket: a request and its answer, each one line of JSON; and the limits of both sides."""

from typing import Any

import msgspec

MOST_BYTES = 4096  # of a request


class ControlError(RuntimeError):
    """The socket cannot be used; the message says why and what to do."""


class RequestError(ValueError):
    """Not a request; the message names what is wrong with it."""


class Request(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A request as a client writes it."""

    verb: str
    table: str = ""
    by: str = ""  # the person's name, as typed
    clause: str = ""  # of the rulebook
    args: dict[str, Any] = {}
    second: str = ""  # name of the person who approves it, if another asks


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether the request was carried out, and a sentence for the person."""

    ok: bool
    say: str
    data: msgspec.Raw = msgspec.Raw(b"null")
