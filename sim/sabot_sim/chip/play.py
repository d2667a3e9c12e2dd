"""The firmware's shoe at the level of cards on the emulated chip: play.py's steps on its serial line."""

from collections.abc import Callable
from typing import Any, Final, Self

import msgspec

from sabot_sim.chip.chip import Chip
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_sim.rigs.build import play_image
from sabot_sim.rigs.play import StepAnswer
from sabot_sim.rigs.rig import BenchError

_START_US: Final = 5_000_000
_STEP_US: Final = 20_000_000  # a full journal is told in less


class ChipPlay:
    """A PlayBench; a start takes the emulator half a minute, a step a second or two. `say` hears what it is at."""

    def __init__(self, profile: bytes, say: Callable[[str], None] = lambda text: None) -> None:
        uf2 = find_uf2()
        if uf2 is None:
            raise BenchError(HOW_TO_GET_UF2)
        self._profile, self._say = profile, say
        self._chip = Chip(uf2, play_image())
        self._start()

    def _start(self) -> None:
        self._say("the emulated chip starts; this takes half a minute")
        self._chip.run_until(lambda: self._chip.text == "ready\n", _START_US)
        self._chip.send(self._profile.hex().encode() + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def step(self, *step: Any) -> StepAnswer:
        """One line out, one line back."""
        self._say(" ".join(map(str, step)))
        self._chip.send(msgspec.json.encode(step) + b"\n")
        line = self._chip.answer(_STEP_US)
        if not line.startswith("{"):
            raise BenchError(f"the emulated chip said something else than an answer: {line!r}")
        return msgspec.json.decode(line, type=StepAnswer)

    def power_cycle(self) -> None:
        """Pull the plug and start again with what flash has kept."""
        self._chip.power_cycle()
        self._start()
