"""The people of the demo's jackpot: what they print, what they ask for once, and when everything is settled."""

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sabot_protocol.jackpots.messages import (
    FaultMessage,
    IncrementMessage,
    MeterMessage,
    Meters,
    PendingMessage,
    Win,
    WinMessage,
)
from sabot_tools.stand.demo_jackpots import jackpots
from sabot_tools.stand.jackpot_people import JackpotPeople

JACKPOT = "sabot/v1/demo/jackpot/lucky-tie"
INCREMENT = IncrementMessage(
    id="u-9-lucky-tie", unit="u", event_no=9, table="bac-01", shoe=1, coup=2, time="", rulebook="", gateway="g",
    jackpot="lucky-tie", parameters="", currency="AUD", amount=25, count=2, total=50, coup_id="u-9", kind="live",
    trigger="suited",
)  # fmt: skip
WIN = Win(win="u-9", table="bac-01", shoe=1, coup=2, outcome="suited", percent=100, state="recognised")


class Daemon:
    """A control socket that answers every request alike and keeps it."""

    def __init__(self, path: Path, answer: dict[str, Any]) -> None:
        self.path, self.requests = path, list[dict[str, Any]]()
        self._answer = json.dumps(answer).encode() + b"\n"
        self._sock = socket.socket(socket.AF_UNIX)
        self._sock.bind(str(path))
        self._sock.listen()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            caller, _ = self._sock.accept()
            with caller, caller.makefile("rwb") as lines:
                line = lines.readline()
                if not line:
                    return
                self.requests.append(json.loads(line))
                lines.write(self._answer)

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(str(self.path))
            last.shutdown(socket.SHUT_WR)
            self._thread.join()
        self._sock.close()


class Site:
    """The people, what they printed, and the daemons that they ask."""

    def __init__(self, directory: Path) -> None:
        self.lines = list[str]()
        self.gateway = Daemon(directory / "gateway.sock", {"ok": True, "say": ""})
        self.floor = Daemon(directory / "floor.sock", {"ok": True, "say": ""})
        jackpot = jackpots()["crown-baccarat"]
        self.people = JackpotPeople(jackpot, "crown-baccarat", self.gateway.path, self.floor.path, self.lines.append)

    def take(self, topic: str, message: msgspec.Struct) -> None:
        self.people.take(topic, msgspec.json.encode(message))
        self.people.act(1.0)

    def meter(self, display: int, in_: int, hits: int = 0) -> None:
        meters = Meters(base=1_000_000, in_=in_, display=display, hits=hits, wins=0, overflow=0, reserve=0)
        message = MeterMessage(
            jackpot="lucky-tie", title="", time="", entry=1, hash="", parameters="", version=1, currency="AUD",
            meters=meters, balanced=True,
        )  # fmt: skip
        self.take(f"{JACKPOT}/meter", message)

    def win(self, name: str, **changes: Any) -> None:
        won = msgspec.structs.replace(WIN, **changes)
        message = WinMessage(id=name, jackpot="lucky-tie", title="", time="", currency="AUD", win=won, display=0)
        self.take(f"{JACKPOT}/win", message)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path)
    yield made
    made.gateway.close()
    made.floor.close()


def test_a_coup_is_settled_when_it_is_on_the_meter(site: Site) -> None:
    site.meter(1_000_000, 0)
    site.people.coup_printed("bac-01", 1, 2)
    assert not site.people.settled()
    site.take("sabot/v1/demo/bac-01/jackpot/lucky-tie", msgspec.structs.replace(INCREMENT, trigger=""))
    assert not site.people.settled()
    site.meter(1_000_025, 25)
    assert site.people.settled()
    assert not site.people.has_win()
    assert site.lines == ["meter    AUD 10,000.00", "meter    AUD 10,000.25 (+0.25)"]


def test_a_pay_out_is_left_to_a_person_at_the_console(site: Site) -> None:
    site.people.console = "http://127.0.0.1:18480/console/jackpots"
    site.take("sabot/v1/demo/bac-01/jackpot/lucky-tie", INCREMENT)
    site.win("w-1", state="pending", value=1_000_025, rounded=1_000_100, prize=1_000_100, shares=[1, 2])
    assert site.floor.requests == []
    assert site.lines[-1] == "jackpot  confirm it: http://127.0.0.1:18480/console/jackpots"
    assert site.people.tables_with_win() == {"bac-01"}
    site.win("w-2", state="paid", prize=1_000_100, by="R. Chen")
    site.meter(1_000_000, 25, hits=1)
    assert site.people.tables_with_win() == set()


def test_a_win_is_recorded_and_confirmed_once_whatever_is_repeated(site: Site) -> None:
    for _ in range(2):
        site.take("sabot/v1/demo/bac-01/jackpot/lucky-tie", INCREMENT)
        site.meter(1_000_025, 25)
    assert site.people.has_win()
    assert site.people.tables_with_win() == {"bac-01"}
    for _ in range(2):
        site.take(f"{JACKPOT}/pending", PendingMessage(jackpot="lucky-tie", time="", wins=[WIN]))
        site.win("w-1", state="pending", value=1_000_025, rounded=1_000_100, prize=1_000_100, shares=[1, 2])
        assert not site.people.settled()
    for _ in range(2):
        site.win("w-2", state="paid", prize=1_000_100, by="R. Chen", notified="E. Walsh")
    assert not site.people.settled()
    site.meter(1_000_000, 25, hits=1)
    assert site.people.settled()
    assert site.people.tables_with_win() == set()
    (recorded,), (confirmed,) = site.gateway.requests, site.floor.requests
    assert (recorded["verb"], recorded["table"]) == ("record-win", "bac-01")
    assert recorded["args"] == {"jackpot": "lucky-tie", "coup": "1/2", "stakes": {"tie": [1000, 3000]}}
    confirms = {"jackpot": "lucky-tie", "win": "u-9", "role": "area_manager", "notified": "head"}
    assert confirmed["args"] == confirms
    assert [line for line in site.lines if line.startswith("jackpot  p")] == [
        "jackpot  pending: value 10,000.25, rounded up 10,001.00, 100 %: prize 10,001.00",
        "jackpot  paid AUD 10,001.00, confirmed by R. Chen, TG Area Manager; E. Walsh notified",
    ]


def test_other_ends_and_faults_are_printed(site: Site) -> None:
    site.take("sabot/v1/demo/bac-01/jackpot/lucky-tie", INCREMENT)
    site.meter(1_000_025, 25)
    site.win("w-1", state="cancelled", reason="the coup was voided")
    fault = FaultMessage(id="f", jackpot="lucky-tie", time="", name="mismatch", say="An increment is missing.")
    site.take(f"{JACKPOT}/fault", fault)
    assert site.lines[1:] == ["jackpot  cancelled: the coup was voided", "jackpot  FAULT An increment is missing."]
    end = FaultMessage(id="e", jackpot="lucky-tie", time="", name="withdrawn", say="It is offered.", active=False)
    site.people.take(f"{JACKPOT}/fault", msgspec.json.encode(end))
    assert site.lines[3:] == ["jackpot  It is offered."]
    assert site.people.settled()


def test_a_coup_that_another_table_has_dealt_meanwhile_is_counted(site: Site) -> None:
    assert site.people.not_printed() == 0
    site.people.coup_printed("bac-01", 1, 2)
    site.take("sabot/v1/demo/bac-01/jackpot/lucky-tie", msgspec.structs.replace(INCREMENT, trigger=""))
    site.meter(1_000_025, 25)
    assert site.people.not_printed() == 0
    site.meter(1_000_050, 50)
    assert site.people.not_printed() == 1


def test_other_jackpots_are_ignored(site: Site) -> None:
    for topic in ("sabot/v1/demo/jackpot/other/meter", "sabot/v1/demo/bac-01/jackpot/lucky-tie/recorded"):
        site.people.take(topic, b"{}")
    assert site.lines == []


def test_a_daemon_that_is_away_is_asked_again_and_a_refusal_is_left_to_people(tmp_path: Path) -> None:
    lines: list[str] = []
    people = JackpotPeople(
        jackpots()["crown-baccarat"], "crown-baccarat", tmp_path / "refusing.sock", tmp_path / "none", lines.append
    )
    people.take(f"{JACKPOT}/pending", msgspec.json.encode(PendingMessage(jackpot="lucky-tie", time="", wins=[WIN])))
    people.act(1.0)
    assert "record" not in lines[-1]
    refusing = Daemon(tmp_path / "refusing.sock", {"ok": False, "say": "No such coup."})
    people.act(1.1)
    assert refusing.requests == []
    people.act(60.0)
    assert lines[-1] == "jackpot  the gateway refused record-win: No such coup."
    people.act(120.0)
    assert len(refusing.requests) == 1
    refusing.close()
