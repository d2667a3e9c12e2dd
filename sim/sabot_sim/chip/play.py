"""`sabot play` on the emulated chip: the steps of firmware/bench/play.py go over its serial line."""

from collections.abc import Callable
from typing import Any, Final, Self

import msgspec

from sabot_sim.chip.emulators import chosen, new_chip
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_sim.rigs.build import play_image
from sabot_sim.rigs.play import StepAnswer
from sabot_sim.rigs.rig import BenchError

_START_US: Final = 5_000_000
_STEP_US: Final = 20_000_000  # a full journal takes less


class ChipPlay:
    """A PlayBench. In rp2040py a start takes half a minute, a step a second or two; `progress` is called with each."""

    def __init__(self, profile: bytes, progress: Callable[[str], None] = lambda text: None) -> None:
        uf2 = find_uf2()
        if uf2 is None:
            raise BenchError(HOW_TO_GET_UF2)
        self._profile, self._progress = profile, progress
        self._chip = new_chip(uf2, play_image())
        self._start()

    def _start(self) -> None:
        self._progress(f"starting the emulated chip, {chosen()}")
        self._chip.run_until(lambda: self._chip.text == "ready\n", _START_US)
        self._chip.send(self._profile.hex().encode() + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def step(self, *step: Any) -> StepAnswer:
        """Send a step as a line, and return the answer."""
        self._progress(" ".join(map(str, step)))
        self._chip.send(msgspec.json.encode(step) + b"\n")
        line = self._chip.answer(_STEP_US)
        if not line.startswith("{"):
            raise BenchError(f"the emulated chip sent no answer but {line!r}")
        return msgspec.json.decode(line, type=StepAnswer)

    def power_cycle(self) -> None:
        """Switch off and on; flash is kept."""
        self._chip.power_cycle()
        self._start()
