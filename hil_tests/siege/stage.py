"""A hostile shoe behind a port: each connection has a role and a few acts, all drawn from a seed."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from independent import wire
from independent.dealer import Dealer
from independent.journal import Journal
from independent.session import Session
from independent.shoe import Identity, Shoe

from siege.spec import Spec

LIFE_MS = (10_200, 14_000)  # of a connection: beyond ten seconds the gateway comes back after one
ACT_MS = (800, 3_500)
_TAPE_BLOCKS = 200
_MOST_WAITING = 3000  # events
_LID = 20  # a harmless event
_MOST_QUEUED = 1_000_000  # bytes

Act = Callable[["Stage"], Iterator[int]]
Role = Callable[["Stage"], Identity]


@dataclass
class Stage:
    """The peer of a hostile port; acts are generators that yield how many milliseconds to wait."""

    spec: Spec
    where: str
    rng: random.Random
    acts: dict[str, Act]
    roles: dict[str, Role]
    note: Callable[[str, str], None]
    now_ms: int = 0
    gateway: bytes = bytes(8)  # as the last WHO named it
    nonce: bytes = bytes(8)
    deaf: bool = False
    damage: float = 0.0  # the share of outgoing bytes that is changed
    tape: list[bytes] = field(default_factory=list)
    hanging_up: bool = False
    history: int = 0  # events that a new shoe has in its log
    connections: int = 0
    _known: dict[bytes, Shoe] = field(default_factory=dict)  # keyed units keep their log
    _raw: bytearray = field(default_factory=bytearray)
    _split: wire.Splitter = field(default_factory=wire.Splitter)
    _act: Iterator[int] | None = None
    _due_ms: int = 0
    _act_ends_ms: int = 0
    _leaves_ms: int = 0

    def __post_init__(self) -> None:
        """Prepare; no connection yet."""
        self.shoe = self._make(Identity(bytes(8), b""))
        self.dealer: Dealer | None = None

    def connected(self, now_ms: int) -> None:
        """Draw a role."""
        self.now_ms, self.connections, self.hanging_up = now_ms, self.connections + 1, False
        role = self.rng.choice(sorted(self.roles))
        self.note(self.where, f"as {role}")
        self.history = 0
        identity = self.roles[role](self)
        known = identity.key is not None and identity.unit in self._known
        self.shoe = self._known[identity.unit] if known else self._make(identity)
        if identity.key is not None:
            self._known[identity.unit] = self.shoe
        self.shoe.connected(now_ms)
        self.dealer, self._act = None, None
        self._leaves_ms = now_ms + self.rng.randint(*LIFE_MS)

    def disconnected(self) -> None:
        """End the act: the gateway has closed the line."""
        self.shoe.disconnected()
        self._raw.clear()

    def receive(self, data: bytes, now_ms: int) -> None:
        """Take bytes of the gateway, and keep its id and nonce."""
        self.now_ms = now_ms
        for frame in self._split.feed(data):
            if frame.type == wire.WHO and len(frame.body) == 16:
                self.gateway, self.nonce = frame.body[:8], frame.body[8:]
        if not self.deaf:
            self.shoe.receive(data, now_ms)

    def poll(self, now_ms: int) -> None:
        """Continue the act, or begin the next."""
        self.now_ms = now_ms
        if now_ms >= self._leaves_ms:
            self.hanging_up = True
        if self._act is None or now_ms >= self._act_ends_ms:
            self._begin()
        if self._act is not None and now_ms >= self._due_ms:
            self._go_on(self._act)
        if self.dealer is not None:
            self.dealer.step(now_ms)
        if not self.deaf:
            self.shoe.poll(now_ms)

    def take(self) -> bytes:
        """Return bytes to send; some are changed, all are recorded."""
        spoken = self.shoe.take()
        self.tape = [*self.tape, *([spoken] if spoken else [])][-_TAPE_BLOCKS:]
        data = bytes(self._raw) + self._damaged(spoken)
        self._raw.clear()
        return data

    def leaving(self) -> bool:
        """Return True when the time of this connection is over."""
        return self.hanging_up

    def send(self, data: bytes) -> None:
        """Raw bytes."""
        if len(self._raw) < _MOST_QUEUED:
            self._raw += data

    def session(self, most_ms: int = 3000) -> Iterator[int]:
        """Wait for a session."""
        give_up_ms = self.now_ms + most_ms
        while self.shoe.session is None and self.now_ms < give_up_ms:
            yield 20

    def in_session(self, kind: int, body: bytes) -> None:
        """A frame of the session, whatever it holds; without a session nothing."""
        session: Session | None = self.shoe.session
        if session is not None:
            self.send(session.pack(kind, self.now_ms, body))

    def log(self, kind: int, data: bytes) -> None:
        """An event that the shoe sends like any other; none while too many wait."""
        if self.shoe.journal.waiting < _MOST_WAITING:
            self.shoe.log(self.now_ms, kind, data)

    def wipe(self) -> None:
        """The journal is empty, as after a new flash."""
        self.shoe.journal = Journal()
        self.shoe.disconnected()

    def _make(self, identity: Identity) -> Shoe:
        """A shoe with a log of `history` events behind it."""
        shoe = Shoe(identity, self.rng)
        for number in range(self.history):
            shoe.log(number, _LID, bytes([number & 1]))
        return shoe

    def _begin(self) -> None:
        name = self.rng.choice(sorted(self.acts))
        self.note(self.where, name)
        self.deaf, self.damage = False, 0.0
        self._act = self.acts[name](self)
        self._due_ms = self.now_ms
        self._act_ends_ms = self.now_ms + self.rng.randint(*ACT_MS)

    def _go_on(self, act: Iterator[int]) -> None:
        try:
            self._due_ms = self.now_ms + next(act)
        except StopIteration:
            self._act = None

    def _damaged(self, data: bytes) -> bytes:
        if not self.damage or not data:
            return data
        changed = bytearray(data)
        for _ in range(max(1, int(len(data) * self.damage))):
            changed[self.rng.randrange(len(changed))] = self.rng.randrange(256)
        return bytes(changed)
