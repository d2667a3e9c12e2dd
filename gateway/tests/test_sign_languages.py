"""Languages of the table sign: every text that any book can print has its sentence in every language."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from sabot_floor.gaming_day import Calendar
from sabot_floor.signs.limits import TableLimits
from sabot_floor.signs.sign import Context, Sign, sign
from sabot_floor.web import languages
from sabot_floor.web.views.sign import paired
from sabot_protocol import rulebooks
from sabot_protocol.jackpots.parameters import LuckyTie, Outcome, Parameters, Random, Trigger
from sabot_protocol.jackpots.sign import _EIGHTS, Line, lines, wager_title
from sabot_protocol.topics import TableSetup

NOON = "2026-11-17T12:00:00.000Z"
VALUE = re.compile(r"\bPlayer\b|\bBanker\b|(?:\b[A-Z]{3} )?\d(?:[\d,.]*\d)?", re.ASCII)
LIMITS = {
    "name": "t", "minimum": "25", "maximum": "5,000", "unit": "25", "multiple_of": "5", "ante": "2.50",
    "ante_waived_from": "500", "insurance_capped": True, "restricted": ["pair", "tiger", "dragon_bonus"],
}  # fmt: skip

JACKPOT = Parameters(
    id="lucky", title="Lucky", rulebook="crown-baccarat", currency="AUD", tables=("bac-01", "bac-02"), base=1000,
    unreasonable=100, rounding=500, trigger=Random(draws=("table",)),
)  # fmt: skip
MORE: tuple[dict[str, Any], ...] = (
    {"funding": "both", "wager_increment": {"tie": "1.5%"}, "activation": "no_more_bets", "in_force": "2026-11-01"},
    {"funding": "wager", "wager_increment": {"tie": "1%"}, "unwagered": False, "reserve": "10%", "limit": 10_000_000},
    {"unwagered": False, "division": "proportional", "qualifying": ("tie", "pair_player"), "currency": "NZD"},
)


def pattern(text: str, names: tuple[str, ...] = ()) -> str:
    """Return what the sentence of a text is found by, as printed.js has it."""
    numbers, hands = iter(range(1, 100)), list[str]()

    def value(found: re.Match[str]) -> str:
        if found[0] not in ("Player", "Banker"):
            return f"{{{next(numbers)}}}"
        hands.append(found[0])
        return "{S}" if found[0] == hands[0] else "{O}"

    listed = [", ".join(names), " and ".join((", ".join(names[:-1]), *names[-1:]))] if names else []
    for one in listed:
        text = text.replace(one, "{names}")
    return VALUE.sub(value, text)


def signs(rulebook: str) -> Iterator[Sign]:
    """Yield the sign of every game with all its wagers, for every choice of each option and every style of shoe."""
    book, limits = rulebooks.load(rulebook), msgspec.convert(LIMITS, TableLimits)
    choices = [{}, *({name: value} for name, option in book.option.items() for value in option.values)]
    styles = {"", *(sentence.style for sentence in book.sign.sentence)}
    for game in book.game:
        for options in choices:
            for style in styles:
                setup = TableSetup(game=game, options=options, decks=8, shoe={"style": style} if style else {})
                yield sign(Context(table="t", rulebook=rulebook, setup=setup, limits=limits, calendar=Calendar()), NOON)


def jackpot_signs() -> Iterator[Line]:
    """Yield the lines of jackpots of every kind, on each wager and for each of its outcomes, and in each currency."""
    books = [rulebooks.load(one) for one in rulebooks.ids()]
    wagers = [one for book in books for game in book.game for one in book.wagers(game)]
    eights = tuple(_EIGHTS)
    triggers: list[Trigger] = [LuckyTie("option_1", dict.fromkeys(eights, 100)), Random(draws=("table", "seat"))]
    triggers += [Random(draws=("location",), percent="12.5")]
    triggers += [Outcome(one.id, dict.fromkeys(one.win, 10)) for one in wagers]
    for trigger in triggers:
        yield from lines(msgspec.structs.replace(JACKPOT, trigger=trigger))
    for more in MORE:
        yield from lines(msgspec.structs.replace(JACKPOT, **more))
    yield from (Line("", (wager_title(one),)) for one in (*eights, *(wager.id for wager in wagers)))  # of a win, too


def of_jackpots() -> Iterator[str]:
    """Yield the pattern of every line of a jackpot's sign, and of the names in it; names of tables are as they are."""
    for say, names in jackpot_signs():
        yield pattern(say.removeprefix("- "), names)
        yield from (pattern(name) for name in names if name not in JACKPOT.tables)


def printed(found: Sign) -> Iterator[str]:
    """Yield the pattern of every text of the book on a sign; one that is on either hand alone too."""
    yield pattern(found.game)
    for one in (*found.wagers, *paired(found.wagers)):
        yield from map(pattern, (one.title, one.note, *(text for row in one.pays for text in (row.when, row.odds))))
    for notice in found.notices:
        yield pattern(notice.say, notice.names)
        yield from map(pattern, notice.names)


@pytest.mark.parametrize("rulebook", rulebooks.ids())
def test_no_text_of_a_book_lacks_its_sentence_in_any_language(rulebook: str) -> None:
    found = {text for one in signs(rulebook) for text in printed(one)} - {""}
    for name, words in languages.load().items():
        own = languages._read(languages._OWN / f"{name}.toml")
        assert sorted(text for text in found if f"print.{text}" not in own) == [], name
        assert sorted(text for text in found if name != "en" and words[f"print.{text}"] == text != "{S}") == [], name


def test_every_line_of_a_jackpot_has_its_sentence_in_any_language() -> None:
    found = set(of_jackpots()) - {""}
    for name, words in languages.load().items():
        assert sorted(text for text in found if f"print.{text}" not in words) == [], name
        assert sorted(text for text in found if name != "en" and words[f"print.{text}"] == text != "{S}") == [], name


def test_no_sentence_is_left_over() -> None:
    found = {text for rulebook in rulebooks.ids() for one in signs(rulebook) for text in printed(one)}
    found |= set(of_jackpots())
    known = {key.removeprefix("print.") for key in languages.load()["en"] if key.startswith("print.")}
    assert sorted(known - found - {"Ante Up Baccarat: the Ante is {1}."}) == []


@pytest.mark.parametrize(("name", "player"), [("zh-Hans", "闲对子"), ("zh-Hant", "閒對子")])
def test_hands_and_numbers_are_filled_in(name: str, player: str) -> None:
    words = languages.load()[name]
    assert words["print.Pairs {S}"].replace("{S}", words["sign.player"]) == player
    assert words["print.{1} to {2}"].replace("{1}", "8").replace("{2}", "1").startswith("1 ")
