"""Reports why the exit is locked though no fault is reported: by command, without authorisation, with an open lid."""

from typing import Final

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.alarms import wording
from sabot_gateway.verify.records import Record
from sabot_gateway.verify.reports.context import Common, Context

LOCKED: Final = "exit_locked"
AWAITING: Final = "awaiting_authorisation"
LID: Final = "lid_open"
EXIT_LOCKS: Final = (LOCKED, AWAITING, LID)
_ENDS = ("coup", "coup_void", "key", "command_done")  # events by which a coup no longer waits, as the checks decide
_BEGINS = ("coup_kind", "handed_over")
KINDS: Final = frozenset((*_BEGINS, *_ENDS, "lock", "checkpoint", "lid", "shoe_opened", "shoe_closed"))


def alarms(context: Context, event: Event) -> list[Record]:
    """Raise the alarms of locks that begin with this event, and clear those that end."""
    if event.kind in _ENDS and context.alarms.is_empty():
        return []
    begins, over = _changes(context, event)
    out = context.clear_alarms(context.alarms.named(*over), "the shoe", context.source(event))
    context.alarms.drop_postponed(*over)
    for name in begins:
        out += context.raise_alarm(_common(context, event, name), name, **_text(context, name))
    return out


def _common(context: Context, event: Event, name: str) -> Common:
    """Return the fields of the alarm; a lock for the cards has the coup of the alarm that put them in doubt."""
    common, doubts = context.common(event), context.alarms.held()
    if name != LOCKED or not doubts:
        return common
    return {**common, "shoe": doubts[0].shoe, "coup": doubts[0].coup}


def _text(context: Context, name: str) -> wording.Text:
    """Return the alarm's text: the exit is locked by command, or until the cards are good again."""
    in_doubt = context.cards_locked() if name == LOCKED else ""
    if in_doubt:
        return wording.locked_for_cards(context.table, in_doubt.strip("-"))
    return wording.exit_lock(name, context.table, context.book)


def lock_due(context: Context, locked: bool) -> str:
    """Return the command that the shoe must get: its exit is locked while its cards are in doubt, and then no more."""
    if context.alarms.is_empty() and not context.state.spoiled:
        return ""
    if context.cards_locked():
        return "" if locked else "lock"
    own = [alarm for alarm in context.alarms.named(LOCKED) if alarm.cards_say == wording.CARDS_IN_DOUBT]
    return "unlock" if locked and own else ""


def locks_itself(context: Context) -> bool:
    """Return True if the shoe has reported what puts the cards in doubt: it locks its exit, and that event follows."""
    own = f"{context.state.unit}-"
    return any(alarm.shoe_says == "VOID_CHECK" and alarm.alarm.startswith(own) for alarm in context.alarms.held())


def _changes(context: Context, event: Event) -> tuple[list[str], list[str]]:
    """Return the names of the alarms that begin and of those that are over."""
    match event.kind:
        case "lock" | "checkpoint":
            on = event.data["on" if event.kind == "lock" else "locked"]
            return ([LOCKED], []) if on else ([], [LOCKED])
        case "lid":
            return [], [] if event.data["open"] else [LID]
        case "shoe_opened":
            return _opened(context, event)
        case "shoe_closed":
            return [], [AWAITING, LID]
        case kind if not context.authorisation.awaiting:
            return [], [AWAITING]
        case kind:
            return [AWAITING] if kind in _BEGINS else [], []


def _opened(context: Context, event: Event) -> tuple[list[str], list[str]]:
    """A lock outlasts the shoe, but it is the lock of one unit, whose id the alarm's id begins with."""
    mine = (alarm.alarm.startswith(f"{event.unit}-") for alarm in context.alarms.named(LOCKED))
    others = [] if all(mine) else [LOCKED]
    return [LID] if context.state.lid_open else [], [AWAITING, LID, *others]
