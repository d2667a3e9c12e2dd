"""Alarm book: the active alarms of one table. Raising, acknowledging and clearing an alarm each make a message."""

from collections import Counter
from collections.abc import Container
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace
from sabot_protocol.authority import same_name
from sabot_protocol.topics import AlarmMessage
from sabot_service.rate_limit import TokenBucket

from sabot_gateway.verify.alarms.catalogue import ALARMS, ENDED_BY_NEW_SHOE, AlarmKind
from sabot_gateway.verify.alarms.shoe_texts import with_rule
from sabot_gateway.verify.records import Source

MOST = 100
AT_ONCE, ONE_EVERY_S = 30, 2.0  # alarms of one name; those beyond it are counted in one alarm
_FLOOD, _COUNT_EVERY_S = "alarm_flood", 10.0
_CHECK_SHOE = "Take the shoe out of service. Have the shoe and its cable inspected."
_CHECK_JACKPOT = (
    "The shoe is not the cause: see the newest of these alarms, and have the jackpot's parameters and the stakes that "
    "are recorded checked. The contributions can be made good."
)
_OF_JACKPOTS = {"jackpot_not_incremented"}
_RANK = {"info": 0, "warning": 1, "critical": 2}
CROWDED_OUT = "crowded out"


class NotThereError(ValueError):
    """There is no such alarm or coup; the message lists those that exist."""


class AlarmBook:
    """Active alarms by the id of the message that raised them, oldest first."""

    def __init__(self, most: int = MOST, held: frozenset[str] = frozenset()) -> None:
        self._most, self._held = most, held  # names of alarms that end only with the cards
        self._active: dict[str, AlarmMessage] = {}
        self._rates: dict[str, TokenBucket] = {}  # by name
        self._unlisted: Counter[str] = Counter()  # alarms that are only counted, by name
        self._unlisted_since, self._counted_s = "", 0.0
        self.postponed: dict[str, tuple[dict[str, Any], dict[str, str]]] = {}  # lasting alarms, by name, in a flood

    def active(self) -> list[AlarmMessage]:
        """Return the newest message of each, oldest alarm first."""
        return list(self._active.values())

    def is_empty(self) -> bool:
        """Return True if no alarm is active or postponed: nothing can end."""
        return not self._active and not self.postponed

    def restore(self, alarms: list[AlarmMessage]) -> None:
        """Take the active alarms of the ledger."""
        self._active = {alarm.alarm: alarm for alarm in alarms}
        self.postponed = {name: alarm for name, alarm in self.postponed.items() if not self.named(name)}

    def held(self) -> list[AlarmMessage]:
        """Return the active alarms after which no coup counts until the cards are checked or replaced."""
        return self.named(*self._held)

    def ended_by_new_shoe(self) -> list[AlarmMessage]:
        """Return the active alarms that end with a new shoe."""
        return [alarm for alarm in self.named(*ENDED_BY_NEW_SHOE) if alarm.name not in self._held]

    def named(self, *names: str) -> list[AlarmMessage]:
        """Return the active alarms with these names."""
        return [alarm for alarm in self._active.values() if alarm.name in names]

    def raise_(self, common: dict[str, Any], name: str, **text: str) -> list[AlarmMessage]:
        """Return the new alarm, and the one that made room for it; nothing if it lasts and is active already.

        `by` is the person whose act it is about: another one settles it.
        """
        kind = ALARMS[name]
        if kind.lasts and self.named(name):
            return []
        rate = self._rates.setdefault(name, TokenBucket(AT_ONCE, ONE_EVERY_S))
        if not rate.take(_seconds(common["time"])):
            return self._count(common, name, text)
        return self._raise(common, name, kind, text)

    def _raise(self, common: dict[str, Any], name: str, kind: AlarmKind, text: dict[str, str]) -> list[AlarmMessage]:
        self.postponed.pop(name, None)
        alarm_id, clause = f"{common['id']}-{name}", text.get("clause", "")
        fields = {**common, "id": alarm_id, "alarm": alarm_id}
        alarm = AlarmMessage(
            **fields,
            name=name,
            say=with_rule(text["say"], clause),
            clause=clause,
            shoe_says=text.get("shoe_says", ""),
            cards_say=text.get("cards_say", ""),
            severity=kind.severity,
            state="raised",
            by=text.get("by", ""),
        )
        self._active[alarm_id] = alarm
        return [alarm, *self._make_room(Source(common["unit"], common["event_no"], common["time"]))]

    # Floods

    def _count(self, common: dict[str, Any], name: str, text: dict[str, str]) -> list[AlarmMessage]:
        """Count an alarm of which there are too many, in one alarm that is renewed every few seconds."""
        if ALARMS[name].lasts:
            self.postponed[name] = common, text
        flood, now_s = self.named(_FLOOD), _seconds(common["time"])
        if not flood:
            self._unlisted.clear()
            self._unlisted_since = common["time"]
        self._unlisted[name] += 1
        if flood and 0 <= now_s - self._counted_s < _COUNT_EVERY_S:
            return []
        self._counted_s = now_s
        if not flood:
            return self._raise(common, _FLOOD, ALARMS[_FLOOD], {"say": self._flood_text()})
        source = Source(common["unit"], common["event_no"], common["time"])
        changed = _changed(flood[0], source, id=f"{source.id}-{_FLOOD}", say=self._flood_text())
        self._active[changed.alarm] = changed
        return [changed]

    def _flood_text(self) -> str:
        names = ", ".join(f"{count} {name}" for name, count in self._unlisted.most_common())
        step = _CHECK_JACKPOT if self._unlisted.keys() <= _OF_JACKPOTS else _CHECK_SHOE
        return (
            f"This table raises too many alarms to list. Not listed since {self._unlisted_since}: {names}. {step} "
            "The ledger holds every event and coup."
        )

    def drop_postponed(self, *names: str) -> None:
        """Drop postponed alarms whose cause is over."""
        for name in names:
            self.postponed.pop(name, None)

    def raise_postponed(self, time: str) -> list[AlarmMessage]:
        """Raise postponed alarms, as soon as the rate allows it."""
        out: list[AlarmMessage] = []
        for name, (common, text) in list(self.postponed.items()):
            if self._rates[name].take(_seconds(time)):
                out += self._raise(common, name, ALARMS[name], text)
        return out

    def _make_room(self, source: Source) -> list[AlarmMessage]:
        """Clear the oldest of the least severe, never one that lasts; the ledger keeps it."""
        stay = {_FLOOD, *self._held}
        others = [one for one in self._active.values() if not ALARMS[one.name].lasts and one.name not in stay]
        if len(self._active) <= self._most or not others:
            return []
        oldest = min(others, key=lambda alarm: _RANK[alarm.severity])
        return [self._clear(oldest, CROWDED_OUT, source, f"{source.id}-{oldest.name}-crowded-out")]

    def acknowledge(
        self, alarm_id: str, by: str, source: Source, disputed: Container[tuple[int, int]]
    ) -> list[AlarmMessage]:
        """Record that somebody has seen the alarm; clear it, unless its coup is disputed or something else ends it."""
        if alarm_id not in self._active:
            there = ", ".join(self._active) or "none"
            raise NotThereError(f"alarm {alarm_id} is not active; active: {there}")
        alarm = self._active[alarm_id]
        if own_act(alarm, by):
            raise NotThereError(f"{alarm_id} is about an act of {alarm.by}: another person acknowledges it")
        changed = _changed(alarm, source, state="acknowledged", by=by)
        self._active[alarm_id] = changed
        ends = ALARMS[changed.name].ends
        waits = "decision" in ends and (changed.shoe, changed.coup) in disputed
        if "acknowledged" not in ends or waits or changed.name in self._held:
            return [changed]
        return [changed, self._clear(changed, by, source, f"{source.id}-cleared")]

    def clear(self, alarms: list[AlarmMessage], by: str, source: Source) -> list[AlarmMessage]:
        """Clear these alarms; messages of several with one name are numbered."""
        over, counts = [], Counter[str]()
        for alarm in alarms:
            counts[alarm.name] += 1
            number = f"-{counts[alarm.name]}" if counts[alarm.name] > 1 else ""
            over.append(self._clear(alarm, by, source, f"{source.id}-{alarm.name}-cleared{number}"))
        return over

    def _clear(self, alarm: AlarmMessage, by: str, source: Source, message_id: str) -> AlarmMessage:
        del self._active[alarm.alarm]
        return replace(_changed(alarm, source, state="cleared", by=by), id=message_id)


def own_act(alarm: AlarmMessage, by: str) -> bool:
    """Return True if the alarm is about an act of this person."""
    return alarm.state == "raised" and bool(alarm.by) and same_name(alarm.by, by)


def _changed(alarm: AlarmMessage, source: Source, **changes: Any) -> AlarmMessage:
    where = {"id": source.id, "unit": source.unit, "event_no": source.event_no, "time": source.time}
    return replace(alarm, **(where | changes))


def _seconds(time: str) -> float:
    """Return a message's time in seconds; a ledger of the first version has no times."""
    try:
        return datetime.fromisoformat(time).timestamp()
    except ValueError:
        return 0.0


def most_urgent(alarms: list[AlarmMessage], most_bytes: int) -> tuple[list[AlarmMessage], int]:
    """Return the most severe and newest alarms that fit into so many bytes, oldest first; and how many do not fit."""
    ranked = sorted(enumerate(alarms), key=lambda pair: (_RANK[pair[1].severity], pair[0]), reverse=True)
    chosen, left = set[int](), most_bytes
    for place, alarm in ranked:
        left -= len(msgspec.json.encode(alarm)) + 1
        if left < 0:
            break
        chosen.add(place)
    return [alarm for place, alarm in enumerate(alarms) if place in chosen], len(alarms) - len(chosen)
