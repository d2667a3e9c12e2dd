"""Players: disputes about decisions, wagers paid wrongly, people who are barred, a table that closes."""

from datetime import UTC, datetime
from typing import Final

from sabot_sim.world.books import CROWN, Rule
from sabot_sim.world.duties import do_step, duty
from sabot_sim.world.recipes.recipe import recipe
from sabot_sim.world.table import Table
from sabot_sim.world.truth import Incident, Payment

_NOTICE_S: Final = 1200
_LARGE_CENTS: Final = 100_000  # above it the NICC is notified at the end of the month (12.20.2, 14.17.2)


def _patron(table: Table) -> str:
    return f"Patron {table.rng.randint(1000, 9999)}"


@recipe("dispute")
def dispute(table: Table, found: Rule, number: int) -> None:
    """Let a player dispute the last coup: settled in an instance, or advised of the inspector at the end."""
    coup = _last_coup(table)
    table.note(found, number, coup)
    staff = table.staff
    table.ask(staff.supervisor, "dispute", found.clause, patron=_patron(table), coup=f"{table.shoes}/{coup}")
    to_do = duty(table, "player_dispute", coup)
    people = {"first": staff.supervisor, "review": staff.manager, "final": staff.operator}
    for step in to_do.steps:
        settled = step.name in people and table.rng.random() < 0.3
        do_step(table, to_do, step.name, people.get(step.name, staff.manager), settled=settled)
        if settled:
            break


@recipe("barred")
def barred(table: Table, found: Rule, number: int) -> None:
    """Bar a person from the game (P-55): recorded, and nothing follows."""
    coup = _last_coup(table)
    table.note(found, number, coup)
    by = table.staff.operator if table.book == CROWN else table.staff.supervisor
    label = f"{table.shoes}/{coup}"
    table.ask(by, "record", found.clause, act="bar_from_game", coup=label, patron=_patron(table))
    table.truth.incidents.append(Incident(table.name, "recorded", table.shoes, coup, table.now_s, []))


@recipe("closure")
def closure(table: Table, found: Rule, number: int) -> None:
    """Announce that the table closes, with 20 minutes' notice, in time or too late (P-82); but play goes on."""
    coup = _last_coup(table)
    table.note(found, number, coup)
    closes_s, by = round(table.now_s + table.rng.uniform(900, 2400), 3), table.staff.supervisor
    at = datetime.fromtimestamp(closes_s, UTC).isoformat(timespec="milliseconds")
    table.ask(by, "record", found.clause, act="close_table", coup=f"{table.shoes}/{coup}", at=at)
    to_do = duty(table, "notice", coup)
    for step in to_do.steps[:1]:
        do_step(table, to_do, step.name, by)
        step.late = step.name == "sign_closure" and table.now_s > closes_s - _NOTICE_S


def _last_coup(table: Table) -> int:
    """Deal a coup, and return its number."""
    table.coup()
    return table.coup_no - 1


@recipe("wrong_payment")
def wrong_payment(table: Table, found: Rule, number: int) -> None:
    """Pay a wager wrongly; the case file is opened, and what is large stays open until the end of the month."""
    coup, rng, by = _last_coup(table), table.rng, table.staff.supervisor
    table.note(found, number, coup)
    amount_cents = rng.choice((rng.randint(500, _LARGE_CENTS), rng.randint(_LARGE_CENTS + 1, 5_000_000)))
    direction, intentional, patron = rng.choice(("over", "under")), rng.random() < 0.3, _patron(table)
    label = f"{table.shoes}/{coup}"
    table.ask(
        by, "payment", found.clause, coup=label, direction=direction, amount_cents=amount_cents, patron=patron,
        intentional=intentional,
    )  # fmt: skip
    without = [] if amount_cents > _LARGE_CENTS else ["notify_nicc"]
    to_do = duty(table, "wrong_payment", coup, without + ([] if intentional else ["identify_patron"]))
    to_do.do("identify_patron", table.now_s, by.name)
    for name in ("enquire", "rectify"):
        do_step(table, to_do, name, by)
    table.truth.payments.append(Payment(to_do, direction, amount_cents, patron, intentional))
