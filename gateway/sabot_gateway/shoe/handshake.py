"""Handshake: WHO, HELLO and WELCOME; checks a shoe's release, key and id, and agrees on a session with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from sabot_protocol import messages
from sabot_protocol.inputs.secret_file import SecretError

from sabot_gateway.shoe import refusals
from sabot_gateway.shoe.line_watch import LineDiagnosis
from sabot_gateway.shoe.outbox import Outbox
from sabot_gateway.shoe.parse import Frame
from sabot_gateway.shoe.session import Session

ASK_EVERY_S = 1.0
ASK_SOONEST_S = 0.2
_LIVE_S = 1.5  # a shoe sends something once a second
_TAKE_UP_S = 3.0  # less than the shoe waits for a frame of its session


@dataclass
class Handshake:
    """Who is on the line, and the session with it. `unit` is the shoe that is served, `problem` why none is."""

    outbox: Outbox
    line: LineDiagnosis
    counters: dict[str, int]
    gateway: bytes  # which gateway this is
    keys: Callable[[str], Sequence[bytes]]  # of a unit, the newest first; or SecretError
    nonce: Callable[[], bytes]
    keys_required: bool  # a shoe without a key is not served
    unit: str | None = None
    authenticated: bool = False
    rotation: Literal["old", "new"] | None = None  # while one is under way: which key the shoe uses
    problem: str | None = None
    session: Session | None = None
    confirmed: bool = False  # the shoe sends frames of this session
    _before: Session | None = None  # valid until the shoe uses the session that follows it
    _begun_s: float = 0.0
    _asked: bytes = b""  # the nonce of a WHO that no HELLO has answered
    _refused_until_s: float = 0.0

    def reset(self) -> None:
        """Forget who was there."""
        self.unit = self.rotation = self.session = self._before = None
        self.problem = self.problem if self._refused_until_s else None
        self.authenticated = self.confirmed = False
        self._asked = b""

    def refuse(self, problem: str, until_s: float) -> None:
        """Serve nobody for this reason; take nothing from the line before `until_s`."""
        self.problem, self._refused_until_s = problem, until_s

    def refusing(self, now_s: float) -> bool:
        """Return True while nothing may be taken from the line."""
        if self._refused_until_s and now_s >= self._refused_until_s:
            self.problem, self._refused_until_s = None, 0.0
        return bool(self._refused_until_s)

    def refuse_offer(self, problem: str) -> None:
        """Refuse a shoe; one that is served stays served, for a forger can cause this."""
        if self.unit is None:
            self.problem = problem

    def tick(self, now_s: float) -> None:
        """Go back to the session before if the shoe has not taken up the new one; ask for one where it is time."""
        if self._before is not None and now_s - self._begun_s >= _TAKE_UP_S:
            self.session, self._before, self.confirmed = self._before, None, True
        if self.session is None or self.session.old():
            self.ask(now_s, ASK_EVERY_S)

    def ask(self, now_s: float, every_s: float) -> None:
        """Send WHO, but not more often than `every_s`."""
        if self.outbox.due("who", now_s, every_s):
            self._asked = self._asked or self.nonce()
            self.outbox.send(None, "who", now_s, {"gateway": self.gateway, "nonce": self._asked})

    def settled(self) -> bool:
        """Return True if the shoe has taken up its session, and nothing is wrong."""
        return self.confirmed and self.session is not None and self.problem is None

    def takes(self, frame: Frame) -> bool:
        """Return True for a new frame of this session, or of the one before until this is taken up."""
        session = self.session
        if session is None:
            return False
        refusal = session.refuses(frame)
        if refusal is None:
            self.confirmed, self._before = True, None
        elif self._before is not None and self._before.refuses(frame) is None:
            return True
        else:
            self._count(refusal)
        return refusal is None

    def _count(self, refusal: str) -> None:
        """Count a refused frame; until the shoe uses this session it may use one that this gateway no longer knows."""
        self.counters["strays" if refusal == "forged" and not self.confirmed else refusal] += 1

    def busy(self, frame: Frame) -> None:
        """Take the answer of a shoe that another gateway serves."""
        if frame.body["nonce"] == self._asked:
            self.refuse_offer(refusals.another_gateway(frame.body["gateway"].hex()))

    def hello(self, frame: Frame, now_s: float) -> Session | None:
        """Return the session that a HELLO offers: a new one, or the current one again if WELCOME was lost."""
        body = frame.body
        if body["protocol_hash"] != messages.protocol_hash():
            self.refuse_offer(refusals.another_release(body["unit"].hex(), body["protocol_hash"].hex()))
        elif self.session is not None and self.session.is_of(body["gateway_nonce"], body["shoe_nonce"]):
            return self._offered_again(frame, self.session)
        elif self._asked and body["gateway_nonce"] == self._asked:
            return self._offered(frame)
        elif self._live(now_s):  # not the shoe that is served: that one uses its session
            self.counters["strays"] += 1
        else:  # it has just started, or answers another gateway
            self.ask(now_s, ASK_SOONEST_S)
        return None

    def _live(self, now_s: float) -> bool:
        """Return True if the shoe has just proved that it is in its session: a HELLO cannot be its own."""
        held = self.authenticated and (self.confirmed or self._before is not None)
        last_frame_s = self.line.last_frame_s
        return held and last_frame_s is not None and now_s - last_frame_s < _LIVE_S

    def _offered_again(self, frame: Frame, session: Session) -> Session | None:
        refusal = session.refuses(frame)
        if refusal is not None:
            self._count(refusal)
            return None
        self.confirmed = False
        return session

    def _offered(self, frame: Frame) -> Session | None:
        """Return the session of a shoe that has answered our WHO, if its id and key are right."""
        unit = frame.body["unit"].hex()
        if self.unit not in (None, unit):  # the one that is served must fall silent first
            self.counters["strays"] += 1
            return None
        session = self._with_key(unit, frame)
        problem = refusals.no_unit(unit, self.gateway.hex()) if session else None
        if problem:
            self.refuse_offer(problem)
            return None
        return session

    def _with_key(self, unit: str, frame: Frame) -> Session | None:
        """Return the session that this HELLO begins; None, with the problem, where its key is not right."""
        try:
            keys = self.keys(unit)
        except SecretError as error:
            self.refuse_offer(str(error))
            return None
        nonces = frame.body["gateway_nonce"], frame.body["shoe_nonce"]
        if not keys and not frame.mac and not self.keys_required:
            self.rotation = None
            return Session(*nonces, None)
        for key in keys:
            session = Session(*nonces, key)
            if session.refuses(frame) is None:
                self.rotation = None if len(keys) == 1 else "new" if key == keys[0] else "old"
                return session
        self.counters["forged" if frame.mac else "unauthenticated"] += 1
        self.refuse_offer(refusals.wrong_key(unit, known=bool(keys), proved=bool(frame.mac)))
        return None

    def begin(self, unit: str, session: Session, now_s: float) -> None:
        """Serve a shoe in a new session; frames of the one before still count until the shoe takes this one up."""
        self._before = self.session if self.confirmed else self._before
        self.session, self._asked, self.confirmed, self._begun_s = session, b"", False, now_s
        self.unit, self.problem, self.authenticated = unit, None, session.key is not None
        self.line.last_frame_s = now_s
