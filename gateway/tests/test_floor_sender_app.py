"""From a log-in at the floor service to the table's ledger and back: real broker, gateway, ledger and floor."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor import Floor
from floor_commands_bench import KEY
from floor_rig import JACKPOTS
from sabot_floor.app import App
from sabot_floor.commands.log import LOG
from sabot_floor.config import Config
from sabot_floor.requests import parse
from sabot_gateway.operator.attempts import ATTEMPT, OUTCOME
from sabot_service.messages import Answer
from sabot_tools.stand.broker import LocalBroker
from shoe_events import event
from support.patience import PATIENCE_S

BADGES = {"asmith": "00417733", "bjones": "00417734"}


class Site:
    """A gateway with one table, a floor service, and two people with badges: a supervisor and a dealer."""

    def __init__(self, stack: ExitStack, broker: LocalBroker, path: Path) -> None:
        address = f"mqtt://{broker.address.host}:{broker.address.port}"
        (path / "floor.pub").write_text(KEY.public.raw.hex() + "\n")
        (path / "floor.key").touch(0o600)
        (path / "floor.key").write_text(bytes(range(32)).hex() + "\n")
        (path / "jackpots.toml").write_text(JACKPOTS)
        store, jackpots = str(path / "floor.db"), str(path / "jackpots.toml")
        self.floor = App(
            Config("test", store, address, jackpots, control=str(path / "f.sock"), floor_key=str(path / "floor.key"))
        )
        stack.callback(self.floor.close)
        while (
            not self.floor.subscribed
        ):  # before the gateway publishes: a broker may lose a state that is just retained
            self.floor.step(0.01)
        self.gateway = Floor(stack, path, "bac-01", broker=address, floor_key=str(path / "floor.pub"))
        self.gateway.app.begin()
        self.gateway.greet("bac-01")
        for person, name, role in (("asmith", "A. Smith", "casino_supervisor"), ("bjones", "B. Jones", "dealer")):
            self.done("user-add", person=person, name=name)
            self.done("user-role", person=person, rulebook="star-baccarat", role=role)
            self.done("user-badge", person=person, code=BADGES[person])
        self.until(lambda: not isinstance(self.floor._commands.tables.find("bac-01"), str))

    def until(self, done: Callable[[], object]) -> None:
        give_up_s = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < give_up_s, self.floor._commands.tables.find("bac-01")
            self.gateway.step(pass_s=0.01)
            self.floor.step(0.002)

    def ask(self, verb: str, **args: Any) -> Answer:
        """Ask the floor service as its control socket does, and wait for the answer."""
        answers: list[Answer] = []
        self.floor._answers.begin(parse(json.dumps({"verb": verb, "args": args}).encode()), "root", answers.append)
        self.until(lambda: answers)
        return answers[0]

    def done(self, verb: str, **args: Any) -> None:
        answer = self.ask(verb, **args)
        assert answer.ok, answer.say

    def decide(self, person: str = "asmith", table: str = "bac-01") -> Answer:
        return self.ask(
            "table",
            table=table,
            command="decide",
            clause="12.13",
            args={"coup": "1/1", "verdict": "void"},
            login={"person": person, "secret": BADGES[person]},
        )

    def dispute(self) -> None:
        line = self.gateway.lines["bac-01"]
        opened = event(line.next_no, "shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none")
        line.write(line.shoe.logged(opened))
        line.next_no += 1
        line.coup(1, winner="banker")
        self.until(lambda: self.gateway.app._tables["bac-01"].verifier.disputed())

    def log(self) -> list[dict[str, Any]]:
        return [msgspec.json.decode(entry.payload) for entry in self.floor.store.entries(LOG)]

    def ledger(self, topic: str) -> list[dict[str, Any]]:
        return [msgspec.json.decode(entry.payload) for entry in self.gateway.entries() if entry.topic == topic]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    (tmp_path / "broker").mkdir()
    broker = LocalBroker(tmp_path / "broker")
    with ExitStack() as stack:
        stack.callback(broker.kill)
        yield Site(stack, broker, tmp_path)


def test_a_supervisor_decides_a_coup_from_the_floor_and_nobody_else_does(site: Site) -> None:
    site.dispute()
    assert "a Dealer may not do this" in site.decide("bjones").say
    assert "No gateway of test has a table bac-99" in site.decide(table="bac-99").say
    assert site.ledger(ATTEMPT) == []
    answer = site.decide()
    assert (answer.ok, answer.say[:17]) == (True, "Coup 1/1 is void.")
    (attempt,), (outcome,) = site.ledger(ATTEMPT), site.ledger(OUTCOME)
    assert (attempt["origin"], attempt["by"], attempt["command"]["person"]) == ("floor", "A. Smith", "asmith")
    assert outcome["say"] == answer.say
    dealer, stray, asked, answered = site.log()
    assert [one["kind"] for one in (dealer, stray, asked, answered)] == ["refused", "refused", "asked", "answered"]
    assert (asked["id"], answered["say"]) == (attempt["command"]["id"], answer.say)
    site.done("user-disable", person="asmith")
    assert site.decide().say == "asmith is disabled: another person must do this."
    assert (site.log()[-1]["kind"], site.log()[-1]["person"]) == ("refused", "asmith")
    site.gateway.app.crash()
    site.gateway.step = lambda *args, **more: None  # type: ignore[method-assign]  # it is gone
    site.until(lambda: isinstance(site.floor._commands.tables.find("bac-01"), str))
    assert "The gateway of bac-01 is offline since" in site.decide("bjones").say
    assert [len(site.ledger(topic)) for topic in (ATTEMPT, OUTCOME)] == [1, 1]
