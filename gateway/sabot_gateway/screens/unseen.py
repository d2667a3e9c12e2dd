"""Unseen: coups dealt face down whose result is not out, and alarms without the cards that they name."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace
from sabot_protocol.topics import AlarmMessage, CoupMessage

from sabot_gateway.screens.results import ShoeResults

_WITHOUT_CARDS = ("reject",)  # alarms whose `shoe_says` names no card
_MOVED = ("handed_over", "coup_came")  # of a coup that has no result yet


def is_unseen(about: CoupMessage | AlarmMessage, results: ShoeResults, *, face_up: bool) -> bool:
    """Return True if the cards of a coup may not be turned yet: it is of the shoe on the table, and not out."""
    return not face_up and about.shoe == results.place[1] and not results.is_out(about.coup)


def without_cards(alarms: Iterable[AlarmMessage], results: ShoeResults, *, face_up: bool) -> Iterator[AlarmMessage]:
    """Yield the alarms as everybody with access to the gateway's PC may see them."""
    for alarm in alarms:
        known = alarm.name not in _MOVED and not is_unseen(alarm, results, face_up=face_up)
        if face_up or known or alarm.name in _WITHOUT_CARDS:
            yield alarm
        else:
            yield replace(alarm, shoe_says="", cards_say="")
