"""Steps of `sabot play`: a JSON line in, the step that firmware/bench/play.py runs out."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sabot_protocol import numbers
from sabot_protocol.cards import INDEX
from sabot_protocol.irregularities import CASES, IrregularityError, complete_facts
from sabot_protocol.layout import Field, Flags, Layout, Names, Number, Value, enumerations
from sabot_protocol.messages import COMMAND_LAYOUTS, COMMANDS

from sabot_tools.text.json_lines import BadLineError

Line = dict[str, Any]
Step = tuple[Any, ...]
POWER_CYCLE: Step = ("power",)

_BY_STYLE = -1  # not given: the style of the table decides
_SIDES = ("player", "banker")
_LIDS = {"shut": 0, "open": 1}
_UNREADABLE = "doubtful"
_NAMED = enumerations()
_FACE_UP = _NAMED["CardFlags"].numbers["face_up"]


def step_of(line: Line, profile: Line, shown: Mapping[str, Any]) -> Step:
    """Return the step of a line; `shown` has the rulebook, the fault, and the facts that the shoe knows."""
    fields = {name: value for name, value in line.items() if name != "id"}
    if "command" in fields:
        return _command(fields.pop("command"), fields, profile, shown)
    verbs = [name for name in fields if name in _VERBS]
    if len(verbs) != 1:
        raise BadLineError(f"expected one step per line: command, {', '.join(_VERBS)}")
    return _VERBS[verbs[0]](fields)


# Steps without a command


def _card(fields: Line) -> Step:
    _only(fields, "card", "face_up", "exposed")
    card = one_of("card", INDEX, fields["card"])
    exposed = int(_boolean(fields, "exposed")) if "exposed" in fields else _BY_STYLE
    return "card", card, _FACE_UP if _boolean(fields, "face_up") else 0, exposed


def _cut(fields: Line) -> Step:
    _only(fields, "cut")
    _expect_true(fields, "cut")
    return ("cut",)


def _unreadable(fields: Line) -> Step:
    _only(fields, "unreadable")
    reason = fields["unreadable"]
    return "reject", one_of("unreadable", _NAMED["RejectReason"].numbers, _UNREADABLE if reason is True else reason)


def _button(fields: Line) -> Step:
    _only(fields, "button")
    return "button", one_of("button", _NAMED["Button"].numbers, fields["button"])


def _key(fields: Line) -> Step:
    _only(fields, "key")
    return "key", int(_boolean(fields, "key"))


def _lid(fields: Line) -> Step:
    _only(fields, "lid")
    return "lid", one_of("lid", _LIDS, fields["lid"])


def _power(fields: Line) -> Step:
    _only(fields, "power")
    one_of("power", {"cycle": 1}, fields["power"])
    return POWER_CYCLE


def _state(fields: Line) -> Step:
    _only(fields, "state")
    _expect_true(fields, "state")
    return ("state",)


_VERBS: dict[str, Callable[[Line], Step]] = {
    "card": _card,
    "cut": _cut,
    "unreadable": _unreadable,
    "button": _button,
    "key": _key,
    "lid": _lid,
    "power": _power,
    "state": _state,
}


# Commands


def _command(command: Any, fields: Line, profile: Line, shown: Mapping[str, Any]) -> Step:
    number = one_of("command", numbers.COMMANDS, command)
    with_defaults = _DEFAULTS.get(command)
    data = with_defaults(fields, profile, shown) if with_defaults else fields
    fields_of = COMMAND_LAYOUTS[command].fields
    names = [field.name for field in fields_of]
    if extra := [name for name in data if name not in names]:
        raise BadLineError(f"{extra[0]}: {command} has no such field{_known(names)}")
    return "command", number, COMMANDS[command].build({field.name: _checked(field, data) for field in fields_of}).hex()


def _known(names: list[str]) -> str:
    return f"; it has {', '.join(names)}" if names else ""


def _checked(field: Field, data: Line) -> Any:
    """Return the value of a command's field; BadLineError names a field that is missing or wrong."""
    if field.name not in data:
        raise BadLineError(f"{field.name}: missing")
    return _value(field.name, field.value, data[field.name])


def _value(name: str, kind: Value, value: Any) -> Any:
    if isinstance(kind, Names):
        one_of(name, kind.numbers, value)
    elif isinstance(kind, Layout):
        return {slot.name: _value(slot.name, slot.value, value.get(slot.name, "--")) for slot in kind.fields}
    elif not isinstance(kind, Flags):
        _whole(name, value, _most(kind))
    return value


def _most(kind: Value) -> int:
    assert isinstance(kind, Number)
    return 256**kind.size - 1 if kind.most is None else kind.most


def _whole(name: str, value: Any, most: int) -> None:
    if not isinstance(value, int) or (isinstance(value, bool) and most > 1) or not 0 <= value <= most:
        raise BadLineError(f"{name}: {value!r} is not a whole number from 0 to {most}")


def _open_shoe(fields: Line, profile: Line, shown: Mapping[str, Any]) -> Line:
    return {"decks": profile["decks"], "burn": profile["burn"], **fields}


def _clear_fault(fields: Line, profile: Line, shown: Mapping[str, Any]) -> Line:
    return {"fault": shown["fault"] or "none", **fields}


def _void_coup(fields: Line, profile: Line, shown: Mapping[str, Any]) -> Line:
    return {"reason": "supervisor", "then": "go_on", **fields}


def _no_bet(fields: Line, profile: Line, shown: Mapping[str, Any]) -> Line:
    return {"kind": profile["unwagered"], **fields}


def _key_card(fields: Line, profile: Line, shown: Mapping[str, Any]) -> Line:
    flags = {flag: _boolean(fields, flag) for flag in ("face_up", "exposed")}
    return {**{name: value for name, value in fields.items() if name not in flags}, "flags": flags}


def _authorise(fields: Line, profile: Line, shown: Mapping[str, Any]) -> Line:
    return {"times": 1, **fields}


def _deck_check(fields: Line, profile: Line, shown: Mapping[str, Any]) -> Line:
    return {"on": True, "decks": profile["decks"], **fields}


def _irregularity(fields: Line, profile: Line, shown: Mapping[str, Any]) -> Line:
    given = fields.pop("context", None) or fields.pop("facts", None) or {}
    if not isinstance(given, dict):
        raise BadLineError("facts: expected an object, each fact true or false")
    case = fields.get("case")
    one_of("case", numbers.CASES, case)
    for fact in given:
        one_of("facts", numbers.FACTS, fact)
        _boolean(given, fact)
    known = {fact: shown[fact] for fact in CASES[str(case)] if fact in shown}
    try:
        facts = complete_facts(shown["rulebook"], str(case), given, known)
    except IrregularityError as error:
        raise BadLineError(str(error)) from error
    return {**fields, "facts": facts}


def _import_coup(fields: Line, profile: Line, shown: Mapping[str, Any]) -> Line:
    """Take the cards as two lists in order, or by slot."""
    cards = dict(_slots(fields))
    rest = {name: value for name, value in fields.items() if name not in (*_SIDES, *cards, "coup")}
    place = {"decks": profile["decks"], "cards_out": len(cards), "coups_left": 0, "awaiting": False}
    return {"coup_no": fields.get("coup", 1), "kind": "live", "cards": cards, **place, **rest}


def _slots(fields: Line) -> Iterator[tuple[str, Any]]:
    for side in _SIDES:
        hand = fields.get(side, [])
        if not isinstance(hand, list) or len(hand) > 3:
            raise BadLineError(f"{side}: expected a list of at most three cards, such as 8H")
        yield from ((f"{side}_{place}", card) for place, card in enumerate(hand, 1))
        yield from ((slot, fields[slot]) for slot in (f"{side}_{place}" for place in (1, 2, 3)) if slot in fields)


_DEFAULTS: dict[str, Callable[[Line, Line, Mapping[str, Any]], Line]] = {
    "open_shoe": _open_shoe,
    "clear_fault": _clear_fault,
    "void_coup": _void_coup,
    "no_bet": _no_bet,
    "key_card": _key_card,
    "authorise": _authorise,
    "irregularity": _irregularity,
    "import_coup": _import_coup,
    "deck_check": _deck_check,
}


# Values


def one_of(name: str, numbers: Mapping[str, int], value: Any) -> int:
    """Return the number of a name; BadLineError lists the known names."""
    if isinstance(value, str) and value in numbers:
        return numbers[value]
    names = "the 52 cards, such as 8H" if len(numbers) >= len(INDEX) else ", ".join(map(str, numbers))
    raise BadLineError(f"{name}: {value!r} is not one of {names}")


def _only(fields: Line, *known: str) -> None:
    for name in fields:
        if name not in known:
            raise BadLineError(f"{name}: {known[0]} has no such field{_known(list(known))}")


def _boolean(fields: Mapping[str, Any], name: str) -> bool:
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise BadLineError(f"{name}: {value!r} is not true or false")
    return value


def _expect_true(fields: Line, name: str) -> None:
    if fields[name] is not True:
        raise BadLineError(f"{name}: {fields[name]!r} is not allowed: expected true")
