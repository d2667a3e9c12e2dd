"""Recordings are true: what a run brought agrees with what the scenario did, and every way it goes wrong is covered."""

import json
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sabot_protocol import rulebooks
from sabot_protocol.cardcode import SETS
from sabot_protocol.cards import DECK
from sabot_protocol.recording import Act, Edge, Reader, read
from sabot_sim.scenarios import SCENARIOS, TOPICS
from sabot_sim.scenarios.script import Script
from sabot_tools.replay import scenario_recordings
from support import oracle

Json = dict[str, Any]
FOLDER = Path(__file__).parent / "recordings"
MODES: dict[str, dict[str, str]] = tomllib.loads((FOLDER / "MODES.toml").read_text())
FILES = [path for path in sorted(FOLDER.glob("*/*.shoe")) if path.parent.name in TOPICS]
SMALL_CARDS, QUICK_CARDS, MOST_BYTES = 60, 20, 4_900_000


@cache
def sidecar(path: Path) -> Json:
    found: Json = json.loads(path.with_suffix(".json").read_text())
    return found


@cache
def recorded(path: Path) -> tuple[Json, list[Json]]:
    """Return the metadata of a recording, and its acts."""
    reader = Reader()
    acts = [record.act for record in read(reader, [path.read_bytes()]) if isinstance(record, Act)]
    assert reader.metadata is not None
    return reader.metadata, acts


def metadata(path: Path) -> Json:
    return recorded(path)[0]


def of(path: Path, kind: str) -> list[Json]:
    return [event for event in sidecar(path)["events"] if event["event"] == kind]


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


every_recording = pytest.mark.parametrize("path", FILES, ids=name_of)


# Truth and what came out


@every_recording
def test_the_cards_are_those_that_were_drawn(path: Path) -> None:
    events = [event for event in sidecar(path)["events"] if event["event"] in ("card", "cutting_card")]
    assert [event.get("card", "CUT") for event in events] == sidecar(path)["truth"]["cards"]


@every_recording
def test_the_coups_are_those_that_were_dealt(path: Path) -> None:
    assert list(coups(sidecar(path)["events"])) == sidecar(path)["truth"]["coups"]


def coups(events: list[Json]) -> Iterator[Json]:
    """Return every coup that the shoe logged, with its hands from the cards before it."""
    hands: dict[int, dict[str, str]] = {}
    complete: set[tuple[int, int]] = set()
    for event in events:
        if event["event"] == "coup_void" and (event["shoe_no"], event["coup_no"]) in complete:
            continue  # a correction of the one logged before
        if event["event"] == "card" and event["slot"] not in ("burn", "unused"):
            hands.setdefault(event["coup_no"], {})[event["slot"]] = event["card"]
        elif event["event"] == "handed_over" and event["import"]:
            hands[event["coup_no"]] = {slot: card for slot, card in event["cards"].items() if card != "--"}
        elif event["event"] in ("coup", "coup_void"):
            dealt = hands.pop(event["coup_no"], {})
            complete |= {(event["shoe_no"], event["coup_no"])} if event["event"] == "coup" else set()
            player, banker = ([dealt[slot] for slot in sorted(dealt) if side in slot] for side in ("player", "banker"))
            ended = {"winner": event.get("winner"), "kind": event.get("kind", "void")}
            yield {"player": player, "banker": banker, **ended}


@every_recording
def test_the_coups_are_what_the_printed_tables_make_of_their_cards(path: Path) -> None:
    for coup in sidecar(path)["truth"]["coups"]:
        if coup["kind"] != "void":
            stock = in_order(coup["player"], coup["banker"])
            played = oracle.coup(stock)
            assert stock == []
            assert {name: played[name] for name in ("player", "banker", "winner")} == {
                name: coup[name] for name in ("player", "banker", "winner")
            }


def in_order(player: list[str], banker: list[str]) -> list[str]:
    return [player[0], banker[0], player[1], banker[1], *player[2:], *banker[2:]]


@every_recording
def test_each_coup_is_published_once_and_then_only_corrected(path: Path) -> None:
    published = [
        line for line in sidecar(path)["published"] if line["topic"].endswith("/coup") and not line.get("corrects")
    ]
    assert [(coup.get("player", []), coup.get("banker", []), coup.get("winner")) for coup in published] == [
        (coup["player"], coup["banker"], coup["winner"]) for coup in sidecar(path)["truth"]["coups"]
    ]


@every_recording
def test_the_irregularities_are_those_that_were_brought_about(path: Path) -> None:
    assert [event["case"] for event in of(path, "irregularity")] == sidecar(path)["truth"]["irregularities"]


@every_recording
def test_the_rejects_are_those_that_were_brought_about(path: Path) -> None:
    assert [event["reason"] for event in of(path, "reject")] == sidecar(path)["truth"]["rejects"]


@every_recording
def test_the_alarms_are_those_of_the_scenario(path: Path) -> None:
    raised = [line["name"] for line in sidecar(path)["published"] if line.get("state") == "raised"]
    assert raised == sidecar(path)["truth"]["alarms"]


@every_recording
def test_no_event_is_missing_or_logged_twice(path: Path) -> None:
    last = 0
    for event in sidecar(path)["events"]:
        assert event["no"] in (last + 1, 1)  # 1: another shoe
        last = event["no"]
    shoes = [event["no"] for event in sidecar(path)["events"]].count(1)
    assert shoes == 1 + (name_of(path) == "irregularities/shoe-dies")


@every_recording
def test_the_clock_is_set_once_unless_something_came_between(path: Path) -> None:
    """More often it was lost and found again: the run that was accepted had stalled."""
    if {act["do"] for act in recorded(path)[1]} <= {"say"}:
        assert len(of(path, "time_set")) == 1


# The collection


def test_every_way_it_goes_wrong_is_covered_or_excused() -> None:
    named = {mode for group, modes in MODES.items() if group != "excused" for mode in modes}
    covered = {mode for path in FILES for mode in sidecar(path)["covers"]}
    excused = set(MODES["excused"])
    assert covered - named == set()
    assert named - covered == excused


def test_every_book_has_a_whole_shoe_of_each_number_of_decks() -> None:
    whole = {(metadata(path)["rulebook"], metadata(path)["decks"]) for path in FILES if path.parent.name == "clean"}
    assert whole == {(book, decks) for book in rulebooks.ids() for decks in rulebooks.load(book).decks.allowed}


def test_every_cell_of_the_printed_tables_is_played() -> None:
    open_coups = [coup for path in FILES for coup in sidecar(path)["truth"]["coups"] if is_open(coup)]
    assert {points(coup["player"]) for coup in open_coups} == set(range(8))
    cells = {(points(coup["banker"]), third(coup["player"])) for coup in open_coups}
    assert cells == {(banker, card) for banker in range(8) for card in (None, *range(10))}


def is_open(coup: Json) -> bool:
    """Whole, and no natural: third cards are by the tables."""
    return coup["kind"] != "void" and max(points(coup["player"]), points(coup["banker"])) < 8


def points(hand: list[str]) -> int:
    return oracle.total(hand[:2])


def third(hand: list[str]) -> int | None:
    return oracle.total(hand[2:]) if len(hand) > 2 else None


def test_every_card_of_every_set_is_read() -> None:
    read_cards = {(metadata(path)["card_set"], card) for path in FILES for card in sidecar(path)["truth"]["cards"]}
    assert {(number, card) for number in range(1, SETS + 1) for card in DECK} <= read_cards


def test_a_scenario_has_its_recording_and_a_recording_its_scenario() -> None:
    assert {name_of(path) for path in FILES} == set(SCENARIOS)


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_readme_is_current(topic: str) -> None:
    assert (FOLDER / topic / "README.md").read_text() == scenario_recordings.readme(topic)


def test_the_quick_ones_are_short() -> None:
    quick = [path for path in FILES if metadata(path).get("quick")]
    assert 3 <= len(quick) <= 16
    assert all(len(sidecar(path)["truth"]["cards"]) <= QUICK_CARDS for path in quick)


def test_the_collection_stays_small() -> None:
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) < MOST_BYTES


# Made again


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_recording_made_again_is_the_same(path: Path) -> None:
    if len(sidecar(path)["truth"]["cards"]) > SMALL_CARDS:
        pytest.skip("whole shoes are made again by `make recordings`")
    data, truth = scenario_recordings.make(SCENARIOS[name_of(path)])
    assert data == path.read_bytes()
    assert truth == sidecar(path)["truth"]


# Scripts


def test_a_script_that_deals_no_coup_by_the_tables_is_refused() -> None:
    with pytest.raises(ValueError, match="a coup of 5 cards"):
        Script(1).complete("2S KH 2D 7C 3S 9H")


def test_another_seed_is_another_hand_and_the_same_truth() -> None:
    first, second = (SCENARIOS["cutting/first-card-star"].script(seed) for seed in (1, 2))
    assert first.truth == second.truth
    assert [record for record in first.records if isinstance(record, Edge)] != second.records


def test_the_power_fails_in_mid_draw_while_the_card_is_in_the_path() -> None:
    script = SCENARIOS["power/mid-draw"].script()
    at = next(place for place, record in enumerate(script.records) if isinstance(record, Act))
    before = script.records[at - 1]
    assert isinstance(before, Edge)
    assert before.levels  # the card is still in the path when the plug is pulled
