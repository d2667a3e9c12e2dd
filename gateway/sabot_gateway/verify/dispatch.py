"""Dispatch: one row for each kind of event: its checks, its effect on the shoe's state, its report."""

from collections.abc import Callable
from typing import Any, NamedTuple

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
from sabot_gateway.verify.checks.lock import LockCheck
from sabot_gateway.verify.checks.numbering import NumberingCheck
from sabot_gateway.verify.checks.profile import ProfileCheck
from sabot_gateway.verify.checks.shuffle import ShuffleCheck
from sabot_gateway.verify.checks.void_cause import VoidCause
from sabot_gateway.verify.deciders import Who
from sabot_gateway.verify.effects import Effect
from sabot_gateway.verify.findings import Check
from sabot_gateway.verify.moves import Moves
from sabot_gateway.verify.reports import alarms, coups, shoe
from sabot_gateway.verify.reports.context import Report
from sabot_gateway.verify.state import ShoeState


class Row(NamedTuple):
    """What happens with an event: its checks in this order, then its report, then its effect."""

    checks: tuple[Check, ...]
    effect: Effect | None = None
    report: Report | None = None  # None: only the event itself is stored
    passes: Callable[[Event, CoupMessage], bool] | None = None  # after this event the last coup cannot be confirmed


class Checks:
    """All checks of one shoe, and the table of rows that calls them."""

    def __init__(
        self,
        table: str,
        state: ShoeState,
        book: Rulebook,
        profile: dict[str, Any],
        moves: Moves,
        who: Who,
    ) -> None:
        switches = profile["switches"]
        self.void_cause = VoidCause(state, book, who)
        self.clock, self.numbering = ClockCheck(state), NumberingCheck(state, book)
        self.composition = CompositionCheck(state, book, switches["continuous"])
        self.cutting = CuttingCardCheck(state, book)
        self.kinds = KindCheck(state, book, self.cutting)
        self.burn, self.shuffle, self.profile = BurnCheck(state, book), ShuffleCheck(state), ProfileCheck(profile)
        self.coups, self.authorised = CoupCheck(state, book), AuthorisationCheck(state, book)
        self.irregular = IrregularityCheck(
            state, book, self.composition, self.coups, self.authorised, face_down=not switches["dealt_face_up"]
        )
        self.lock = LockCheck(state, book)
        self.hand_over = HandOverCheck(state, table, moves, self.composition)

    def rows(self) -> dict[str, Row]:
        """Return the row of each kind of event."""
        return self._rows_of_the_shoe() | self._rows_of_coups() | self._rows_of_people() | self._rows_of_the_unit()

    def _rows_of_the_shoe(self) -> dict[str, Row]:
        clock, numbering, composition, cutting = self.clock, self.numbering, self.composition, self.cutting
        kinds, burn, irregular, authorised = self.kinds, self.burn, self.irregular, self.authorised
        forget = self.void_cause.forget
        return {
            "shoe_opened": Row(
                (
                    clock.shoe_opened,
                    numbering.shoe_opened,
                    composition.shoe_opened,
                    cutting.shoe_opened,
                    kinds.shoe_opened,
                    burn.shoe_opened,
                    self.shuffle.shoe_opened,
                    self.profile.shoe_opened,
                    irregular.shoe_opened,
                    authorised.shoe_opened,
                    forget,
                ),
                effect=effects.shoe_opened,
                report=shoe.opened,
                passes=coups.any_coup,
            ),
            "shoe_closed": Row(
                (clock.any_event, numbering.shoe_closed, irregular.shoe_closed, authorised.shoe_closed, forget),
                effect=effects.shoe_closed,
                report=shoe.closed,
                passes=coups.any_coup,
            ),
            "burn": Row((clock.any_event, burn.burn), effect=effects.burn),
            "cutting_card": Row(
                (clock.any_event, numbering.cutting_card, cutting.cutting_card, irregular.cutting_card, forget)
            ),
            "ordered_set": Row((clock.any_event, self.shuffle.ordered_set)),
            "composition": Row((clock.any_event, composition.composition)),
            "checkpoint": Row((clock.any_event, numbering.checkpoint, composition.checkpoint, self.lock.checkpoint)),
            "deck_check": Row((clock.any_event, composition.deck_check)),
            "checked": Row((clock.any_event, composition.checked)),
        }

    def _rows_of_coups(self) -> dict[str, Row]:
        clock, numbering, composition, cutting = self.clock, self.numbering, self.composition, self.cutting
        kinds, burn, irregular, authorised = self.kinds, self.burn, self.irregular, self.authorised
        forget = self.void_cause.forget
        return {
            "card": Row(
                (
                    clock.card,
                    numbering.card,
                    composition.card,
                    cutting.card,
                    burn.card,
                    self.shuffle.card,
                    irregular.card,
                    self.lock.card,
                    self.coups.card,
                    forget,
                ),
                effect=effects.card,
                report=shoe.card,
                passes=coups.card_of_another_coup,
            ),
            "reject": Row(
                (clock.any_event, numbering.reject, irregular.reject, forget),
                effect=effects.reject,
                report=alarms.reject,
            ),
            "coup_kind": Row((clock.any_event, kinds.coup_kind, authorised.coup_kind)),
            "coup": Row(
                (
                    clock.any_event,
                    numbering.coup,
                    cutting.coup,
                    kinds.coup,
                    irregular.coup,
                    authorised.coup,
                    self.coups.coup,
                    forget,
                ),
                effect=effects.coup,
                report=coups.coup,
                passes=coups.another_coup,
            ),
            "coup_void": Row(
                (
                    clock.any_event,
                    numbering.coup_void,
                    kinds.coup_void,
                    irregular.coup_void,
                    authorised.coup_void,
                ),
                effect=effects.coup_void,
                report=coups.void,
                passes=coups.another_coup,
            ),
            "handed_over": Row(
                (
                    self.hand_over.handed_over,
                    clock.any_event,
                    numbering.handed_over,
                    composition.handed_over,
                    cutting.handed_over,
                    kinds.handed_over,
                    burn.handed_over,
                    authorised.handed_over,
                ),
                effect=effects.handed_over,
                report=alarms.handed_over,
            ),
        }

    def _rows_of_people(self) -> dict[str, Row]:
        clock, composition, void_cause = self.clock, self.composition, self.void_cause
        kinds, burn, irregular, authorised = self.kinds, self.burn, self.irregular, self.authorised
        return {
            "button": Row(
                (clock.any_event, composition.button, irregular.button, self.coups.button, void_cause.button),
                effect=effects.button,
                report=coups.button,
            ),
            "key": Row((clock.any_event, authorised.key)),
            "lid": Row((clock.any_event,)),
            "lock": Row((clock.any_event, self.lock.lock)),
            "irregularity": Row(
                (
                    clock.any_event,
                    self.cutting.irregularity,
                    kinds.irregularity,
                    burn.irregularity,
                    irregular.irregularity,
                    authorised.irregularity,
                    void_cause.irregularity,
                ),
                effect=effects.irregularity,
                report=alarms.irregularity,
            ),
            "command_done": Row(
                (
                    clock.any_event,
                    composition.command_done,
                    kinds.command_done,
                    burn.command_done,
                    irregular.command_done,
                    authorised.command_done,
                    void_cause.command_done,
                ),
                effect=effects.command_done,
                report=coups.command_done,
            ),
            "command_refused": Row((clock.any_event,)),
        }

    def _rows_of_the_unit(self) -> dict[str, Row]:
        clock, irregular = self.clock, self.irregular
        # A damaged record has no time, so that the clock has nothing to compare.
        gap = (irregular.log_gap, self.lock.log_gap, self.authorised.log_gap)
        return {
            "boot": Row((clock.boot, self.authorised.boot), report=shoe.restarted),
            "profile_set": Row((clock.any_event, self.profile.profile_set)),
            "time_set": Row((clock.time_set,)),
            "self_test": Row((clock.any_event,)),
            "health": Row((clock.any_event,)),
            "sensor": Row((clock.any_event,), report=shoe.sensor),
            "fault": Row((clock.any_event, irregular.fault), report=alarms.fault),
            "fault_cleared": Row((clock.any_event, irregular.fault_cleared), report=alarms.fault_cleared),
            "damaged": Row(
                (*gap, self.void_cause.forget), effect=effects.log_gap, report=alarms.damaged
            ),  # it has no time
            UNREADABLE: Row(gap, effect=effects.log_gap, report=alarms.unreadable),
        }
