"""Waiting: until a part of a replay has something to do; pauses of the gateway pass at once."""

import selectors
from typing import Final

from sabot_sim.rigs.rig import Rig

from sabot_tools.replay.serial_line import SerialLine

_LONGEST_SLEEP_S: Final = 0.005
# A gateway rests between publications of a state, and between looks at a table: that passes at once while no part has
# anything to do, as far as no shoe seems silent by it (5 s; a shoe sends something every second of real time).
# The rig is not asked whether it is quiet: its probes would make the shoe go on before the gateway has read the rest.
_PAUSE_S: Final = 0.05
_PAUSE_SLEEP_S: Final = 0.001
_MOST_PAUSES: Final = 10  # between two frames of the shoe


class Waiting:
    """Each part registers what it reads with `selector`."""

    def __init__(self, rig: Rig, line: SerialLine) -> None:
        self._rig, self._line = rig, line
        self.selector = selectors.DefaultSelector()
        self.selector.register(line, selectors.EVENT_READ)
        self._filenos: list[int] = []  # of the rig
        self._pauses, self._frames = 0, 0  # pauses that have passed at once since this frame of the shoe

    def wait(self, *, at_work: bool) -> None:
        """Wait until a part has something to do, or may have by its clock; `at_work`: no pause passes."""
        self._watch_rig()
        if not self._filenos:
            self.selector.select(0)
        elif at_work or not self._pause_left():
            self.selector.select(_LONGEST_SLEEP_S)
        elif not self.selector.select(_PAUSE_SLEEP_S):
            self._pauses += 1
            self._rig.pass_silence(_PAUSE_S)

    def _pause_left(self) -> bool:
        frames = self._line.monitor.frames
        if frames != self._frames:
            self._frames, self._pauses = frames, 0
        return self._pauses < _MOST_PAUSES

    def _watch_rig(self) -> None:
        """Follow the rig's descriptors, which change with its power."""
        filenos = self._rig.filenos()
        if filenos != self._filenos:
            for fileno in self._filenos:
                self.selector.unregister(fileno)
            for fileno in filenos:
                self.selector.register(fileno, selectors.EVENT_READ)
            self._filenos = filenos

    def close(self) -> None:
        """Release the selector."""
        self.selector.close()
