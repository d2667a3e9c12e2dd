"""HTTP: any bytes on a connection into the server's connection class and all routes behind it, in reads of any size.

The first byte chooses. 0: the rest are the bytes of the connection. 1: the rest is a path, asked for by a supervisor
who has logged in. 2: the rest is the body of an act of that supervisor. 3: a path, then after a line break a body.
"""

import asyncio
import re
from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Any

import msgspec
import uvicorn
from sabot_floor.requests import VERBS, Act
from sabot_floor.web.connection import Connection
from sabot_gateway.operator.verbs import VERBS as TABLE_VERBS
from uvicorn.server import ServerState

from fuzzing import json_mutator
from fuzzing.examples import example
from fuzzing.floor_app import HERE, Service, service
from fuzzing.oracle import require
from fuzzing.reads import parts

MOST_BYTES = 4096
_ODD = (
    "", ".", "..", "%2e%2e", "%00", "%ff", "bac-01", "x" * 65, "1/2/3", "bac-01/5ab0/1/2", "-1", "9" * 20, "é", "&",
)  # fmt: skip
_HEADERS = (
    b"Host: 127.0.0.1", b"Host: [::1", b"Host: \xff", b"Content-Length: 5", b"Content-Length: -1", b"Connection: close",
    b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked, x", b"Connection: Upgrade", b"Upgrade: websocket",
    b"Upgrade: h2c", b"Expect: 100-continue", b"Cookie: sabot_session=\xff", b"Cookie: ;;==", b"Origin: null",
    b"Content-Type: application/json", b"X-Sabot-Token: \xff", b"Accept-Language: \xff;q=x,*", b"If-None-Match: *",
    b"X-Forwarded-For: x", b"A" * 9000 + b": b",
)  # fmt: skip
_ODD_VALUES = (b"\xff", b"", b"-1", b"null", b"x" * 5000, b'"', b"a=b; c", b"*")
_STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")
_SPINS, _WAITS, _WAIT_S = 50, 4000, 0.0025
_PATHS = (
    "/", "/wall", "/display/bac-01", "/sign/bac-01", "/dealer/bac-01", "/pit", "/jackpot/lucky-tie", "/coup/x",
    "/console/jackpots", "/events/wall", "/events/pit", "/events/dealer/bac-01", "/events/display/bac-01",
    "/events/sign/bac-01", "/events/jackpots",
    "/events/jackpot/lucky-tie", "/events/pit_table/bac-01", "/session", "/words?lang=zh-Hans", "/static/live.js",
    "/data/assistant/bac-01?irregularity=bad_order", "/data/trends/bac-01", "/data/shoe/bac-01?unit=x&shoe=1",
    "/data/book/crown-baccarat", "/data/coup/x?download", "/data/coup/bac-01/x/1/2",
)  # fmt: skip


class _Transport(asyncio.Transport):
    """Collects what the server sends to a browser at this address."""

    def __init__(self) -> None:
        super().__init__({"peername": (HERE, 40_000), "sockname": (HERE, 80)})
        self.sent, self._closing = bytearray(), False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent += data

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        self._closing = True

    abort = close

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass


class _Rig:
    """The server's own settings, without its socket."""

    def __init__(self) -> None:
        self.loop, self.service = asyncio.new_event_loop(), service()
        self.config = uvicorn.Config(
            self.service.pages, http=Connection, ws="none", lifespan="off", log_config=None, log_level="critical",
            access_log=False, server_header=False, date_header=False,
        )  # fmt: skip
        self.config.load()

    def played(self, reads: Iterable[bytes]) -> bytes:
        return self.loop.run_until_complete(self._played(reads))

    async def _played(self, reads: Iterable[bytes]) -> bytes:
        state, transport = ServerState(), _Transport()
        connection = Connection(self.config, state, {}, self.loop)
        connection.connection_made(transport)
        for read in reads:
            if not transport.is_closing():
                connection.data_received(read)
        require(await self._settled(state, transport), "a request has no answer")
        connection.connection_lost(None)
        require(await self._settled(state, None), "a request goes on after its connection is lost")
        return bytes(transport.sent)

    async def _settled(self, state: ServerState, transport: _Transport | None) -> bool:
        """Return True once every request is answered, or is a stream that has sent its first state."""
        for turn in range(_WAITS):
            self.service.serve()
            if not state.tasks or (transport is not None and b"text/event-stream" in transport.sent and turn > _SPINS):
                return True
            await asyncio.sleep(0 if turn < _SPINS else _WAIT_S)
        return transport is not None and not transport.sent  # a head that is not complete


@cache
def _rig() -> _Rig:
    return _Rig()


def run(data: bytes) -> None:
    """Every request is answered, never with 500 or by an error in the log; reads of any size get the same answers."""
    sent = _bytes(data, service())
    whole = _answers(_rig().played([sent]))
    # A POST would be another act. What follows an upgrade in the same read is dropped by uvicorn, else it is a request.
    if b"POST" not in sent and b"upgrade" not in sent.lower():
        split = _answers(_rig().played(parts(sent)))
        require(whole == split, f"the size of the reads changes the answers: {whole} {split}")


def _answers(sent: bytes) -> list[bytes]:
    """Return the status of each answer, but 400: uvicorn sends that at once, before answers that are still due."""
    found = _STATUS.findall(sent)
    require(b"500" not in found, f"500: {sent[:300]!r}")
    return [status for status in found if status != b"400"]


def _bytes(data: bytes, floor: Service) -> bytes:
    kind, rest = data[0] % 4 if data else 0, data[1:]
    if kind == 0:
        return rest
    path, body = (rest, b"") if kind == 1 else (b"/act", rest)
    if kind == 3:
        path, _, body = rest.partition(b"\n")
    head = [
        (b"GET " if kind == 1 else b"POST ") + (path or b"/") + b" HTTP/1.1",
        b"host: 127.0.0.1",
        b"origin: http://127.0.0.1",
        b"content-type: application/json",
        b"content-length: %d" % len(body),
        b"cookie: sabot_session=" + floor.token.encode(),
        b"x-sabot-token: " + floor.page_token.encode(),
    ]
    return b"\r\n".join(head) + b"\r\n\r\n" + body


def mutate(data: bytes, most: int, seed: int) -> bytes | None:
    """Return another act, another path, or a request with another header."""
    kind, chance = data[:1], Random(seed)
    if kind == b"\2":
        made = json_mutator.mutated(data[1:], most - 1, seed)
        return None if made is None else kind + made
    if kind == b"\1":
        return (kind + _path(chance).encode(errors="replace"))[:most]
    if kind == b"\0" and b"\r\n" in data:
        lines = data[1:].split(b"\r\n")
        at = chance.randrange(1, len(lines))
        if b":" in lines[at] and chance.random() < 0.6:
            lines[at] = lines[at].partition(b":")[0] + b": " + chance.choice(_ODD_VALUES)
        else:
            lines.insert(at, chance.choice(_HEADERS))
        return (kind + b"\r\n".join(lines))[:most]
    return None


def _path(chance: Random) -> str:
    """Return parts of our own paths in another order, with odd names between them."""
    known = [part for path in _PATHS for part in re.split(r"[/?]", path) if part]
    parts = [chance.choice(known if chance.random() < 0.8 else _ODD) for _ in range(chance.randrange(1, 5))]
    return "/" + "/".join(parts) + (f"?{chance.choice(known)}={chance.choice(_ODD)}" if chance.random() < 0.4 else "")


def seeds() -> Iterable[bytes]:
    """Every page, stream and data; every act; requests as browsers send them, and some that are none."""
    yield from (b"\1" + path.encode() for path in _PATHS)
    for verb in TABLE_VERBS:
        yield b"\2" + msgspec.json.encode(
            {"do": "table", "table": "bac-01", "command": verb, "args": {}, "clause": "1.1"}
        )
    for name, kind in VERBS.items():
        if issubclass(kind, Act):
            given: dict[str, Any] = example(kind)
            args = {
                key: value for key, value in given.items() if key not in ("login", "second_login", "role", "second")
            }
            yield b"\2" + msgspec.json.encode({"do": "jackpot", "verb": name, "args": args})
    yield b'\2{"do":"table","table":' + b"[" * 3000
    yield b'\3/login\n{"person":"vera","secret":"000000"}'
    yield b"\3/session\n{}"
    yield b"\0GET /wall HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Language: zh;q=0.5,en\r\n\r\nGET / HTTP/1.0\r\n\r\n"
    yield b"\0POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"
    upgrade = b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    yield b'\0GET /events/wall HTTP/1.1\r\nHost: [::1]:80\r\nCookie: sabot_session=a; b="c"\r\n' + upgrade
    own = (
        b"Host: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nContent-Type: application/json\r\nCookie: sabot_session=x\r\n"
    )
    for path in (b"act", b"login", b"session", b"logout"):
        yield b"\0POST /" + path + b" HTTP/1.1\r\n" + own + b"X-Sabot-Token: x\r\nContent-Length: 2\r\n\r\n{}"
    yield b"\0GET /data/trends/bac-01?x=1 HTTP/1.1\r\n" + own + b"\r\n"
    yield b"\0OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\n\r\n"
