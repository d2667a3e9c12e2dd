"""Profile: cards are dealt by the table's own rules, or it is said."""

from dataclasses import dataclass
from typing import Any

from sabot_protocol import messages

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Finding, Findings


@dataclass
class ProfileCheck:
    """The profile that the shoe works by, beside the table's."""

    profile: dict[str, Any]
    _works_by: bytes | None = None  # None: not heard since the gateway started

    def __post_init__(self) -> None:
        """Ours, by its hash."""
        self._own = messages.profile_hash(self.profile)

    def profile_set(self, event: Event) -> Findings:
        """The shoe works by this one from now on."""
        self._works_by = bytes(event.data["profile_hash"])
        return NONE

    def shoe_opened(self, event: Event) -> Findings:
        """New cards under another profile, or read as another set."""
        if self._works_by is not None and self._works_by != self._own:
            fact = "The shoe is opened under another profile than the table's: no coup of it is by the house's rules."
            yield Finding(fact, f"profile {self._works_by.hex()}", f"profile {self._own.hex()}")
        if event.data["card_set"] != self.profile["card_set"]:
            fact = "The shoe reads its cards as another set than the table's."
            yield Finding(fact, f"set {event.data['card_set']}", f"set {self.profile['card_set']}")
