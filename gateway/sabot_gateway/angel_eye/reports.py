"""Reports of what only an Angel Eye does: errors, its lock, cards outside the game, starts of the shoe and the line."""

from sabot_protocol.angel_eye.tables import ERRORS

from sabot_gateway.angel_eye import words
from sabot_gateway.angel_eye.line_watch import SILENT
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.alarms.catalogue import ALARMS
from sabot_gateway.verify.alarms.wording import Text
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.findings import Finding
from sabot_gateway.verify.records import Record
from sabot_gateway.verify.reports import coups
from sabot_gateway.verify.reports.context import Common, Context
from sabot_gateway.verify.reports.exit_lock import LOCKED
from sabot_gateway.verify.state import NOT_OPEN, ShoeState

ERROR, KEPT, INTERRUPTED = "shoe_error", "card_kept", "line_interrupted"
_BY_RESULT = "the shoe's result"


def card(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """A card left the shoe; one that was kept for this coup waits no more."""
    own = context.card(event)
    waits = context.alarms.named(KEPT) if event.data["flags"]["kept"] else []
    return [own, *context.clear_alarms(waits, "the shoe: the coup began with the card", context.source(event))]


def confirmed(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """The shoe's result agrees with the cards, and no person confirms at this table."""
    return [coups.confirm(context, event, found, Decider(_BY_RESULT, time=context.state.time))]


def outside(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """A card was drawn outside the game."""
    common = context.common(event)
    data = event.data
    name = "drawn_while_locked" if data["mode"] == "lock" else "card_outside_game"
    in_error = data["mode"] == "error"
    error, code = (ERRORS.get(data["low"], ""), f"error {data['low']}") if in_error else ("", "")
    return [Record(), *context.raise_alarm(common, name, **words.outside(data["mode"], data["card"], error, code))]


def result_not_used(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """A result came that settles no coup."""
    common = context.common(event)
    text = words.result_not_used(event.data["says"], undefined=event.data["undefined"])
    return [Record(), *context.raise_alarm(common, "result_not_used", **text)]


def sent_again(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """A card was sent again while no coup is open."""
    common = context.common(event)
    data = event.data
    say = f"{words.again(data['target'], data['position'])} No coup is on the table."
    text = {"say": say, "shoe_says": data["card"] or "no card"}
    return [Record(), *context.raise_alarm(common, "card_sent_again", **text)]


def kept(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """The shoe keeps a card for the next coup."""
    common = context.common(event)
    text = words.kept(context.table, event.data["card"], event.data["book_says"])
    return [Record(), *_replace(context, event, common, text)]


def kept_forgotten(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """A kept card did not begin the next coup."""
    common = context.common(event)
    return [Record(), *_replace(context, event, common, words.kept_forgotten(event.data["card"]))]


def _replace(context: Context, event: Event, common: Common, text: Text) -> list[Record]:
    """Raise the alarm about the kept card in place of the one before."""
    over = context.clear_alarms(context.alarms.named(KEPT), "the shoe: later report", context.source(event))
    return over + context.raise_alarm(common, KEPT, **text)


def error(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """The shoe reported an error, with what the book has for it; a standing one is raised once."""
    common = context.common(event)
    data = event.data
    text = words.error(data["error"], data["code"], data["book_says"])
    if data["standing"] and any(alarm.shoe_says == text["shoe_says"] for alarm in context.alarms.named(ERROR)):
        return [Record()]
    return [Record(), *context.raise_alarm(common, ERROR, **text)]


def error_cleared(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """The shoe is in no error any more."""
    return [Record(), *context.clear_alarms(context.alarms.named(ERROR), "the shoe", context.source(event))]


def lock(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """The exit is locked or free, by the key or by command."""
    common = context.common(event)
    by_key = event.data["by"] == "key"
    over = context.clear_alarms(context.alarms.named(LOCKED), "the shoe", context.source(event))
    context.alarms.drop_postponed(LOCKED)
    if not event.data["on"]:
        return [Record(), *over]
    return [Record(), *over, *context.raise_alarm(common, LOCKED, **words.locked(context.table, by_key=by_key))]


def restarted(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """The shoe started: raise an alarm if it is in play and its cards are not changed."""
    common = context.common(event)
    state, unlocked = context.state, _lock_unknown(context, event)
    if state.phase in NOT_OPEN or event.data["changes"]:
        return [Record(), *unlocked]
    cards = state.cards(state.coup_no) if state.phase == "dealing" else []
    return [Record(), *unlocked, *context.raise_alarm(common, "shoe_restarted", **words.restarted(cards))]


def connected(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """The line was opened: raise an alarm, once, if coups may be missing; a coup on the table gets one of its own."""
    common = context.common(event)
    state = context.state
    out = [Record(), *_lock_unknown(context, event), *_other_shoes(context, event)]
    known = state.line_lost or context.alarms.named(INTERRUPTED)
    if known or state.phase == "dealing" or not in_play(state):
        return out
    return out + context.raise_alarm(common, INTERRUPTED, **words.interrupted())


def in_play(state: ShoeState) -> bool:
    """Return True if the shoe has coups, as far as is known since the line was opened."""
    return bool(state.coup_no) and state.phase not in NOT_OPEN


def silence_over(context: Context, event: Event) -> list[Record]:
    """The shoe sends again: clear the alarm about its silence."""
    return context.clear_alarms(context.alarms.named(SILENT), "the shoe", context.source(event))


def _lock_unknown(context: Context, event: Event) -> list[Record]:
    """Whether the exit is locked is not known any more."""
    context.alarms.drop_postponed(LOCKED)
    return context.clear_alarms(context.alarms.named(LOCKED), "the gateway: it is not known", context.source(event))


def _other_shoes(context: Context, event: Event) -> list[Record]:
    """States of a shoe of ours that was here before, which only that shoe could end."""
    over = [
        alarm
        for alarm in context.alarms.active()
        if ALARMS[alarm.name].lasts and not alarm.alarm.startswith(f"{event.unit}-")
    ]
    return context.clear_alarms(over, "the gateway: another shoe is on the table", context.source(event))
