"""Connection: uvicorn's, with bounds: how many there are, how long a request may take to come, how long its head is."""

import asyncio
from typing import Any

from httptools import HttpParserError
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_CONNECTIONS = 4000
MOST_HEAD_BYTES = 16_384
HEAD_WITHIN_S = 10.0  # from the first byte, or from the connection


class Connection(HttpToolsProtocol):
    """Each request finds its connection in its scope, to end it at once where a reader does not read."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or end it if there are too many."""
        super().connection_made(transport)
        self._head_bytes = self._counted = 0
        self._late: asyncio.TimerHandle | None = self.loop.call_later(HEAD_WITHIN_S, self.drop)
        if len(self.connections) > MOST_CONNECTIONS:
            self.drop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the time limit."""
        self._in_time()
        super().connection_lost(exc)

    def _in_time(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a head that is not complete."""
        self._head_bytes += len(data)
        super().data_received(data)
        if self._head_bytes > MOST_HEAD_BYTES and self.parser is not None and not self.transport.is_closing():
            self.send_400_response("The head of this request is too long.")

    def on_url(self, url: bytes) -> None:
        """Refuse a head that is too long, though it came at once."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Refuse a head that is too long, though it came at once."""
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def _count(self, size: int) -> None:
        self._counted += size
        if self._counted > MOST_HEAD_BYTES:
            raise HttpParserError("the head of this request is too long")

    def on_message_begin(self) -> None:
        """Put the connection into the scope."""
        super().on_message_begin()
        self._counted = 0
        scope: Any = self.scope
        scope["sabot.connection"] = self
        if self._late is None:
            self._late = self.loop.call_later(HEAD_WITHIN_S, self.drop)

    def on_headers_complete(self) -> None:
        """The head is complete: bodies have bounds of their own."""
        super().on_headers_complete()
        self._head_bytes = -(1 << 62)
        if self.parser.get_method() in (b"GET", b"HEAD"):
            self._in_time()

    def on_message_complete(self) -> None:
        """The request has come as a whole: the next one begins."""
        super().on_message_complete()
        self._in_time()
        self._head_bytes = 0

    def drop(self) -> None:
        """End the connection at once; what waits to be sent is lost."""
        self.transport.abort()
