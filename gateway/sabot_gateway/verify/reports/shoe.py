"""Reports about the shoe and its cards: opened, closed, restarted, a card, a sensor."""

from typing import Final

from sabot_protocol.topics import ShoeMessage

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import records
from sabot_gateway.verify.alarms import wording
from sabot_gateway.verify.alarms.catalogue import ENDED_BY_NEW_SHOE, SHOE_VOID
from sabot_gateway.verify.findings import Finding
from sabot_gateway.verify.records import Record
from sabot_gateway.verify.reports import coups
from sabot_gateway.verify.reports.context import Context

REVERTED: Final = "firmware_reverted"


def opened(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """A shoe is open; alarms about the cards before are over."""
    common = context.common(event)
    context.state.doubtful.clear()
    about = {key: event.data[key] for key in ("decks", "card_set", "burn")}
    message = ShoeMessage(**{**common, "coup": 0}, state="open", **about)
    context.alarms.drop_postponed(*ENDED_BY_NEW_SHOE)
    cleared = context.clear_alarms(context.alarms.ended_by_new_shoe(), "a new shoe", context.source(event))
    return [Record("shoe", message), *cleared, *coups.lost_result(context, event, common)]


def checked(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """A check in which every card of the decks was there ends what only good cards end; it hides no known sequence."""
    whole = context.state.is_every_card(event.data["cards"]) and not found
    over = [alarm for alarm in context.alarms.held() if whole and alarm.name != SHOE_VOID]
    return [Record(), *context.clear_alarms(over, "the check of the decks", context.source(event))]


def closed(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """The shoe is closed."""
    common = context.common(event)
    message = ShoeMessage(**common, state="closed", **context.state.opened)
    return [Record("shoe", message), *coups.lost_result(context, event, common)]


def restarted(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """Raise an alarm if the shoe restarted while it was open, and if it went back to its old firmware."""
    common, out = context.common(event), [Record()]
    state = context.state
    if event.data["cause"] == "reverted":
        out += context.raise_alarm(common, REVERTED, **wording.firmware_reverted(event, context.table))
    if state.phase in ("unknown", "closed", "checking"):
        return out
    text = wording.shoe_restarted(event, state.cards(state.coup_no))
    return out + context.raise_alarm(common, "shoe_restarted", **text)


def card(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """A card left the shoe."""
    own, gap_in = context.card(event), context.state.gap_in
    if gap_in is None or event.data["coup_no"] <= gap_in or event.data["flags"].get("surplus"):
        return [own]
    return [own, *coups.lost_result(context, event, context.common(event))]


def sensor(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """Publish what a sensor has seen; raise an alarm if it reads with little margin, or soon will reject cards."""
    common, data = context.common(event), event.data
    own, weak = Record("health", records.health_message(data, common)), wording.weak_sensor(data)
    context.wear.sensor(event.unit, data["sensor"], data["shoe_no"], data["reads"], data["margin_mean_pct"])
    raised = context.raise_alarm(common, "sensor_margin", **weak) if weak else []
    return [own, *raised, *_forecasts(context, event, data["sensor"])]


def health(context: Context, event: Event, found: list[Finding]) -> list[Record]:
    """Raise an alarm if the shoe's memory or flash will not last."""
    shoe_no, heap = context.state.shoe_no or 0, event.data["heap_free_bytes"]
    context.wear.health(event.unit, shoe_no, event.event_no, heap)
    return [Record(), *_forecasts(context, event, "heap", "flash")]


def _forecasts(context: Context, event: Event, *parts: str) -> list[Record]:
    """Raise the alarms of parts that will fail soon; clear those of parts that will not any more."""
    out: list[Record] = []
    for outlook in context.wear.outlooks(event.unit, *parts):
        active = context.alarms.named(f"wear_{outlook.part}")
        if outlook.soon and not active:
            out += context.raise_alarm(context.common(event), f"wear_{outlook.part}", **wording.wear(outlook))
        elif outlook.over and active:
            out += context.clear_alarms(active, "the gateway: the trend is over", context.source(event))
    return out
