"""Behind: at the start the logs are compared with our own retained meters; an older copy of the store is not used."""

from collections.abc import Callable
from typing import Annotated

import msgspec
from msgspec import Meta
from sabot_protocol.inputs.bounded_json import decoded
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.topics import jackpot_topic
from sabot_service.messages import Answer
from sabot_service.moment import Moment

from sabot_floor.jackpots.batch import Batch, log_name
from sabot_floor.jackpots.engine import Refused
from sabot_floor.jackpots.engine.entries import Accepted
from sabot_floor.jackpots.logs import JackpotLogs
from sabot_floor.requests import Accept, Signer
from sabot_floor.store import StoreError

_LISTEN_S = 2.0  # after the broker's answer to the subscription: what is retained comes at once
_MOST_BYTES = 1 << 16
_MOST_METERS = 1000
_MOST_SHOWN = 3
_NOT_COMPARED = (
    "the logs are not yet compared with the retained meters at the broker, which takes some seconds once it answers; "
    "see `sabot floor status`"
)


class RetainedMeter(msgspec.Struct, frozen=True):
    """What a meter at the broker names of the log that gave it."""

    entry: Annotated[int, Meta(ge=1, le=1 << 62)]
    hash: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]


class Behind:
    """Retained meters in; `holds` until every log has the entry that its meter names, or a person accepts."""

    def __init__(self, logs: JackpotLogs, site: str) -> None:
        self._logs, self._site = logs, site
        self._meters: dict[str, RetainedMeter] = {}  # by jackpot, as they were at the broker before ours
        self._until_s: float | None = None  # None: no broker has answered yet
        self._complete = self._over = False
        self.problem = _NOT_COMPARED  # empty while the service may go on
        self.found = False  # a log is behind

    def listen(self, now_s: float) -> None:
        """The broker has answered our subscription to the meters."""
        if self._until_s is None:
            self._until_s = now_s + _LISTEN_S

    def lost(self) -> None:
        """The connection is gone; without it nothing more is heard."""
        if not self._complete:
            self._until_s = None

    def received(self, topic: str, payload: bytes) -> None:
        """Take a retained message on the topic of a meter; what is no meter at all counts as none."""
        jackpot = topic.split("/")[-2]
        if self._complete or len(self._meters) >= _MOST_METERS:
            return
        meter = decoded(payload, RetainedMeter, _MOST_BYTES)
        if meter is not None:
            self._meters[jackpot] = meter

    def again(self) -> None:
        """Compare once more: other jackpots are served."""
        self._over = False

    def holds(self, now_s: float) -> bool:
        """Return True while nothing may be taken or published; StoreError if the store cannot be read."""
        if self._over:
            return False
        if not self._heard(now_s):
            return True
        behind = self._behind()
        self.found, self._over = bool(behind), not behind
        self.problem = self._say(behind) if behind else ""
        return not self._over

    def _heard(self, now_s: float) -> bool:
        """Return True once every meter has come that is retained at the broker."""
        all_came = self._until_s is not None and all(jackpot in self._meters for jackpot in self._logs.served)
        self._complete = self._complete or all_came or (self._until_s is not None and now_s >= self._until_s)
        return self._complete

    def _behind(self) -> dict[str, RetainedMeter]:
        """Return the meters whose entry is not in the log of their jackpot, and was not accepted."""
        served = {name: self._meters[name] for name in self._logs.served if name in self._meters}
        return {name: meter for name, meter in served.items() if not self._has(name, meter)}

    def _has(self, jackpot: str, meter: RetainedMeter) -> bool:
        found = self._logs.store.read(log_name(jackpot), meter.entry - 1, 1)
        if found and (found[0].seq, found[0].hash.hex()) == (meter.entry, meter.hash):
            return True
        self._logs.refresh(jackpot)  # another worker may have stored that a person accepted
        state = self._logs.state(jackpot)
        return state is not None and state.accepted == meter.hash

    def _say(self, behind: dict[str, RetainedMeter]) -> str:
        parts = [self._difference(jackpot, meter) for jackpot, meter in list(behind.items())[:_MOST_SHOWN]]
        parts += [f"and {len(behind) - _MOST_SHOWN} jackpots more"] if len(behind) > _MOST_SHOWN else []
        first = jackpot_topic(self._site, next(iter(behind)), "meter")
        return (
            f"{'; '.join(parts)}. Either an older copy of the store was put back (wins paid since then would be paid "
            f"again), or somebody else wrote on the topic {first}. Stop the service and put back the newest store; if "
            "there is none, or the message is not ours, compare the wins paid since then and go on with "
            "`sabot floor accept --as PERSON --reason TEXT`"
        )

    def _difference(self, jackpot: str, meter: RetainedMeter) -> str:
        standing = self._logs.standing(jackpot)
        last = standing.seq if standing else 0
        there = f"its log ends with entry {last}" if last < meter.entry else "its log has another entry there"
        return f"jackpot {jackpot}: the meter at the broker names entry {meter.entry}, but {there}"

    def accept(self, accept: Accept, signer_of: Callable[[str], Signer | str], at: Moment) -> Answer:
        """Go on with the logs as they are: an entry in each log concerned, signed by who answers for that jackpot."""
        if self._over or not self._complete:
            return Answer(False, "There is nothing to accept" + (f": {self.problem}." if self.problem else "."))
        try:
            behind = self._behind()
            refused = [
                self._accept_one(jackpot, meter, accept, signer_of(jackpot), at) for jackpot, meter in behind.items()
            ]
        except StoreError as error:
            return Answer(False, f"Not accepted: {error}.")
        wrong = [say for say in refused if say]
        accepted = [jackpot for jackpot, say in zip(behind, refused, strict=True) if not say]
        said = f"Accepted for {', '.join(accepted)}." if accepted else ""
        return Answer(not wrong, " ".join(filter(None, [said, *wrong])) or "There is nothing to accept.")

    def _accept_one(self, jackpot: str, meter: RetainedMeter, accept: Accept, signer: Signer | str, at: Moment) -> str:
        """Store the acceptance; return why it was refused, or nothing."""
        if isinstance(signer, str):
            return f"{jackpot}: {signer}"
        entry = Accepted(
            time=at.time,
            entry=meter.entry,
            hash=meter.hash,
            by=signer.name,
            role=signer.role,
            reason=plain(accept.reason),
            person=signer.person,
        )
        batch = Batch(jackpot, at.time, [entry])
        self._logs.commit([batch])
        result = batch.results[0]
        return f"{jackpot}: {result.say}." if isinstance(result, Refused) else ""
