"""What a supervisor says to a table by the `sabot` command: daemon, broker and firmware are real."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from rig import Rig
from sabot_gateway.ledger.reader import Reader


def said(it: Rig, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `sabot …` against the daemon of this rig while the shoe goes on."""
    socket = str(it.stand.plan.work_dir / "control.sock")
    command = subprocess.Popen(
        [sys.executable, "-m", "sabot_tools", *words],
        env={**os.environ, "SABOT_CONTROL": socket},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    it.run_until(lambda _: command.poll() is not None)
    out, err = command.communicate()
    return subprocess.CompletedProcess(command.args, command.returncode, out, err)


def kept(it: Rig, topic: str) -> list[dict[str, Any]]:
    """The ledger's entries of a topic that nobody publishes."""
    reader = Reader(it.stand.ledger_path)
    found = [json.loads(entry.payload) for entry in reader.since(0, 1_000_000) if entry.topic == topic]
    reader.close()
    return found


def voided(it: Rig) -> int:
    """Ask until the word meets a coup on the table, which the dealer does not wait for; how often it took."""
    for tries in range(1, 31):
        done = said(it, "table", "bac-01", "void", "--by", "A. Smith", "--clause", "12.1.2", "--reason", "misdeal")
        if done.returncode == 0:
            assert (done.stdout, done.stderr) == ("Done.\n", "")
            return tries
        assert done.stderr == "sabot: The shoe did not do it: not in the state it is in now.\n"
    raise AssertionError("no coup was on the table in thirty tries")


def test_a_coup_is_voided_by_word_and_the_ledger_says_by_whom(rig: Callable[..., Rig]) -> None:
    it = rig(speed=5.0)
    it.run_until(lambda it: len(it.messages("coup")) >= 1)
    tries = voided(it)
    it.run_until(lambda it: any(coup["kind"] == "void" for coup in it.messages("coup")))
    attempts, outcomes = kept(it, "attempt"), kept(it, "outcome")
    assert (len(attempts), [outcome["ok"] for outcome in outcomes]) == (tries, [False] * (tries - 1) + [True])
    last = attempts[-1]
    assert (last["verb"], last["by"], last["clause"]) == ("void", "A. Smith", "12.1.2")
    assert outcomes[-1]["attempt"] == last["id"]
    assert not [message for message in it.received if message.topic.endswith(("attempt", "outcome"))]


def test_what_the_shoe_refuses_is_a_sentence_and_status_one(rig: Callable[..., Rig]) -> None:
    it = rig(speed=20.0)
    it.run_until(lambda it: len(it.messages("coup")) >= 1)
    done = said(it, "table", "bac-01", "key-card", "8H", "--by", "A. Smith")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("sabot: The shoe did not do it: ")
    assert kept(it, "outcome")[0]["ok"] is False
    nobody = said(it, "table", "bac-99", "confirm", "--by", "A. Smith")
    assert (nobody.returncode, nobody.stderr) == (
        1,
        "sabot: there is no table 'bac-99' here; `sabot gateway status` lists them\n",
    )


def test_an_alarm_is_acknowledged_and_leaves_the_list(rig: Callable[..., Rig]) -> None:
    it = rig(speed=20.0)
    it.run_until(lambda it: len(it.messages("coup")) >= 1)
    it.stand.power_cycle("bac-01")
    it.run_until(lambda it: any(alarm["name"] == "shoe_restarted" for alarm in it.messages("alarm")))
    status = json.loads(said(it, "gateway", "status", "--json").stdout)
    (table,) = status["tables"]
    assert [alarm["name"] for alarm in table["alarms"]] == ["shoe_restarted"]
    words = said(it, "gateway", "status").stdout
    assert "goes on where it was" in words
    assert "bac-01  online" in words
    assert said(it, "table", "bac-01", "ack-alarm", "--by", "A. Smith").stdout == "1 acknowledged.\n"
    it.run_until(lambda it: it.messages("alarm")[-1]["state"] == "cleared")
    assert it.messages("alarm")[-1]["by"] == "A. Smith"
    assert json.loads(said(it, "gateway", "status", "--json").stdout)["tables"][0]["alarms"] == []


def test_no_daemon_is_a_sentence(rig: Callable[..., Rig]) -> None:
    it = rig(speed=20.0)
    it.run_until(lambda it: len(it.messages("coup")) >= 1)
    it.stand.kill_gateway()
    done = said(it, "gateway", "status")
    assert done.returncode == 1
    assert "no gateway answers" in done.stderr
