"""Play: what was forgotten, wrong results, coups without wagers, lid and lock."""

from sabot_sim.world.books import CROWN, NZ, Rule
from sabot_sim.world.recipes.recipe import decider, recipe
from sabot_sim.world.table import Table

# Forgotten


@recipe("burn_missed")
def burn_missed(table: Table, found: Rule, number: int) -> None:
    """Open a new shoe and forget the burn."""
    table.ask(table.staff.supervisor, "close-shoe")
    table.closed()
    table.open_shoe(burn=False)
    if table.book == CROWN:  # 10.1: the first coup is complete
        table.coup()
    table.note(found, number)
    table.report("burn_missed", found.clause)
    table.coup()


@recipe("cut_missed", "not_shuffled")
def last_coup(table: Table, found: Rule, number: int) -> None:
    """Notice in mid-coup that the cards were not cut, or not shuffled: this coup is the last."""
    table.deal(2)
    table.note(found, number)
    forgotten = "cut_missed" if found.situation == "cut_missed" else "not_shuffled_after_cutting_card"
    table.report(forgotten, found.clause)
    table.coup()
    table.closed()


# Results


@recipe("discrepancy")
def discrepancy(table: Table, found: Rule, number: int) -> None:
    """Press another result than that of the cards; the supervisor confirms the coup or voids it."""
    table.deal()
    wrong = table.rng.choice([name for name in ("player", "banker", "tie") if name != table.winner()])
    table.press(wrong)
    table.note(found, number)
    table.raised("discrepancy", found.clause)
    table.raised("fault_decision")
    by = decider(table, "decide")
    verdict = table.rng.choice(("confirmed", "void"))
    label = f"{table.shoes}/{table.coup_no}"
    table.ask(by, "decide", found.clause, coup=label, verdict=verdict)
    table.over("fault_decision", "discrepancy")
    table.settled(verdict, by.name, found.clause)


# Coups without wagers, and the shoe itself


@recipe("ordered")
def ordered(table: Table, found: Rule, number: int) -> None:
    """Order a coup without wagers."""
    by = decider(table, "ordered")
    if found.follows == "approved":
        table.ask(by, "authorise", found.clause, times=1)
    kind = "free_hand" if table.book == NZ else None
    table.note(found, number)
    table.without_wagers(by.name)
    table.kind = kind or table.kind
    table.ask(by, "no-bet", found.clause, kind=table.kind)
    table.coup()


@recipe("lid")
def lid(table: Table, found: Rule, number: int) -> None:
    """Open the lid between two coups and shut it; the key clears the fault."""
    table.at_shoe("lid", 1)
    table.note(found, number)
    table.raised("fault_lid")
    table.wait(5.0, 60.0)
    table.at_shoe("lid", 0)
    table.at_shoe("key", 1)
    table.over("fault_lid")
    table.at_shoe("key", 0)
    table.coup()


@recipe("lock")
def lock(table: Table, found: Rule, number: int) -> None:
    """Lock the exit for wagers, and draw a card by force."""
    table.ask(table.staff.supervisor, "lock")
    table.raised("exit_locked")
    table.deal(1)
    table.note(found, number)
    table.raised("drawn_while_locked")
    table.ask(table.staff.supervisor, "unlock")
    table.over("exit_locked")
    table.coup()
