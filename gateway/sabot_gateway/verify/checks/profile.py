"""Profile: the shoe works by the table's profile and card set."""

from dataclasses import dataclass
from typing import Any

from sabot_protocol import messages

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.findings import NONE, Finding, Findings


@dataclass
class ProfileCheck:
    """Compares the shoe's profile with the table's."""

    profile: dict[str, Any]
    _works_by: bytes | None = None  # None: not known since the gateway started

    def __post_init__(self) -> None:
        """Hash the table's profile once."""
        self._own = messages.profile_hash(self.profile)

    def profile_set(self, event: Event) -> Findings:
        """Note the profile that the shoe works by from now on."""
        self._works_by = bytes(event.data["profile_hash"])
        return NONE

    def shoe_opened(self, event: Event) -> Findings:
        """Compare when new cards are in."""
        if self._works_by is not None and self._works_by != self._own:
            fact = "The shoe was opened with the wrong profile. Its coups do not follow this table's rules."
            yield Finding(fact, f"profile {self._works_by.hex()}", f"profile {self._own.hex()}")
        if event.data["card_set"] != self.profile["card_set"]:
            fact = "The shoe reads its cards as another card set than the table's."
            yield Finding(fact, f"set {event.data['card_set']}", f"set {self.profile['card_set']}")
