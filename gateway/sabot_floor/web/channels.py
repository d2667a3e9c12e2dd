"""Channels: the one table of what pages can listen to; a view for each, and which messages change it."""

from typing import NamedTuple

from sabot_floor.web.site_state import KEY, Subject, View
from sabot_floor.web.views import dealer, display, jackpot, jackpots, pit, sign, wall


class Channel(NamedTuple):
    """What a page listens to.

    `topics`: `table/history` is that of the table in the channel's key, `tables/history` that of any table; so with
    `jackpot/meter` and `jackpots/meter`. The broker and the gateways count for every channel.
    """

    view: View
    topics: frozenset[str]
    public: bool  # False: only with a session
    keyed: bool = False  # NAME/<key>; else NAME alone
    every_s: float = 0.0  # the view also changes with time: look again this often
    least_s: float = 0.0  # between two states: of a large view that changes all the time
    reads_jackpots: bool = False  # shows a jackpot to those only who may read the console

    def depends(self, subject: Subject, key: str) -> bool:
        """Return True if a change may change this view."""
        if subject.kind in ("broker", "gateway"):
            return True
        own = self.keyed and subject.key == key and f"{subject.kind}/{subject.name}" in self.topics
        return own or f"{subject.kind}s/{subject.name}" in self.topics


def _channel(
    view: View, topics: str, *, public: bool, keyed: bool = False, every_s: float = 0.0, least_s: float = 0.0
) -> Channel:
    return Channel(view, frozenset(topics.split()), public, keyed, every_s, least_s)


_PIT = (
    "tables/status tables/hand tables/history tables/alarms tables/open tables/attempt tables/outcome "
    "jackpots/meter jackpots/pending"
)
CHANNELS: dict[str, Channel] = {
    "dealer": _channel(
        dealer.view,
        "table/status table/shoe table/history table/hand table/alarms jackpots/meter",
        public=False,
        keyed=True,
        every_s=2.0,
    ),
    "display": _channel(
        display.view, "table/status table/history jackpots/meter", public=True, keyed=True, every_s=2.0
    ),
    "pit": _channel(pit.view, _PIT, public=False, every_s=2.0, least_s=0.25),
    "pit_table": _channel(
        pit.panel, "table/status table/shoe table/hand table/history", public=False, keyed=True, every_s=1.0
    ),
    "jackpot": _channel(jackpot.view, "jackpot/meter jackpot/win tables/status", public=True, keyed=True, every_s=1.0),
    "jackpots": _channel(
        jackpots.view, "jackpots/meter jackpots/pending jackpots/fault tables/status", public=False, every_s=1.0
    )._replace(reads_jackpots=True),
    "sign": _channel(sign.view, "table/status table/history", public=True, keyed=True, every_s=1.0),
    "wall": _channel(wall.view, "tables/status tables/history tables/alarms", public=True, every_s=2.0),
}


def find(path: str) -> tuple[Channel, str] | None:
    """Return the channel and the key of a path such as `display/bac-01`; None if there is none."""
    name, _, key = path.partition("/")
    channel = CHANNELS.get(name)
    if channel is None or channel.keyed != bool(key) or (key and not KEY.match(key)):
        return None
    return channel, key
