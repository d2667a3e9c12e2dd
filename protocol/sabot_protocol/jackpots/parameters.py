"""Parameters of a jackpot: its funding, meters, trigger and pay-out, as the operator has set them."""

from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from sabot_protocol.inputs.config_file import Name

Id = Annotated[str, Meta(pattern=r"\A[a-z0-9][a-z0-9_-]{0,47}\Z")]
Minor = Annotated[int, Meta(ge=0, le=10**15)]  # an amount in minor units
Percent = Annotated[str, Meta(pattern=r"\A[0-9]{1,3}(\.[0-9]{1,6})?%\Z")]
Decimal = Annotated[str, Meta(pattern=r"\A(0|[1-9][0-9]{0,2})\.[0-9]{0,5}[1-9]\Z")]
Part = int | Decimal  # per cent of the rounded meter: 10, or as text "12.5"; never a float
Funding = Literal["operator", "wager", "both"]
Activation = Literal["end_of_round", "no_more_bets"]
Division = Literal["equal", "proportional"]
Equipment = Literal["console", "display", "handset"]
Drawn = Literal["table", "seat", "location"]

DIGEST_CHARS = 16


class LuckyTie(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="lucky_tie"):
    """Four eights and a tie (003 13.4.3): for each outcome of the option the per cent of the rounded meter."""

    option: Literal["option_1", "option_2", "option_3"]
    percent: dict[str, Part]


class Outcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="outcome"):
    """An outcome of a wager of the rulebook (002 18.6): for each outcome the per cent of the rounded meter."""

    wager: str
    percent: dict[str, Part]


class Random(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="random"):
    """A draw of a table, seat or wagering location; no card triggers it (002 18.8(d))."""

    draws: Annotated[tuple[Drawn, ...], Meta(min_length=1)]
    seats: Annotated[int, Meta(ge=1, le=99)] = 9
    locations: tuple[str, ...] = ()
    percent: Annotated[int, Meta(ge=1, le=100)] | Decimal = 100


Trigger = LuckyTie | Outcome | Random


class Parameters(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One jackpot with one set of meters; a tier of a tiered jackpot is one of its own. Amounts are minor units."""

    id: Id
    title: str
    rulebook: str
    game: str | None = None  # the book's first, unless given
    options: dict[str, str] = {}  # of the game: they choose prices, and so the outcomes of a wager
    currency: Annotated[str, Meta(pattern=r"\A[A-Z]{3}\Z")]
    version: Annotated[int, Meta(ge=1)] = 1
    in_force: Annotated[str, Meta(description="date from which they hold, as notified: 2026-11-01")] = ""
    tables: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=1000)]
    funding: Funding = "operator"
    increment: Minor = 0  # the operator's, for each completed coup
    wager_increment: dict[str, Percent] = {}  # of each stake on these wagers
    unwagered: bool = True  # coups without wagers count (reading A-42)
    activation: Activation = "end_of_round"
    base: Minor = 0  # on the meter at the start
    reset: Minor | None = None  # on the meter after it was won in full; as base, unless given
    reserve: Percent = "0%"  # of each increment, hidden
    limit: Minor | None = None  # of the display; the rest overflows
    unreasonable: Minor  # the most that one coup may contribute
    rounding: Annotated[int, Meta(ge=1, le=10**9)]  # the smallest payable amount
    division: Division = "equal"
    qualifying: tuple[str, ...] = ()  # wagers that take part in a pay-out
    equipment: tuple[Equipment, ...] = ()  # fitted at every participating table
    sign: str = ""  # more text for the table sign
    tier: str = ""  # of a tiered jackpot
    trigger: Trigger

    @cached_property
    def digest(self) -> str:
        """Identifies these parameters in every entry that they govern; what has its default does not count."""
        return sha256(msgspec.json.encode(_without_defaults(self), order="sorted")).hexdigest()[:DIGEST_CHARS]

    @cached_property
    def table_names(self) -> frozenset[str]:
        """The participating tables, to look one up."""
        return frozenset(self.tables)

    @property
    def takes_at_the_call(self) -> bool:
        """Return True if parts of stakes come after the call of no more bets (18.11), not at the end of the round."""
        return self.activation == "no_more_bets" and self.funding != "operator"

    @property
    def reset_value(self) -> int:
        """Return what is on the meter after it was won in full."""
        return self.base if self.reset is None else self.reset


def _without_defaults(struct: msgspec.Struct) -> dict[str, object]:
    """Return the fields that differ from their default, so that a release with more fields has the same digests."""
    found: dict[str, object] = {}
    for field in msgspec.structs.fields(struct):
        value = getattr(struct, field.name)
        factory = field.default_factory
        default = field.default if factory is msgspec.NODEFAULT else factory()
        if value != default:
            found[field.name] = _without_defaults(value) if isinstance(value, msgspec.Struct) else value
    return found if struct.__struct_config__.tag is None else {"kind": struct.__struct_config__.tag, **found}


def share(percent: Part) -> Fraction:
    """Return a percentage of the parameters as an exact fraction: 1.5% is 3/200."""
    return Fraction(str(percent).removesuffix("%")) / 100
