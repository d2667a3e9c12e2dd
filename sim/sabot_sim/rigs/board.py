"""The rig at a port: a board that `sabot flash --bench` has prepared; its inputs and its line go over USB."""

import select
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from sabot_sim.optics.signals import Edge
from sabot_sim.rigs.board_link import (
    FORGET,
    INPUTS,
    IS_OFF,
    KEY,
    LINE,
    MOST_BYTES,
    OFF,
    ON,
    STARTED,
    BoardLink,
    messages,
)
from sabot_sim.rigs.rig import BenchError
from sabot_sim.rigs.stimulus import PROBES, Stimulus, stimulus

_STOP, _TO_PROMPT, _SOFT_RESET = b"\x03", b"\x02", b"\x04"
_RESTART: Final = _STOP * (MOST_BYTES + 3) + _TO_PROMPT + _SOFT_RESET  # from any state, through MicroPython's prompt
_REPEAT_S: Final = 1.0


class BoardRig:
    """A Rig. Its power switch restarts the program: flash is never cut off in mid-write, and USB stays on.

    The shoe starts as new except for its unit id, with the given key or none. A board that does not follow a request
    within `start_s` is an error. One class because it is all that a bench does to one controller.
    """

    def __init__(self, port: str, key: bytes | None = None, start_s: float = 10.0) -> None:
        self.name, self.unit, self._start_s = port, "", start_s
        self._link = BoardLink(port)
        self._t_us = self._levels = 0
        self._silence_s = 0.0
        self._enter("unknown")
        if not self._switched_off():
            self._link.post_first(_RESTART)
            if not (self._becomes("on") and self._switched_off()):
                self.close()
                raise self._link.problem("is not prepared for a bench: run `sabot flash PORT --bench`")
        self._link.post(messages(FORGET) + messages(KEY, key or b""))

    def _enter(self, state: str) -> None:
        """Enter `off`, `starting` or `on`; what was under way is lost."""
        self._state = state
        self._inputs, self._held, self._probes = Stimulus(), b"", 0  # probes that are due before it is quiet

    def _switched_off(self) -> bool:
        return self._becomes("off", messages(OFF))

    def _becomes(self, state: str, request: bytes = b"") -> bool:
        """Wait for a state; repeat the request every second, because a board in a reset loses it."""
        now_s = again_s = time.monotonic()
        end_s = now_s + self._start_s
        while self._state != state and now_s < end_s:
            if now_s >= again_s:
                self._link.post(request)
                again_s += _REPEAT_S
            self.turn()
            select.select([self._link], [], [], 0.01)
            now_s = time.monotonic()
        return self._state == state

    @property
    def outputs(self) -> int | None:
        """Lock and lamps."""
        return self._inputs.outputs

    def power_on(self) -> None:
        """Start the program."""
        self._link.post(messages(ON))
        self._enter("starting")
        self._link.hold()
        self._since_s = time.monotonic()
        self._levels = 0
        self._give([(0, 0)])

    def power_off(self) -> None:
        """End the program; bytes on the line are lost."""
        if self._state == "starting" and not self._becomes("on"):
            raise self._link.problem("does not start")
        if self._state == "on" and not self._switched_off():
            raise self._link.problem("does not switch off")

    def reset(self) -> None:
        """On this rig the same as a power cycle."""
        self.power_off()
        self.power_on()

    def play(self, edges: Iterable[Edge], until_us: int) -> None:
        """Queue everything at once: the board takes it as fast as it can."""
        if self._state == "off":
            self._t_us = until_us
            return
        records = stimulus(edges, self._t_us, self._levels, until_us)
        self._t_us, self._levels = until_us, records[-1][1]
        self._give(records)

    def _give(self, records: list[tuple[int, int]]) -> None:
        self._probes = PROBES
        self._link.post(messages(INPUTS, self._inputs.records(records)))

    def turn(self) -> None:
        """Exchange what USB takes and brings."""
        for kind, data in self._link.pump():
            self._take(kind, data)
        if self._state == "starting" and time.monotonic() > self._since_s + self._start_s:
            raise self._link.problem("does not start")

    def _take(self, kind: int, data: bytes) -> None:
        if kind == INPUTS:
            self._inputs.answered(data)
        elif kind == LINE:
            self._held += data
            self._probes = PROBES
        elif kind == STARTED:
            self._state = "on"
            self._link.release()
        elif kind == IS_OFF and self._state != "starting":  # repeated requests have repeated answers
            self.unit = data.hex()
            self._enter("off")

    def quiet(self) -> bool:
        """As on the VM: probes are answered after the output of the samples before them is on the line."""
        self.turn()
        if self._state == "off":
            return True
        if self._state != "on" or self._held or not self._inputs.settled():
            return False
        if not self._probes:
            return True
        due = self._probes - 1
        self._give([(0, self._levels)])
        self._probes = due
        return False

    def receive(self) -> bytes:
        """Return what has arrived."""
        self.turn()
        held, self._held = self._held, b""
        return held

    def send(self, data: bytes) -> None:
        """Send bytes; they are lost without power and while the shoe starts."""
        if data and self._state == "on":
            self._probes = PROBES
            self._link.post(messages(LINE, data))

    def line_s(self) -> float:
        """Real time."""
        return time.monotonic() + self._silence_s

    def pass_silence(self, seconds: float) -> None:
        """Advance it at once: inputs are played faster than in real time."""
        self._silence_s += seconds

    def damage(self, part: str, seed: int, spots: int) -> None:
        """Refuse: the flash of a real board is not damaged."""
        raise BenchError(f"the flash of the board at {self.name} is not damaged; choose --bench unix or rp2040")

    def exchange(self, number: int) -> None:
        """Refuse: there is one board at a port."""
        raise BenchError(f"there is no other board at {self.name}; choose --bench unix or rp2040")

    def filenos(self) -> list[int]:
        """The port."""
        return [self._link.fileno()]

    def close(self) -> None:
        """Switch off if the port still works, and close it."""
        with suppress(OSError, BenchError):
            self.power_off()
        self._link.close()
