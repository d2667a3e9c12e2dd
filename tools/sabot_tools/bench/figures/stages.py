"""stages: the CPU time of a frame from its bytes to its entry, and of a visit at a quiet table, without any I/O."""

from collections.abc import Iterator
from typing import Final

from sabot_tools.bench import shoe_player
from sabot_tools.bench.figure import Figure, at_least
from sabot_tools.bench.gateway_stages import cpu_us_a_frame, cpu_us_a_visit

_PORTS: Final = 200  # as many as in the group gateway: with a few, all of it stays in the cache of the processor
_FRAMES: Final = 288
_VISITS: Final = 20
_ROUNDS: Final = 5  # the fastest counts: the one that other programs disturbed least


def figures() -> Iterator[Figure]:
    """Measure as fast as possible, with 24 frames a read, and at a casino's pace, with one."""
    shoes = shoe_player.shoes(shoe_player.Load(list(range(_PORTS)), _FRAMES, 0, ""))
    many, one = (min(cpu_us_a_frame(shoes, frames) for _ in range(_ROUNDS)) for frames in (24, 1))
    what = f"{many:.1f} us of CPU a frame at 24 frames a read, {one:.1f} us at one frame a read"
    yield at_least("stages.25_us_over_frame", 25 / many, 1, f"bytes to entries: link, parse, verify; {what}")
    visit = min(cpu_us_a_visit(shoes, _VISITS) for _ in range(_ROUNDS))
    what = f"{visit:.1f} us of CPU a visit at a table that has sent nothing, four a second at each"
    yield at_least("stages.4_us_over_visit", 4 / visit, 1, what)
