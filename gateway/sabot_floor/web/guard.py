"""Guard: what every request passes before it is served, and the headers of every answer."""

import ipaddress
from collections.abc import Collection
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
_METHODS = ("GET", "HEAD", "POST")


def header(scope: Scope, name: bytes) -> str:
    """Return the value of a header, empty if there is none; the last one counts."""
    return next((value.decode("latin-1") for key, value in reversed(scope["headers"]) if key == name), "")


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port."""
    name = host.rpartition(":")[0] if ":" in host.rpartition("]")[2] else host
    return name.strip("[]").casefold()


def is_address(name: str) -> bool:
    """Return True for an IP address: no other site can make a browser use it in our place, as it can with names."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """Answers requests for other hosts itself; passes on the rest, and adds the headers."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app, self._hosts = app, {"localhost", *(host.casefold() for host in hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        refusal = self.refusal(scope) if scope["type"] == "http" else None
        app: Any = refusal or self._app
        await app(scope, receive, with_headers)

    def refusal(self, scope: Scope) -> PlainTextResponse | None:
        """Return the answer to a request that is not served."""
        name = host_name(header(scope, b"host"))
        if name not in self._hosts and not is_address(name):
            say = f"This server is not {name[:100]!r}: add the name to `hosts` of [web] in the floor's config.\n"
            return PlainTextResponse(say, 421)
        if scope["method"] not in _METHODS:
            return PlainTextResponse("This server answers GET and POST.\n", 405)
        return None
