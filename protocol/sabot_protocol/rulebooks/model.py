"""The shape of a rulebook file: every key typed, unknown keys refused."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Literal

import msgspec

from sabot_protocol import irregularities
from sabot_protocol.fields import HASH_BYTES, OrderedBy
from sabot_protocol.rulebooks.incidents import Incident
from sabot_protocol.rulebooks.people import Authority
from sabot_protocol.rulebooks.sign import Demo, Sign

BurnMode = Literal["none", "one", "shown", "face_up"]
SIDES = ("player", "banker")


class RulebookError(ValueError):
    """A rulebook, or a table's choice from it, is wrong; the message names the place."""


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Unknown keys are errors."""


class Decks(_Strict, frozen=True):
    """The numbers of decks that the rulebook allows."""

    allowed: tuple[int, ...]
    default: int
    clause: str


class Draw(_Strict, frozen=True):
    """The clauses that govern the third card."""

    natural: str
    table_1: str
    table_2: str
    player_stands: str


class Burn(_Strict, frozen=True):
    """What is burnt from a new shoe."""

    mode: BurnMode
    clause: str


class Switch(_Strict, frozen=True):
    """A point on which the rulebooks differ."""

    value: bool
    clause: str


class Unwagered(_Strict, frozen=True):
    """What the rulebook calls a coup without wagers."""

    kind: Literal["no_bet", "void_hand", "dummy"]
    clause: str


class Choice(_Strict, frozen=True):
    """How a table deals; the first value is the default."""

    values: tuple[str, ...]
    clause: str


class ShoeRules(_Strict, frozen=True):
    """What the shoe must know."""

    burn: Burn
    unwagered: Unwagered
    choice: dict[str, Choice]
    cut_first_card_is_last_coup: Switch


class HouseSwitch(_Strict, frozen=True):
    """How this house does it; the clause is empty if the rulebook is silent."""

    value: bool | str
    clause: str


# Every switch of a house and its possible values; a text may list several, separated by spaces.
SWITCHES: dict[str, frozenset[bool | str]] = {
    "post_cut_dummy_coups": frozenset({True, False}),
    "burn_modes": frozenset({"one", "shown", "face_up"}),
    "mid_shoe_burn": frozenset({True, False}),
    "cut_depth_cards": frozenset({"20", "13"}),
    "card_may_return_to_shoe": frozenset({True, False}),
    "replace_before_excess_card": frozenset({True, False}),
    "manual_entry": frozenset({"silent", "casino_supervisor"}),
    "dummy_needs_authorisation": frozenset({True, False}),
    "dummy_ordered_by": frozenset(OrderedBy.flags),
    "this_no_bet": frozenset({True, False}),
    "result_before_confirm": frozenset({True, False}),
    "foreign_card_rule": frozenset({"silent", "void_check"}),
    "over_max_policy": frozenset({"to_maximum", "valid_in_full", "never_accepted"}),
    "under_min_policy": frozenset({"valid", "silent", "paid_and_warned", "rejected"}),
}


# Every choice of how a table deals, and its possible values.
CHOICES: dict[str, tuple[str, ...]] = {
    "dealing": ("face_down", "face_up"),
    "shuffler": ("none", "continuous"),
    "style": ("standard", "international"),
}


# Switches that go to the shoe, with the same name in its profile.
_SWITCHES_OF_THE_SHOE = (
    "post_cut_dummy_coups",
    "mid_shoe_burn",
    "card_may_return_to_shoe",
    "dummy_needs_authorisation",
    "this_no_bet",
    "result_before_confirm",
)


ClosingEvent = Literal[
    "first_card_removed",
    "first_card_dealt",
    "first_card_exposed",
    "no_more_bets",
    "no_more_bets_and_first_card_removed",
    "end_of_wagering_period",
]


class StyleClosing(_Strict, frozen=True):
    """When wagers close at a table that deals in one style."""

    event: ClosingEvent
    clause: str


class Closing(StyleClosing, frozen=True):
    """When wagers close; a card that is exposed closes them whatever was called, and for good."""

    exposed_clause: str
    style: dict[str, StyleClosing] = {}  # by the table's choice

    def at(self, style: str) -> StyleClosing:
        """Return the rule of a table with this style."""
        return self.style.get(style, self)


class Game(_Strict, frozen=True):
    """A form of the game that a table offers."""

    title: str
    clause: str
    decks: tuple[int, ...] = ()  # if not the rulebook's
    decks_clause: str = ""
    tournament_clause: str = ""  # if only tournaments may offer it
    only_clause: str = ""  # that no wager but those of the game is permitted


class Option(_Strict, frozen=True):
    """A choice of the operator; the first value is the default."""

    values: tuple[str, ...]
    clause: str
    scope: Literal["table", "casino"] = "table"
    games: tuple[str, ...] = ()  # empty: all


class Price(_Strict, frozen=True):
    """What an outcome pays, net: fixed, by the value of an option, or that value in percent."""

    clause: str
    odds: str | None = None
    odds_by: dict[str, tuple[str, ...]] = {}
    percent_of: str | None = None

    def net(self, options: dict[str, str], book: "Rulebook") -> Fraction:
        """Return the odds at a table with these options."""
        if self.percent_of is not None:
            return Fraction(int(options[self.percent_of]), 100)
        for option, odds in self.odds_by.items():
            return Fraction(odds[book.option[option].values.index(options[option])])
        return Fraction(self.odds or "0")


class Wager(_Strict, frozen=True):
    """A wager that one coup decides. With `sides` it is two wagers: `{side}` in the texts becomes player and banker."""

    id: str
    bet: str
    clause: str
    games: tuple[str, ...]
    sides: bool = False
    side: str = ""
    win: dict[str, Price] = {}
    push: dict[str, Price] = {}
    parts: dict[str, str] = {}  # a combined wager: each wager with its share of the stake
    parts_clause: str = ""  # that the parts must be on offer too
    note: str = ""  # shown with its odds
    decks: tuple[int, ...] = ()
    decks_clause: str = ""
    excludes: tuple[str, ...] = ()
    excludes_clause: str = ""
    main: tuple[str, ...] = ()  # one of these must be wagered on too, at least as much
    main_clause: str = ""

    def needed_decks(self, decks: int) -> str:
        """Return the number of decks that the wager needs, as text, if it is not this one; else an empty text."""
        return "" if not self.decks or decks in self.decks else f"needs {' or '.join(map(str, self.decks))} decks"

    def expanded(self) -> "Iterator[Wager]":
        """Yield one wager for each side, or the wager itself."""
        if not self.sides:
            yield self
            return
        for side in SIDES:
            yield msgspec.structs.replace(
                self,
                id=self.id.format(side=side),
                side=side,
                sides=False,
                win={name.format(side=side): price for name, price in self.win.items()},
                excludes=tuple(name.format(side=other) for name in self.excludes for other in SIDES),
                main=tuple(name.format(side=side) for name in self.main),
            )


class Sequence(_Strict, frozen=True):
    """A wager on several coups: a run of a number of results, or a dragon tail."""

    id: str
    kind: Literal["run", "tail_early", "tail_late"]
    result: Literal["P", "B", "T", "combo"]
    odds: dict[str, str]  # by number of results
    clause: str
    games: tuple[str, ...]


class Roulette(_Strict, frozen=True):
    """Prices of the single-zero layout, and the announced wagers by their pieces."""

    clause: str
    odds: dict[str, str]
    clauses: dict[str, str]
    announced: dict[str, tuple[str, ...]]
    announced_clauses: dict[str, str]


class Differential(_Strict, frozen=True):
    """Extra commission on the part of a winning stake above the table differential."""

    commission: str
    games: tuple[str, ...]
    wagers: tuple[str, ...]
    clause: str


class Ante(_Strict, frozen=True):
    """A flat fee on a wager, at most this share of the table's minimum."""

    most_of_minimum: str
    clause: str


class Money(_Strict, frozen=True):
    """What happens to a payment that chips cannot make exactly, and what the house charges."""

    rounding: Literal["next_highest", "void_excess", "exact"]  # exact: the book rounds nothing
    clause: str
    exact_odds: str = ""  # void_excess: a stake at these odds is valid as far as chips can pay it exactly
    differential: Differential | None = None
    ante: Ante | None = None


class Jackpot(_Strict, frozen=True):
    """A jackpot on the four initial cards: for each option its outcomes, with the range of percent of the meter."""

    initial_rank: str
    clause: str
    wager: str  # who has it takes part
    wager_clause: str
    option: dict[str, dict[str, tuple[int, int]]]


class JackpotRules(_Strict, frozen=True):
    """What the book lays down about the parameters of a jackpot, each with its clause."""

    funding: tuple[Literal["operator", "wager", "both"], ...]
    funding_clause: str
    equipment: dict[Literal["console", "display", "handset"], str]  # that a table must have
    dated_clause: str = ""  # the parameters must have a date, because they are notified beforehand


_NO_RULES = ("sign", "demo", "jackpots")  # not hashed: what a sign shows, and what the parameters of a jackpot need


class Rulebook(_Strict, frozen=True):
    """One casino's rulebook."""

    id: str
    title: str
    decks: Decks
    draw: Draw
    shoe: ShoeRules
    switch: dict[str, HouseSwitch]
    closing: Closing
    money: Money
    game: dict[str, Game]
    wager: tuple[Wager, ...]
    authority: Authority
    incident: dict[str, Incident]
    sign: Sign
    demo: Demo
    option: dict[str, Option] = {}
    sequence: tuple[Sequence, ...] = ()
    roulette: Roulette | None = None
    jackpot: dict[str, Jackpot] = {}
    jackpots: JackpotRules | None = None  # None: the book has none

    def wagers(self, game: str) -> list[Wager]:
        """Return the wagers of a game that one coup or hand decides, one for each side."""
        return [wager for entry in self.wager if game in entry.games for wager in entry.expanded()]

    def digest(self) -> bytes:
        """Return the eight bytes that identify all rules in ledger and messages; wording does not count."""
        rules = msgspec.structs.asdict(self)
        for name in _NO_RULES:
            del rules[name]
        return self._hash(rules)

    def play_digest(self) -> bytes:
        """Return the eight bytes that identify the rules of play in a shoe's profile: all but what people do."""
        play = msgspec.structs.asdict(self)
        for name in (*_NO_RULES, "authority", "incident"):
            del play[name]
        return self._hash(play)

    def _hash(self, rules: object) -> bytes:
        both = [rules, irregularities.load(self.id).without_wording()]
        return sha256(msgspec.json.encode(both, order="sorted")).digest()[:HASH_BYTES]

    def decks_for(self, game: str, decks: int | None) -> int:
        """Return the number of decks, or the default; RulebookError if the game does not allow it."""
        allowed, clause = self.allowed_decks(game)
        wanted = (self.decks.default if self.decks.default in allowed else allowed[0]) if decks is None else decks
        if wanted not in allowed:
            raise RulebookError(f"decks = {wanted}: {self.id} allows {', '.join(map(str, allowed))} (clause {clause})")
        return wanted

    def allowed_decks(self, game: str) -> tuple[tuple[int, ...], str]:
        """Return the numbers of decks this game may be played with, and their clause."""
        own = self.game[game]
        return (own.decks, own.decks_clause) if own.decks else (self.decks.allowed, self.decks.clause)

    def profile(
        self, decks: int | None, card_set: int, choices: Mapping[str, str] = MappingProxyType({})
    ) -> dict[str, Any]:
        """Return the profile of a shoe at a table; `choices` are the table's choices by name."""
        for name in choices.keys() - self.shoe.choice.keys():
            raise RulebookError(f"unknown choice {name!r}: {self.id} has {', '.join(self.shoe.choice)}")
        chosen = {name: self._chosen(name, choices) for name in self.shoe.choice}
        switch = {name: house.value for name, house in self.switch.items()}
        switches = {
            "cut_first_card_is_last_coup": self.shoe.cut_first_card_is_last_coup.value,
            "manual_entry_needs_authorisation": switch["manual_entry"] != "silent",
            "dealt_face_up": chosen["dealing"] == "face_up",
            "continuous": chosen["shuffler"] == "continuous",
            "international": chosen.get("style") == "international",
            **{name: bool(switch[name]) for name in _SWITCHES_OF_THE_SHOE},
        }
        return {
            "rulebook_hash": self.play_digest(),
            "card_set": card_set,
            "decks": self.decks_for(next(iter(self.game)), decks),
            "burn": self.shoe.burn.mode,
            "burn_modes": dict.fromkeys(str(switch["burn_modes"]).split(), True),
            "switches": switches,
            "unwagered": self.shoe.unwagered.kind,
            "ordered": dict.fromkeys(str(switch["dummy_ordered_by"]).split(), True),
            "codes": irregularities.codes(self.id),
        }

    def deals_face_down(self, choices: Mapping[str, str]) -> bool:
        """Return True if cards lie face down until they are turned at a table with these choices."""
        return (choices.get("dealing") or self.shoe.choice["dealing"].values[0]) == "face_down"

    def _chosen(self, name: str, choices: Mapping[str, str]) -> str:
        choice = self.shoe.choice[name]
        value = choices.get(name, choice.values[0])
        if value not in choice.values:
            allowed = ", ".join(choice.values)
            raise RulebookError(f"{name} = {value}: {self.id} allows {allowed} (clause {choice.clause})")
        return value
