"""CaptureStreams: one a table at a time, each streamed to a caller at the control socket; none can harm its table."""

from importlib.metadata import version
from typing import Any

import msgspec
import structlog
from sabot_protocol import messages

from sabot_gateway.operator.control import Caller, Control
from sabot_gateway.operator.messages import Answer
from sabot_gateway.operator.requests import CaptureRequest
from sabot_gateway.ops.rate_limit import LogLimiter
from sabot_gateway.shoe.capture import SENDERS, Capture
from sabot_gateway.table_session import TableSession

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class CaptureStreams:
    """Told of all bytes that the lines carry; keeps them for whoever asked, and writes no file."""

    def __init__(self, control: Control) -> None:
        self._control, self._lines = control, LogLimiter()
        self._running: dict[str, tuple[Capture, Caller]] = {}
        self._midway: dict[tuple[str, str], bool] = {}  # a frame is under way, by table and sender

    def begin(
        self, caller: Caller, request: CaptureRequest, place: TableSession | None, now_s: float, unix_s: float
    ) -> None:
        """Somebody asks for the line of this table: refuse in words, or answer and stream from now on."""
        name, verb = request.table, request.verb
        if place is None:
            say = f"there is no table {name!r} here; `sabot gateway status` lists them"
            self._control.answer(caller, Answer(False, say))
        elif name in self._running and self._control.serves(self._running[name][1]):
            user = self._running[name][1].user
            say = f"{user} captures the line of {name} already; one capture a table at a time: wait, or end that one"
            self._control.answer(caller, Answer(False, say))
        else:
            midway = [sender for sender in SENDERS if self._midway.get((name, sender))]
            capture = Capture(_noted(place, unix_s), verb.seconds, verb.bytes, now_s, midway)
            answer = msgspec.json.encode(Answer(True, f"capturing the line of {name}")) + b"\n"
            self._running[name] = capture, caller
            self._control.stream(caller, answer + capture.start())
            self._log("the line of a table is captured", name, now_s, user=caller.user, seconds=verb.seconds)

    def carried(self, name: str, sender: str, data: bytes, now_s: float) -> None:
        """The line of this table has carried these bytes."""
        if data:
            self._midway[name, sender] = data[-1] != 0
        if name in self._running:
            self._keep(name, sender, data, now_s)

    def _keep(self, name: str, sender: str, data: bytes, now_s: float) -> None:
        """An error of ours here ends the capture, and nothing else."""
        capture, caller = self._running[name]
        try:
            more = capture.add(sender, data, now_s)
        except Exception:
            log.exception("a capture has ended", table=name)
            del self._running[name]
            self._control.end_stream(caller)
            return
        if more and not self._control.stream(caller, more):
            del self._running[name]

    def line_lost(self, name: str) -> None:
        """The port of this table is gone: what comes next is the start of something."""
        for sender in SENDERS:
            self._midway.pop((name, sender), None)

    def step(self, now_s: float) -> None:
        """Send on what has come, end what is over, forget whose caller has gone."""
        for name, (capture, caller) in list(self._running.items()):
            if capture.over(now_s):
                self.end(name, now_s)
            elif not self._control.stream(caller, capture.flush()):
                del self._running[name]

    def end(self, name: str, now_s: float) -> None:
        """The capture of this table, if there is one, is complete."""
        if name in self._running:
            capture, caller = self._running.pop(name)
            self._control.stream(caller, capture.finish(now_s))
            self._control.end_stream(caller)
            self._log("a capture is complete", name, now_s, bytes=capture.line_bytes)

    def end_all(self, now_s: float) -> None:
        """The gateway stops."""
        for name in list(self._running):
            self.end(name, now_s)

    def _log(self, words: str, name: str, now_s: float, **more: Any) -> None:
        left_out = self._lines.take(name, now_s)
        if left_out is not None:
            log.info(words, table=name, left_out=left_out, **more)


def _noted(place: TableSession, unix_s: float) -> dict[str, Any]:
    """What the recording says of itself."""
    table = place.config
    unit = {"unit": place.link.unit} if place.link.unit else {}
    return {
        "made_by": f"sabot {version('sabot')}",
        "source": "gateway",
        "table": table.name,
        "port": table.port,
        "rulebook": table.rulebook,
        "card_set": table.card_set,
        "protocol": messages.protocol_hash().hex(),
        "started_unix_us": int(unix_s * 1e6),
        **unit,
    }
