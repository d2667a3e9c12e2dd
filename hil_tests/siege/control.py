"""Attacks on the daemon's control socket."""

import json
import random
import socket
import time
from collections.abc import Callable
from typing import Any

from siege.spec import Spec

_TIMEOUT_S = 2.0
_REQUESTS = 15  # of one visit
_VERBS = (
    *("status", "confirm", "void", "ack-alarm", "key-card", "authorise", "no-bet", "open-shoe", "close-shoe"),
    *("clear-fault", "irregularity", "lock", "unlock", "self-test", "reboot", "import-coup", "export-coup"),
    *("deck-check", "burn-card", "card-returned", "decide", "set-time", "", "nothing", "stop"),
)
_ARGS = (
    *("coup", "winner", "alarm", "card", "flags", "times", "kind", "decks", "burn", "fault", "case", "facts"),
    *("coup_no", "cards", "on", "reason", "then", "cards", "x"),
)
# As `sabot table` sends them.
_VERB_ARGS: dict[str, tuple[str, ...]] = {
    "confirm": ("coup", "winner"),
    "void": ("coup", "reason", "then"),
    "ack-alarm": ("alarm",),
    "key-card": ("card", "flags"),
    "authorise": ("times",),
    "no-bet": ("kind",),
    "open-shoe": ("decks", "burn"),
    "clear-fault": ("fault",),
    "irregularity": ("case", "facts"),
    "import-coup": ("coup_no", "kind", "cards"),
    "deck-check": ("on", "decks"),
}
_OTHER_TYPES: tuple[Any, ...] = ({"a": "b"}, [], [[]], 1.5, None, True, -1, 2**70, "", {"player_1": []}, {"exposed": 7})
_VALUES = (
    *("", "8H", "AC", "--", "all", "tie", "player", "card", "bad_order", "supervisor", "go_on", "live", "one", "0"),
    *("\u0000", "=1+1", "@x", "\r\n", "\U0001f0a1", "a" * 5000, "../../etc", "h1", "x01", "\x1b[31m", "ÿ"),
)

Attack = Callable[["Client"], None]


class Client:
    """One hostile client of the socket."""

    def __init__(self, spec: Spec, rng: random.Random) -> None:
        self.spec, self.rng = spec, rng

    def connect(self) -> socket.socket:
        """Return a connection to the daemon; OSError if it does not answer."""
        line = socket.socket(socket.AF_UNIX)
        line.settimeout(_TIMEOUT_S)
        line.connect(str(self.spec.control))
        return line

    def send(self, data: bytes, *, wait: bool = True) -> None:
        """Send, and read one answer if `wait`."""
        with self.connect() as line:
            line.sendall(data)
            if wait:
                line.settimeout(0.3)
                line.recv(65536)

    def table(self) -> Any:
        """The name of a table, or something else."""
        names = [*(honest.table for honest in self.spec.honest), *self.spec.hostile, "status", "", "none"]
        return self.rng.choice((*names, self.value(0))) if self.rng.random() < 0.2 else self.rng.choice(names)

    def value(self, depth: int = 3) -> Any:
        """Any JSON value."""
        kind = self.rng.randrange(10)
        if kind == 0 and depth:
            return {self.rng.choice(_ARGS): self.value(depth - 1) for _ in range(self.rng.randint(0, 4))}
        if kind == 1 and depth:
            return [self.value(depth - 1) for _ in range(self.rng.randint(0, 4))]
        numbers = (0, -1, 1, 8, 255, 256, 2**30, 2**63, 2**64, -(2**70), 1.5, 1e308, float("nan"))
        return self.rng.choice((self.rng.choice(_VALUES), self.rng.choice(numbers), None, True, False))


def random_bytes(client: Client) -> None:
    """No JSON at all."""
    client.send(client.rng.randbytes(client.rng.randint(1, 5000)) + b"\n")


def random_json(client: Client) -> None:
    """JSON of any shape."""
    client.send(json.dumps(client.value()).encode() + b"\n")


def verbs(client: Client) -> None:
    """Requests of the right shape with any arguments."""
    for _ in range(_REQUESTS):
        _request(client)


def _request(client: Client) -> None:
    args: Any = {client.rng.choice(_ARGS): client.value() for _ in range(client.rng.randint(0, 4))}
    if client.rng.random() < 0.1:
        args = client.value()
    request = {"verb": client.rng.choice(_VERBS), "table": client.table(), "by": _by(client), "clause": _by(client)}
    client.send(json.dumps({**request, "args": args}).encode() + b"\n", wait=client.rng.random() < 0.2)


def wrong_types(client: Client) -> None:
    """Every argument of every verb as a value of another type."""
    for _ in range(_REQUESTS):
        verb = client.rng.choice(sorted(_VERB_ARGS))
        args = {name: client.rng.choice(_OTHER_TYPES) for name in _VERB_ARGS[verb]}
        request = {"verb": verb, "table": client.table(), "by": "A. Smith", "clause": "1", "args": args}
        client.send(json.dumps(request).encode() + b"\n", wait=False)


def _by(client: Client) -> Any:
    return client.rng.choice(("A. Smith", "A. Smith", client.value(1)))


def nested(client: Client) -> None:
    """Brackets without end."""
    depth = client.rng.choice((500, 5_000, 100_000))
    opened = client.rng.choice((b"[", b'{"args":', b'{"a":['))
    client.send(b'{"verb":"void","table":"h1","by":"A","clause":"1","args":' + opened * depth + b"\n")


def surrogates(client: Client) -> None:
    """Half of a character, wrong UTF-8, a byte order mark."""
    bad = (b'"\\ud800"', b'"\xff\xfe"', b'"\xed\xa0\x80"', b'"\\udfff\\ud800"', b'\xef\xbb\xbf""')
    text = b'{"verb":"confirm","table":"h1","by":%s,"clause":%s,"args":{"coup":%s}}\n'
    client.send(text % tuple(client.rng.choice(bad) for _ in range(3)))


def idle(client: Client) -> None:
    """Many clients that send nothing."""
    _hold(client, client.rng.randint(10, 40), b"")


def half(client: Client) -> None:
    """Many clients that begin and never end."""
    _hold(client, client.rng.randint(5, 30), b'{"verb":"sta')


def _hold(client: Client, count: int, begin: bytes) -> None:
    lines = []
    try:
        for _ in range(count):
            line = client.connect()
            lines.append(line)
            line.sendall(begin)
        time.sleep(client.rng.uniform(0.2, 2.0))
    finally:
        for line in lines:
            line.close()


def big_line(client: Client) -> None:
    """One line of megabytes."""
    client.send(b'{"verb":"' + b"a" * client.rng.randint(100_000, 5_000_000) + b'"}\n')


def never_reads(client: Client) -> None:
    """A thousand requests whose answers are never read."""
    with client.connect() as line:
        line.settimeout(0.5)
        for _ in range(1000):
            line.sendall(b'{"verb":"status"}\n')
        time.sleep(0.5)


def captures(client: Client) -> None:
    """Request a capture of every table and read nothing."""
    names = [*(honest.table for honest in client.spec.honest), *client.spec.hostile]
    lines = []
    try:
        for name in names:
            line = client.connect()
            lines.append(line)
            line.sendall(json.dumps({"verb": "capture", "table": name, "args": {"seconds": 3600}}).encode() + b"\n")
        time.sleep(client.rng.uniform(0.2, 2.0))
    finally:
        for line in lines:
            line.close()


def hangs_up(client: Client) -> None:
    """Send a request and close before the answer."""
    for _ in range(20):
        client.send(b'{"verb":"status","table":"","by":"","clause":"","args":{}}\n', wait=False)


ATTACKS: dict[str, Attack] = {
    f"control_{attack.__name__}": attack
    for attack in (
        random_bytes,
        random_json,
        verbs,
        wrong_types,
        nested,
        surrogates,
        idle,
        half,
        big_line,
        never_reads,
        captures,
        hangs_up,
    )
}


def status(spec: Spec, wait_s: float) -> dict[str, Any]:
    """Return the daemon's status as `sabot gateway status --json` requests it; OSError if there is none."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(wait_s)
        line.connect(str(spec.control))
        line.sendall(b'{"verb":"status","table":"","by":"","clause":"","args":{}}\n')
        return _answer(line, time.monotonic() + wait_s)


def _answer(line: socket.socket, give_up_s: float) -> dict[str, Any]:
    data = b""
    while not data.endswith(b"\n"):
        part = line.recv(65536)
        if not part or time.monotonic() > give_up_s:
            raise ConnectionError(f"no answer at the control socket, only {data[:80]!r}")
        data += part
    answer = json.loads(data)
    found: dict[str, Any] = answer.get("data") or {"say": answer.get("say")}
    return found
