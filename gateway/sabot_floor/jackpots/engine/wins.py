"""Wins: recorded by the dealer or drawn, then confirmed and paid, or deemed invalid."""

from collections.abc import Sequence

from sabot_protocol.jackpots import draws
from sabot_protocol.jackpots.messages import RecordedMessage, Win
from sabot_protocol.jackpots.parameters import Random

from sabot_floor.jackpots.engine import coups, due, hits, money, ranks
from sabot_floor.jackpots.engine.entries import (
    SETTLED_BY_OTHERS,
    Confirmed,
    Drawn,
    Entry,
    Invalid,
    Ordered,
    Receipt,
    Recorded,
    Settled,
)
from sabot_floor.jackpots.engine.increments import governing
from sabot_floor.jackpots.engine.results import Applied, Fault, Refused
from sabot_floor.jackpots.engine.rights import (
    clause,
    may_be_notified,
    person_to_notify,
    refuse_people,
    refuse_role,
    same_as,
    same_person,
)
from sabot_floor.jackpots.engine.state import Hit, JackpotState, Missed
from sabot_floor.jackpots.engine.views import not_offered

MOST_FORMER = 8


def record(state: JackpotState, entry: Recorded) -> Applied | Refused:
    """Make a recognised win pending, at its place in the order of the dealers' records."""
    message = entry.message
    hit = hits.find_open(state, message.table, message.coup_id) or _in_block(state, message)
    if hit is None or hit.state != "recognised":
        return _not_to_record(state, message, hit)
    if (message.jackpot, message.table, message.outcome) != (state.parameters.id, hit.table, hit.outcome):
        return Refused(
            "win",
            f"win {hit.win} is {hit.outcome} at {hit.table} for {state.parameters.id}, "
            f"but the record has {message.outcome} at {message.table} for {message.jackpot}: record it again",
        )
    stakes = hits.qualifying_stakes(governing(state, hit.parameters) or state.parameters, message.stakes)
    if stakes is None:
        return Refused(
            "amount", f"win {hit.win}: a stake is not a whole number above 0, or there are too many: record it again"
        )
    refused = _refuse_time(hit, message.at)
    if refused:
        return refused
    hit.record, hit.recorder, hit.at = message.id, message.by, message.at
    if message.stakes:
        hit.stakes = stakes
    if hit.win not in state.open:
        hits.add(state, hit)
    if entry.receipt is None:
        faults = _enter_by_time(state, hit)
    else:
        hit.at = entry.time if entry.receipt.prompt else message.at
        faults = ranks.enter(state, hit, message.gateway, entry.receipt)
    return _applied(state, entry, hit.parameters, wins=(_pending_view(state, hit),), faults=faults)


def _in_block(state: JackpotState, message: RecordedMessage) -> Hit | None:
    """Return the win of a coup that was made good in a sum: the gateway, which has its cards, names the outcome."""
    of = message.table, message.coup_id
    if hits.find_closed_at(state, *of) or coups.find_missed_at(state, *of):
        return None
    block = coups.find_block(state, message.table, message.unit, message.shoe, message.coup)
    if block is None or not block.made_good:
        return None
    parameters = governing(state, block.parameters) or state.parameters
    if not hits.percent(parameters, message.outcome):
        return None
    increment = f"{message.coup_id}-jackpot-{parameters.id}"  # as the gateway calls it: a reversal names it
    coup = Missed(
        increment, message.table, 0, 1, message.unit, message.shoe, message.coup, message.coup_id, message.outcome
    )
    hit = hits.made(state, parameters, coup, {})
    hit.people = list(block.people)
    return hit


def _not_to_record(state: JackpotState, message: RecordedMessage, hit: Hit | None) -> Refused:
    win, closed = message.coup_id, hits.find_closed_at(state, message.table, message.coup_id)
    if hit is not None or (closed is not None and closed.record == message.id):
        return Refused("repeat", f"win {win} was recorded before; it was not recorded again")
    if closed is not None:
        say = f"{_ended(closed)}. The record of {message.by or 'the dealer'} was not taken: nothing is paid by it"
        return Refused("win", say)
    missed = coups.find_missed_at(state, message.table, win)
    if missed is not None:
        return Refused(
            "win", f"coup {win} at {missed.table} was missed: make it good first, then record the win with --again"
        )
    block = coups.find_block(state, message.table, message.unit, message.shoe, message.coup)
    if block is not None and not block.made_good:
        say = (
            f"coup {win} at {block.table} is in {block.id}, which was missed: make that good first, then record the win"
        )
        return Refused("win", f"{say} with --again")
    return Refused("win", f"no win to record: coup {win} is unknown, void, or no trigger of this jackpot")


def _refuse_time(hit: Hit, at: str) -> Refused | None:
    try:
        hits.moment(at)
    except ValueError as error:
        return Refused("win", f"win {hit.win}: at: {error}")
    return None


def _enter_by_time(state: JackpotState, hit: Hit) -> tuple[Fault, ...]:
    """Make a win of an older release pending: its place was that of the gateway's time."""
    key = (hits.moment(hit.at), hit.table, hit.win)
    later = [one.seen for one in hits.in_order(state) if (hits.moment(one.at), one.table, one.win) > key]
    hit.seen = min([state.display, *later])
    hit.state = "pending"
    return ()


def _pending_view(state: JackpotState, hit: Hit) -> Win:
    return next(hits.view(one, price) for one, price in hits.prices(state) if one is hit)


def confirm(state: JackpotState, entry: Confirmed) -> Applied | Refused:
    """Pay a pending win; without a qualifying wager it is closed and the meters stay."""
    refused = refuse_people((entry.by,), 1) or refuse_role(state, "jackpot_confirm", entry.role)
    hit = state.open.get(entry.win)
    if hit is None or hit.state != "pending":
        return _not_to_confirm(state, entry.win, hit)
    refused = refused or _refuse_recorder(entry, hit) or _refuse_unnotified(state, entry)
    if entry.rules:
        refused = refused or _refuse_involved(state, entry, hit) or ranks.refuse_confirm(state, hit)
    if refused:
        return refused
    price = next(price for one, price in hits.prices(state) if one is hit)
    hit.by, hit.role, hit.notified = entry.by, entry.role, entry.notified
    if not price.shares:
        end = "no qualifying wager"
        win, faults = due.changed(state, hit, lambda: hits.close(state, hit, "invalid", price, entry.time, end))
        return _applied(state, entry, hit.parameters, wins=(win,), faults=faults)
    return _pay(state, entry, hit, price)


def _refuse_recorder(entry: Confirmed, hit: Hit) -> Refused | None:
    if not same_person(entry.by, hit.recorder):
        return None
    return Refused("people", f"win {due.place(hit)} was recorded by {hit.recorder}: another person must confirm it")


def _refuse_involved(state: JackpotState, entry: Confirmed, hit: Hit) -> Refused | None:
    """Refuse a person who made the win, or its value: nobody pays alone what he has drawn, decided or adjusted."""
    what = "drew it, decided its order or made it good"
    for people, done in ((hit.people, what), (state.changers, "changed the meter by hand since the last pay-out")):
        if any(same_as(entry.by, entry.person, *one) for one in people):
            return Refused("people", f"win {due.place(hit)}: {entry.by} {done}: another person must confirm it")
    return None


def _refuse_unnotified(state: JackpotState, entry: Confirmed) -> Refused | None:
    wanted = person_to_notify(state, "jackpot_confirm")
    if not wanted:
        return None
    rule = clause(state, "jackpot_confirm")
    if not entry.notified.strip():
        say = f"win {entry.win}: the {wanted} must be notified ({rule}): do it, and give the name with --notified"
        return Refused("people", say)
    if entry.rules and same_as(entry.by, entry.person, entry.notified, entry.notified_person):
        say = f"win {entry.win}: {entry.by} confirms it and cannot be the person who is notified"
        return Refused("people", f"{say}: name another {wanted} with --notified ({rule})")
    return _refuse_notified_role(state, entry, wanted, rule)


def _refuse_notified_role(state: JackpotState, entry: Confirmed, wanted: str, rule: str) -> Refused | None:
    if not entry.notified_role or may_be_notified(state, "jackpot_confirm", entry.notified_role):
        return None
    say = f"win {entry.win}: {entry.notified} is not the {wanted}, who must be notified ({rule})"
    return Refused("people", f"{say}: name a person of that role or above with --notified")


def _not_to_confirm(state: JackpotState, win: str, hit: Hit | None) -> Refused:
    if hit is not None:
        return Refused("win", f"win {win} is not recorded yet: the dealer records it first, then confirm it")
    closed = hits.find_closed(state, win)
    if closed is None:
        return _not_listed(win)
    again = "it was not paid again" if closed.state == "paid" else "nothing was paid"
    return Refused("repeat", f"{_ended(closed)}: {again}")


def _not_to_deem_invalid(state: JackpotState, win: str) -> Refused:
    closed = hits.find_closed(state, win)
    if closed is None:
        return _not_listed(win)
    if closed.state == "paid":
        say = f"{_ended(closed)}: it cannot be deemed invalid any more. Adjust the meter if it must change"
        return Refused("win", say)
    return Refused("repeat", f"{_ended(closed)}: nothing was changed")


def _not_listed(win: str) -> Refused:
    return Refused("win", f"no pending win {win}: the list of pending wins has the ids")


def _ended(hit: Hit) -> str:
    """Return the end of a closed win in words."""
    end = {"paid": "was paid", "invalid": "was deemed invalid"}.get(hit.state, "was cancelled")
    return f"win {hit.win} {end} at {hit.closed}{f' ({hit.reason})' if hit.reason else ''}"


def _pay(state: JackpotState, entry: Confirmed, hit: Hit, price: hits.Price) -> Applied:
    in_full = hit.percent == hits.IN_FULL
    order = hits.in_order(state)
    later = order[order.index(hit) + 1 :]
    changed = in_full and state.waiting is not None
    lacking = state.lacking if hit.returns else 0
    moved = money.pay(state, state.waiting or state.parameters, price.value, price.prize, in_full, lacking)
    state.lacking -= lacking
    state.owed = 0 if lacking else state.owed
    if hit.rank:
        state.turn += 1
        hit.paid_turn, hit.moved = state.turn, moved
        if entry.rules >= SETTLED_BY_OTHERS:
            hit.people = list(dict.fromkeys([*hit.people, *state.changers, (entry.by, entry.person)]))
    else:
        for one in later:
            one.seen = max(0, one.seen + moved)
    if hit.returns:
        for one in later:
            one.returns = False
    state.changers = []
    win = hits.close(state, hit, "paid", price, entry.time)
    result = _applied(state, entry, hit.parameters, wins=(win,), status=changed)
    if changed:
        take_waiting(state)
    return result


def take_waiting(state: JackpotState) -> None:
    """Put the waiting parameters in force."""
    if state.waiting is not None:
        state.former = [*state.former, state.parameters][-MOST_FORMER:]
        state.parameters, state.waiting = state.waiting, None


def deem_invalid(state: JackpotState, entry: Invalid) -> Applied | Refused:
    """Close a win without pay-out; the meter continues as if it had not been hit."""
    hit = state.open.get(entry.win)
    if hit is None:
        return _not_to_deem_invalid(state, entry.win)
    refused = refuse_people((entry.by,), 1) or refuse_role(state, "jackpot_invalid", entry.role)
    if refused:
        return refused
    if not entry.reason.strip():
        return Refused("people", f"win {entry.win}: give the reason why it is invalid")
    price = next((price for one, price in hits.prices(state) if one is hit), None)
    if price is not None:
        price = price._replace(prize=0, shares=[])
    hit.by, hit.role = entry.by, entry.role
    win, faults = due.changed(state, hit, lambda: hits.close(state, hit, "invalid", price, entry.time, entry.reason))
    return _applied(state, entry, hit.parameters, wins=(win,), faults=faults)


def order(state: JackpotState, entry: Ordered) -> Applied | Refused:
    """Give a win whose order the messages do not show the place that a person decides."""
    decided = ranks.decide(state, entry)
    if isinstance(decided, Refused):
        return decided
    hit, faults = decided
    return _applied(state, entry, hit.parameters, wins=(_pending_view(state, hit),), faults=faults)


def settle(state: JackpotState, entry: Settled) -> Applied | Refused:
    """Close the difference between what a win was paid and what it was worth."""
    hit = hits.find_closed(state, entry.win)
    if hit is None or hit.due is None or hit.due.settled:
        return Refused("win", f"win {entry.win}: no difference is open; sabot jackpot show lists those that are")
    refused = refuse_people((entry.by,), 1) or refuse_role(state, ranks.ACT, entry.role)
    if entry.rules >= SETTLED_BY_OTHERS:
        refused = refused or _refuse_payer(state, entry, hit)
    if refused:
        return refused
    if not entry.reason.strip():
        return Refused("people", f"win {entry.win}: give the reason, and what was paid or recovered")
    faults = due.settle(state, hit, entry)
    return _applied(state, entry, hit.parameters, faults=faults, status=True)


def _refuse_payer(state: JackpotState, entry: Settled, hit: Hit) -> Refused | None:
    """Refuse a person who had a part in the pay-out, or in what it was worth after it."""
    if same_person(entry.by, hit.recorder):
        done = f"recorded by {hit.recorder}"
    elif any(same_as(entry.by, entry.person, *one) for one in hit.people):
        done = f"confirmed, drawn, adjusted or decided by {entry.by}"
    elif any(same_as(entry.by, entry.person, *one) for one in state.changers):
        done = f"paid, and then the meter was changed by hand by {entry.by}"
    else:
        return None
    return Refused("people", f"win {due.place(hit)} was {done}: another person must settle it")


def draw(state: JackpotState, entry: Drawn) -> Applied | Refused:
    """Make a random draw a pending win; the secret must be the one committed to."""
    trigger = state.parameters.trigger
    if not isinstance(trigger, Random):
        return Refused("win", f"jackpot {state.parameters.id} is not a random one: its trigger is a hand")
    if entry.id in state.open or hits.find_closed(state, entry.id):
        return Refused("repeat", f"draw {entry.id} was made before; it was not made again")
    refused = refuse_role(state, "jackpot_draw", entry.role) if entry.by or entry.role else None
    if refused:
        return refused
    expected = draws.candidates(trigger, state.parameters.tables, not_offered(state))
    problems = draws.check(entry.draw, state.commitment, entry.draw.head_hash, expected)
    if problems:
        say = f"draw {entry.id}: {'; '.join(problems)}"
        return Refused("forged", say, fault=Fault("draw", say, clause=clause(state, "jackpot_draw")))
    hit = _drawn_hit(state, trigger, entry)
    refused = _refuse_time(hit, entry.time)
    if refused:
        return refused
    hit.at = entry.time
    state.open[hit.win] = hit
    if entry.rules:
        hit.people = [(entry.by, entry.person)]
        ranks.enter(state, hit, "", Receipt(prompt=True, rules=entry.rules))
    else:
        _enter_by_time(state, hit)
    state.commitment, state.begun = entry.draw.next_commitment, True
    return _applied(state, entry, hit.parameters, wins=(_pending_view(state, hit),), status=True)


def _drawn_hit(state: JackpotState, trigger: Random, entry: Drawn) -> Hit:
    """Return the win of a draw: one winner, or one at every table if no table was drawn."""
    chosen, parameters = entry.draw.chosen, state.parameters
    seat = ", ".join(filter(None, [f"seat {chosen.seat}" if chosen.seat else "", chosen.location]))
    return Hit(
        win=entry.id,
        increment="",
        table=chosen.table,
        shoe=0,
        coup=0,
        outcome="drawn",
        percent=trigger.percent,
        rounding=parameters.rounding,
        division="equal",
        parameters=parameters.digest,
        stakes=[1] * (1 if chosen.table else len(entry.draw.candidates.tables)),
        drawn=True,
        seat=seat,
    )


def _applied(
    state: JackpotState,
    entry: Entry,
    digest: str,
    *,
    wins: Sequence[Win] = (),
    faults: Sequence[Fault] = (),
    status: bool = False,
) -> Applied:
    parameters = governing(state, digest) or state.parameters
    return Applied(
        entry,
        parameters.digest,
        parameters.version,
        parameters.in_force,
        wins=tuple(wins),
        faults=tuple(faults),
        pending=True,
        status=status,
    )
