"""Daemons and broker of a local site that have ended by themselves: which one to start again, and when to give up."""

from dataclasses import dataclass, field
from typing import Final

from sabot_tools.stand import broker
from sabot_tools.stand.children import Children

_DAEMONS: Final = (broker.CHILD, "gateway", "floor")
_MOST: Final = 5  # within _WITHIN_S: then it is left to Children.check, which names it
_WITHIN_S: Final = 60.0


@dataclass
class Restarts:
    """Times of the restarts of each daemon; `news` are sentences for people."""

    news: list[str] = field(default_factory=list)
    _times_s: dict[str, list[float]] = field(default_factory=dict)

    def names(self, now_s: float) -> list[str]:
        """Return what is started again when it ends: it has not ended again and again."""
        return [name for name in _DAEMONS if len(self._recent(name, now_s)) < _MOST]

    def take(self, children: Children, now_s: float) -> str:
        """Return the name of a daemon that must be started again; empty if there is none."""
        child = children.take_dead(*self.names(now_s))
        if child is None:
            return ""
        self._times_s[child.name] = [*self._recent(child.name, now_s), now_s]
        self.news.append(f"{child.name:<8} ended with status {child.process.returncode}; it is started again")
        return child.name

    def _recent(self, name: str, now_s: float) -> list[float]:
        return [at_s for at_s in self._times_s.get(name, ()) if now_s - at_s < _WITHIN_S]
