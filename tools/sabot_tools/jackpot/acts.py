"""Acts of people in a replay: their lines into entries of the engine."""

from typing import assert_never

import msgspec
from sabot_floor.jackpots.engine import Entry, JackpotState
from sabot_floor.jackpots.engine import entries as entry
from sabot_floor.jackpots.engine.rights import person_to_notify
from sabot_protocol import authority
from sabot_protocol.jackpots.checking import parameter_problems
from sabot_protocol.jackpots.parameters import Parameters

from sabot_tools.jackpot import lines
from sabot_tools.text.json_lines import BadLineError

ActLine = (
    lines.ConfirmLine
    | lines.InvalidLine
    | lines.AdjustLine
    | lines.MalfunctionLine
    | lines.CuredLine
    | lines.MakeGoodLine
    | lines.ParametersLine
)


def entries_of(state: JackpotState, line: ActLine, time: str, number: int) -> list[Entry]:
    """Return the entries of a line; `number` makes the id of an adjustment."""
    match line:
        case lines.ConfirmLine(confirm=win, by=by, role=role, notified=notified):
            to_notify = person_to_notify(state, "jackpot_confirm")  # a line need not name the person
            notified = notified or (f"{to_notify}, to be notified" if to_notify else "")
            return [entry.Confirmed(time=time, win=win, by=by, role=role, notified=notified)]
        case lines.InvalidLine(invalid=win, by=by, role=role, reason=reason):
            return [entry.Invalid(time=time, win=win, by=by, role=role, reason=reason)]
        case lines.AdjustLine():
            return [_adjusted(state, line, time, number)]
        case lines.MalfunctionLine(malfunction=table, reason=reason, by=by, role=role):
            return [entry.Withdrawn(time=time, table=table, reason=reason, by=by, role=role)]
        case lines.CuredLine(cured=table, by=by, role=role):
            return [entry.Restored(time=time, table=table, by=by, role=role)]
        case lines.MakeGoodLine():
            return _made_good(state, line, time)
        case lines.ParametersLine(by=by, role=role):
            return [entry.Changed(time=time, parameters=_changed(state, line), by=by, role=role)]
        case _:
            assert_never(line)


def _adjusted(state: JackpotState, line: lines.AdjustLine, time: str, number: int) -> entry.Adjusted:
    """Return an adjustment; without `role` the people have the lowest role that may."""
    role = authority.lowest_role(state.parameters.rulebook, "jackpot_adjust") if line.role is None else line.role
    name, by = f"adjust-{number}", tuple(line.by)
    return entry.Adjusted(time=time, id=name, amount=line.adjust, by=by, role=role, reason=line.reason)


def _made_good(state: JackpotState, line: lines.MakeGoodLine, time: str) -> list[Entry]:
    """Return an entry for one coup; if the name is a table, for everything that it missed."""
    names = [one.id for one in state.missed if line.make_good == one.table] or [line.make_good]
    by, role, reason = line.by, line.role, line.reason
    return [entry.MadeGood(time=time, missed=name, by=by, role=role, reason=reason) for name in names]


def _changed(state: JackpotState, line: lines.ParametersLine) -> Parameters:
    """Return the newest parameters with the values of a line; BadLineError if the book forbids them."""
    newest = state.waiting or state.parameters
    merged = {**msgspec.to_builtins(newest), "version": newest.version + 1, **line.parameters}
    unknown = merged.keys() - set(Parameters.__struct_fields__)
    if unknown:
        raise BadLineError(f"parameters: unknown field {min(unknown)!r}")
    try:
        new = msgspec.convert(merged, Parameters)
    except msgspec.ValidationError as error:
        raise BadLineError(f"parameters: {error}") from error
    problems = list(parameter_problems(new))
    if problems:
        raise BadLineError(f"parameters: {'; '.join(problems)}")
    return new
