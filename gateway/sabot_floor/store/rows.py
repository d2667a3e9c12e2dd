"""Rows: what each table of the projection holds; columns are named as the fields of the messages."""

from typing import NamedTuple

# Times are ISO 8601, UTC. A text is empty and a number 0 where a message has nothing. `gateway` and `entry` name the
# entry of a ledger that the row comes from.


class Coup(NamedTuple):
    """A message on `coup`. One that `corrects` another replaces it; the one before stays."""

    gateway: str
    entry: int
    time: str
    id: str
    table: str
    unit: str
    shoe: int
    coup: int
    kind: str
    status: str
    winner: str  # empty for a void coup
    player: str  # cards without spaces: 8HTD
    banker: str
    player_points: int
    banker_points: int
    flags: str  # letters of P (player pair), B (banker pair), N (natural), L (last coup); then ` flag` of an Angel Eye
    corrects: str
    by: str
    clause: str
    decided: str
    attempt: str
    began: str
    rulebook: str


class Confirmed(NamedTuple):
    """A message on `confirmed`; cards and winner are those of the coup message `coup_id`."""

    gateway: str
    entry: int
    time: str
    id: str
    table: str
    unit: str
    shoe: int
    coup: int
    coup_id: str
    status: str
    corrects: str
    by: str
    clause: str
    decided: str
    attempt: str


class ShoeChange(NamedTuple):
    """A message on `shoe`: opened or closed. `coup` is the last coup number then."""

    gateway: str
    entry: int
    time: str
    id: str
    table: str
    unit: str
    shoe: int
    coup: int
    state: str  # open, closed
    decks: int
    card_set: int
    burn: str
    rulebook: str


class Card(NamedTuple):
    """A card that is in no hand (burnt, not played), or that has notes other than `exposed` alone."""

    gateway: str
    entry: int
    time: str
    id: str
    table: str
    unit: str
    shoe: int
    coup: int
    slot: str
    card: str
    notes: str  # names with a space between: keyed face_up


class Dealt(NamedTuple):
    """A card of a hand without such notes: when it left the shoe. The coup has its unit."""

    gateway: str
    entry: int
    time: str
    table: str
    shoe: int
    coup: int
    slot: str
    card: str


class AlarmChange(NamedTuple):
    """A message on `alarm`: raised, acknowledged or cleared."""

    gateway: str
    entry: int
    time: str
    id: str
    table: str
    unit: str
    shoe: int
    coup: int
    alarm: str  # id of the message that raised it
    state: str  # raised, acknowledged, cleared
    name: str
    severity: str
    say: str
    clause: str
    shoe_says: str
    cards_say: str
    by: str


class Attempt(NamedTuple):
    """A request of a person, stored before anything was done."""

    gateway: str
    entry: int
    time: str
    id: str
    table: str
    verb: str
    by: str
    user: str  # account on the table PC
    role: str
    clause: str
    args: str  # JSON, keys sorted
    origin: str  # local, floor
    act: str  # of the rulebook
    asks: str  # the person who asks, if another approves
    asks_role: str
    command: str  # id of the floor's command


class Outcome(NamedTuple):
    """The answer to an attempt."""

    gateway: str
    entry: int
    time: str
    id: str
    table: str
    attempt: str
    ok: int  # 1 or 0
    say: str


class Incident(NamedTuple):
    """The newest state of an incident."""

    gateway: str
    incident: str
    entry: int
    time: str  # of the newest message
    table: str
    unit: str
    shoe: int
    coup: int
    kind: str
    state: str  # open, closed
    opened: str
    say: str
    clause: str
    by: str
    alarm: str
    coup_id: str
    facts: str  # JSON, keys sorted
    steps: str  # JSON


class Increment(NamedTuple):
    """Count and total of a table's increments to a jackpot, after the newest of a half hour."""

    gateway: str
    jackpot: str
    table: str
    half_hour: str  # its begin, UTC: 2026-03-01T05:30
    entry: int
    time: str
    currency: str
    counted: int  # increments so far
    total: int  # of them, minor units


class Health(NamedTuple):
    """A message on `health`: what one sensor saw over a shoe."""

    gateway: str
    entry: int
    time: str
    id: str
    table: str
    unit: str
    shoe: int
    coup: int
    sensor: str  # entry, a, b, exit
    reads: int
    rejects: int
    spikes: int
    margin_mean_pct: int
    margin_worst_pct: int
    speed_mean_mm_s: int
    speed_least_mm_s: int
    speed_most_mm_s: int


class EntryHash(NamedTuple):
    """The hash in the chain of its ledger that a message on `coup` or `confirmed` names, hex."""

    gateway: str
    entry: int
    hash: str


class Head(NamedTuple):
    """The newest head of a gateway's ledger of a day, as it came over MQTT."""

    gateway: str
    day: str
    entry: int
    hash: str
    time: str
    signature: str


class Covered(NamedTuple):
    """Every published entry after `after`, up to and with `entry`, is in the projection."""

    gateway: str
    after: int
    entry: int


class Contradiction(NamedTuple):
    """Two different messages came for one entry of a ledger; `kept` is in the tables until the ledger is read again."""

    gateway: str
    entry: int
    kept: str
    other: str


Row = Coup | Confirmed | ShoeChange | Card | Dealt | AlarmChange | Attempt | Outcome | Incident | Increment | Health
AnyRow = Row | EntryHash | Contradiction | Head
