"""A coup in progress that moves to another shoe: what is refused, and the line to type at the other table."""

from typing import Any

import pytest
from desk_bench import GATEWAY, TIME, DeskBench
from msgspec.structs import replace
from sabot_gateway.verify import Source, Verifier
from sabot_service.messages import Answer
from shoe_events import BOOK, PROFILE, cards, event


@pytest.fixture
def bench() -> DeskBench:
    return DeskBench()


def let_coup_leave(bench: DeskBench) -> None:
    """Export coup 13 from bac-02, and open a new shoe at this table."""
    slots = {"player_1": "JS", "banker_1": "9C", "player_2": "--", "banker_2": "--", "player_3": "--", "banker_3": "--"}
    place: dict[str, Any] = {"decks": 8, "cards_out": 70, "coups_left": 0, "awaiting": 0, "import": 0}
    gone = event(9, "handed_over", shoe_no=4, coup_no=13, kind="live", cards=slots, **place)
    bench.other = Verifier("bac-02", BOOK, PROFILE, moves=bench.table.verifier.moves)
    bench.other.take(replace(gone, unit="5ab0000000000002"), TIME)
    bench.table.serve()
    bench.table.open()


def test_an_import_with_other_cards_than_the_coup_left_with_is_refused(bench: DeskBench) -> None:
    let_coup_leave(bench)
    refused = bench.answer_to("import-coup", args={"coup_no": 13, "cards": {"player_1": "2H", "banker_1": "2C"}})
    assert refused == (
        "Import coup refused: coup 13 left bac-02 with other cards. Look at each card as it lies, and type "
        "`sabot table bac-01 import-coup 13 SLOT=CARD … --by NAME --clause N`. If this is another coup, "
        "from a shoe of another gateway, acknowledge first that the one of bac-02 does not go on here: "
        "`sabot table bac-02 ack-alarm 5ab0000000000002-9-handed_over --by NAME`."
    )
    assert bench.commands_sent(0.1) == []


def test_another_coup_of_that_number_is_imported_after_the_alarm_is_acknowledged(bench: DeskBench) -> None:
    let_coup_leave(bench)
    bench.other.acknowledge("5ab0000000000002-9-handed_over", "A. Smith", Source(GATEWAY, 3, TIME))
    bench.send("import-coup", args={"coup_no": 13, "cards": {"player_1": "2H", "banker_1": "2C"}})
    ((_, kind, data),) = bench.commands_sent(0.1)
    assert (kind, data["coup_no"], data["cards_out"]) == ("import_coup", 13, 2)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"cards_out": 500}, "Import coup refused: --cards-out 500: 8 decks have 416 cards."),
        ({"cards_out": 417}, "Import coup refused: --cards-out 417: 8 decks have 416 cards."),
        ({"cards_out": 53, "decks": 1}, "Import coup refused: --cards-out 53: 1 decks have 52 cards."),
        ({"cards_out": 1}, "Import coup refused: --cards-out 1: 2 cards are on the table, and they are out too."),
        (
            {"coup_no": 13, "decks": 1},
            "Import coup refused: --cards-out 70: 1 decks have 52 cards.",
        ),  # 70 when it left
    ],
)
def test_an_import_with_an_impossible_count_is_refused(bench: DeskBench, given: dict[str, Any], why: str) -> None:
    let_coup_leave(bench)
    cards = {"player_1": "JS", "banker_1": "9C"}
    assert bench.answer_to("import-coup", args={"coup_no": 14, "cards": cards, **given}).startswith(why)
    assert bench.commands_sent(0.1) == []


@pytest.mark.parametrize("out", [2, 416])
def test_an_import_with_a_possible_count_is_sent(bench: DeskBench, out: int) -> None:
    let_coup_leave(bench)
    cards = {"player_1": "JS", "banker_1": "9C"}
    bench.send("import-coup", args={"coup_no": 14, "cards": cards, "cards_out": out})
    assert [data["cards_out"] for _, _, data in bench.commands_sent(0.1)] == [out]


def test_an_export_needs_a_clause(bench: DeskBench) -> None:
    bench.table.serve()
    assert (
        bench.answer_to("export-coup", clause="")
        == "Export coup refused: it needs a clause of star-baccarat. Add --clause N."
    )


@pytest.mark.parametrize("event_first", [False, True])
def test_the_answer_to_an_export_is_the_line_to_type_at_the_other_table(bench: DeskBench, event_first: bool) -> None:
    bench.table.serve()
    bench.shoe_logs("shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none")
    for card in cards(2, "JS 9C"):
        bench.shoe_logs("card", **card.data)
    bench.send("export-coup")
    bench.commands_sent(0.1)
    slots = {"player_1": "JS", "banker_1": "9C", "player_2": "--", "banker_2": "--", "player_3": "--", "banker_3": "--"}
    place: dict[str, Any] = {"decks": 8, "cards_out": 2, "coups_left": 0, "awaiting": 0, "import": 0}
    if event_first:  # both came in one read
        bench.table.follow(event(5, "handed_over", shoe_no=1, coup_no=1, kind="live", cards=slots, **place))
    bench.shoe_logs("command_done", command_id=1, command="export_coup", outcome="done", data={})
    bench.commit()
    assert bench.answers == [
        Answer(
            True,
            "Done. Coup 1 is not void, and its wagers stand. Put all cards into another shoe, open it there, and type "
            "`sabot table TABLE import-coup 1 SLOT=CARD … --by NAME --clause N`.",  # cards lie face down here
        )
    ]


def test_an_import_as_another_kind_is_refused(bench: DeskBench) -> None:
    let_coup_leave(bench)
    cards = {"player_1": "JS", "banker_1": "9C"}
    refused = bench.answer_to("import-coup", args={"coup_no": 13, "cards": cards, "kind": "no_bet"})
    assert refused == ("Import coup refused: coup 13 left bac-02 as live, and a coup keeps its kind. Leave --kind out.")
    assert bench.commands_sent(0.1) == []
