"""sabot settle: what became of every wager, one JSON line a coup, hand or spin."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import msgspec
import typer
from sabot_gateway import rules
from sabot_protocol.cards import POINTS
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.wagers import facts, lucky_tie, roulette, sequences, three_card
from sabot_protocol.wagers.table import Settings, Settled, Table

from sabot_tools.options.rulebook import DecksOption, RulebookOption, SetOption, table_settings
from sabot_tools.payments import payments
from sabot_tools.text.json_lines import BadLineError, answer_lines

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_encode = msgspec.json.encode


class Settler:
    """One table; a line's fields say what it asks."""

    def __init__(self, book: Rulebook, settings: Settings, decks: int) -> None:
        self._book, self._settings, self._decks = book, settings, decks
        self._table = Table(book, settings)
        self._outcomes: dict[facts.Facts, bytes] = {}
        self._texts: dict[tuple[str, str, Fraction], bytes] = {}

    def answer(self, line: dict[str, Any]) -> bytes:
        """The answer without its id: the rest of a JSON object."""
        if "wager" in line:
            return self._sequence(line)
        if "number" in line:
            return self._roulette(line["number"])
        if "dealer" in line:
            return self._three_card(line)
        if "stock" not in line:
            raise BadLineError("nothing to settle: give stock, or wager and results, or player and dealer, or number")
        return self._lucky_tie(line) if "jackpot" in line else self._coup(line)

    def _played(self, stock: Any) -> rules.Coup:
        if self._settings.game in ("three_card", "roulette"):
            raise BadLineError(f"stock: game {self._settings.game} is not settled from a stock of cards")
        self._check_cards(stock, "stock", self._decks)
        try:
            return rules.play(stock)
        except rules.NotACoupError as error:
            raise BadLineError(f"stock: {error}") from error

    def _coup(self, line: dict[str, Any]) -> bytes:
        coup = self._played(line["stock"])
        key = facts.of(coup.player, coup.banker)
        money = b"}" if "stakes" not in line else b',"payments":%b}' % self._payments(line, key)
        outcomes = self._outcomes.get(key)
        if outcomes is None:
            outcomes = self._outcomes[key] = self._encoded(key)
        return (
            b'"consumed":%d,"player":%b,"banker":%b,"player_points":%d,"banker_points":%d,"winner":"%b","outcomes":%b%b'
            % (
                len(coup.slots),
                _encode(coup.player),
                _encode(coup.banker),
                coup.player_points,
                coup.banker_points,
                coup.winner.encode(),
                outcomes,
                money,
            )
        )

    def _payments(self, line: dict[str, Any], key: facts.Facts) -> bytes:
        return _encode(payments(self._table, line, self._table.settle(key)))

    def _encoded(self, key: facts.Facts) -> bytes:
        """All outcomes of a coup as JSON; each wager has few, so their texts are made once."""
        texts = []
        for name, wager in self._table.wagers.items():
            settled = wager.settle(key)
            text = self._texts.get((name, settled.outcome, settled.odds))
            if text is None:
                text = _encode({name: _one(settled)})[1:-1]
                self._texts[name, settled.outcome, settled.odds] = text
            texts.append(text)
        return b"{%b}" % b",".join(texts)

    def _sequence(self, line: dict[str, Any]) -> bytes:
        results = line.get("results")
        if not isinstance(results, list):
            raise BadLineError("results: a list of P, B, T, X and END")
        for at, result in enumerate(results):
            if result not in sequences.RESULTS:
                raise BadLineError(f"results[{at}]: {result!r} is not one of {', '.join(sequences.RESULTS)}")
        if "END" in results[:-1]:
            raise BadLineError("results: nothing comes after END")
        settled = sequences.find(self._book, self._settings.game, str(line["wager"])).settle(results)
        return _encode(_one(settled))[1:]

    def _three_card(self, line: dict[str, Any]) -> bytes:
        if not self._table.three_card:
            raise BadLineError(f"player and dealer: game {self._settings.game} has no such hands, three_card has")
        player, dealer = (self._three_cards(line, name) for name in ("player", "dealer"))
        _check_copies([*player, *dealer], "player and dealer", 1)
        settled = self._table.settle_three_card(three_card.hand(player), three_card.hand(dealer))
        return _encode({"player": player, "dealer": dealer, "outcomes": _plain(settled)})[1:]

    def _three_cards(self, line: dict[str, Any], name: str) -> list[str]:
        cards: Any = line.get(name)
        self._check_cards(cards, name, 1)
        if len(cards) != 3:
            raise BadLineError(f"{name}: {len(cards)} cards, a hand has three")
        return list(cards)

    def _roulette(self, number: Any) -> bytes:
        if self._settings.game != "roulette" or self._book.roulette is None:
            raise BadLineError(f"number: game {self._settings.game} is not roulette")
        if type(number) is not int or number not in roulette.NUMBERS:
            raise BadLineError(f"number: {number!r} is not a whole number from 0 to 36")
        return _encode({"number": number, "outcomes": _plain(roulette.settle(self._book.roulette, number))})[1:]

    def _lucky_tie(self, line: dict[str, Any]) -> bytes:
        if line["jackpot"] != "lucky_tie":
            raise BadLineError(f"jackpot: {line['jackpot']!r} is not known, lucky_tie is")
        if self._book.id != "crown-baccarat":
            raise BadLineError(f"jackpot: {self._book.id} has no lucky_tie")
        coup = self._played(line["stock"])
        return _encode(lucky_tie.outcomes(coup.player, coup.banker))[1:]

    @staticmethod
    def _check_cards(cards: Any, name: str, decks: int) -> None:
        if not isinstance(cards, list):
            raise BadLineError(f"{name}: a list of cards such as 8H")
        for at, card in enumerate(cards):
            if not isinstance(card, str) or card not in POINTS:
                raise BadLineError(f"{name}[{at}]: {card!r} is not one of the 52 cards")
        if len(cards) > decks:
            _check_copies(cards, name, decks)


def _check_copies(cards: Sequence[str], name: str, decks: int) -> None:
    if len(cards) > 52 * decks:
        raise BadLineError(f"{name}: {len(cards)} cards, {_decks(decks)} {52 * decks}")
    card, count = Counter(cards).most_common(1)[0]
    if count > decks:
        raise BadLineError(f"{name}: {card} stands there {count} times, {_decks(decks)} {decks}")


def _decks(decks: int) -> str:
    return "one deck has" if decks == 1 else f"{decks} decks have"


def _one(settled: Settled | sequences.SequenceSettled) -> dict[str, str]:
    return {
        "result": settled.result,
        "odds": str(settled.odds),
        "outcome": settled.outcome,
        "rule": settled.rule,
    }


def _plain(settled: dict[str, Settled]) -> dict[str, dict[str, str]]:
    return {name: _one(one) for name, one in settled.items()}


EXAMPLE = """Example: echo '{"id": 0, "stock": ["2S","7D","4H","KC","9S"]}' | sabot settle --rulebook star-baccarat"""


@app.command(epilog=EXAMPLE)
def settle(
    rulebook: RulebookOption,
    set_: SetOption = None,
    decks: DecksOption = None,
) -> None:
    """Settle coups, runs, hands and spins: JSON lines in, JSON lines out."""
    answer_lines(Settler(*table_settings("settle", rulebook, set_, decks)).answer)
