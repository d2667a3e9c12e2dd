"""Alarm book: the alarms of one table that are not over; raise, acknowledgement and end are messages of their own."""

from collections import Counter
from typing import Any

from msgspec.structs import replace
from sabot_protocol.topics import AlarmMessage

from sabot_gateway.verify.alarms import ALARMS
from sabot_gateway.verify.records import Source

MOST = 100
_RANK = {"info": 0, "warning": 1, "critical": 2}
CROWDED_OUT = "crowded out"


class NotThereError(ValueError):
    """There is no such alarm or coup; the message says what there is."""


class AlarmBook:
    """Active alarms by the id of the message that raised them, oldest first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._active: dict[str, AlarmMessage] = {}

    def active(self) -> list[AlarmMessage]:
        """As last said."""
        return list(self._active.values())

    def restore(self, alarms: list[AlarmMessage]) -> None:
        """What the ledger says is active."""
        self._active = {alarm.alarm: alarm for alarm in alarms}

    def named(self, *names: str) -> list[AlarmMessage]:
        """The active ones of these names."""
        return [alarm for alarm in self._active.values() if alarm.name in names]

    def raise_(self, common: dict[str, Any], name: str, **words: str) -> list[AlarmMessage]:
        """The new alarm, and the one that had to make room; nothing where one that lasts is already active."""
        kind = ALARMS[name]
        if kind.lasts and self.named(name):
            return []
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

    def _make_room(self, source: Source) -> list[AlarmMessage]:
        """The oldest of the least severe goes; it stays in the ledger."""
        if len(self._active) <= self._most:
            return []
        oldest = min(self._active.values(), key=lambda alarm: _RANK[alarm.severity])
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
    changes |= {"id": source.id, "unit": source.unit, "event_no": source.event_no, "time": source.time}
    return replace(alarm, **changes)
