"""Breaks: gateway, floor service and broker are killed, a shoe loses its power, the table PC's clock is wrong."""

import random
from collections.abc import Callable
from typing import Any, Final

from crowd.site import Site

_MOST_TURNS: Final = 12  # after which a part is killed while a request waits for its answer
_WRONG_S: Final = (-3600.0, -600.0, -5.0, 5.0, 600.0, 3600.0)
_CLOCK_STEPS: Final = 40  # that a wrong clock lasts, about
Line = dict[str, Any]


class Breaks:
    """`step` breaks something by chance; nothing stays broken."""

    def __init__(self, site: Site, rng: random.Random) -> None:
        self._site, self._rng = site, rng

    def step(self, table: str) -> Line:
        """Break one thing, and return it as a line for the log."""
        site, rng = self._site, self._rng
        what = rng.choice(("gateway", "floor", "broker", "power", "power", "clock", "clock"))
        match what:
            case "power":
                site.gateway.cut_power(table)
            case "clock":
                site.pc_wrong_s = rng.choice(_WRONG_S)
                return {"clock": site.pc_wrong_s}
            case _ if rng.random() < 0.5:
                site.fuse = (rng.randrange(_MOST_TURNS), self.kill(what))
                return {"kill_soon": what}
            case _:
                self.kill(what)()
        return {"kill": what, "at": table}

    def kill(self, what: str) -> Callable[[], None]:
        """Return what kills a part and starts it again."""
        site = self._site
        return {"gateway": site.kill_gateway, "floor": site.kill_floor, "broker": site.kill_broker}[what]

    def mend(self) -> None:
        """Set the clock right, some time after it went wrong."""
        if self._site.pc_wrong_s and self._rng.random() < 1 / _CLOCK_STEPS:
            self._site.pc_wrong_s = 0.0
