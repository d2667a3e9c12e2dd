"""Recipe: one function for each situation; what all of them need."""

from collections.abc import Callable
from typing import Final

from sabot_sim.world.books import BY_MANAGER, Rule
from sabot_sim.world.table import Table
from sabot_sim.world.truth import Decision, Incident, Person

Recipe = Callable[[Table, Rule, int], None]
RECIPES: Final[dict[str, Recipe]] = {}


def recipe(*situations: str) -> Callable[[Recipe], Recipe]:
    """Add a recipe for these situations."""

    def add(found: Recipe) -> Recipe:
        RECIPES.update(dict.fromkeys(situations, found))
        return found

    return add


def decider(table: Table, act: str) -> Person:
    """Return the lowest person at the table who may decide this."""
    return table.staff.manager if act in BY_MANAGER.get(table.book, ()) else table.staff.supervisor


def void(table: Table, by: str, clause: str) -> None:
    """Note that the coup on the table is void."""
    table.raised("coup_void")
    table.settled("void", by, clause)


def approve(table: Table, clause: str) -> Decision:
    """Have the supervisor authorise what waits."""
    return table.ask(decider(table, "authorise"), "authorise", clause, times=1)


def approve_coup(table: Table, clause: str, to_do: Incident) -> None:
    """Have the supervisor authorise the coup without wagers that waits; the exit is locked until then."""
    table.raised("awaiting_authorisation")
    table.authorised = approve(table, clause)
    to_do.do("authorise", table.now_s, table.authorised.by.name)
    table.over("awaiting_authorisation")
