"""Daemons: what messages for people call each daemon."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Daemon:
    """A daemon's name in a sentence, its systemd unit, and the file that it keeps everything in."""

    name: str
    unit: str
    record: str

    @property
    def internal_error(self) -> str:
        """Return the answer to a request that ended in an unexpected exception."""
        return f"Internal error in the {self.name}. Read its log, and report it with the {self.record}."


GATEWAY = Daemon("gateway", "sabot-gateway", "ledger")
FLOOR = Daemon("floor service", "sabot-floor", "store")
