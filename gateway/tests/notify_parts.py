"""Parts for tests of notifications: alarms, incidents, channels, and a worker whose receivers the test plays."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from sabot_floor.config import Config
from sabot_floor.inbox import Arrived
from sabot_floor.notify.channels import AnyChannel, Syslog
from sabot_floor.notify.delivery import Outcome
from sabot_floor.notify.history import LOG
from sabot_floor.notify.notices import Notice
from sabot_floor.notify.notifier import Notifier
from sabot_floor.notify.senders.sending import Senders
from sabot_floor.store import Store
from sabot_protocol.topics import AlarmMessage, IncidentMessage, Step
from sabot_service.moment import Moment, utc

SITE = "sydney"
BEGIN_S = 1_794_916_800.0  # 2026-11-17T12:00:00Z
_MESSAGE = {"unit": "5ab0000000000001", "event_no": 7, "shoe": 3, "coup": 17, "rulebook": "0" * 16}


def alarm(number: int = 1, at_s: float = BEGIN_S, **changes: Any) -> AlarmMessage:
    """A critical alarm that was raised at bac-01."""
    values: dict[str, Any] = {
        **_MESSAGE,
        "id": f"a-{number}",
        "table": "bac-01",
        "time": utc(at_s),
        "name": "discrepancy",
        "say": "Shoe and gateway differ. Call a supervisor.",
        "clause": "12.13",
        "shoe_says": "banker",
        "cards_say": "player",
        "alarm": f"a-{number}",
        "severity": "critical",
        "state": "raised",
    }
    return AlarmMessage(**(values | changes))


def step(name: str = "notify_surveillance", **changes: Any) -> Step:
    """A step that is still open."""
    return Step(**({"name": name, "say": "Notify surveillance.", "clause": "12.11.4"} | changes))


def incident(*steps: Step, entry: int = 1, at_s: float = BEGIN_S, number: int = 1, **changes: Any) -> IncidentMessage:
    """An incident at bac-01."""
    values: dict[str, Any] = {
        **_MESSAGE,
        "id": f"m-{entry}",
        "table": "bac-01",
        "time": utc(at_s),
        "incident": f"i-{number}",
        "kind": "foreign_card",
        "state": "open",
        "say": "A card that is not of this set.",
        "clause": "12.11",
        "opened": utc(BEGIN_S),
        "steps": list(steps),
        "entry": entry,
    }
    return IncidentMessage(**(values | changes))


def arrived(message: msgspec.Struct, table: str = "bac-01") -> Arrived:
    """A message as the broker delivers it."""
    topic = "alarm" if isinstance(message, AlarmMessage) else "incident"
    return Arrived(f"sabot/v1/{SITE}/{table}/{topic}", msgspec.json.encode(message))


class Receivers(Senders):
    """Collects what a worker sends; the test says what becomes of it."""

    def __init__(self, channels: Sequence[AnyChannel]) -> None:
        super().__init__(channels)
        self.got: list[Notice] = []
        self._outcomes: list[Outcome] = []

    def submit(self, notices: Sequence[Notice]) -> None:
        self.got += notices
        for notice in notices:
            self._open[notice.channel] = self._open.get(notice.channel, 0) + 1

    def answer(self, notice: Notice, result: str = "sent", say: str = "250 OK") -> None:
        self._outcomes.append(Outcome(notice, result, say))

    def answer_all(self, result: str = "sent", say: str = "250 OK") -> None:
        for notice in self.got[-sum(self._open.values()) :] if sum(self._open.values()) else []:
            self.answer(notice, result, say)

    def outcomes(self) -> list[Outcome]:
        found, self._outcomes = self._outcomes, []
        for one in found:
            self._open[one.notice.channel] -= 1
        return found


class Worker:
    """A notifier on a store, with receivers and a clock of the test."""

    def __init__(self, store: Store, *channels: AnyChannel, name: str = "1", zone: str = "UTC") -> None:
        channels = channels or (Syslog(name="pit"),)
        config = Config(
            site=SITE,
            store="",
            broker="",
            jackpots="",
            worker=name,
            notify=channels,
            time_zone=zone,
            gaming_day="06:00",
        )
        self.receivers, self.now_s = Receivers(channels), BEGIN_S
        self.notifier, self._store = Notifier(config, store, self.receivers), store

    def take(self, *messages: msgspec.Struct, pass_s: float = 0.0) -> list[Notice]:
        """Give the messages to the notifier; return what it sends for them."""
        self.now_s += pass_s
        before = len(self.receivers.got)
        self.notifier.turn([arrived(one, one.table) for one in messages], Moment(self.now_s, utc(self.now_s)))  # type: ignore[attr-defined]
        return self.receivers.got[before:]

    def send_all(self, turns: int = 50) -> list[Notice]:
        """Accept everything until nothing is left to send at this time; return it."""
        before = len(self.receivers.got)
        for _ in range(turns):
            self.receivers.answer_all()
            if not self.take(pass_s=1.1) and not self.receivers.busy():
                break
        return self.receivers.got[before:]

    def log(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the log: kind and payload of each entry."""
        return [(entry.kind, msgspec.json.decode(entry.payload)) for entry in self._store.entries(LOG)]


def shown(notices: Sequence[Notice]) -> list[tuple[str, str]]:
    """Return occasion and step of notices."""
    return [(one.occasion, one.step) for one in notices]


def secret_file(path: Path, text: str) -> str:
    """Write a secret that only its owner can read; return its path."""
    path.write_text(text)
    path.chmod(0o600)
    return str(path)
