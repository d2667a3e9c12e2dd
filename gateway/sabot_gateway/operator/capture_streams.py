"""Capture streams: one capture a table, each sent to its caller at the control socket; none can harm its table."""

from importlib.metadata import version
from typing import Any

import msgspec
import structlog
from sabot_protocol import messages
from sabot_protocol.angel_eye.tables import ACK, ENQ, NAK, STX
from sabot_service.control import Caller, Control
from sabot_service.messages import Answer
from sabot_service.rate_limit import LogLimiter

from sabot_gateway.operator.requests import CaptureRequest, ParsedRequest
from sabot_gateway.shoe.capture import Capture
from sabot_gateway.table_session import TableSession

_ANGEL_EYE_STARTS = bytes([ENQ, STX, ACK, NAK])

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class CaptureStreams:
    """Gets the bytes on a line while a capture of it is `running`, and writes no file."""

    def __init__(self, control: Control[ParsedRequest]) -> None:
        self._control, self._limiter = control, LogLimiter()
        self.running: dict[str, tuple[Capture, Caller]] = {}  # by table

    def begin(
        self, caller: Caller, request: CaptureRequest, table: TableSession | None, now_s: float, unix_s: float
    ) -> None:
        """Refuse a capture of this table's line, or accept it and stream from now on."""
        name, verb = request.table, request.verb
        if table is None:
            refusal = f"there is no table {name!r} here; `sabot gateway status` lists them"
            self._control.answer(caller, Answer(False, refusal))
        elif name in self.running and self._control.serves(self.running[name][1]):
            user = self.running[name][1].user
            refusal = f"{user} already captures {name}; one capture a table at a time: wait, or end that one"
            self._control.answer(caller, Answer(False, refusal))
        else:
            starts = _ANGEL_EYE_STARTS if table.config.driver == "angel-eye" else b""
            midway = table.link.mid_frame()
            capture = Capture(_description(table, unix_s), verb.seconds, verb.bytes, now_s, midway, starts)
            answer = msgspec.json.encode(Answer(True, f"capturing the line of {name}")) + b"\n"
            self.running[name] = capture, caller
            self._control.stream(caller, answer + capture.start())
            self._log("capture started", name, now_s, user=caller.user, seconds=verb.seconds)

    def add(self, name: str, sender: str, data: bytes, now_s: float) -> None:
        """Add bytes that were on the line of this table; an error here ends the capture, and nothing else."""
        if name not in self.running:
            return
        capture, caller = self.running[name]
        try:
            block = capture.add(sender, data, now_s)
        except Exception:
            log.exception("capture ended by an error of the gateway; report it with this log", table=name)
            del self.running[name]
            self._control.end_stream(caller)
            return
        if block and not self._control.stream(caller, block):
            del self.running[name]

    def step(self, now_s: float) -> None:
        """Send on what has come, end what is over, drop captures whose caller has gone."""
        for name, (capture, caller) in list(self.running.items()):
            if capture.over(now_s):
                self.end(name, now_s)
            elif not self._control.stream(caller, capture.flush()):
                del self.running[name]

    def end(self, name: str, now_s: float) -> None:
        """Complete the capture of this table, if there is one."""
        if name in self.running:
            capture, caller = self.running.pop(name)
            self._control.stream(caller, capture.finish(now_s))
            self._control.end_stream(caller)
            self._log("capture complete", name, now_s, bytes=capture.line_bytes)

    def end_all(self, now_s: float) -> None:
        """Complete every capture: the gateway stops."""
        for name in list(self.running):
            self.end(name, now_s)

    def _log(self, message: str, name: str, now_s: float, **more: Any) -> None:
        left_out = self._limiter.take(name, now_s)
        if left_out is not None:
            log.info(message, table=name, left_out=left_out, **more)


def _description(table: TableSession, unix_s: float) -> dict[str, Any]:
    """Return the fields with which the recording describes itself."""
    config = table.config
    unit = {"unit": table.link.unit} if table.link.unit else {}
    return {
        "made_by": f"sabot {version('sabot')}",
        "source": "gateway",
        "table": config.name,
        "port": config.port,
        "rulebook": config.rulebook,
        "card_set": config.card_set,
        "driver": config.driver,
        "protocol": messages.protocol_hash().hex(),
        "started_unix_us": int(unix_s * 1e6),
        **unit,
    }
