"""Play: what was forgotten, wrong results, coups without wagers, lid and lock."""

from typing import Final

from sabot_sim.world.books import CROWN, NZ, RAPID, UNWAGERED, Rule
from sabot_sim.world.duties import do_step, duty
from sabot_sim.world.recipes.recipe import decider, recipe
from sabot_sim.world.table import Table
from sabot_sim.world.truth import Decision, Dispute, Incident

AT_THE_SHOE: Final = "a supervisor, at the shoe"

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
    table.reshuffle = duty(table, "reshuffle/forgotten")
    table.coup()
    table.closed()


# Results


def _other(table: Table) -> str:
    """Return a result that is not that of the cards."""
    return table.rng.choice([name for name in ("player", "banker", "tie") if name != table.winner()])


def _press_other(table: Table, found: Rule, number: int) -> Incident:
    """Deal a coup and press another result than that of its cards; return what is to be decided."""
    table.deal()
    table.press(_other(table))
    if table.book == RAPID:
        table.press("confirm")  # 7.7.4.10: the result counts with it
    table.note(found, number)
    table.raised("discrepancy", found.clause)
    table.raised("fault_decision")
    to_do = duty(table, "discrepancy")
    table.perhaps_see()
    return to_do


def _end(table: Table, to_do: Incident, decision: Decision | None, verdict: str, winner: str | None) -> None:
    """Note how the coup was decided."""
    to_do.do("decide", table.now_s, decision.by.name if decision else "")
    found = (table.name, table.shoes, table.coup_no, to_do.opened_s, table.now_s, decision, verdict, winner)
    table.truth.disputes.append(Dispute(*found))
    table.over("fault_decision")
    table.over("discrepancy", by=decision.by.name if decision else AT_THE_SHOE)


@recipe("discrepancy")
def discrepancy(table: Table, found: Rule, number: int) -> None:
    """Press another result than that of the cards; the supervisor confirms the coup or voids it."""
    to_do = _press_other(table, found, number)
    by = decider(table, "decide")
    verdict = table.rng.choice(("confirmed", "void"))
    label = f"{table.shoes}/{table.coup_no}"
    decision = table.ask(by, "decide", found.clause, coup=label, verdict=verdict)
    winner = table.winner() if verdict == "confirmed" else None
    _end(table, to_do, decision, verdict, winner)
    table.settled(verdict, by.name, found.clause)


@recipe("other_winner")
def other_winner(table: Table, found: Rule, number: int) -> None:
    """Press another result; the supervisor has seen that outcome and confirms it."""
    to_do = _press_other(table, found, number)
    by, seen = decider(table, "decide"), _other(table)
    label = f"{table.shoes}/{table.coup_no}"
    decision = table.ask(by, "decide", found.clause, coup=label, verdict="confirmed", winner=seen, reason="seen")
    _end(table, to_do, decision, "confirmed", seen)
    table.raised("decided_by_word", found.clause)
    table.settled("confirmed", by.name, found.clause)
    table.truth.coups[-1].winner = seen
    table.see(table.staff.manager if by is not table.staff.manager else table.staff.supervisor)


@recipe("settled_at_shoe")
def settled_at_shoe(table: Table, found: Rule, number: int) -> None:
    """Press another result; the supervisor turns the key, and the dealer confirms the result of the cards."""
    to_do = _press_other(table, found, number)
    table.at_shoe("key", 1)
    table.over("fault_decision")
    table.at_shoe("key", 0)
    winner = table.winner()
    if table.book == RAPID:
        table.press(winner)
    table.press("confirm")
    _end(table, to_do, None, "confirmed", winner)
    table.settled("confirmed", AT_THE_SHOE)


# Coups without wagers, and the shoe itself


@recipe("ordered")
def ordered(table: Table, found: Rule, number: int) -> None:
    """Order a coup without wagers."""
    by = decider(table, "ordered")
    if found.follows == "approved":
        table.ask(by, "authorise", found.clause, times=1)
    kind = "free_hand" if table.book == NZ else UNWAGERED[table.book]
    table.note(found, number)
    table.without_wagers(table.ask(by, "no-bet", found.clause, kind=kind))
    table.kind = kind
    to_do = duty(table, "no_bet")
    table.coup()
    for step in to_do.steps:  # 7.4 asks for it before the coup
        do_step(table, to_do, step.name, by)
        step.late = True


@recipe("lid")
def lid(table: Table, found: Rule, number: int) -> None:
    """Open the lid between two coups and shut it; the key clears the fault."""
    table.at_shoe("lid", 1)
    table.note(found, number)
    table.raised("fault_lid")
    table.perhaps_see()
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
