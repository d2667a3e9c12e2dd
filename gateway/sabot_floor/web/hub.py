"""Hub: views are computed once for all readers of a channel; each reader takes the newest, and a beat."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import msgspec
import structlog
from sabot_service.moment import Moment

from sabot_floor.signs.board import SignBoard
from sabot_floor.signs.limits import TableLimits
from sabot_floor.web.channels import Channel, find
from sabot_floor.web.site_state import NO_RIGHTS, Rights, SiteState, Subject

BEAT_S = 1.5
MOST_STREAMS, MOST_OF_ADDRESS = 3000, 200
LEAST_BETWEEN_S = 0.05  # two states of one channel
SLOW_S = 10.0  # a reader that takes nothing for so long is dropped
BEAT = b"event: beat\ndata: {}\n\n"
LOCKED = b"event: locked\ndata: {}\n\n"
_LOCAL = ("127.0.0.1", "::1")  # a proxy, a bench: they are many readers at one address

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class RefusedError(Exception):
    """No stream can be opened; the message has the reason."""


def encode(event: str, data: object) -> bytes:
    """Return a server-sent event."""
    return b"event: " + event.encode() + b"\ndata: " + msgspec.json.encode(data) + b"\n\n"


class Stream:
    """One reader of a channel: `take` what is to be sent; `wake` is called when there is something."""

    __slots__ = ("_beat", "_state", "address", "drop", "ended", "feed", "session", "taken_s", "wake")

    def __init__(self, feed: "Feed", address: str, session: str) -> None:
        self.feed, self.address, self.session = feed, address, session
        self._state: bytes | None = None
        self._beat = self.ended = False
        self.taken_s: float | None = None  # since when the reader has not taken what it was given
        self.wake: Callable[[], None] = lambda: None
        self.drop: Callable[[], None] = lambda: None  # end the connection without waiting for the reader

    def put(self, state: bytes) -> None:
        """Offer a new state; one that waits is replaced."""
        self._state = state
        self.wake()

    def beat(self) -> None:
        """Offer a beat."""
        self._beat = True
        self.wake()

    def end(self, last: bytes = b"") -> None:
        """Send this, then end."""
        self._state, self.ended = last, True
        self.wake()

    def waits(self) -> bool:
        """Return True if something is to be sent."""
        return bool(self._state) or self._beat

    def take(self) -> bytes:
        """Return what is to be sent now, empty if nothing."""
        found = self._state if self._state is not None else BEAT if self._beat else b""
        self._state, self._beat = None, False
        return found


@dataclass(eq=False)
class Feed:
    """A channel with readers."""

    name: str
    channel: Channel
    key: str
    rights: Rights = NO_RIGHTS  # of its readers
    streams: set[Stream] = field(default_factory=set)
    newest: bytes = b""
    dirty: bool = True
    next_s: float = 0.0  # not before
    again_s: float = 0.0  # a view that changes with time


class Hub:
    """The feeds and their readers; `step` computes what has changed and is due."""

    def __init__(self, site: str, floor_tables: Iterable[TableLimits] = (), signs: SignBoard | None = None) -> None:
        tables = tuple(floor_tables)
        self.site = SiteState(site, tables, signs=signs)
        # What the views of public channels get.
        self.public = SiteState(site, tables, public=True, signs=signs, beats=self.site.beats)
        self._feeds: dict[tuple[str, Rights], Feed] = {}
        self._of_address: Counter[str] = Counter()
        self._beat_s = 0.0
        self.dropped = self.broken = self.refused = 0

    def streams(self) -> int:
        """Return how many readers there are."""
        return self._of_address.total()

    def open(self, name: str, address: str, session: str, at: Moment, rights: Rights = NO_RIGHTS) -> Stream:
        """Open a stream, its state waiting in it; RefusedError if there are too many, or no such channel."""
        found = find(name)
        if found is None:
            raise RefusedError(f"There is no channel {name!r}.")
        if self.streams() >= MOST_STREAMS or (address not in _LOCAL and self._of_address[address] >= MOST_OF_ADDRESS):
            self.refused += 1
            raise RefusedError("Too many streams are open. Close pages that nobody looks at, and reload.")
        feed = self._feeds.setdefault((name, rights), Feed(name, *found, rights))
        stream = Stream(feed, address, session)
        if not feed.newest or feed.dirty:
            self._compute(feed, at)
        feed.streams.add(stream)
        self._of_address[address] += 1
        stream.put(feed.newest)
        return stream

    def close(self, stream: Stream) -> None:
        """Forget a stream; the feed goes with its last one."""
        feed = stream.feed
        if stream not in feed.streams:
            return
        feed.streams.remove(stream)
        self._of_address[stream.address] -= 1
        self._of_address += Counter()  # only what is positive stays
        if not feed.streams:
            self._feeds.pop((feed.name, feed.rights), None)

    def received(self, topic: str, payload: bytes, at: Moment, *, retained: bool = False) -> None:
        """Take a message of the broker; `retained`: an answer to our subscription."""
        subject = self.site.received(topic, payload, at, retained=retained)
        if subject is not None:
            self.public.received(topic, payload, at, retained=retained)
            self._changed(subject)

    def connected(self, up: bool) -> None:
        """Note that the broker answers, or is lost."""
        self.public.connected(up)
        self._changed(self.site.connected(up))

    def turn(self, table: str, coup: str, side: str, count: int) -> str:
        """Note that the first cards of a hand are turned; return why that cannot be, empty if it is done."""
        found = self.site.turn(table, coup, side, count)
        if isinstance(found, str):
            return found
        self._changed(found)
        return ""

    def _changed(self, subject: Subject) -> None:
        for feed in self._feeds.values():
            if feed.channel.depends(subject, feed.key):
                feed.dirty = True

    def step(self, at: Moment) -> float | None:
        """Compute and offer what is due; return when the next is, None if nothing waits."""
        for feed in self._feeds.values():
            timed = feed.channel.every_s and at.now_s >= feed.again_s
            if (feed.dirty and at.now_s >= feed.next_s) or timed:
                before = feed.newest
                self._compute(feed, at)
                if feed.newest != before:
                    for stream in feed.streams:
                        stream.put(feed.newest)
        return min((feed.next_s for feed in self._feeds.values() if feed.dirty), default=None)

    def tick(self, now_s: float) -> None:
        """Look for silent gateways; offer a beat to everybody when it is due; drop readers that do not read."""
        for gateway in self.site.beats.look(now_s):
            self._changed(Subject("gateway", gateway))
        if now_s < self._beat_s:
            return
        self._beat_s = now_s + BEAT_S
        for feed in self._feeds.values():
            for stream in feed.streams:
                if stream.taken_s is not None and now_s - stream.taken_s > SLOW_S:
                    self.dropped += 1
                    stream.drop()
                else:
                    stream.beat()

    def end_sessions(self, ended: set[str]) -> None:
        """End the streams of these sessions."""
        for feed in self._feeds.values():
            for stream in feed.streams:
                if stream.session in ended:
                    stream.end(LOCKED)

    def end_all(self) -> None:
        """End every stream: the service stops."""
        for feed in self._feeds.values():
            for stream in feed.streams:
                stream.end()

    def _site_of(self, feed: Feed) -> SiteState:
        rights = feed.rights
        return self.public if feed.channel.public else self.site.as_seen(rights.unturned, feed.key, rights.jackpots)

    def _compute(self, feed: Feed, at: Moment) -> None:
        feed.dirty, feed.next_s = False, at.now_s + max(LEAST_BETWEEN_S, feed.channel.least_s)
        feed.again_s = at.now_s + feed.channel.every_s
        try:
            feed.newest = encode("state", feed.channel.view(self._site_of(feed), feed.key, at))
        except Exception as error:
            said = encode("broken", {"say": f"This page cannot be drawn ({type(error).__name__}); report it."})
            if said != feed.newest:
                self.broken += 1
                log.exception(f"the view of {feed.name} failed; its pages show that, others go on")
            feed.newest = said
