"""What a consumer may settle: only what was confirmed, once, over kills, power cuts and decisions (Rapid 8.1)."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sabot_service.messages import Answer
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
    confirmed_floor = floors(book)
    script = confirmed_floor.floor.script
    script.open()
    script.coup(FOUR)
    confirmed_floor.floor.play()
    assert ([coup["status"] for coup in confirmed_floor.floor.coups()], confirmed_floor.messages()) == (
        ["verified"],
        [],
    )
    script.confirm()
    script.confirm()
    confirmed_floor.floor.play()
    (message,), (coup,) = confirmed_floor.messages(), confirmed_floor.floor.coups()
    same = {name: value for name, value in message.items() if coup.get(name) == value}
    results = {"kind", "winner", "player", "banker", "player_points", "banker_points", "player_pair", "banker_pair"}
    assert results | {"natural", "last_coup", "shoe", "coup", "table", "unit", "rulebook"} <= set(same)
    assert (message["coup_id"], message["status"], message["by"]) == (
        coup["id"],
        "confirmed",
        "the dealer, at the shoe",
    )
    script.coups(BANKER, SIX)
    confirmed_floor.floor.play()
    assert [message["coup"] for message in confirmed_floor.messages()] == [1, 2, 3]


def test_a_power_cut_and_a_kill_between_the_coup_and_confirm_cost_nothing(floors: Callable[..., Settling]) -> None:
    confirmed_floor = floors("star-rapid")
    script = confirmed_floor.floor.script
    script.open()
    for cards in (FOUR, BANKER, SIX):
        script.coup(cards)
        script.act("gateway", state="kill")
        script.act("power", state="off")
        script.act("power", state="on")
        script.act("gateway", state="start")
        confirmed_floor.floor.play()
        before = len(confirmed_floor.messages())
        script.confirm()
        script.act("gateway", state="kill")
        script.act("broker", state="stop")
        script.act("broker", state="start")
        script.act("gateway", state="start")
        confirmed_floor.floor.play()
        assert len(confirmed_floor.messages()) == before + 1
    assert [message["coup"] for message in confirmed_floor.messages()] == [1, 2, 3]
    stored = [entry for entry in confirmed_floor.floor.stage.gateway.ledger() if entry.topic == "confirmed"]
    assert len(stored) == 3


def test_a_card_drawn_before_confirm_confirms_nothing(floors: Callable[..., Settling]) -> None:
    confirmed_floor = floors()
    script = confirmed_floor.floor.script
    script.open()
    script.coup(FOUR)
    script.pull("8D")
    confirmed_floor.floor.play()
    assert confirmed_floor.messages() == []
    script.confirm()
    confirmed_floor.floor.play()
    assert [message["coup"] for message in confirmed_floor.messages()] == [1]


@pytest.mark.parametrize("verdict", ["confirmed", "void"])
def test_a_disputed_coup_is_settled_when_it_is_decided_as_confirmed(
    floors: Callable[..., Settling], verdict: str
) -> None:
    confirmed_floor = floors()
    wrong_button(confirmed_floor.floor)
    assert confirmed_floor.messages() == []
    confirmed_floor.floor.ask("decide", coup="1/1", verdict=verdict)
    confirmed_floor.floor.script.act("gateway", state="kill")
    confirmed_floor.floor.script.act("gateway", state="start")
    confirmed_floor.floor.script.coups(BANKER)
    confirmed_floor.floor.play()
    assert confirmed_floor.stands() == ({1: "player", 2: "banker"} if verdict == "confirmed" else {2: "banker"})


def test_a_result_that_is_not_the_cards_is_settled_by_the_decision_and_not_by_confirm(
    floors: Callable[..., Settling],
) -> None:
    confirmed_floor = floors()
    script = confirmed_floor.floor.script
    script.open()
    script.pull("9S 2H KD")
    script.act("inject", kind="card", data=WRONG, time_ms=script.t_us // 1000 + 100)
    script.pull("5C")
    script.confirm()
    script.coups(BANKER)
    confirmed_floor.floor.play()
    assert confirmed_floor.stands() == {2: "banker"}
    confirmed_floor.floor.ask("decide", coup="1/1", verdict="confirmed", winner="player", reason="the cards were seen")
    assert confirmed_floor.stands() == {1: "player", 2: "banker"}


def test_a_coup_that_is_void_on_the_table_is_never_settled(floors: Callable[..., Settling]) -> None:
    confirmed_floor = floors()
    confirmed_floor.floor.script.open()
    confirmed_floor.floor.script.coup(FOUR)
    confirmed_floor.floor.play()
    assert confirmed_floor.floor.ask("void", coup="1/1", reason="misdeal", clause="12.1").ok
    confirmed_floor.floor.script.coups(BANKER)
    confirmed_floor.floor.play()
    assert confirmed_floor.stands() == {2: "banker"}


@pytest.mark.parametrize("verdict", ["confirmed", "void"])
def test_a_confirmed_coup_that_is_disputed_and_decided_later_is_corrected(
    floors: Callable[..., Settling], verdict: str
) -> None:
    """The log continues with a coup that is not the next: the one before is in doubt, also after a restart."""
    confirmed_floor = floors()
    script = confirmed_floor.floor.script
    script.open()
    script.coups(FOUR)
    confirmed_floor.floor.play()
    data = WRONG | {"coup_no": 5, "slot": "player_1", "card": "3H"}
    script.act("inject", kind="card", data=data, time_ms=script.t_us // 1000 + 100)
    script.pull("3H")
    confirmed_floor.floor.play()
    assert [coup["status"] for coup in confirmed_floor.floor.coups()] == ["verified", "disputed"]
    assert confirmed_floor.stands() == {1: "player"}
    script.act("gateway", state="kill")
    script.act("gateway", state="start")
    confirmed_floor.floor.play()
    confirmed_floor.floor.ask("decide", coup="1/1", verdict=verdict)
    first, second = confirmed_floor.messages()
    assert (second["corrects"], second["status"], second["by"]) == (first["id"], verdict, "A. Smith")
    assert confirmed_floor.stands() == {1: "player" if verdict == "confirmed" else "void"}


def test_a_supervisors_confirm_is_in_his_name(floors: Callable[..., Settling]) -> None:
    confirmed_floor = floors()
    confirmed_floor.floor.script.open()
    confirmed_floor.floor.script.coup(FOUR)
    confirmed_floor.floor.play()
    assert confirmed_floor.floor.ask("confirm", clause="") == Answer(
        True, "Done. Coup 1/1 is confirmed. The shoe goes on."
    )
    (message,) = confirmed_floor.messages()
    assert (message["by"], message["winner"]) == ("A. Smith", "player")


@pytest.mark.parametrize("verb", ["close", "button"])
def test_a_shoe_that_ends_before_confirm_leaves_the_coup_to_a_supervisor(
    floors: Callable[..., Settling], verb: str
) -> None:
    confirmed_floor = floors("star-rapid")
    confirmed_floor.floor.script.open()
    confirmed_floor.floor.script.coup(FOUR)
    confirmed_floor.floor.play()
    if verb == "close":
        assert confirmed_floor.floor.ask("close-shoe", clause="").ok
    else:
        confirmed_floor.floor.script.press("new_shoe")
        confirmed_floor.floor.play()
    assert confirmed_floor.messages() == []
    assert [coup["status"] for coup in confirmed_floor.floor.coups()] == ["verified", "disputed"]
    assert "not_confirmed" in [name for name, _ in confirmed_floor.floor.active()]
    confirmed_floor.floor.script.act("gateway", state="kill")
    confirmed_floor.floor.script.act("gateway", state="start")
    confirmed_floor.floor.play()
    confirmed_floor.floor.ask("decide", coup="1/1", verdict="confirmed", clause="8.1")
    assert confirmed_floor.stands() == {1: "player"}
    assert "not_confirmed" not in [name for name, _ in confirmed_floor.floor.active()]
