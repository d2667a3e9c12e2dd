"""What a consumer may settle: only what was confirmed, once, over kills, power cuts and decisions (Rapid 8.1)."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sabot_gateway.operator.messages import Answer
from sabot_sim.scenarios.example_coups import BANKER, FOUR, SIX
from sabot_tools.stand.broker import LocalBroker
from test_7_decisions import WRONG, Floor, wrong_button

BOOKS = ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")


class Settling:
    """A consumer that reads the topic `confirmed` and nothing else; each id counts once."""

    def __init__(self, floor: Floor) -> None:
        self.floor = floor

    def messages(self) -> list[dict[str, Any]]:
        return list({message["id"]: message for message in self.floor.coups("confirmed")}.values())

    def stands(self) -> dict[int, str]:
        """What is settled of each coup: the winner, or that it is void."""
        found: dict[str, dict[str, Any]] = {}
        for message in self.messages():
            assert bool(message["corrects"]) == (message["corrects"] in found)
            found.pop(message["corrects"], None)
            found[message["id"]] = message
        return {message["coup"]: message["winner"] or message["status"] for message in found.values()}


@pytest.fixture
def floors(tmp_path: Path, server: LocalBroker) -> Iterator[Callable[..., Settling]]:
    made: list[Floor] = []

    def make(rulebook: str = "star-baccarat") -> Settling:
        made.append(Floor(tmp_path, server, rulebook))
        return Settling(made[-1])

    yield make
    for floor in made:
        floor.stage.close()


@pytest.mark.parametrize("book", BOOKS)
def test_nothing_is_settled_before_confirm_and_each_coup_once_after_it(
    floors: Callable[..., Settling], book: str
) -> None:
    it = floors(book)
    script = it.floor.script
    script.open()
    script.coup(FOUR)
    it.floor.play()
    assert ([coup["status"] for coup in it.floor.coups()], it.messages()) == (["verified"], [])
    script.confirm()
    script.confirm()
    it.floor.play()
    (said,), (coup,) = it.messages(), it.floor.coups()
    same = {name: value for name, value in said.items() if coup.get(name) == value}
    results = {"kind", "winner", "player", "banker", "player_points", "banker_points", "player_pair", "banker_pair"}
    assert results | {"natural", "last_coup", "shoe", "coup", "table", "unit", "rulebook"} <= set(same)
    assert (said["coup_id"], said["status"], said["by"]) == (coup["id"], "confirmed", "the dealer, at the shoe")
    script.coups(BANKER, SIX)
    it.floor.play()
    assert [message["coup"] for message in it.messages()] == [1, 2, 3]


def test_a_power_cut_and_a_kill_between_the_coup_and_confirm_cost_nothing(floors: Callable[..., Settling]) -> None:
    it = floors("star-rapid")
    script = it.floor.script
    script.open()
    for cards in (FOUR, BANKER, SIX):
        script.coup(cards)
        script.act("gateway", state="kill")
        script.act("power", state="off")
        script.act("power", state="on")
        script.act("gateway", state="start")
        it.floor.play()
        before = len(it.messages())
        script.confirm()
        script.act("gateway", state="kill")
        script.act("broker", state="stop")
        script.act("broker", state="start")
        script.act("gateway", state="start")
        it.floor.play()
        assert len(it.messages()) == before + 1
    assert [message["coup"] for message in it.messages()] == [1, 2, 3]
    stored = [entry for entry in it.floor.stage.gateway.ledger() if entry.topic == "confirmed"]
    assert len(stored) == 3


def test_a_card_drawn_before_confirm_confirms_nothing(floors: Callable[..., Settling]) -> None:
    it = floors()
    script = it.floor.script
    script.open()
    script.coup(FOUR)
    script.pull("8D")
    it.floor.play()
    assert it.messages() == []
    script.confirm()
    it.floor.play()
    assert [message["coup"] for message in it.messages()] == [1]


@pytest.mark.parametrize("verdict", ["confirmed", "void"])
def test_a_disputed_coup_is_settled_when_it_is_decided_as_confirmed(
    floors: Callable[..., Settling], verdict: str
) -> None:
    it = floors()
    wrong_button(it.floor)
    assert it.messages() == []
    it.floor.ask("decide", coup="1/1", verdict=verdict)
    it.floor.script.act("gateway", state="kill")
    it.floor.script.act("gateway", state="start")
    it.floor.script.coups(BANKER)
    it.floor.play()
    assert it.stands() == ({1: "player", 2: "banker"} if verdict == "confirmed" else {2: "banker"})


def test_a_result_that_is_not_the_cards_is_settled_by_the_decision_and_not_by_confirm(
    floors: Callable[..., Settling],
) -> None:
    it = floors()
    script = it.floor.script
    script.open()
    script.pull("9S 2H KD")
    script.act("inject", kind="card", data=WRONG, time_ms=script.t_us // 1000 + 100)
    script.pull("5C")
    script.confirm()
    script.coups(BANKER)
    it.floor.play()
    assert it.stands() == {2: "banker"}
    it.floor.ask("decide", coup="1/1", verdict="confirmed", winner="player")
    assert it.stands() == {1: "player", 2: "banker"}


def test_a_coup_that_is_void_on_the_table_is_never_settled(floors: Callable[..., Settling]) -> None:
    it = floors()
    it.floor.script.open()
    it.floor.script.coup(FOUR)
    it.floor.play()
    assert it.floor.ask("void", coup="1/1", reason="misdeal", clause="12.1").ok
    it.floor.script.coups(BANKER)
    it.floor.play()
    assert it.stands() == {2: "banker"}


@pytest.mark.parametrize("verdict", ["confirmed", "void"])
def test_a_confirmed_coup_that_is_disputed_and_decided_later_is_corrected(
    floors: Callable[..., Settling], verdict: str
) -> None:
    """The log goes on with a coup that is not the next: the one before is in doubt; a restart forgets nothing."""
    it = floors()
    script = it.floor.script
    script.open()
    script.coups(FOUR)
    it.floor.play()
    data = WRONG | {"coup_no": 5, "slot": "player_1", "card": "3H"}
    script.act("inject", kind="card", data=data, time_ms=script.t_us // 1000 + 100)
    script.pull("3H")
    it.floor.play()
    assert [coup["status"] for coup in it.floor.coups()] == ["verified", "disputed"]
    assert it.stands() == {1: "player"}
    script.act("gateway", state="kill")
    script.act("gateway", state="start")
    it.floor.play()
    it.floor.ask("decide", coup="1/1", verdict=verdict)
    first, second = it.messages()
    assert (second["corrects"], second["status"], second["by"]) == (first["id"], verdict, "A. Smith")
    assert it.stands() == {1: "player" if verdict == "confirmed" else "void"}


def test_a_supervisors_confirm_is_in_his_name(floors: Callable[..., Settling]) -> None:
    it = floors()
    it.floor.script.open()
    it.floor.script.coup(FOUR)
    it.floor.play()
    assert it.floor.ask("confirm", clause="") == Answer(True, "Done.")
    (said,) = it.messages()
    assert (said["by"], said["winner"]) == ("A. Smith", "player")


@pytest.mark.parametrize("verb", ["close", "button"])
def test_a_shoe_that_ends_before_confirm_leaves_the_coup_to_a_supervisor(
    floors: Callable[..., Settling], verb: str
) -> None:
    it = floors("star-rapid")
    it.floor.script.open()
    it.floor.script.coup(FOUR)
    it.floor.play()
    if verb == "close":
        assert it.floor.ask("close-shoe", clause="").ok
    else:
        it.floor.script.press("new_shoe")
        it.floor.play()
    assert it.messages() == []
    assert [coup["status"] for coup in it.floor.coups()] == ["verified", "disputed"]
    assert "not_confirmed" in [name for name, _ in it.floor.active()]
    it.floor.script.act("gateway", state="kill")
    it.floor.script.act("gateway", state="start")
    it.floor.play()
    it.floor.ask("decide", coup="1/1", verdict="confirmed", clause="8.1")
    assert it.stands() == {1: "player"}
    assert "not_confirmed" not in [name for name, _ in it.floor.active()]
