"""State: what the log of notifications carries from one entry to the next; bounded in every part."""

import msgspec

from sabot_floor.notify.notices import Notice

MOST_WATCHED = 500  # open incidents of all tables
MOST_STEPS = 30  # of an incident
MOST_CLOSED = 1000
MOST_SEEN, SEEN_S = 2000, 2 * 86_400  # ids of notices about alarms, which the broker may deliver again
MOST_WAITING = 1000


class OpenStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step that is not done."""

    name: str
    say: str
    clause: str = ""
    role: str = ""
    to: list[str] = []
    until: str = ""  # by the message, or by the gaming days of the site
    late: bool = False


class Watched(msgspec.Struct, omit_defaults=True):
    """An open incident, as its newest message has it."""

    incident: str
    kind: str
    table: str
    say: str
    opened: str
    version: tuple[int, str]  # number of its entry in the ledger, and time: the larger is newer
    steps: list[OpenStep]
    notified: dict[str, None] = {}  # what was decided: channel, occasion and step
    account: str = ""  # what happened, with the amount
    patron: str = ""
    place: str = ""  # shoe and coup, empty if it is about none


class Waiting(msgspec.Struct, omit_defaults=True):
    """A notice that is decided and not sent yet; times are in seconds since 1970."""

    notice: Notice
    since_s: float
    attempts: int = 0
    next_s: float = 0.0
    claimed: str = ""  # the worker that sends it
    claimed_until_s: float = 0.0


class Flood(msgspec.Struct, omit_defaults=True):
    """The alarms of one channel in this minute, and those that wait for its summary."""

    begin_s: float = 0.0
    single: int = 0  # sent one by one
    held: dict[str, int] = {}  # what and where: how often
    more: int = 0  # beyond the places in `held`
    first: str = ""  # id of the first message
    severity: int = 0


class Tally(msgspec.Struct, omit_defaults=True):
    """What has become of the notices of a channel."""

    sent: int = 0
    failed: int = 0
    given_up: int = 0
    last_sent: str = ""
    in_a_row: int = 0  # failures since the last success
    next_s: float = 0.0  # no try before this
    problem: str = ""
    problem_time: str = ""


class State(msgspec.Struct, omit_defaults=True):
    """Everything that the next decision needs."""

    watched: dict[str, Watched] = {}  # by `key`
    closed: dict[str, tuple[int, str]] = {}  # by `key` with their version, newest last
    queue: dict[str, Waiting] = {}  # by id of the notice
    seen: dict[str, int] = {}  # ids, and when they were decided
    floods: dict[str, Flood] = {}  # by channel
    tallies: dict[str, Tally] = {}
    unwatched: int = 0  # incidents beyond the bound
    too_old: int = 0  # alarms that were a day old when they came
    jackpots: dict[str, int] | None = None  # entries of their logs that were looked at; None before the first look

    def tally(self, channel: str) -> Tally:
        """Return the tally of a channel."""
        return self.tallies.setdefault(channel, Tally())


_decoder = msgspec.json.Decoder(State)


def key(table: str, incident: str) -> str:
    """Return under what an incident is kept: what another table says of its id changes nothing."""
    return f"{table} {incident}"


def decode(data: bytes | None) -> State:
    """Return the state in a head; a new one for a new log. An earlier release kept incidents by their id alone."""
    state = State() if data is None else _decoder.decode(data)
    state.watched = {key(one.table, one.incident): one for one in state.watched.values()}
    return state


def encode(state: State) -> bytes:
    """Return the state as JSON."""
    return msgspec.json.encode(state)
