"""The rig at a port: a board that `sabot flash --bench` has prepared; its inputs and its line go over USB."""

import os
import select
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

import serial

from sabot_sim.optics.signals import Edge
from sabot_sim.rigs.rig import BenchError
from sabot_sim.rigs.stimulus import PROBES, Stimulus, stimulus

# As firmware/sabot/boards/stream.py has them.
INPUTS, LINE, OFF, ON, FORGET, KEY, STARTED, IS_OFF = range(0x80, 0x88)
_STOP, _TO_PROMPT, _SOFT_RESET = b"\x03", b"\x02", b"\x04"
_MOST_BYTES: Final = 255  # whole records, too
_TEXT_BYTES: Final = 2000  # of what it says to people, the last
_READ_BYTES: Final = 4096
_AGAIN_S: Final = 1.0


def messages(kind: int, data: bytes = b"") -> bytes:
    """As they go over USB: as many as this takes, and one for nothing."""
    parts = [data[at : at + _MOST_BYTES] for at in range(0, len(data), _MOST_BYTES)] or [b""]
    return b"".join(bytes((kind, len(part))) + part for part in parts)


class Messages:
    """Cuts what a board says into messages; `text` is what else it said: of an error, a restart, a prompt."""

    def __init__(self) -> None:
        self._came = b""
        self.text = ""

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Kind and content of each that is whole."""
        self._came += data
        while self._came:
            size = 1 if self._came[0] < INPUTS else 2 + int.from_bytes(self._came[1:2])
            if len(self._came) < size:
                return
            one, self._came = self._came[:size], self._came[size:]
            if size == 1:
                self.text = (self.text + chr(one[0]))[-_TEXT_BYTES:]
            else:
                yield one[0], one[2:]


class BoardRig:
    """A Rig. Its plug is a restart of the program: flash is never cut off in mid-write, and USB stays.

    The shoe is as new but for its unit id, with the key given or none. A board that does not do within `start_s` what
    it is told is an error.
    """

    def __init__(self, port: str, key: bytes | None = None, start_s: float = 10.0) -> None:
        self.name, self.unit, self._start_s = port, "", start_s
        self._port: Any = _opened(port)
        self._messages = Messages()
        self._unsent = self._later = b""  # later: what a board that starts would take for something else
        self._t_us = self._levels = 0
        self._is("unknown")
        if not self._switched_off() and not (self._restarted() and self._switched_off()):
            self.close()
            raise BenchError(self._told("is not prepared for a bench: sabot flash --bench does that"))
        self._unsent += messages(FORGET) + messages(KEY, key or b"")

    def _is(self, state: str) -> None:
        """`off`, `starting` or `on`; what was under way is gone."""
        self._state = state
        self._inputs, self._held, self._probes = Stimulus(), b"", 0  # that are due before it is quiet

    def _switched_off(self) -> bool:
        return self._becomes("off", messages(OFF))

    def _restarted(self) -> bool:
        """From wherever it is, by way of MicroPython's prompt."""
        self._unsent = _STOP * (_MOST_BYTES + 3) + _TO_PROMPT + _SOFT_RESET
        return self._becomes("on")

    def _becomes(self, state: str, told: bytes = b"") -> bool:
        """Wait for it, and tell it again every second: a board that is just being reset hears nothing."""
        now_s = again_s = time.monotonic()
        end_s = now_s + self._start_s
        while self._state != state and now_s < end_s:
            if now_s >= again_s:
                self._unsent += told
                again_s += _AGAIN_S
            self.turn()
            select.select([self._port], [], [], 0.01)
            now_s = time.monotonic()
        return self._state == state

    def _told(self, what: str) -> str:
        return f"the board at {self.name} {what}; it said {self._messages.text[-500:]!r}"

    @property
    def outputs(self) -> int | None:
        """Lock and lamps."""
        return self._inputs.outputs

    def power_on(self) -> None:
        """Start the program."""
        self._unsent += messages(ON)
        self._is("starting")
        self._since_s = time.monotonic()
        self._levels, self._later = 0, b""
        self._give([(0, 0)])

    def power_off(self) -> None:
        """End the program; what is on the line is gone."""
        if self._state == "starting" and not self._becomes("on"):
            raise BenchError(self._told("does not start"))
        if self._state == "on" and not self._switched_off():
            raise BenchError(self._told("does not hear"))

    def reset(self) -> None:
        """To this rig the same as the plug."""
        self.power_off()
        self.power_on()

    def play(self, edges: Iterable[Edge], until_us: int) -> None:
        """All at once: the board takes it as fast as it can."""
        if self._state == "off":
            self._t_us = until_us
            return
        records = stimulus(edges, self._t_us, self._levels, until_us)
        self._t_us, self._levels = until_us, records[-1][1]
        self._give(records)

    def _give(self, records: list[tuple[int, int]]) -> None:
        self._post(messages(INPUTS, self._inputs.records(records)))

    def _post(self, data: bytes) -> None:
        self._probes = PROBES
        if self._state == "starting":
            self._later += data
        else:
            self._unsent += data

    def turn(self) -> None:
        """What USB takes and brings."""
        try:
            self._write()
            for kind, data in self._messages.feed(os.read(self._port.fileno(), _READ_BYTES)):
                self._heard(kind, data)
        except BlockingIOError:
            pass
        except OSError as error:
            raise BenchError(self._told(f"has gone ({error})")) from error
        if self._state == "starting" and time.monotonic() > self._since_s + self._start_s:
            raise BenchError(self._told("does not start"))

    def _write(self) -> None:
        with suppress(BlockingIOError):
            if self._unsent:
                self._unsent = self._unsent[os.write(self._port.fileno(), self._unsent) :]

    def _heard(self, kind: int, data: bytes) -> None:
        if kind == INPUTS:
            self._inputs.answered(data)
        elif kind == LINE:
            self._held += data
            self._probes = PROBES
        elif kind == STARTED:
            self._state, self._unsent, self._later = "on", self._unsent + self._later, b""
        elif kind == IS_OFF and self._state != "starting":  # told more than once, it says so more than once
            self.unit = data.hex()
            self._is("off")

    def quiet(self) -> bool:
        """As on the VM: samples that change nothing are answered after what came of those before is on the line."""
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
        """What has come by now."""
        self.turn()
        held, self._held = self._held, b""
        return held

    def send(self, data: bytes) -> None:
        """A shoe without power, or one that starts, hears nothing."""
        if data and self._state == "on":
            self._post(messages(LINE, data))

    def line_s(self) -> float:
        """Real time."""
        return time.monotonic()

    def damage(self, part: str, seed: int, spots: int) -> None:
        """A board's flash is left alone."""
        raise BenchError(f"the flash of the board at {self.name} is not damaged; choose --bench unix or rp2040")

    def exchange(self, number: int) -> None:
        """There is one board at a port."""
        raise BenchError(f"there is no other board at {self.name}; choose --bench unix or rp2040")

    def filenos(self) -> list[int]:
        """The port."""
        return [self._port.fileno()]

    def close(self) -> None:
        """Switch off, as far as the port goes on, and give it back."""
        with suppress(OSError, BenchError):
            self.power_off()
        self._port.close()


def _opened(port: str) -> Any:
    try:
        return serial.Serial(port, timeout=0, exclusive=True)
    except (OSError, ValueError) as error:
        raise BenchError(f"no board at {port}: {error}; plug it in, or end what has the port open") from error
