"""sabot settle: what a coup, run, hand or spin makes of every wager, one JSON line each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated, Any

import msgspec
import typer
from sabot_gateway import rules
from sabot_protocol.cards import POINTS
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.rulebooks.model import Jackpot
from sabot_protocol.wagers import facts, lucky_tie, money, roulette, sequences, three_card
from sabot_protocol.wagers.settled import Settled
from sabot_protocol.wagers.table import Settings, Table, decided_by

from sabot_tools.options.rulebook import DecksOption, RulebookOption, SetOption, table_settings
from sabot_tools.text.json_lines import BadLineError, answer_lines

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_encode = msgspec.json.encode


_STAKES = ("stakes", "chip", "differential", "table_minimum", "table_maximum", "payouts")
# The fields of a line, by the field that names its kind.
_FIELDS = {
    "wager": frozenset({"id", "wager", "results"}),
    "number": frozenset({"id", "number"}),
    "dealer": frozenset({"id", "player", "dealer"}),
    "jackpot": frozenset({"id", "stock", "jackpot"}),
    "stock": frozenset({"id", "stock", *_STAKES}),
}
_CARDS_ALONE = frozenset({"id", "stock"})
_OTHER_GAMES = {"three_card": "player and dealer", "roulette": "number"}


Limit = Annotated[int, msgspec.Meta(gt=0)] | None


class Stakes(msgspec.Struct):
    """The fields of a coup that are money, in minor units."""

    stakes: dict[str, int]
    chip: int = 1  # smallest chip that payments are made in
    differential: int | None = None
    table_minimum: Limit = None  # for each wager, as the table's sign has them
    table_maximum: Limit = None
    payouts: dict[str, Annotated[int, msgspec.Meta(gt=0)]] = {}  # the most that is paid on a wager, as the sign has it


class Settler:
    """Answers lines for one table; the fields of a line name its kind."""

    def __init__(self, book: Rulebook, settings: Settings, decks: int) -> None:
        self._book, self._settings, self._decks = book, settings, decks
        self._table = Table(book, settings)
        self._results: dict[facts.Facts, bytes] = {}
        self._thirds: dict[tuple[int, ...], tuple[bool, bool]] = {}  # whether Player and Banker draw
        by_kind = groupby(self._table.wagers.items(), lambda item: decided_by(item[1]))
        self._runs = [(kind, list(wagers)) for kind, wagers in by_kind]
        self._texts: dict[tuple[int, tuple[Any, ...]], bytes] = {}  # by number of the run and what decides it
        self._singles: dict[tuple[str, int], bytes] = {}
        self._answers = {
            "wager": self._sequence,
            "number": self._roulette,
            "dealer": self._three_card,
            "jackpot": self._jackpot,
            "stock": self._coup,
        }

    def answer(self, line: dict[str, Any]) -> bytes:
        """Return the answer from behind its id: the rest of a JSON object."""
        for kind, fields in _FIELDS.items():
            if kind in line:
                if not line.keys() <= fields:
                    raise BadLineError(_unknown_field(line, kind))
                return self._answers[kind](line)
        raise BadLineError("nothing to settle: give stock, or wager and results, or player and dealer, or number")

    def _coup(self, line: dict[str, Any]) -> bytes:
        player, banker = self._hands(line["stock"])
        key = facts.coup_facts(player, banker)
        payments = (
            b',"payments":%b' % self._payments(line, key) if not line.keys() <= _CARDS_ALONE and _is_paid(line) else b""
        )
        result = self._results.get(key)
        if result is None:
            result = self._results[key] = self._encoded(key)
        consumed = len(player) + len(banker)
        return b'"consumed":%d,"player":%b,"banker":%b,%b%b}' % (
            consumed, _encode(player), _encode(banker), result, payments
        )  # fmt: skip

    def _hands(self, stock: Any) -> tuple[list[str], list[str]]:
        """Return the hands of Player and Banker; coups with the same points and third cards are played once."""
        self._check_stock(stock)
        if len(stock) < 4:
            _played(stock)  # raises
        one, two, three, four, *rest = [POINTS[card] for card in stock[:6]]
        case = ((one + three) % 10, (two + four) % 10, *rest)
        thirds = self._thirds.get(case)
        if thirds is None:
            coup = _played(stock)
            thirds = self._thirds[case] = coup.player[2:] != (), coup.banker[2:] != ()
        player, banker = [stock[0], stock[2]], [stock[1], stock[3]]
        if thirds[0]:
            player.append(stock[4])
        if thirds[1]:
            banker.append(stock[len(player) + 2])
        return player, banker

    def _payments(self, line: dict[str, Any], key: facts.Facts) -> bytes:
        _check_stakes(line["stakes"])
        given = msgspec.convert({name: line[name] for name in _STAKES if name in line}, Stakes)
        self._check_decks(given.stakes)
        settled = self._table.settle(key)
        limits = money.Limits(given.table_minimum, given.table_maximum, given.payouts)
        paid = money.payments(self._table, settled, given.stakes, given.chip, given.differential, limits)
        return _encode({name: {"net": one.net_cents, "void": one.void_cents} for name, one in paid.items()})

    def _check_decks(self, stakes: dict[str, int]) -> None:
        """Refuse a stake on a wager that is not offered with this number of decks."""
        for name in stakes.keys() & self._table.wagers.keys():
            wager = self._table.wagers[name].wager
            if needed := wager.needed_decks(self._decks):
                raise BadLineError(f"stakes.{name}: it {needed}, not {self._decks} ({wager.decks_clause})")

    def _encoded(self, key: facts.Facts) -> bytes:
        """Return points, winner and all outcomes of a coup as JSON."""
        player, banker = key.player.points, key.banker.points
        return b'"player_points":%d,"banker_points":%d,"winner":"%b","outcomes":{%b}' % (
            player, banker, rules.winner(player, banker).encode(), b",".join(self._outcomes(key))
        )  # fmt: skip

    def _outcomes(self, key: facts.Facts) -> Iterator[bytes]:
        """Yield the texts of all wagers; neighbours that the same facts decide are one text, and made once."""
        parts = {"points": (key.player[:3], key.banker[:3]), "pairs": (key.player[3:], key.banker[3:], key.twin)}
        for number, (kind, wagers) in enumerate(self._runs):
            part = number, parts.get(kind, key)
            text = self._texts.get(part)
            if text is None:
                text = self._texts[part] = b",".join(self._text(name, wager.settle(key)) for name, wager in wagers)
            yield text

    def _text(self, name: str, settled: Settled) -> bytes:
        """Return one wager as JSON; a table has one object for each of its few outcomes, so its id is the key."""
        text = self._singles.get((name, id(settled)))
        if text is None:
            text = self._singles[name, id(settled)] = _encode({name: _as_json(settled)})[1:-1]
        return text

    def _sequence(self, line: dict[str, Any]) -> bytes:
        results = line.get("results")
        if not isinstance(results, list):
            raise BadLineError("results: give a list of P, B, T, X and END")
        for at, result in enumerate(results):
            if result not in sequences.RESULTS:
                raise BadLineError(f"results[{at}]: {result!r} is not one of {', '.join(sequences.RESULTS)}")
        if "END" in results[:-1]:
            raise BadLineError("results: nothing comes after END")
        settled = sequences.find(self._book, self._settings.game, str(line["wager"])).settle(results)
        return _encode(_as_json(settled))[1:]

    def _three_card(self, line: dict[str, Any]) -> bytes:
        if not self._table.three_card:
            raise BadLineError(
                f"player and dealer: game {self._settings.game} has no such hands; use --set game=three_card"
            )
        player, dealer = (self._three_cards(line, name) for name in ("player", "dealer"))
        _check_copies([*player, *dealer], "player and dealer", self._decks)
        settled = self._table.settle_three_card(three_card.hand(player), three_card.hand(dealer))
        return _encode({"player": player, "dealer": dealer, "outcomes": _plain(settled)})[1:]

    def _three_cards(self, line: dict[str, Any], name: str) -> list[str]:
        cards: Any = line.get(name)
        self._check_cards(cards, name)
        if len(cards) != 3:
            raise BadLineError(f"{name}: {len(cards)} cards; a hand has three")
        return list(cards)

    def _roulette(self, line: dict[str, Any]) -> bytes:
        number = line["number"]
        if self._settings.game != "roulette" or self._book.roulette is None:
            raise BadLineError(f"number: game {self._settings.game} is not roulette; use --set game=roulette")
        if type(number) is not int or number not in roulette.NUMBERS:
            raise BadLineError(f"number: {number!r} is not a whole number from 0 to 36")
        return _encode({"number": number, "outcomes": _plain(roulette.settle(self._book.roulette, number))})[1:]

    def _jackpot(self, line: dict[str, Any]) -> bytes:
        jackpots, name = self._book.jackpot, line["jackpot"]
        if not isinstance(name, str) or name not in jackpots:
            raise BadLineError(
                f"jackpot: unknown jackpot {name!r}: {self._book.id} has {', '.join(jackpots) or 'none'}"
            )
        stock: Any = line.get("stock")
        self._check_stock(stock)
        self._check_takes_part(name, jackpots[name])
        coup = _played(stock)
        return _encode(lucky_tie.outcomes(jackpots[name], coup.player, coup.banker))[1:]

    def _check_takes_part(self, name: str, jackpot: Jackpot) -> None:
        """Refuse a jackpot in a game that has not the wager with which a player takes part."""
        if jackpot.wager not in self._table.wagers:
            game = self._settings.game
            clauses = ", ".join(filter(None, (self._book.game[game].only_clause, jackpot.wager_clause)))
            raise BadLineError(
                f"jackpot: {name} is for players with a wager on {jackpot.wager}, and game {game} has none ({clauses})"
            )

    def _check_stock(self, stock: Any) -> None:
        if needed := _OTHER_GAMES.get(self._settings.game):
            raise BadLineError(f"stock: game {self._settings.game} is not dealt from a stock of cards; give {needed}")
        self._check_cards(stock, "stock")

    def _check_cards(self, cards: Any, name: str) -> None:
        if not isinstance(cards, list):
            raise BadLineError(f"{name}: give a list of cards such as 8H")
        for at, card in enumerate(cards):
            if not isinstance(card, str) or card not in POINTS:
                raise BadLineError(f"{name}[{at}]: {card!r} is not one of the 52 cards")
        if len(cards) > self._decks:
            _check_copies(cards, name, self._decks)


def _is_paid(line: dict[str, Any]) -> bool:
    """Return True if a line has stakes; what is only about stakes is refused without them."""
    if "stakes" not in line and (alone := next((name for name in _STAKES if name in line), "")):
        raise BadLineError(f"{alone}: it is about stakes; give stakes too")
    return "stakes" in line


def _check_stakes(stakes: Any) -> None:
    if not isinstance(stakes, dict):
        raise BadLineError('stakes: give each wager with its stake, such as {"player": 1000}')
    for name, stake in stakes.items():
        if type(stake) is not int:
            raise BadLineError(f"stakes.{name}: {stake!r} is not a stake: give a whole number of minor units")


def _played(stock: list[str]) -> rules.Coup:
    try:
        return rules.play(stock)
    except rules.NotACoupError as error:
        raise BadLineError(f"stock: {error}") from error


def _unknown_field(line: dict[str, Any], kind: str) -> str:
    unknown = next(name for name in line if name not in _FIELDS[kind])
    others = ", ".join(sorted(_FIELDS[kind] - {kind}))
    return f"unknown field {unknown!r}: a line with {kind} may have {others}"


def _check_copies(cards: Sequence[str], name: str, decks: int) -> None:
    if len(cards) > 52 * decks:
        raise BadLineError(f"{name}: {len(cards)} cards; {_decks(decks)} {52 * decks}")
    card, count = Counter(cards).most_common(1)[0]
    if count > decks:
        raise BadLineError(f"{name}: {card} occurs {count} times; {_decks(decks)} {decks}")


def _decks(decks: int) -> str:
    return "one deck has" if decks == 1 else f"{decks} decks have"


def _as_json(settled: Settled) -> dict[str, str]:
    return {
        "result": settled.result,
        "odds": str(settled.odds),
        "outcome": settled.outcome,
        "rule": settled.rule,
    }


def _plain(settled: dict[str, Settled]) -> dict[str, dict[str, str]]:
    return {name: _as_json(one) for name, one in settled.items()}


EXAMPLES = """\b
Example: echo '{"id": 0, "stock": ["2S","7D","4H","KC","9S"]}' | sabot settle --rulebook star-baccarat
Example: echo '{"stock": ["4S","7H","KD","KC","2C"], "stakes": {"banker": 130}}' | sabot settle --rulebook nz-baccarat
Example: echo '{"id": 1, "wager": "run_banker_3", "results": ["B","B","B"]}' | sabot settle --rulebook crown-baccarat
Example: echo '{"id": 2, "number": 17}' | sabot settle --rulebook star-rapid --set game=roulette
"""


@app.command(epilog=EXAMPLES)
def settle(
    rulebook: RulebookOption,
    set_: SetOption = None,
    decks: DecksOption = None,
) -> None:
    """Settle coups, runs, hands and spins by a rulebook: JSON lines in, JSON lines out."""
    answer_lines(Settler(*table_settings("settle", rulebook, set_, decks)).answer)
