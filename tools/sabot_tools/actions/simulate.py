"""sabot simulate: deal whole shoes by the million and compare every wager with its exact odds."""

import time
from collections.abc import Iterator
from math import sqrt
from typing import TYPE_CHECKING, Annotated

import typer
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.wagers.table import Table
from sabot_sim.odds import odds as exact
from sabot_sim.odds.odds import WagerOdds

from sabot_tools.actions.odds import draw_tables
from sabot_tools.options.rulebook import DecksOption, RulebookOption, SetOption, table_settings
from sabot_tools.text.errors import failure

if TYPE_CHECKING:  # numpy is half of the start; what needs it imports it
    from sabot_sim.odds.simulation import Simulation

app = typer.Typer(rich_markup_mode=None, add_completion=False)
MAIN = ("player", "banker", "tie")
_BURN = {"none": 0, "one": 1, "shown": 1}


class CannotSimulateError(ValueError):
    """The game or its burn cannot be simulated."""


def simulation(book: Rulebook, decks: int, seed: int, *, pairs: bool) -> "Simulation":
    """Return a simulation of shoes with the rulebook's burn and cutting card."""
    import numpy as np
    from sabot_sim.odds.simulation import CoupTable, Simulation

    mode = book.shoe.burn.mode
    if mode not in _BURN:
        raise CannotSimulateError(f"burn {mode} of {book.id} depends on the first card and is not simulated")
    return Simulation(
        decks,
        CoupTable.of(draw_tables()),
        np.random.Generator(np.random.SFC64(seed)),
        burn=_BURN[mode],
        cut_first_card_is_last_coup=book.shoe.cut_first_card_is_last_coup.value,
        pairs=pairs,
    )


def z_score(seen: WagerOdds, expected: WagerOdds, coups: int) -> float:
    """Return the difference between simulated and exact edge in standard errors."""
    offered = float(seen.available) * coups
    error = sqrt(float(expected.variance()) / offered) if offered else 0.0
    return float(seen.house_edge - expected.house_edge) / error if error else 0.0


def lines(seen: dict[str, WagerOdds], expected: dict[str, WagerOdds], coups: int) -> Iterator[str]:
    """Yield a table for people."""
    width = max(map(len, seen))
    yield f"{'wager':<{width}}  {'simulated edge':>14}  {'exact edge':>11}  {'z':>6}"
    for name, one in seen.items():
        z = z_score(one, expected[name], coups)
        edges = f"{float(one.house_edge):>13.4%}  {float(expected[name].house_edge):>10.4%}"
        yield f"{name:<{width}}  {edges}  {z:>+6.2f}{'  !' if abs(z) > 4 else ''}"


@app.command(epilog="Example: sabot simulate --coups 1000000 --rulebook star-baccarat --seed 1")
def simulate(
    rulebook: RulebookOption,
    coups: Annotated[
        int, typer.Option(min=1, help="Deal at least this many; the last shoe is dealt to its end.")
    ] = 1_000_000,
    set_: SetOption = None,
    decks: DecksOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the shuffles; the same seed deals the same shoes.")] = 1,
    main_only: Annotated[bool, typer.Option("--main", help="Only Player, Banker and Tie; faster.")] = False,
) -> None:
    """Deal whole shoes with burn and cutting card, and compare every wager with its exact odds."""
    from sabot_sim.odds.enumeration import Enumeration

    book, settings, in_shoe = table_settings("simulate", rulebook, set_, decks)
    table = Table(book, settings)
    try:
        if table.three_card or not table.wagers:
            raise CannotSimulateError(
                f"game {settings.game} is not dealt from a shoe; choose a game of Player and Banker"
            )
        deal = simulation(book, in_shoe, seed, pairs=not main_only)
    except CannotSimulateError as error:
        raise failure("simulate", error) from error
    start = time.perf_counter()
    with typer.progressbar(length=coups, label="dealing", file=typer.get_text_stream("stderr")) as bar:
        deal.run(coups, bar.update)
    took = time.perf_counter() - start
    if main_only:
        table.wagers = {name: wager for name, wager in table.wagers.items() if name in MAIN}
    expected = exact.of_coups(table, Enumeration(in_shoe, draw_tables()).facts())
    seen = exact.of_coups(table, deal.facts())
    typer.echo("\n".join(lines(seen, expected, deal.coups)))
    typer.echo(f"{deal.coups} coups in {deal.shoes} shoes, {deal.coups / took / 1e6:.2f} million a second, seed {seed}")
    typer.echo("z: standard errors from the exact odds of a full shoe; coups of one shoe are treated as independent")
