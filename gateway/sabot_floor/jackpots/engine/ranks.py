"""Ranks: the order of wins by the receipt at the floor and the entries of each gateway; a person decides the rest."""

from collections.abc import Sequence

from sabot_floor.jackpots.engine import due, entries, hits
from sabot_floor.jackpots.engine.entries import Ordered, Receipt
from sabot_floor.jackpots.engine.results import Fault, Refused
from sabot_floor.jackpots.engine.rights import clause, refuse_people, refuse_role, same_person
from sabot_floor.jackpots.engine.state import Hit, JackpotState

ACT = "jackpot_order"
UNDECIDED = due.UNDECIDED


def enter(state: JackpotState, hit: Hit, gateway: str, receipt: Receipt) -> tuple[Fault, ...]:
    """Make a win pending at its place: behind all others, or before those that its gateway recorded later."""
    hit.gateway, hit.entry, hit.heard = gateway, receipt.entry, receipt.heard
    others = hits.ranked(state)
    later = (number for number, one in enumerate(others) if _is_before(hit, one))
    at = next(later, len(others))
    hit.undecided = [one.win for one in others[:at] if _is_uncertain(one, hit, receipt)]
    state.turn += 1
    hit.turn = state.turn
    hit.seen, hit.follows = state.display, receipt.rules >= entries.PUT_BACK
    if hit.follows:
        due.see(state, hit, others)
    _, faults = due.changed(state, hit, lambda: _put(hit, others, at, len(others), receipt.rules))
    return (*faults, *([_undecided(state, hit)] if hit.undecided else []))


def _is_before(hit: Hit, other: Hit) -> bool:
    """Return True if one gateway recorded a win before another, whatever came first."""
    return hit.gateway == other.gateway and 0 < hit.entry < other.entry


def _is_uncertain(earlier: Hit, hit: Hit, receipt: Receipt) -> bool:
    """Return True if a win may have been recorded before one that came earlier."""
    if receipt.prompt or not earlier.gateway or earlier.gateway == hit.gateway:
        return False
    heard = earlier.heard.get(hit.gateway)
    return heard is None or not receipt.entry or receipt.entry <= heard


def _put(hit: Hit, others: Sequence[Hit], at: int, until: int, rules: int) -> None:
    """Give a win its rank, and the Display that it sees: what was paid behind it is on it, and no more than later."""
    hit.state, behind = "pending", others[at:until]
    paid = [one for one in behind if 0 < one.paid_turn < hit.turn and (rules >= entries.PUT_BACK or not _is_void(one))]
    if hit.follows and rules >= entries.PUT_BACK:
        due.put_back(hit, paid, others, range(at, until))
    else:
        hit.seen = min([hit.seen - sum(one.moved for one in paid), *(one.seen for one in behind)])
    hit.returns = hit.returns or (rules >= entries.PUT_BACK and bool(paid))
    for number, one in enumerate([*others[:at], hit, *others[at:]], 1):
        one.rank = number


def _is_void(hit: Hit) -> bool:
    return hit.due is not None and hit.due.void


def _undecided(state: JackpotState, hit: Hit) -> Fault:
    names = ", ".join(_names(state, hit.undecided))
    say = (
        f"Win {due.place(hit)} at {hit.table} came late: the messages do not show whether it was recorded before "
        f"{names}. None of them can be confirmed until a person decides: {_how(hit)}"
    )
    return Fault(UNDECIDED, say, hit.table, clause(state, ACT))


def _how(hit: Hit) -> str:
    return f"sabot jackpot order JACKPOT {due.place(hit)} --before WIN or --last"


def _names(state: JackpotState, wins: Sequence[str]) -> list[str]:
    places = {one.win: due.place(one) for one in hits.ranked(state)}
    return [places.get(win, win) for win in wins]


def refuse_confirm(state: JackpotState, hit: Hit) -> Refused | None:
    """Return why a win cannot be paid yet: its order is not decided, or an earlier one is pending."""
    held = next(
        (one for one in hits.in_order(state) if one.undecided and (one is hit or hit.win in one.undecided)), None
    )
    if held is not None:
        names = ", ".join(_names(state, held.undecided))
        say = f"win {due.place(hit)}: it is not decided whether {due.place(held)} was recorded before {names}"
        return Refused(
            "win", f"{say}: decide it first, sabot jackpot order JACKPOT {due.place(held)} --before WIN or --last"
        )
    first = hits.in_order(state)[0]
    if first is hit:
        return None
    say = f"win {due.place(hit)}: win {due.place(first)} at {first.table} was recorded before it and is pending"
    return Refused("win", f"{say}: confirm that first, or deem it invalid")


def decide(state: JackpotState, entry: Ordered) -> tuple[Hit, tuple[Fault, ...]] | Refused:
    """Give a win the place that a person decides."""
    hit = state.open.get(entry.win)
    if hit is None or not hit.undecided:
        return Refused(
            "win", f"win {entry.win}: its order is not open; sabot jackpot show lists the wins whose order is"
        )
    refused = refuse_people((entry.by,), 1) or refuse_role(state, ACT, entry.role) or _refuse_order(state, entry, hit)
    if refused:
        return refused
    others = [one for one in hits.ranked(state) if one is not hit]
    until = sum(one.rank < hit.rank for one in others)
    at = next((number for number, one in enumerate(others) if one.win == entry.before), until)
    certain = [one for one in others[at:until] if one.win not in hit.undecided]
    if certain:
        name = due.place(certain[0])
        return Refused(
            "win", f"win {due.place(hit)} was recorded after {name}: it cannot come before a win ahead of that"
        )
    _note_person(state, entry, hit)
    hit.undecided = []
    _, faults = due.changed(state, hit, lambda: _put(hit, others, at, until, entry.rules))
    say = f"{entry.by} decided the order of win {due.place(hit)} at {hit.table}: {entry.reason}"
    return hit, (Fault(UNDECIDED, say, hit.table, clause(state, ACT), active=False), *faults)


def _note_person(state: JackpotState, entry: Ordered, hit: Hit) -> None:
    """Note who decided, at each win whose value hangs on it."""
    wins = {hit.win, *(hit.undecided if entry.rules >= entries.SETTLED_BY_OTHERS else [])}
    for one in hits.ranked(state):
        if one.win in wins:
            one.people = [*one.people, (entry.by, entry.person)]


def _refuse_order(state: JackpotState, entry: Ordered, hit: Hit) -> Refused | None:
    if not entry.reason.strip():
        return Refused("people", f"order of win {due.place(hit)}: give the reason")
    others = [one for one in hits.ranked(state) if one.win in hit.undecided and entry.rules >= entries.MADE_BY_OTHERS]
    recorded = next((one for one in (hit, *others) if same_person(entry.by, one.recorder)), None)
    if recorded is not None:
        say = f"win {due.place(recorded)} was recorded by {recorded.recorder}"
        return Refused("people", f"{say}: another person decides its order")
    if entry.before and entry.before not in hit.undecided:
        names = ", ".join(_names(state, hit.undecided))
        return Refused("win", f"win {due.place(hit)}: its order is open against {names}; name one of them, or none")
    return None
