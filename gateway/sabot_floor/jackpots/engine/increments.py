"""Increments: contributions of tables and their reversals, counted once each, in sequence."""

from fractions import Fraction
from functools import lru_cache
from re import compile as pattern

from sabot_protocol.jackpots.contributions import ContributionError, contribution
from sabot_protocol.jackpots.currency import written
from sabot_protocol.jackpots.messages import IncrementMessage, Win
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.topics import WAGERED

from sabot_floor.jackpots.engine import coups, due, hits, money
from sabot_floor.jackpots.engine.entries import Increment, Withdrawn
from sabot_floor.jackpots.engine.results import Applied, Fault, Refused
from sabot_floor.jackpots.engine.state import JackpotState, Missed, Place, Sequence

MOST_GATEWAYS = 16  # that have sent increments of one table
MOST_COUNT, MOST_TOTAL, MOST_NUMBER = 10**12, 10**15, 10**9
MOST_NAMES = 400  # characters of all ids in a message
_FRACTION = pattern(r"-?[0-9]{1,18}(/[1-9][0-9]{0,17})?\Z")


def increment(state: JackpotState, entry: Increment) -> Applied | Refused:
    """Count a table's increment; while the table is withdrawn, remember it as missed."""
    message = entry.message
    parameters = governing(state, message.parameters)
    by_gateway = state.sequences.get(message.table)
    sequence = by_gateway.get(message.gateway) if by_gateway else None
    same = message.currency == state.parameters.currency  # a gateway counts each currency apart
    if sequence is not None and message.count <= sequence.count and same:
        return Refused("repeat", f"{_name(message)} is a repeat of number {message.count}; it was not counted again")
    if parameters is None:
        return Refused("parameters", f"{_name(message)}: unknown parameters {message.parameters!r}; {_SEND_AGAIN}")
    refused = (
        _check(parameters, message)
        or _check_table_of_coup(state, message)
        or _check_sequence(state, parameters, message, sequence)
    )
    if refused:
        return refused
    place = coups.place_of(state, message.table)
    if sequence is None:
        sequence = Sequence(restart=place.any_start)
        state.sequences.setdefault(message.table, {})[message.gateway] = sequence
        place.any_start = False
    if sequence.restart:
        _restart(state, parameters, message, sequence)
    sequence.count, sequence.total, sequence.carry = message.count, message.total, message.carry
    if message.reverses:
        return _reverse(state, entry, parameters)
    return _count(state, entry, parameters, place)


def governing(state: JackpotState, digest: str) -> Parameters | None:
    """Return the parameters in force, or former ones, with this digest."""
    if state.parameters.digest == digest:
        return state.parameters
    return next((one for one in reversed(state.former) if one.digest == digest), None)


_SEND_AGAIN = "check that the gateway has the parameters of this jackpot"


def _name(message: IncrementMessage) -> str:
    return f"increment {message.id} of {message.table}"


def _check(parameters: Parameters, message: IncrementMessage) -> Refused | None:
    """Check what does not depend on the sequence."""
    amount = message.amount
    if message.jackpot != parameters.id:
        return Refused("parameters", f"{_name(message)} is for jackpot {message.jackpot!r}, not {parameters.id!r}")
    if message.table not in parameters.table_names:
        return Refused("table", f"{_name(message)}: this table does not take part in jackpot {parameters.id}")
    if message.currency != parameters.currency:
        return Refused("currency", f"{_name(message)} is in {message.currency}, the jackpot in {parameters.currency}")
    if type(amount) is not int:
        return Refused("amount", f"{_name(message)}: amount {amount!r} is not a whole number of minor units")
    if abs(amount) > parameters.unreasonable:
        limit = parameters.unreasonable
        return Refused("unreasonable", f"{_name(message)}: {amount} is more than {limit}, the most for one coup")
    of_another = not message.coup_id.startswith((message.unit, message.gateway))  # a decision has the gateway's id
    if of_another or (message.kind == "void" and not message.reverses):
        return Refused("coup", f"{_name(message)}: coup {message.coup_id!r} of unit {message.unit} cannot contribute")
    return (
        _check_size(message)
        or (_check_trigger(parameters, message) if message.trigger else None)
        or _check_operator_amount(parameters, message)
    )


def _check_table_of_coup(state: JackpotState, message: IncrementMessage) -> Refused | None:
    """Refuse a coup that another table has: a shoe may move there, but not with coups that were dealt before."""
    if message.reverses:
        return None
    other = coups.counted_elsewhere(state, message.table, message.unit, message.shoe, message.coup)
    if not other:
        return None
    return Refused("coup", f"{_name(message)}: coup {message.shoe}/{message.coup} of this shoe was counted at {other}")


def _check_size(message: IncrementMessage) -> Refused | None:
    """Bound what the state keeps of a message."""
    if not (0 < message.count <= MOST_COUNT and abs(message.total) <= MOST_TOTAL):
        return Refused("amount", f"{_name(message)}: count {message.count} or total {message.total} is impossible")
    if not (0 <= message.coup <= MOST_NUMBER and 0 <= message.shoe <= MOST_NUMBER):
        return Refused("coup", f"{_name(message)}: shoe {message.shoe}, coup {message.coup} is impossible")
    if len(message.id) + len(message.coup_id) + len(message.gateway) + len(message.unit) > MOST_NAMES:
        return Refused("malformed", f"an increment of {message.table} has ids longer than {MOST_NAMES} characters")
    return None


def _check_trigger(parameters: Parameters, message: IncrementMessage) -> Refused | None:
    if message.reverses:
        return None
    if not hits.percent(parameters, message.trigger):
        return Refused("win", f"{_name(message)}: {message.trigger!r} is no outcome of this jackpot's trigger")
    if hits.qualifying_stakes(parameters, message.stakes) is None:
        return Refused("amount", f"{_name(message)}: a stake is not a whole number above 0, or there are too many")
    return None


def _check_operator_amount(parameters: Parameters, message: IncrementMessage) -> Refused | None:
    if parameters.funding != "operator":
        return None
    amount = -message.amount if message.reverses else message.amount
    if amount == parameters.increment and (parameters.unwagered or message.kind in WAGERED or message.reverses):
        return None
    return Refused(
        "amount", f"{_name(message)}: {message.amount} is not what the parameters give, {parameters.increment} a coup"
    )


def _check_sequence(
    state: JackpotState, parameters: Parameters, message: IncrementMessage, sequence: Sequence | None
) -> Refused | None:
    """Check count, total and carry against what the gateway has sent for this table before."""
    if sequence is None:
        if len(state.sequences.get(message.table, ())) >= MOST_GATEWAYS:
            return Refused("table", f"{_name(message)}: {MOST_GATEWAYS} gateways have sent increments of this table")
        place = state.places.get(message.table)
        sequence = Sequence(restart=place is not None and place.any_start)
    if not sequence.restart and (
        message.count != sequence.count + 1 or message.total != sequence.total + message.amount
    ):
        return _gap(state, message, sequence)
    if parameters.funding == "operator":
        return None
    return _check_wager_amount(parameters, message, sequence)


def _gap(state: JackpotState, message: IncrementMessage, sequence: Sequence) -> Refused:
    say = (
        f"{_name(message)} has count {message.count} and total {message.total}, expected {sequence.count + 1} and "
        f"{sequence.total + message.amount}: increments are missing. Compare the ledger of gateway {message.gateway}, "
        "restore the table, then make good what is missing"
    )
    place = state.places.get(message.table)
    if place is not None and place.withdrawn:
        return Refused("gap", say)
    then = Withdrawn(time=message.time, table=message.table, reason="increments are missing")
    return Refused("gap", say, then, Fault("mismatch", say, message.table))


def _check_wager_amount(parameters: Parameters, message: IncrementMessage, sequence: Sequence) -> Refused | None:
    carry = _fraction(message.carry)
    if carry is None:
        return Refused("amount", f"{_name(message)}: carry {message.carry!r} is not a fraction such as 1/3")
    if message.reverses or sequence.restart:
        sign = -1 if message.reverses else 1
        right = message.amount * sign >= 0
    else:
        before = _fraction(sequence.carry) or Fraction(0)
        try:
            expected = contribution(parameters, message.kind, message.stakes, before)
        except ContributionError as error:
            return Refused("amount", f"{_name(message)}: {error}")
        right = (expected.amount, expected.carry) == (message.amount, carry)
    if right:
        return None
    return Refused("amount", f"{_name(message)}: {message.amount} is not what its stakes and the parameters give")


@lru_cache(maxsize=1024)
def _fraction(text: str) -> Fraction | None:
    return Fraction(text) if _FRACTION.match(text) else None


def _restart(state: JackpotState, parameters: Parameters, message: IncrementMessage, sequence: Sequence) -> None:
    """Propose the difference between the sequence before the table was withdrawn and this increment."""
    sequence.restart = False
    missing = message.count - 1 - sequence.count
    amount = message.total - message.amount - sequence.total
    if missing or amount:
        name = f"{message.table}/{message.gateway}/{sequence.count + 1}-{message.count - 1}"
        reason = "increments that did not arrive"
        if parameters.funding == "operator" and amount != missing * parameters.increment:
            each = written(parameters.increment, parameters.currency)
            reason += f"; their sum is not {missing} x {each}: compare the gateway's ledger, or give --amount"
        missed = Missed(name, message.table, amount, missing, parameters=message.parameters, reason=reason)
        if missing > 0:
            coups.block(state, missed, message.unit, message.shoe, message.coup)
        coups.remember(state, missed)


def _count(state: JackpotState, entry: Increment, parameters: Parameters, place: Place) -> Applied:
    message = entry.message
    made_good = coups.was_made_good(place, message.unit, message.shoe, message.coup)
    missing = coups.count_coup(state, message.table, message.unit, message.shoe, message.coup)
    if state.missed:
        _drop_proposal(state, message)
    if place.withdrawn or made_good:
        why = "made good before" if made_good else f"table withdrawn: {place.withdrawn}"
        return _remember(state, entry, parameters, "made good before" if made_good else place.withdrawn, why)
    money.contribute(state, parameters.reserve, message.amount)
    if message.trigger:
        hits.recognise(state, parameters, message, message.stakes)
        return Applied(
            entry, parameters.digest, parameters.version, parameters.in_force, message.amount, pending=True,
            missing=missing,
        )  # fmt: skip
    return Applied(entry, parameters.digest, parameters.version, parameters.in_force, message.amount, missing=missing)


def _drop_proposal(state: JackpotState, message: IncrementMessage) -> None:
    """Drop the proposal for a coup whose increment has come after all."""
    of_coup = (message.unit, message.shoe, message.coup)
    for one in state.missed:
        is_it = one.coup_id == message.coup_id or (one.unit, one.shoe, one.coup) == of_coup
        if one.table == message.table and is_it:
            state.missed.remove(one)
            return


def _remember(state: JackpotState, entry: Increment, parameters: Parameters, reason: str, why: str) -> Applied:
    """List an increment as missed; with a fault if it is the first of its table for this reason."""
    message = entry.message
    known = any(one.table == message.table and one.reason == reason for one in state.missed)
    coups.remember(
        state,
        Missed(
            message.id, message.table, message.amount, 1, message.unit, message.shoe, message.coup, message.coup_id,
            message.trigger, message.parameters, reason,
        ),
    )  # fmt: skip
    say = f"{_name(message)} was not counted: {reason}. Make it good if it must count"
    faults = () if known else (Fault("missed", say, message.table),)
    return _applied(entry, parameters, faults=faults, status=True, not_counted=why)


def _reverse(state: JackpotState, entry: Increment, parameters: Parameters) -> Applied:
    """Take back an increment, also while the table is withdrawn; one that was not counted is only forgotten."""
    message = entry.message
    missed = coups.find_missed_at(state, message.table, message.reverses)
    if missed is not None:
        state.missed.remove(missed)
        return _applied(entry, parameters, status=True, not_counted="it takes back what was not counted")
    money.contribute(state, parameters.reserve, message.amount)
    wins, faults = due.cancel(state, message.table, message.reverses, entry.time)
    return _applied(entry, parameters, message.amount, wins, faults)


def _applied(
    entry: Increment,
    parameters: Parameters,
    increment: int = 0,
    wins: tuple[Win, ...] = (),
    faults: tuple[Fault, ...] = (),
    status: bool = False,
    not_counted: str = "",
) -> Applied:
    pending = bool(wins or faults)
    return Applied(
        entry, parameters.digest, parameters.version, parameters.in_force, increment, wins, faults, pending, status,
        not_counted=not_counted,
    )  # fmt: skip
