"""Unseen: alarms without the cards that they name, while the result of their coup is not out."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace
from sabot_protocol.topics import AlarmMessage

from sabot_gateway.screens.results import ShoeResults

_WITHOUT_CARDS = ("reject",)  # alarms whose `shoe_says` names no card
_MOVED = ("handed_over", "coup_came")  # of a coup that has no result yet


def without_cards(alarms: Iterable[AlarmMessage], results: ShoeResults, *, face_up: bool) -> Iterator[AlarmMessage]:
    """Yield the alarms as everybody with access to the gateway's PC may see them."""
    for alarm in alarms:
        known = alarm.name not in _MOVED and (alarm.shoe != results.place[1] or results.is_out(alarm.coup))
        if face_up or known or alarm.name in _WITHOUT_CARDS:
            yield alarm
        else:
            yield replace(alarm, shoe_says="", cards_say="")
