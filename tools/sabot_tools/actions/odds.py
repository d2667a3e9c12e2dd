"""sabot odds: exact house edge, hit rate and price of every wager of a table."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from sabot_gateway import rules
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.rulebooks.model import Wager
from sabot_protocol.wagers.facts import Facts
from sabot_protocol.wagers.table import Settings, Table
from sabot_sim.odds import odds as exact
from sabot_sim.odds.odds import WagerOdds

from sabot_tools.options.rulebook import DecksOption, RulebookOption, SetOption, table_settings
from sabot_tools.plot.house_edges import edges_svg

if TYPE_CHECKING:  # numpy is half of the start; what needs it imports it
    from sabot_sim.odds.enumeration import DrawTables

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_DIGITS = 15


def draw_tables() -> "DrawTables":
    """Return Table 1 and Table 2 as arrays, from the gateway's rules; the last column is a Player who stood."""
    import numpy as np
    from sabot_sim.odds.enumeration import DrawTables

    player = np.array([rules.player_draws(points) for points in range(10)])
    banker = np.array([[rules.banker_draws(points, third) for third in [*range(10), None]] for points in range(10)])
    return DrawTables(player, banker)


def compute(book: Rulebook, settings: Settings, decks: int) -> dict[str, WagerOdds]:
    """Return the odds of every wager of the game."""
    table = Table(book, settings)
    if settings.game == "roulette" and book.roulette is not None:
        return exact.of_roulette(book.roulette)
    if table.three_card:
        return exact.of_three_card(table)
    from sabot_sim.odds.enumeration import Enumeration

    enumeration = Enumeration(decks, draw_tables())
    facts = list(enumeration.facts())
    return exact.of_coups(table, facts) | exact.of_sequences(book, settings.game, results(facts, enumeration.total))


def results(facts: list[tuple[Facts, int]], total: int) -> dict[str, Fraction]:
    """Return how often a coup goes to the Player, to the Banker, to neither."""
    found = {"P": 0, "B": 0, "T": 0}
    for coup, weight in facts:
        player, banker = coup.player.points, coup.banker.points
        found["T" if player == banker else "P" if player > banker else "B"] += weight
    return {result: Fraction(weight, total) for result, weight in found.items()}


def decimal(value: Fraction, digits: int = _DIGITS) -> str:
    """Return a fraction as a decimal, rounded half to even, without floats."""
    scaled = round(abs(value) * 10**digits)
    text = f"{scaled // 10**digits}.{scaled % 10**digits:0{digits}d}"
    return f"-{text}" if value < 0 and scaled else text


def wager_json(one: WagerOdds) -> dict[str, Any]:
    """Return one wager as JSON."""
    return {
        "house_edge": decimal(one.house_edge),
        "outcomes": {name: decimal(chance) for name, chance in one.outcomes.items()},
        "push": decimal(one.push),
        "available": decimal(one.available),
        "hit_rate": decimal(one.hit_rate()),
        "pays": {name: str(odds) for name, odds in one.pays.items()},
        "rule": one.clause,
        **({"note": one.note} if one.note else {}),
    }


def lines(found: dict[str, WagerOdds]) -> Iterator[str]:
    """Yield a table for people."""
    width = max(map(len, found))
    yield f"{'wager':<{width}}  {'house edge':>10}  {'hit rate':>9}  {'push':>8}  {'available':>9}  pays, clause"
    for name, one in found.items():
        single = len(one.pays) == 1
        pays = ", ".join(str(odds) if single else f"{outcome} {odds}" for outcome, odds in one.pays.items())
        yield (
            f"{name:<{width}}  {_percent(one.house_edge):>10}  {_percent(one.hit_rate()):>9}  {_percent(one.push):>8}  "
            f"{_percent(one.available):>9}  {pays} ({one.clause})"
        )
    notes = sorted({one.note for one in found.values() if one.note})
    yield from (f"note: {note}" for note in notes)


def _percent(value: Fraction) -> str:
    return f"{decimal(value * 100, 4)} %" if value < 1 else "100 %"


@app.command(epilog="Example: sabot odds --rulebook crown-baccarat --set game=crown --decks 8 --json")
def odds(
    rulebook: RulebookOption,
    set_: SetOption = None,
    decks: DecksOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; numbers are decimal strings.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Write a chart of the house edges to this SVG file.")] = None,
) -> None:
    """Print the exact odds of every wager, by enumeration of a full shoe."""
    book, settings, in_shoe = table_settings("odds", rulebook, set_, decks)
    found = compute(book, settings, in_shoe)
    if plot is not None:
        plot.write_text(edges_svg(f"{book.title}: {book.game[settings.game].title}, {in_shoe} decks", found))
        typer.echo(f"sabot odds: {plot} written", err=True)
    if as_json:
        options = {"game": settings.game, **settings.options}
        offers = _offers(book, settings.game, in_shoe)
        wagers = {name: wager_json(one) | offers.get(name, {"offered": True}) for name, one in found.items()}
        answer = {"rulebook": book.id, "decks": in_shoe, "options": options, "wagers": wagers}
        typer.echo(msgspec.json.encode(answer).decode())
    else:
        typer.echo("\n".join(lines(found)))


def _offers(book: Rulebook, game: str, decks: int) -> dict[str, dict[str, Any]]:
    """Return, for each wager, whether it may be offered with these decks, why not, and what excludes it."""
    return {wager.id: _offered(wager, decks, book.game[game].tournament_clause) for wager in book.wagers(game)}


def _offered(wager: Wager, decks: int, tournament: str) -> dict[str, Any]:
    beside = {"not_beside": list(wager.excludes)} if wager.excludes else {}
    if tournament:
        return {"offered": False, "why": f"only in a tournament ({tournament})"} | beside
    if needed := wager.needed_decks(decks):
        return {"offered": False, "why": f"{needed} ({wager.decks_clause})"} | beside
    return {"offered": True} | beside
