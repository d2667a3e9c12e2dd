"""A shoe at its serial line: real firmware without sensors, which speaks the protocol over a pty."""

import os
import pty
import tty
from contextlib import suppress
from struct import pack
from typing import Any, Final

from sabot_gateway.shoe.session import frame_bytes
from sabot_protocol import framing, messages, rulebooks
from sabot_protocol.codec import parse
from sabot_protocol.fields import NONCE_BYTES
from sabot_sim.rigs.play import BENCHES, StepAnswer

_EVENT: Final = messages.FrameType.encmapping["event"]
_ALIVE_S: Final = 1.0
_NEVER: Final = ("crc_errors", "resends", "refused", "sample_overruns")
_SHOE_MS: Final = (1 << 30) - 1


class LineShoe:
    """One shoe of a table: `step` does what people do at it, `pump` carries frames; events come with the time `now_s`.

    The line is sound: nothing is sent twice, but for what a gateway that was killed had not acknowledged.
    """

    def __init__(self, number: int, rulebook: str, decks: int | None, bench: str) -> None:
        profile = rulebooks.load(rulebook).profile(decks, 1)
        self._hash = messages.profile_hash(profile)
        self.bench = BENCHES[bench](self._hash + messages.Profile.build(profile))
        self.unit = f"{0x5AB0 << 48 | number:016x}"
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        os.set_blocking(self._master, False)
        self.port = os.ttyname(slave)
        self._slave = slave  # stays open: the line has no hang-up
        self._deframer, self._out = framing.Deframer(), b""
        self._kept: dict[int, bytes] = {}  # frames of events that are not acknowledged, by number
        self._last_command = self.logged = self.acknowledged = 0
        self._sent_s = 0.0
        self.welcomed = self._hung_up = False
        self.now_s = 0.0  # by the clock of the simulated day

    def close(self) -> None:
        """End the firmware, and give the line back."""
        self.bench.__exit__()
        os.close(self._master)
        os.close(self._slave)

    def step(self, *step: Any) -> StepAnswer:
        """Do one step of firmware/bench/play.py; its events go out with the next `pump`."""
        answer = self.bench.step(*step)
        time_ms = int(self.now_s * 1000) & _SHOE_MS
        for number, kind, body in answer.records:
            head = pack("<BBHIIB", _EVENT, 0, number & 0xFFFF, time_ms, number, kind)
            self._kept[number] = framing.encode(head + bytes.fromhex(body))
            self._out += b"" if self._hung_up else self._kept[number]
            self.logged = number
        return answer

    def power_cycle(self) -> None:
        """Switch off and on; the journal is kept."""
        self.bench.power_cycle()
        self.hang_up()
        self.step("state")

    def hang_up(self) -> None:
        """Forget the gateway; the next one that greets the shoe gets what none has acknowledged."""
        self.welcomed, self._hung_up, self._out, self._deframer = False, True, b"", framing.Deframer()

    def caught_up(self) -> bool:
        """Return True if the gateway has acknowledged every event."""
        return self.welcomed and not self._out and self.acknowledged == self.logged

    def pump(self, line_s: float) -> None:
        """Read what the gateway has sent and answer it; `line_s` is the time of the line."""
        with suppress(BlockingIOError):
            for raw in self._deframer.feed(os.read(self._master, 1 << 16)):
                self._take(parse(raw))
        if self.welcomed and line_s - self._sent_s >= _ALIVE_S:
            self._out += frame_bytes("alive", {}, 0, 0.0)
        if self._out:
            with suppress(BlockingIOError):
                self._out = self._out[os.write(self._master, self._out) :]
            self._sent_s = line_s

    def _take(self, frame: dict[str, Any]) -> None:
        body = frame["body"]
        match frame["type"]:
            case "who":
                self._out += self._hello(body["nonce"])
            case "welcome":
                self._acknowledge(body["durable_event_no"])
                self._out += b"".join(self._kept.values()) if self._hung_up else b""
                self.welcomed, self._hung_up = True, False
            case "ack":
                self._acknowledge(body["event_no"])
            case "command" if body["command_id"] > self._last_command:
                self._last_command = body["command_id"]
                kind = messages.CommandKind.encmapping[body["kind"]]
                self.step("command", kind, messages.COMMANDS[body["kind"]].build(body["data"]).hex())

    def _acknowledge(self, number: int) -> None:
        self.acknowledged = number
        for durable in [one for one in self._kept if one <= number]:
            del self._kept[durable]

    def _hello(self, nonce: bytes) -> bytes:
        body = {
            "unit": bytes.fromhex(self.unit),
            "boot_count": 1,
            "protocol_hash": messages.protocol_hash(),
            "profile_hash": self._hash,
            "firmware_version": bytes(3),
            "image_hash": bytes(8),
            "next_event_no": self.logged + 1,
            "oldest_event_no": 1,
            "last_command_id": self._last_command,
            "cause": "power",
            "fault": "none",
            "gateway_nonce": nonce,
            "shoe_nonce": bytes(NONCE_BYTES),
        }
        return frame_bytes("hello", {**dict.fromkeys(_NEVER, 0), **body}, 0, 0.0)
