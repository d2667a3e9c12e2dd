"""Alarm book: the alarms of one table that are not over; raise, acknowledgement and end are messages of their own."""

from collections import Counter
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace
from sabot_protocol.topics import AlarmMessage

from sabot_gateway.ops.rate_limit import TokenBucket
from sabot_gateway.verify.alarms.catalogue import ALARMS, Kind
from sabot_gateway.verify.records import Source

MOST = 100
AT_ONCE, ONE_EVERY_S = 30, 2.0  # alarms of one name; those beyond it are counted in one alarm
_FLOOD, _COUNT_EVERY_S = "alarm_flood", 10.0
_RANK = {"info": 0, "warning": 1, "critical": 2}
CROWDED_OUT = "crowded out"


class NotThereError(ValueError):
    """There is no such alarm or coup; the message says what there is."""


class AlarmBook:
    """Active alarms by the id of the message that raised them, oldest first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._active: dict[str, AlarmMessage] = {}
        self._rates: dict[str, TokenBucket] = {}  # by name
        self._folded: Counter[str] = Counter()  # alarms that are only counted, by name
        self._folded_since, self._counted_s = "", 0.0
        self.postponed: dict[str, tuple[dict[str, Any], dict[str, str]]] = {}  # that last, and were not raised yet

    def active(self) -> list[AlarmMessage]:
        """As last said."""
        return list(self._active.values())

    def restore(self, alarms: list[AlarmMessage]) -> None:
        """What the ledger says is active."""
        self._active = {alarm.alarm: alarm for alarm in alarms}
        self.postponed = {name: owed for name, owed in self.postponed.items() if not self.named(name)}

    def named(self, *names: str) -> list[AlarmMessage]:
        """The active ones of these names."""
        return [alarm for alarm in self._active.values() if alarm.name in names]

    def raise_(self, common: dict[str, Any], name: str, **words: str) -> list[AlarmMessage]:
        """The new alarm, and the one that had to make room; nothing where one that lasts is already active."""
        kind = ALARMS[name]
        if kind.lasts and self.named(name):
            return []
        rate = self._rates.setdefault(name, TokenBucket(AT_ONCE, ONE_EVERY_S))
        if not rate.take(_seconds(common["time"])):
            return self._fold(common, name, words)
        return self._raise(common, name, kind, words)

    def _raise(self, common: dict[str, Any], name: str, kind: Kind, words: dict[str, str]) -> list[AlarmMessage]:
        self.postponed.pop(name, None)
        alarm_id = f"{common['id']}-{name}"
        fields = {**common, "id": alarm_id, "alarm": alarm_id}
        alarm = AlarmMessage(
            **fields,
            name=name,
            say=words["say"],
            clause=words.get("clause", ""),
            shoe_says=words.get("shoe_says", ""),
            cards_say=words.get("cards_say", ""),
            severity=kind.severity,
            state="raised",
        )
        self._active[alarm_id] = alarm
        return [alarm, *self._make_room(Source(common["unit"], common["event_no"], common["time"]))]

    # More than a person can read

    def _fold(self, common: dict[str, Any], name: str, words: dict[str, str]) -> list[AlarmMessage]:
        """Count an alarm of which there are too many; one alarm stands for them, and is renewed now and then."""
        if ALARMS[name].lasts:
            self.postponed[name] = common, words
        flood, now_s = self.named(_FLOOD), _seconds(common["time"])
        if not flood:
            self._folded.clear()
            self._folded_since = common["time"]
        self._folded[name] += 1
        if flood and 0 <= now_s - self._counted_s < _COUNT_EVERY_S:
            return []
        self._counted_s = now_s
        if not flood:
            return self._raise(common, _FLOOD, ALARMS[_FLOOD], {"say": self._count()})
        source = Source(common["unit"], common["event_no"], common["time"])
        said = _said(flood[0], source, id=f"{source.id}-{_FLOOD}", say=self._count())
        self._active[said.alarm] = said
        return [said]

    def _count(self) -> str:
        names = ", ".join(f"{count} {name}" for name, count in self._folded.most_common())
        return (
            f"This table raises more alarms than anybody can read. Not listed since {self._folded_since}: {names}. "
            "Every event and coup is in the ledger. Take the shoe out of service; have it and its line examined."
        )

    def drop_postponed(self, *names: str) -> None:
        """What these stand for is over before they could be raised."""
        for name in names:
            self.postponed.pop(name, None)

    def raise_postponed(self, time: str) -> list[AlarmMessage]:
        """Alarms that last and came in a flood, as soon as there is room for them."""
        out: list[AlarmMessage] = []
        for name, (common, words) in list(self.postponed.items()):
            if self._rates[name].take(_seconds(time)):
                out += self._raise(common, name, ALARMS[name], words)
        return out

    def _make_room(self, source: Source) -> list[AlarmMessage]:
        """The oldest of the least severe goes, never one that stands for a state; it stays in the ledger."""
        passing = [alarm for alarm in self._active.values() if not ALARMS[alarm.name].lasts and alarm.name != _FLOOD]
        if len(self._active) <= self._most or not passing:
            return []
        oldest = min(passing, key=lambda alarm: _RANK[alarm.severity])
        return [self._clear(oldest, CROWDED_OUT, source, f"{source.id}-{oldest.name}-crowded-out")]

    def acknowledge(self, alarm_id: str, by: str, source: Source, *, ends: bool) -> list[AlarmMessage]:
        """Somebody has seen it; where nothing else ends it, that does."""
        if alarm_id not in self._active:
            there = ", ".join(self._active) or "none is active"
            raise NotThereError(f"there is no active alarm {alarm_id}: {there}")
        said = _said(self._active[alarm_id], source, state="acknowledged", by=by)
        self._active[alarm_id] = said
        return [said, self._clear(said, by, source, f"{source.id}-cleared")] if ends else [said]

    def clear(self, alarms: list[AlarmMessage], by: str, source: Source) -> list[AlarmMessage]:
        """These are over; of several of one name the later ones are numbered."""
        over, counts = [], Counter[str]()
        for alarm in alarms:
            counts[alarm.name] += 1
            number = f"-{counts[alarm.name]}" if counts[alarm.name] > 1 else ""
            over.append(self._clear(alarm, by, source, f"{source.id}-{alarm.name}-cleared{number}"))
        return over

    def _clear(self, alarm: AlarmMessage, by: str, source: Source, message_id: str) -> AlarmMessage:
        del self._active[alarm.alarm]
        return replace(_said(alarm, source, state="cleared", by=by), id=message_id)


def _said(alarm: AlarmMessage, source: Source, **changes: Any) -> AlarmMessage:
    where = {"id": source.id, "unit": source.unit, "event_no": source.event_no, "time": source.time}
    return replace(alarm, **(where | changes))


def _seconds(time: str) -> float:
    """Of the gateway's clock as messages have it; a ledger of the first version has no times."""
    try:
        return datetime.fromisoformat(time).timestamp()
    except ValueError:
        return 0.0


def most_urgent(alarms: list[AlarmMessage], most_bytes: int) -> tuple[list[AlarmMessage], int]:
    """The most severe, and of those the newest, that fit into so many bytes, oldest first; and how many do not."""
    ranked = sorted(enumerate(alarms), key=lambda pair: (_RANK[pair[1].severity], pair[0]), reverse=True)
    chosen, left = set[int](), most_bytes
    for place, alarm in ranked:
        left -= len(msgspec.json.encode(alarm)) + 1
        if left < 0:
            break
        chosen.add(place)
    return [alarm for place, alarm in enumerate(alarms) if place in chosen], len(alarms) - len(chosen)
