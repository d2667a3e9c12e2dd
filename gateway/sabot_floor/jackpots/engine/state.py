"""State of a jackpot: meters, tables, wins; encoded with every batch, so its parts are compact."""

import msgspec
from sabot_protocol.jackpots.messages import Meters, WinState
from sabot_protocol.jackpots.parameters import Division, Parameters, Part

MOST_CHANGERS = 100
CARRY_UNIT = 10**8  # a per cent of the parameters has six decimals: the carry of the reserve is exact in these


class Shoe(msgspec.Struct, array_like=True, gc=False):
    """Coups of one shoe at a table: all from `first` to `newest` are counted or made good, except those missing."""

    unit: str
    shoe: int
    newest: int
    missing: tuple[int, ...] = ()
    made_good: tuple[int, ...] = ()
    first: int = 1  # later if the jackpot began in mid-shoe


class Sequence(msgspec.Struct, array_like=True, gc=False):
    """What a gateway has sent for a table."""

    count: int = 0
    total: int = 0
    carry: str = "0"
    restart: bool = False  # restored: the next increment sets count and total


class Place(msgspec.Struct, array_like=True, gc=False):
    """A table: why the jackpot is not offered there, and its newest shoes."""

    withdrawn: str = ""
    shoes: list[Shoe] = []
    any_start: bool = False  # restored: the first increment of a gateway not seen before sets its count and total


class Missed(msgspec.Struct, array_like=True, gc=False):
    """A coup, or a sum of coups, that was not counted and may be made good."""

    id: str
    table: str
    amount: int
    coups: int = 1
    unit: str = ""
    shoe: int = 0
    coup: int = 0
    coup_id: str = ""
    trigger: str = ""
    parameters: str = ""
    reason: str = ""
    proposed: bool = False  # it had no increment; one may still come


class Block(msgspec.Struct, array_like=True, gc=False):
    """Increments that did not arrive and are missed as a sum: which coups of a table lie in it."""

    id: str  # of the sum
    table: str
    parameters: str
    unit: str
    until: tuple[int, int]  # shoe and coup of the increment behind it
    before: str = ""  # unit of the last coup counted before it
    after: tuple[int, int] = (0, 0)  # shoe and coup of that
    made_good: bool = False
    people: list[tuple[str, str]] = []  # name and id of who did that: others confirm a win in it


class Due(msgspec.Struct, array_like=True, gc=False):
    """What a win that was paid was worth after all; nothing if its coup was void."""

    value: int = 0
    prize: int = 0
    moved: int = 0
    void: bool = False
    settled: str = ""  # when a person closed the difference
    settled_prize: int | None = None  # what was due then: the winner has that


class Hit(msgspec.Struct, array_like=True, gc=False):
    """A win that is recognised or pending, or, in `closed`, was decided."""

    win: str  # id of the coup's message on `confirmed`, or of the draw
    increment: str  # id of the increment that brought it
    table: str
    shoe: int
    coup: int
    outcome: str
    percent: Part
    rounding: int
    division: Division
    parameters: str
    state: WinState = "recognised"
    at: str = ""
    seen: int = 0  # display when it was recorded, less what wins before it have taken since
    stakes: list[int] = []
    drawn: bool = False  # by a random draw: needs no wager
    seat: str = ""
    value: int = 0  # this and the rest: set when it is closed
    rounded: int = 0
    prize: int = 0
    shares: list[int] = []
    by: str = ""
    role: str = ""
    notified: str = ""
    closed: str = ""
    reason: str = ""
    record: str = ""  # id of the dealer's record
    recorder: str = ""  # who recorded it: another person confirms
    rank: int = 0  # place in the order of wins, from 1; 0: of an older release, before all others, by `at`
    turn: int = 0  # of the jackpot when it was recorded: what was paid before is in `seen`
    gateway: str = ""
    entry: int = 0  # of the record in its gateway's ledger
    heard: dict[str, int] = {}  # newest entry of each other gateway when the record came
    undecided: list[str] = []  # wins that it may come before or after
    people: list[tuple[str, str]] = []  # name and id of those who made it or paid it: others confirm and settle
    paid_turn: int = 0
    moved: int = 0  # by how much its pay-out changed Display
    due: Due | None = None  # what it was worth, if it was paid otherwise
    returns: bool = False  # its pay-out puts on Display what others took too much
    follows: bool = False  # `seen` is corrected with the pay-outs before it; not in an older release
    kept: int = 0  # of `seen`: what void pay-outs had moved on the Display that it saw


class JackpotState(msgspec.Struct, kw_only=True):
    """Everything that the engine knows about one jackpot."""

    parameters: Parameters
    waiting: Parameters | None = None
    former: list[Parameters] = []  # increments made before the newest change still name them
    begun: bool = False  # an increment was counted
    base: int = 0
    in_: int = msgspec.field(default=0, name="in")
    display: int = 0
    hits: int = 0
    wins: int = 0
    overflow: int = 0
    reserve: int = 0
    reserve_carry: int = 0  # of CARRY_UNIT
    sequences: dict[str, dict[str, Sequence]] = {}  # by table, then gateway
    places: dict[str, Place] = {}
    missed: list[Missed] = []
    blocks: list[Block] = []  # the newest
    open: dict[str, Hit] = {}  # recognised and pending
    closed: list[Hit] = []  # the newest
    adjustments: list[str] = []  # ids of the newest
    turn: int = 0  # grows with each record and pay-out
    lacking: int = 0  # what Display lacks by pay-outs that were corrected later
    corrected: int = 0  # sum of these corrections so far
    owed: int = 0  # of `lacking`: by the order of wins; the rest, by void pay-outs, new wins do not see
    changers: list[tuple[str, str]] = []  # who changed the meter by hand since the newest pay-out: others confirm
    accepted: str = ""  # hash that a meter at the broker named, and that a person has accepted to be missing
    commitment: str = ""
    secret: str = ""  # of the next random draw, hex; in no entry or message before it, and not used by the engine

    def balanced(self) -> bool:
        """Return True if base + in = display + wins + overflow + reserve, and no meter is below 0."""
        return (
            self.base + self.in_ == self.display + self.wins + self.overflow + self.reserve
            and self.display >= 0
            and self.overflow >= 0
            and self.reserve >= 0
        )

    def meters(self) -> Meters:
        """Return the meters as they are published."""
        return Meters(
            base=self.base,
            in_=self.in_,
            display=self.display,
            hits=self.hits,
            wins=self.wins,
            overflow=self.overflow,
            reserve=self.reserve,
        )


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(JackpotState)


def encode(state: JackpotState) -> bytes:
    """Return the state as JSON."""
    return _encoder.encode(state)


def decode(data: bytes) -> JackpotState:
    """Return the state that `encode` made; msgspec.ValidationError if it is damaged."""
    return _decoder.decode(data)
