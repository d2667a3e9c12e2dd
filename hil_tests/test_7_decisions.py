"""Disputes decided at the gateway: each kind on the firmware, and what every output shows of the shoe."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sabot_protocol import rulebooks
from sabot_protocol.topics import ROOT
from sabot_service.messages import Answer, Request
from sabot_sim.rigs.unix import UnixRig
from sabot_sim.scenarios.example_coups import BANKER, FOUR, SIX
from sabot_sim.scenarios.script import Script
from sabot_tools.replay.act_handlers import ActHandlers
from sabot_tools.replay.recording_file import bursts
from sabot_tools.replay.system import ReplaySystem
from sabot_tools.replay.table_setup import TABLE, TableSetup
from sabot_tools.stand.broker import LocalBroker

FAULT_LAMP, LOCK = 64, 1
CLAUSES = {"decide": "12.13", "void": "12.1.2"}  # where a verb needs one
WRONG = {"shoe_no": 1, "coup_no": 1, "slot": "banker_2", "card": "7C", "speed_mm_s": 900, "margin_pct": 80, "flags": {}}


class Floor:
    """A table with the firmware, a script of the dealer's hands, and a supervisor."""

    def __init__(self, work_dir: Path, server: LocalBroker, rulebook: str = "star-baccarat") -> None:
        self.stage = ReplaySystem(UnixRig(work_dir), TableSetup(rulebook), server, work_dir)
        self.script, self._played = Script(1), 0
        self.script.enters_result = bool(rulebooks.load(rulebook).switch["result_before_confirm"].value)
        self.stage.start()
        self.acts = ActHandlers(self.stage)

    def play(self) -> None:
        """What was added to the script since the last time."""
        new, self._played = self.script.records[self._played :], len(self.script.records)
        for edges, until_us, act in bursts(new):
            self.stage.play(edges, until_us)
            if act is not None:
                self.stage.wait_until_idle()
                self.acts.perform(act.act)
        self.stage.wait_until_idle()
        self.script.wait(1)  # a burst ends half a second behind its last edge

    def ask(self, verb: str, by: str = "A. Smith", clause: str | None = None, **args: Any) -> Answer:
        clause = CLAUSES.get(verb, "") if clause is None else clause
        answer = self.stage.request(Request(verb, TABLE, by, clause, args))
        self.stage.wait_until_idle()
        return answer

    # Every surface

    def topic(self, name: str) -> dict[str, Any]:
        """A retained topic of the table, as the broker has it."""
        site = self.stage.site
        found: dict[str, Any] = json.loads(self.stage.subscriber.states[f"{ROOT}/{site}/{TABLE}/{name}"])
        return found

    def status(self) -> dict[str, Any]:
        """At the socket."""
        (table,) = self.stage.status()["tables"]
        found: dict[str, Any] = table
        return found

    def coups(self, topic: str = "coup") -> list[dict[str, Any]]:
        return [message for name, message in self.stage.subscriber.received if name == f"{TABLE}/{topic}"]

    def active(self) -> list[tuple[str, str]]:
        """Alarms that are not over, the same on both surfaces."""
        active = [(alarm["name"], alarm["state"]) for alarm in self.topic("alarms")["alarms"]]
        assert active == [(alarm["name"], alarm["state"]) for alarm in self.status()["alarms"]]
        return active

    def assert_held(self, fault: str) -> None:
        """Check that the exit is locked, and that every output shows it and what to do."""
        outputs = self.stage.rig.outputs or 0
        assert outputs & FAULT_LAMP
        assert outputs & LOCK
        assert f"fault_{fault}" in [name for name, _ in self.active()]
        for surface in (self.topic("status"), self.status()):
            assert surface["fault"] == fault
            assert f"(fault {fault})" in surface["next_step"]

    def assert_free(self) -> None:
        """Check that the exit is not locked, and that no output claims it."""
        assert not (self.stage.rig.outputs or 0) & FAULT_LAMP
        assert [name for name, _ in self.active() if name.startswith("fault")] == []
        assert (self.status()["fault"], self.status()["next_step"]) == (None, None)
        assert "fault" not in self.topic("status")


@pytest.fixture
def floor(tmp_path: Path, server: LocalBroker) -> Iterator[Floor]:
    floor = Floor(tmp_path, server)
    yield floor
    floor.stage.close()


def wrong_button(floor: Floor) -> None:
    floor.script.open()
    floor.script.coup(SIX)
    floor.script.press("tie")
    floor.play()


@pytest.mark.parametrize("verdict", ["confirmed", "void"])
def test_a_wrong_button_holds_the_shoe_on_every_surface_until_the_coup_is_decided(floor: Floor, verdict: str) -> None:
    wrong_button(floor)
    floor.assert_held("decision")
    acknowledged = floor.ask("ack-alarm", clause="")
    assert "These stay active until their cause is gone: discrepancy, fault decision." in acknowledged.say
    assert floor.active() == [("discrepancy", "acknowledged"), ("fault_decision", "acknowledged")]
    floor.assert_held("decision")
    answer = floor.ask("decide", coup="1/1", verdict=verdict)
    assert answer == Answer(True, f"Coup 1/1 is {verdict}. The shoe goes on.")
    floor.assert_free()
    decided = floor.coups()[-1]
    assert (decided["status"], decided["by"], decided["clause"]) == (verdict, "A. Smith", "12.13")
    floor.script.coups(BANKER)
    floor.play()
    assert [coup["status"] for coup in floor.coups()] == ["verified", "disputed", verdict, "verified"]
    assert floor.active() == []


def test_of_two_supervisors_the_second_voids_nothing(floor: Floor) -> None:
    wrong_button(floor)
    floor.ask("decide", coup="1/1", verdict="confirmed")
    floor.script.pull("3H 9C")
    floor.play()
    for verb, args in (("decide", {"coup": "1/1", "verdict": "void"}), ("void", {"coup": "1/1"})):
        answer = floor.ask(verb, "B. Jones", **args)
        assert not answer.ok
    assert "coup 1/2 is on the table, not 1/1" in answer.say
    floor.script.pull("4D KS")
    floor.script.confirm()
    floor.play()
    assert [(coup["coup"], coup["status"]) for coup in floor.coups()] == [
        (1, "verified"),
        (1, "disputed"),
        (1, "confirmed"),
        (2, "verified"),
    ]


def test_a_result_that_contradicts_the_cards_locks_nothing_and_its_decision_names_the_next_step(floor: Floor) -> None:
    """A card of the log is another than the shoe's: only the gateway is in doubt."""
    floor.script.open()
    floor.script.pull("9S 2H KD")
    floor.script.act("inject", kind="card", data=WRONG, time_ms=floor.script.t_us // 1000 + 100)
    floor.script.pull("5C")
    floor.play()
    assert floor.active() == [("discrepancy", "raised")]
    floor.assert_free()
    answer = floor.ask("decide", coup="1/1", verdict="confirmed", winner="player", reason="the cards were seen")
    assert answer == Answer(True, "Coup 1/1 is confirmed. Press Confirm at the shoe to go on.")
    assert floor.active() == [("decided_by_word", "raised")]
    floor.script.confirm()
    floor.script.coups(FOUR)
    floor.play()
    assert floor.coups()[-1]["status"] == "verified"


def test_a_damaged_log_locks_the_shoe_and_a_decision_states_that_it_cannot_clear_it(floor: Floor) -> None:
    script = floor.script
    script.open()
    script.pull("9S 2H")
    script.act("line", fault="cut")
    script.pull("KD 5C")
    script.act("power", state="off")
    floor.play()
    damage_last_card(floor)
    script.act("line", fault="mend")
    script.act("power", state="on")
    floor.play()
    assert [coup["status"] for coup in floor.coups()] == ["disputed"]
    floor.assert_held("journal")
    floor.ask("ack-alarm", clause="")
    answer = floor.ask("decide", coup="1/1", verdict="void")
    assert answer.ok
    assert answer.say.startswith(
        "Coup 1/1 is void. The shoe locks its exit (fault journal): take the shoe out of service"
    )
    assert floor.active() == [("fault_journal", "acknowledged")]
    floor.assert_held("journal")


def damage_last_card(floor: Floor) -> None:
    """In the flash of a shoe without power: a bit of the first card that no gateway has."""
    assert isinstance(floor.stage.rig, UnixRig)
    file = floor.stage.rig.state_dir / "journal.bin"
    flash = bytearray(file.read_bytes())
    number = floor.stage.line.monitor.acked_no + 1
    at = flash.index(number.to_bytes(4, "little"))
    flash[at + 12] ^= flash[at + 12] & -flash[at + 12]
    file.write_bytes(flash)


# A restart


def test_a_fault_from_while_the_gateway_was_away_is_an_alarm_and_one_that_is_over_is_none(floor: Floor) -> None:
    script = floor.script
    script.open()
    script.coup(SIX)
    script.act("gateway", state="kill")
    script.press("tie")
    script.act("gateway", state="start")
    floor.play()
    floor.assert_held("decision")
    script.act("gateway", state="kill")
    script.key()
    script.act("gateway", state="start")
    floor.play()
    floor.assert_free()


def test_the_alarm_that_is_missing_is_raised_and_the_one_without_cause_is_cleared_by_hello(floor: Floor) -> None:
    wrong_button(floor)
    app = floor.stage.gateway.app
    assert app is not None
    book = app._tables[TABLE].verifier.alarms
    fault = book.named("fault_decision")
    book.restore([alarm for alarm in book.active() if alarm not in fault])  # as a ledger of before has it
    floor.script.act("power", state="off")
    floor.script.act("power", state="on")
    floor.play()
    assert ("fault_decision", "raised") in floor.active()
    floor.assert_held("decision")
    floor.ask("decide", coup="1/1", verdict="void")
    book.restore([*book.active(), *fault])
    floor.script.act("power", state="off")
    floor.script.act("power", state="on")
    floor.play()
    floor.assert_free()


def test_a_void_logged_after_the_gateway_was_killed_names_the_person(floor: Floor) -> None:
    """The shoe receives the command, but its answer arrives only after the gateway has restarted."""
    stage = floor.stage
    floor.script.open()
    floor.script.pull("9S 2H")
    floor.play()
    stage.line.fault("mute")
    before = stage.line.monitor.commanded_id
    with socket.socket(socket.AF_UNIX) as supervisor:
        supervisor.connect(str(stage.work_dir / "control.sock"))
        request = Request("void", TABLE, "A. Smith", "rule 12.1.2", {"reason": "misdeal"})
        supervisor.sendall(msgspec.json.encode(request) + b"\n")
        stage.run_until(lambda: stage.line.monitor.commanded_id > before, "the shoe receives the command")
        stage.run_until(lambda: stage.line.monitor.done_id > before, "the shoe has done it")
        stage.kill_gateway()
    floor.script.act("line", fault="mend")
    floor.script.act("gateway", state="start")
    floor.play()
    (coup,) = floor.coups()
    assert (coup["kind"], coup["by"], coup["clause"]) == ("void", "A. Smith", "12.1.2")
    attempts = [entry for entry in stage.gateway.ledger() if entry.topic == "attempt"]
    assert coup["attempt"] == json.loads(attempts[0].payload)["id"]
