"""Order: misdeals, misdeliveries, coups that are void, and people who may not void them."""

from sabot_sim.world.books import CROWN, PREMIUM, Rule, rule
from sabot_sim.world.duties import do_step, duty
from sabot_sim.world.recipes.recipe import decider, recipe, void
from sabot_sim.world.table import Table
from sabot_sim.world.truth import Incident

# The order of cards


def _misdeal(table: Table, number: int, case: str, found: Rule, **facts: bool) -> None:
    table.deal(table.rng.randint(2, 3))
    table.note(found, number)
    by = decider(table, "void") if found.follows == "void" else table.staff.supervisor
    table.report(case, found.clause, by, **facts)
    variant = "players_card" if found.situation == "players_card" else "reconstructed"
    to_do = duty(table, f"misdeal/{'void' if found.follows == 'void' else variant}")
    to_do.do("notice", table.now_s, by.name)
    if found.follows == "void":
        to_do.do("void", table.now_s, by.name)
        void(table, by.name, found.clause)
        table.coup()
        return
    table.coup()
    to_do.do("reconstruct", table.now_s)


@recipe("reconstructible", "not_reconstructible")
def misdeal(table: Table, found: Rule, number: int) -> None:
    """Deal cards in the wrong order; it is noticed before the next coup."""
    known = found.situation == "reconstructible"
    _misdeal(table, number, "bad_order", found, reconstructible=known, notified_before_next=True)


@recipe("players_card")
def players_card(table: Table, found: Rule, number: int) -> None:
    """Give the Banker a card of the Player."""
    facts = {"reconstructible": True, "notified_before_next": True}
    _misdeal(table, number, "banker_got_players_card", found, **facts)


@recipe("too_late")
def too_late(table: Table, found: Rule, number: int) -> None:
    """Notice a misdeal when the next coup has begun."""
    table.coup()
    table.deal(1)
    table.note(found, number)
    table.report("bad_order", found.clause, reconstructible=True, notified_before_next=False)
    duty(table, "misdeal/late").do("notice", table.now_s, table.staff.supervisor.name, late=True)
    table.coup()


@recipe("wrong_area", "wrong_recipient")
def misdelivery(table: Table, found: Rule, number: int) -> None:
    """Lay cards into the wrong area, or pass them to the wrong person."""
    table.deal(table.rng.randint(2, 3))
    table.note(found, number)
    by = decider(table, "void") if found.follows == "void" else table.staff.supervisor
    table.report(found.situation, found.clause, by)
    to_do = duty(table, "misdelivery/area" if found.situation == "wrong_area" else "misdelivery/person")
    if found.follows == "void":
        to_do.do("void", table.now_s, by.name)
        void(table, by.name, found.clause)
        table.coup()
        return
    if found.follows == "choice" and table.rng.random() < 0.5:
        clause = {PREMIUM: "14.12.6", CROWN: "10.7"}[table.book]
        _without_wagers(table, to_do, clause)
    elif any(step.name == "choose" for step in to_do.steps):
        do_step(table, to_do, "choose", table.staff.supervisor)
    _finished(table, to_do)


def _without_wagers(table: Table, to_do: Incident, clause: str) -> None:
    """Let the supervisor choose that the coup goes on without wagers."""
    decision = table.ask(table.staff.supervisor, "this-no-bet", clause)
    table.without_wagers(decision)
    to_do.do("choose", table.now_s, decision.by.name)


def _finished(table: Table, to_do: Incident) -> None:
    """Finish the coup, which proves that it was reconstructed."""
    table.coup()
    to_do.do("reconstruct", table.now_s)


@recipe("all_withdrawn")
def all_withdrawn(table: Table, found: Rule, number: int) -> None:
    """Put cards in order again, and let all players withdraw."""
    table.deal(2)
    table.note(found, number)
    if table.book == CROWN:  # only after a misdelivery
        table.report("wrong_area", rule("wrong_area", CROWN).clause)
    else:
        table.report("bad_order", found.clause, reconstructible=True, notified_before_next=True)
    to_do = duty(table, "misdelivery/area" if table.book == CROWN else "misdeal/reconstructed")
    to_do.do("notice", table.now_s, table.staff.supervisor.name)
    _without_wagers(table, to_do, found.clause)
    _finished(table, to_do)


@recipe("ordered_void")
def ordered_void(table: Table, found: Rule, number: int) -> None:
    """Void a coup that was misdealt; at the Rapid only a manager may."""
    table.deal(table.rng.randint(1, 3))
    table.note(found, number)
    by = decider(table, "void")
    table.ask(by, "void", found.clause, reason="misdeal", then="go_on")
    to_do = duty(table, "misdeal/void")
    for name in ("notice", "void"):
        to_do.do(name, table.now_s, by.name)
    void(table, by.name, found.clause)
    table.coup()


@recipe("lower_role")
def lower_role(table: Table, found: Rule, number: int) -> None:
    """Let the dealer try to void a coup, which no book allows."""
    table.deal(table.rng.randint(1, 3))
    table.note(found, number)
    clause = rule("ordered_void", table.book).clause
    table.ask(table.staff.dealer, "void", clause, refused=True, reason="misdeal", then="go_on")
    table.coup()


@recipe("wrong_shoe")
def wrong_shoe(table: Table, found: Rule, number: int) -> None:
    """Draw from the wrong shoe of two."""
    table.deal(table.rng.randint(1, 3))
    table.note(found, number)
    by = table.staff.manager  # 11.8.2, P-48
    table.report("wrong_shoe", found.clause, by)
    duty(table, "wrong_shoe").do("void", table.now_s, by.name)
    void(table, by.name, found.clause)
    table.coup()
