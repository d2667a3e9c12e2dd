"""Visitor: a browser's requests one by one, with its cookies, to try what no honest page sends."""

import http.client
import json
from http.cookies import SimpleCookie
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from support.patience import PATIENCE_S


class Reply(NamedTuple):
    """An answer of the server."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)


class Visitor:
    """Sends requests as a page of the server does, unless headers are given; None leaves one out."""

    def __init__(self, url: str, address: str = "127.0.0.1") -> None:
        self.origin, self._address = url.rstrip("/"), address
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port or 80
        self.cookies: dict[str, str] = {}
        self.token = ""  # of the session, as pages send it

    def send(self, method: str, path: str, body: bytes = b"", **changes: str | None) -> Reply:
        """Return the answer to a request; changes of headers have _ for -."""
        headers: dict[str, str | None] = {"cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items()) or None}
        if method == "POST":
            headers |= {
                "origin": self.origin,
                "content-type": "application/json",
                "x-sabot-token": self.token or None,
            }
        headers |= {name.replace("_", "-"): value for name, value in changes.items()}
        connection = http.client.HTTPConnection(
            self._host, self._port, timeout=PATIENCE_S, source_address=(self._address, 0)
        )
        try:
            sent = {name: value for name, value in headers.items() if value is not None}
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            for value in answer.headers.get_all("set-cookie") or ():
                for name, morsel in SimpleCookie(value).items():
                    self.cookies[name] = morsel.value
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, path: str, **changes: str | None) -> Reply:
        """Return the answer to a GET."""
        return self.send("GET", path, b"", **changes)

    def post(self, path: str, body: object, **changes: str | None) -> Reply:
        """Return the answer to a POST with a body of JSON."""
        return self.send("POST", path, json.dumps(body).encode(), **changes)

    def log_in(self, person: str, secret: str, kind: str = "pit") -> Reply:
        """Log in, and keep the session's token."""
        reply = self.post("/login", {"person": person, "secret": secret, "kind": kind})
        if reply.status == 200:
            self.token = reply.json()["token"]
        return reply

    def first_event(self, path: str) -> bytes:
        """Return the first event of a stream, as it comes."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=PATIENCE_S)
        try:
            connection.request("GET", path, headers={"cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())})
            answer, found = connection.getresponse(), bytearray()
            while line := answer.readline():
                found += line
                if line == b"\n":
                    break
            return bytes(found)
        finally:
            connection.close()
