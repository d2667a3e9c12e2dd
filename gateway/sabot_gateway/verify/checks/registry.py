"""Checks: all of them for one shoe, by kind of event; each sees the event before `ShoeState` follows it."""

from typing import Any

from sabot_protocol.messages import EVENTS
from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.shoe.parse import UNREADABLE, Event
from sabot_gateway.verify.checks.authorisation import Authorised
from sabot_gateway.verify.checks.burn import Burning
from sabot_gateway.verify.checks.clock import Clock
from sabot_gateway.verify.checks.composition import Composition
from sabot_gateway.verify.checks.coups import Coups
from sabot_gateway.verify.checks.cutting_card import Cutting
from sabot_gateway.verify.checks.irregularities import Irregular
from sabot_gateway.verify.checks.kinds import Kinds
from sabot_gateway.verify.checks.locked import Locked
from sabot_gateway.verify.checks.numbering import Numbering
from sabot_gateway.verify.checks.profile import ProfileCheck
from sabot_gateway.verify.checks.shuffle import Ordered
from sabot_gateway.verify.findings import NONE, Check, Finding
from sabot_gateway.verify.state import ShoeState


class Checks:
    """A method of a check that has the name of an event sees every such event."""

    def __init__(self, state: ShoeState, book: Rulebook, profile: dict[str, Any]) -> None:
        composition = Composition(state, book, profile["switches"]["continuous"])
        coups, cutting = Coups(state, book), Cutting(state, book)
        self.state, self._clock = state, Clock(state)
        self.composition, self._authorised = composition, Authorised(state, book)
        face_down = not profile["switches"]["dealt_face_up"]
        self._irregular = Irregular(state, book, composition, lambda: coups.winner, self._authorised, face_down)
        self._locked = Locked(state, book)
        checks = (
            Numbering(state, book),
            composition,
            cutting,
            Kinds(state, book, lambda: cutting.last),
            Burning(state, book),
            Ordered(state),
            ProfileCheck(profile),
            self._irregular,
            self._authorised,
            self._locked,
            coups,
        )
        self._by_kind: dict[str, list[Check]] = {
            kind: [getattr(check, kind) for check in checks if hasattr(check, kind)] for kind in EVENTS
        }

    def findings(self, event: Event, time: str) -> list[Finding]:
        """All that does not agree."""
        if event.kind == UNREADABLE:
            self.gap()
            return []
        found = [] if event.kind == "damaged" else [*self._clock.any(event, time)]  # a damaged record has no time
        for check in self._by_kind[event.kind]:
            more = check(event)
            if more is not NONE:
                found += more
        if event.kind == "damaged":
            self.gap()
        return found

    def gap(self) -> None:
        """Part of the log is missing here."""
        self.state.gap()
        self._irregular.gap()
        self._locked.gap()
        self._authorised.gap()
