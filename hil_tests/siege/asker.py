"""Requests `status` once a second while the daemon is attacked."""

import threading
import time
from dataclasses import dataclass, field
from typing import Any

from siege import control
from siege.spec import Spec

_WITHIN_S = 10.0
_EVERY_S = 1.0


@dataclass
class Asker:
    """How long each answer took, and how many never came."""

    spec: Spec
    took_ms: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    last: dict[str, Any] = field(default_factory=dict)
    _over: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        """Start in a thread, so that the dealers do not wait for answers."""
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop without waiting for a pending answer."""
        self._over.set()

    def _ask(self) -> None:
        while not self._over.wait(_EVERY_S):
            began_s = time.monotonic()
            try:
                self.last = control.status(self.spec, _WITHIN_S)
            except (OSError, ValueError) as error:
                self.failed.append(str(error) or type(error).__name__)
            else:
                self.took_ms.append((time.monotonic() - began_s) * 1000)
