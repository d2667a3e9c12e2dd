"""Last command: the person whose command the shoe logged last, for the events that follow from it."""

from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.deciders import Decider, Who

_WITHIN = 4  # events after the command
_MOST_ROLES = 50
_CAUSES = {"irregularity": ("irregularity",), "coup_void": ("void_coup", "irregularity", "open_shoe")}


class LastCommand:
    """Forgets nothing by itself: a command is compared with the number of the event."""

    def __init__(self, who: Who) -> None:
        self._who = who
        self._unit, self._event_no, self._command = "", 0, ""
        self.person: Decider | None = None
        self._roles: dict[str, str] = {}  # of the newest requests, by their attempts

    def note(self, event: Event) -> None:
        """Remember who requested a command that the shoe has done."""
        self._unit, self._event_no, self._command = event.unit, event.event_no, event.data["command"]
        self.person = self._who(event.unit, event.data["command_id"], self._command)
        if self.person:
            self._roles[self.person.attempt] = self.person.role
            if len(self._roles) > _MOST_ROLES:
                del self._roles[next(iter(self._roles))]

    def role_of(self, attempt: str) -> str:
        """Return the role that came with a request; empty if it had none, or is not known any more."""
        return self._roles.get(attempt, "")

    def of(self, event: Event | None) -> Decider | None:
        """Return the person whose command this event is, or follows from; None if nobody is known."""
        if event is None or event.unit != self._unit:
            return None
        if event.event_no == self._event_no:
            return self.person
        follows = self._command in _CAUSES.get(event.kind, ())
        return self.person if follows and 0 < event.event_no - self._event_no <= _WITHIN else None
