"""Steps: what the tracker concludes from one message of an Angel Eye shoe, in the order in which it happened."""

from typing import Literal, NamedTuple

from sabot_gateway.angel_eye.coup import TrackedCoup

BurnPart = Literal["burn_first", "burn_count", "burn"]
ShoeCause = Literal["start", "burn", "first_card", "person"]


class ShoeClosed(NamedTuple):
    """No further card comes of this set of cards."""

    shoe: int
    coups: int  # that were opened in it


class ShoeOpened(NamedTuple):
    """A new set of cards is in.

    `why`: `start` is S after the cutting card, `burn` and `first_card` are the first burn card or Player 1 that the
    change waited for, or a first burn card in a shoe that has coups; `person`: a person reported it.
    """

    shoe: int
    why: ShoeCause


class ShoeEnding(NamedTuple):
    """The cutting card came out: in the coup `number` of its shoe, or before the first card of that coup."""

    shoe: int
    number: int
    before_first_card: bool


class CoupOpened(NamedTuple):
    """A coup begins. `flags` is empty, or has first_card_missing or carried_first_card."""

    n: int
    number: int
    shoe: int
    flags: tuple[str, ...]


class CardPlaced(NamedTuple):
    """A card is taken into the open coup; a carried card was drawn before, as an overdraw."""

    n: int
    place: str  # player_1 .. banker_3
    card: str
    carried: bool = False


class CardSame(NamedTuple):
    """The place has this card already, or it is the kept card: no change."""

    place: str
    card: str


class Conflict(NamedTuple):
    """Another card for a place that has one: the first is kept."""

    n: int
    place: str
    held: str
    card: str


class Burnt(NamedTuple):
    """A message about the burn: its first card, its count, or one of its cards."""

    what: BurnPart
    position: int | None
    cards: int | None
    card: str | None


class CardUnplaced(NamedTuple):
    """A card drawn in the game for a target that is not defined: reported, not placed."""

    position: int
    card: str | None


class CardOutside(NamedTuple):
    """A card drawn outside the game: in lock, error or setting mode; `low` is the error code in error mode."""

    mode: str
    low: int
    card: str | None


class CoupClosed(NamedTuple):
    """The coup is over; its status says how."""

    coup: TrackedCoup


class ResultWithoutCoup(NamedTuple):
    """A result while no coup is open: evidence and alarm, no coup."""

    result: str
    player_pair: bool
    banker_pair: bool


class ResultUndefined(NamedTuple):
    """A result with an undefined code: it agrees with no cards, and the coup is closed after this step."""

    n: int


class CardKept(NamedTuple):
    """The shoe keeps this card as the first of the next coup, instead of one that it kept before."""

    card: str
    before: str | None


class KeptForgotten(NamedTuple):
    """The kept card was not the first card of the next coup: link lost, other shoe, or the coup began otherwise."""

    card: str


class AgainUnclear(NamedTuple):
    """A card sent again with a meaning that is not known: no change; an open coup has the flag again_unclear."""

    n: int | None
    target: str
    position: int | None
    card: str | None


class AgainIgnored(NamedTuple):
    """A card sent again, which the table's setting ignores."""

    target: str
    position: int | None
    card: str | None


class ErrorRaised(NamedTuple):
    """The shoe reported an error; a standing one lasts until it is cleared."""

    code: int
    error: str
    standing: bool
    n: int | None  # the open coup


class ErrorCleared(NamedTuple):
    """The error of the shoe is cleared."""

    code: int
    error: str


class LockChanged(NamedTuple):
    """The exit is locked or free: by the key at the shoe, or by a command that the shoe acknowledged."""

    locked: bool
    by: Literal["key", "command"]


class Restarted(NamedTuple):
    """The shoe started: whether it is locked or in error is unknown; an open coup is kept."""

    n: int | None  # the open coup


class Connected(NamedTuple):
    """The line was opened: what happened before is unknown."""


class LateCopy(NamedTuple):
    """A copy of a message that was taken already, later than the repeat filter looks back: no change."""

    t: str


Step = (
    ShoeClosed
    | ShoeOpened
    | ShoeEnding
    | CoupOpened
    | CardPlaced
    | CardSame
    | Conflict
    | Burnt
    | CardUnplaced
    | CardOutside
    | CoupClosed
    | ResultWithoutCoup
    | ResultUndefined
    | CardKept
    | KeptForgotten
    | AgainUnclear
    | AgainIgnored
    | ErrorRaised
    | ErrorCleared
    | LockChanged
    | Restarted
    | Connected
    | LateCopy
)
