"""Beats: when each gateway was heard last; silence shows a hang sooner than the last will of some brokers."""

from sabot_protocol.topics import SILENT_S


class Beats:
    """Only of gateways that have sent a beat over this connection to the broker: older versions send none."""

    def __init__(self) -> None:
        self._heard_s: dict[str, float] = {}  # by name of the gateway
        self.silent: set[str] = set()

    def heard(self, gateway: str, now_s: float) -> bool:
        """Note a beat; return True if the gateway was silent until now."""
        self._heard_s[gateway] = now_s
        was_silent = gateway in self.silent
        self.silent.discard(gateway)
        return was_silent

    def known(self, gateway: str) -> bool:
        """Return True if a gateway is judged by its beats."""
        return gateway in self._heard_s

    def last_s(self, gateway: str) -> float:
        """Return when a gateway that is judged by its beats was heard last."""
        return self._heard_s[gateway]

    def look(self, now_s: float) -> set[str]:
        """Return the gateways that have become silent since the last look."""
        found = {name for name, heard_s in self._heard_s.items() if now_s - heard_s > SILENT_S} - self.silent
        self.silent |= found
        return found

    def forget(self, gateway: str) -> None:
        """Judge a gateway by its status alone until it sends a beat."""
        self._heard_s.pop(gateway, None)
        self.silent.discard(gateway)

    def clear(self) -> None:
        """Forget all: the connection is lost."""
        self._heard_s.clear()
        self.silent.clear()
