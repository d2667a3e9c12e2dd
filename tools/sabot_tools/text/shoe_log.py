"""Shoe log: the shoe's event records in, the events of `sabot play` and `sabot shoe` out."""

from typing import Any, Final

from sabot_protocol.codec import plain
from sabot_protocol.fields import NO_CARD
from sabot_protocol.irregularities import CASES, advise_at_table
from sabot_protocol.messages import EVENTS, EventKind

Event = dict[str, Any]

_NAMES: Final = {"shoe_no": "shoe", "coup_no": "coup"}
_BOOLEANS: Final = frozenset({"before_first_card", "missed", "import", "on", "open", "locked", "awaiting"})
_LEFT_OUT: Final = frozenset({"speed_mm_s", "margin_pct"})  # no card passed a sensor here
_MOST_SURPLUS: Final = 16  # the shoe remembers as many
_UNREAD: Final = frozenset({"blank", "columns", "doubtful", "not_in_set", "foreign", "spacing"})  # a card is out
_KINDS: Final = {"live": "live", "free_hand": "live"}  # all other kinds have no wagers


def kind_of(named: str) -> Event:
    """Return whether a coup is live or without wagers, and its name in the rulebook."""
    return {"kind": _KINDS.get(named, "no_bet"), "named": named}


class ShoeLog:
    """Converts events in order; `hands` has the cards of this coup and the next; another log can go on from them."""

    def __init__(self, rulebook: str, hands: dict[int, dict[str, str]] | None = None) -> None:
        self._rulebook = rulebook
        self.hands: dict[int, dict[str, str]] = {} if hands is None else hands  # by coup and slot
        self._surplus: list[int] = []  # for each card drawn too many: the coup that it begins, 0 if it is not used
        self.first_coup_complete = False
        self._coup_no = 1  # on the table, or the next
        self._complete = self._unread = self._burning = self._reported = False
        self._without: set[int] = set()  # coups that have no wagers
        self._converters = {
            "shoe_opened": self._shoe_opened,
            "burn": self._burn,
            "card": self._card,
            "reject": self._reject,
            "coup_kind": self._coup_kind,
            "coup": self._coup,
            "coup_void": self._coup_void,
            "button": self._button,
            "irregularity": self._irregularity,
            "handed_over": self._handed_over,
            "command_done": self._command_done,
        }

    def event(self, event_no: int, number: int, body: str) -> Event:
        """Return one record as an event."""
        kind = EventKind.decmapping[number]
        data = plain(EVENTS[kind].parse(bytes.fromhex(body)))
        return {"event_no": event_no, "type": kind, **self._converters.get(kind, _plain_fields)(data)}

    def _shoe_opened(self, data: Event) -> Event:
        self.hands.clear()
        self._surplus.clear()
        self._without.clear()
        self.first_coup_complete = False
        self._next_coup(1)
        self._burning = data["burn"] != "none"
        return _plain_fields(data)

    def _burn(self, data: Event) -> Event:
        self._burning = False
        self._surplus = [coup for coup in self._surplus if coup > 1]
        return _plain_fields(data)

    def _next_coup(self, number: int) -> None:
        self._coup_no, self._complete, self._unread = number, False, False

    def begun(self) -> bool:
        """Return whether a card of a coup is out, read or not, and the coup is not complete."""
        return not self._complete and (self._unread or bool(self.hands.get(self._coup_no)))

    def _reject(self, data: Event) -> Event:
        self._unread |= data["reason"] in _UNREAD and not self._complete and not self._burning
        return _plain_fields(data)

    def _card(self, data: Event) -> Event:
        coup, slot = data["coup_no"], data["slot"]
        if data["flags"]["surplus"]:
            self._surplus = [*self._surplus, 0 if slot == "unused" else coup][-_MOST_SURPLUS:]
        if slot == "player_1":
            self.hands = {other: hand for other, hand in self.hands.items() if other != coup and other >= coup - 2}
        if slot not in ("burn", "unused"):
            self.hands.setdefault(coup, {})[slot] = data["card"]
        return _plain_fields(data)

    def _coup(self, data: Event) -> Event:
        self.first_coup_complete = self._complete = True
        self._coup_no = data["coup_no"]
        self._surplus = [coup for coup in self._surplus if not coup or coup > data["coup_no"]]
        return {**_plain_fields({**data, "flags": {}}), **self._cards(data["coup_no"]), **data["flags"]}

    def _coup_kind(self, data: Event) -> Event:
        self._set_kind(data["coup_no"], data["kind"])
        return _plain_fields(data)

    def _set_kind(self, coup: int, kind: str) -> None:
        (self._without.discard if kind in _KINDS else self._without.add)(coup)

    def _coup_void(self, data: Event) -> Event:
        event = {"type": "coup", **_plain_fields(data), "kind": "void", "winner": None, **self._cards(data["coup_no"])}
        del event["cards"]
        self.hands.pop(data["coup_no"], None)
        self._without.discard(data["coup_no"])
        self._use_surplus(data["coup_no"])
        return event

    def _button(self, data: Event) -> Event:
        if data["button"] == "confirm":
            self._use_surplus(data["coup_no"])
        return _plain_fields(data)

    def _use_surplus(self, over: int) -> None:
        """Give the cards drawn too many to the coup that they begin."""
        self._next_coup(over + 1)
        self._surplus = [coup for coup in self._surplus if coup > over + 1]

    def _cards(self, coup: int) -> Event:
        hand = self.hands.get(coup, {})
        return {
            side: [hand[slot] for slot in (f"{side}_{place}" for place in (1, 2, 3)) if slot in hand]
            for side in ("player", "banker")
        }

    def _irregularity(self, data: Event) -> Event:
        case = data["case"]
        facts = {fact: data["facts"][fact] for fact in CASES[case]}
        if data["code"] == "NOT_USED" and self._surplus:
            self._withdraw(self._surplus.pop())
            self._surplus.append(0)
        unwagered = self._begins_without(data)
        advice = advise_at_table(self._rulebook, case, facts, stands=not self.begun(), unwagered=unwagered)
        return {**_plain_fields(data), "facts": facts, "rule": advice.clause, "say": advice.say}

    def _begins_without(self, data: Event) -> bool:
        """Return True if the coup that a card in excess begins, or joins, is one without wagers."""
        number, code = max([data["coup_no"] + 1, *self._surplus[-1:]]), data["code"]
        reported, self._reported = self._reported, False
        if code == "NEXT_NO_BET":
            self._without.add(number)
        elif code == "NEXT_LIVE" and reported:
            self._without.discard(number)
        return number in self._without

    def _withdraw(self, coup: int) -> None:
        """Take the last card drawn too many from the coup that it was to begin."""
        if coup in self.hands:
            self.hands[coup].popitem()

    def _handed_over(self, data: Event) -> Event:
        event = _plain_fields(data)
        self.hands[data["coup_no"]] = dict(event["cards"])
        self._next_coup(data["coup_no"])
        return event

    def _command_done(self, data: Event) -> Event:
        if data["command"] == "card_returned":
            self._withdraw(self._surplus.pop())
        elif data["command"] == "confirm":
            self._use_surplus(self._coup_no)
        elif data["command"] == "no_bet":
            later = self._complete or (not self._burning and bool(self.hands.get(self._coup_no)))
            self._set_kind(self._coup_no + later, data["data"]["kind"])
        self._reported = data["command"] == "irregularity"
        return {
            **_plain_fields(data),
            "data": {name: _plain_value(name, value) for name, value in data["data"].items()},
        }


def _plain_fields(data: Event) -> Event:
    """Return the fields under their published names; of flags only those that are set."""
    fields: Event = {}
    for name, value in data.items():
        if name == "flags":
            fields |= {flag: True for flag, on in value.items() if on}
        elif name == "kind":
            fields |= kind_of(value)
        elif name not in _LEFT_OUT:
            fields[_NAMES.get(name, name)] = _plain_value(name, value)
    return fields


def _plain_value(name: str, value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if item not in (NO_CARD, False)}
    return bool(value) if name in _BOOLEANS else value
