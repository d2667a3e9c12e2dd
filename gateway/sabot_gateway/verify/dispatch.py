"""Dispatch: one row for each kind of event: its checks, its report, its effect on the shoe's state."""

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.topics import CoupMessage

from sabot_gateway.shoe.parse import UNREADABLE, Event
from sabot_gateway.verify import effects
from sabot_gateway.verify.checks.authorisation import AuthorisationCheck
from sabot_gateway.verify.checks.burn import BurnCheck
from sabot_gateway.verify.checks.clock import ClockCheck
from sabot_gateway.verify.checks.composition import CompositionCheck
from sabot_gateway.verify.checks.coups import CoupCheck
from sabot_gateway.verify.checks.cutting_card import CuttingCardCheck
from sabot_gateway.verify.checks.hand_over import HandOverCheck
from sabot_gateway.verify.checks.irregularities import IrregularityCheck
from sabot_gateway.verify.checks.kinds import KindCheck
from sabot_gateway.verify.checks.lock import LockCheck, style_of
from sabot_gateway.verify.checks.notices import KindNotices
from sabot_gateway.verify.checks.numbering import NumberingCheck
from sabot_gateway.verify.checks.profile import ProfileCheck
from sabot_gateway.verify.checks.shuffle import ShuffleCheck
from sabot_gateway.verify.checks.unread import UnreadCheck
from sabot_gateway.verify.checks.void_cause import VoidCause
from sabot_gateway.verify.deciders import Who
from sabot_gateway.verify.effects import Effect
from sabot_gateway.verify.findings import Check
from sabot_gateway.verify.moves import Moves
from sabot_gateway.verify.reports import alarms, coups, shoe
from sabot_gateway.verify.reports.context import Report
from sabot_gateway.verify.state import ShoeState


class Checks:
    """The checks of one shoe."""

    def __init__(
        self, table: str, state: ShoeState, book: Rulebook, profile: dict[str, Any], moves: Moves, who: Who
    ) -> None:
        switches = profile["switches"]
        self.clock, self.numbering = ClockCheck(state), NumberingCheck(state, book)
        self.composition = CompositionCheck(state, book, switches["continuous"])
        self.cutting_card = CuttingCardCheck(state, book)
        self.kinds = KindCheck(state, book, self.cutting_card)
        self.notices = KindNotices(state, profile["unwagered"])
        self.burn, self.shuffle, self.profile = BurnCheck(state, book), ShuffleCheck(state), ProfileCheck(profile)
        self.coups, self.unread = CoupCheck(state, book), UnreadCheck(state, book)
        self.authorisation = AuthorisationCheck(state, book, self.notices, self.unread)
        self.irregularities = IrregularityCheck(
            state,
            book,
            self.composition,
            self.coups,
            self.authorisation,
            self.cutting_card,
            face_down=not switches["dealt_face_up"],
        )
        self.lock = LockCheck(state, book, style_of(profile))
        self.hand_over = HandOverCheck(state, table, moves, self.composition)
        self.void_cause = VoidCause(state, book, who)


C = TypeVar("C", bound=Checks)


class Row(NamedTuple, Generic[C]):
    """What happens with an event: its checks in this order, then its report, then its effect."""

    checks: Callable[[C], tuple[Check, ...]]
    report: Report | None = None  # None: only the event itself is stored
    effect: Effect | None = None
    passes: Callable[[Event, CoupMessage], bool] | None = None  # True: the last coup cannot be confirmed any more


ROWS: dict[str, Row[Checks]] = {
    # The shoe and its cards
    "shoe_opened": Row(
        lambda check: (
            check.clock.shoe_opened,
            check.numbering.shoe_opened,
            check.composition.shoe_opened,
            check.cutting_card.shoe_opened,
            check.kinds.shoe_opened,
            check.notices.shoe_opened,
            check.burn.shoe_opened,
            check.shuffle.shoe_opened,
            check.profile.shoe_opened,
            check.irregularities.shoe_opened,
            check.authorisation.shoe_opened,
            check.unread.over,
            check.void_cause.forget,
        ),
        shoe.opened,
        effects.shoe_opened,
        coups.any_coup,
    ),
    "shoe_closed": Row(
        lambda check: (
            check.clock.any_event,
            check.numbering.shoe_closed,
            check.irregularities.shoe_closed,
            check.authorisation.shoe_closed,
            check.unread.over,
            check.void_cause.forget,
        ),
        shoe.closed,
        effects.shoe_closed,
        coups.any_coup,
    ),
    "burn": Row(lambda check: (check.clock.any_event, check.burn.burn), effect=effects.burn),
    "cutting_card": Row(
        lambda check: (
            check.clock.any_event,
            check.numbering.cutting_card,
            check.cutting_card.cutting_card,
            check.composition.cutting_card,
            check.irregularities.cutting_card,
            check.void_cause.forget,
        )
    ),
    "ordered_set": Row(lambda check: (check.clock.any_event, check.shuffle.ordered_set)),
    "composition": Row(lambda check: (check.clock.any_event, check.composition.composition)),
    "checkpoint": Row(
        lambda check: (
            check.clock.any_event,
            check.numbering.checkpoint,
            check.composition.checkpoint,
            check.lock.checkpoint,
            check.notices.checkpoint,
            check.authorisation.checkpoint,
        )
    ),
    "deck_check": Row(lambda check: (check.clock.any_event, check.composition.deck_check)),
    "checked": Row(lambda check: (check.clock.any_event, check.composition.checked), shoe.checked),
    # Coups
    "card": Row(
        lambda check: (
            check.clock.card,
            check.numbering.card,
            check.composition.card,
            check.cutting_card.card,
            check.burn.card,
            check.shuffle.card,
            check.irregularities.card,
            check.lock.card,
            check.unread.card,
            check.coups.card,
            check.void_cause.forget,
        ),
        shoe.card,
        effects.card,
        coups.card_of_another_coup,
    ),
    "reject": Row(
        lambda check: (
            check.clock.any_event,
            check.numbering.reject,
            check.irregularities.reject,
            check.unread.reject,
            check.void_cause.forget,
        ),
        alarms.reject,
        effects.reject,
    ),
    "coup_kind": Row(
        lambda check: (
            check.clock.any_event,
            check.kinds.coup_kind,
            check.notices.coup_kind,
            check.authorisation.coup_kind,
        )
    ),
    "coup": Row(
        lambda check: (
            check.clock.any_event,
            check.numbering.coup,
            check.cutting_card.coup,
            check.kinds.coup,
            check.notices.coup,
            check.irregularities.coup,
            check.authorisation.coup,
            check.coups.coup,
            check.void_cause.forget,
        ),
        coups.coup,
        effects.coup,
        coups.another_coup,
    ),
    "coup_void": Row(
        lambda check: (
            check.clock.any_event,
            check.numbering.coup_void,
            check.composition.coup_void,
            check.kinds.coup_void,
            check.notices.coup_void,
            check.irregularities.coup_void,
            check.authorisation.coup_void,
            check.unread.coup_void,
        ),
        coups.void,
        effects.coup_void,
        coups.another_coup,
    ),
    "handed_over": Row(
        lambda check: (
            check.hand_over.handed_over,
            check.clock.any_event,
            check.numbering.handed_over,
            check.composition.handed_over,
            check.cutting_card.handed_over,
            check.kinds.handed_over,
            check.notices.handed_over,
            check.burn.handed_over,
            check.authorisation.handed_over,
            check.unread.over,
        ),
        alarms.handed_over,
        effects.handed_over,
    ),
    "irregularity": Row(
        lambda check: (
            check.clock.any_event,
            check.cutting_card.irregularity,
            check.kinds.irregularity,
            check.notices.irregularity,
            check.burn.irregularity,
            check.irregularities.irregularity,
            check.authorisation.irregularity,
            check.void_cause.irregularity,
        ),
        alarms.irregularity,
        effects.irregularity,
    ),
    # People
    "button": Row(
        lambda check: (
            check.clock.any_event,
            check.composition.button,
            check.irregularities.button,
            check.coups.button,
            check.unread.button,
            check.void_cause.button,
        ),
        coups.button,
        effects.button,
    ),
    "command_done": Row(
        lambda check: (
            check.clock.any_event,
            check.composition.command_done,
            check.kinds.command_done,
            check.authorisation.command_done,  # before the command changes a kind
            check.notices.command_done,
            check.burn.command_done,
            check.irregularities.command_done,
            check.lock.command_done,
            check.unread.command_done,
            check.void_cause.command_done,
        ),
        coups.command_done,
        effects.command_done,
    ),
    "command_refused": Row(lambda check: (check.clock.any_event,)),
    "key": Row(lambda check: (check.clock.any_event, check.authorisation.key, check.unread.key)),
    "lid": Row(lambda check: (check.clock.any_event,), effect=effects.lid),
    "lock": Row(lambda check: (check.clock.any_event, check.lock.lock)),
    # The unit and its log
    "boot": Row(lambda check: (check.clock.boot, check.authorisation.boot), report=shoe.restarted),
    "profile_set": Row(lambda check: (check.clock.any_event, check.profile.profile_set)),
    "time_set": Row(lambda check: (check.clock.time_set,)),
    "self_test": Row(lambda check: (check.clock.any_event,)),
    "health": Row(lambda check: (check.clock.any_event,), report=shoe.health),
    "sensor": Row(lambda check: (check.clock.any_event,), report=shoe.sensor),
    "fault": Row(
        lambda check: (check.clock.any_event, check.irregularities.fault, check.unread.fault), report=alarms.fault
    ),
    "fault_cleared": Row(
        lambda check: (check.clock.any_event, check.irregularities.fault_cleared, check.unread.fault_cleared),
        report=alarms.fault_cleared,
    ),
    "damaged": Row(  # its time is lost, so the clocks are not compared
        lambda check: (
            check.irregularities.log_gap,
            check.lock.log_gap,
            check.authorisation.log_gap,
            check.unread.log_gap,
            check.void_cause.forget,
        ),
        alarms.damaged,
        effects.log_gap,
    ),
    UNREADABLE: Row(
        lambda check: (
            check.irregularities.log_gap,
            check.lock.log_gap,
            check.authorisation.log_gap,
            check.unread.log_gap,
        ),
        alarms.unreadable,
        effects.log_gap,
    ),
}
