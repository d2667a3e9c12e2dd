"""Evidence about a coup: the cells of the printed tables, and a day written by hand in both kinds of store."""

from collections.abc import Iterator
from typing import Any

import pytest
from floor_stores import BACKENDS
from jackpot_parameters import crown
from msgspec.structs import replace
from report_day import write
from report_scene import UNIT, Scene, at, scope
from sabot_floor.jackpots.batch import Batch, log_name
from sabot_floor.jackpots.engine.entries import Increment, Opened
from sabot_floor.projection.writing import PROJECTION
from sabot_floor.reports.jackpots import wins_of
from sabot_floor.reports.source import Source
from sabot_floor.store import open_store
from sabot_floor.web.data import coup_events
from sabot_floor.web.data.cells import Cell, cells
from sabot_floor.web.data.coup import NotThereError, evidence
from sabot_floor.web.data.evidence import LedgerHash, LedgerHead, Place
from sabot_protocol import rulebooks
from sabot_protocol.jackpots.messages import IncrementMessage

CROWN = crown(in_force="2026-01-01")
OPENED = Opened(time=at("12:00"), parameters=CROWN)
DRAW = rulebooks.load("star-baccarat").draw


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    [  # The Star 9.2 to 9.5 and its Tables 1 and 2
        ("2S 3D", "KH", []),
        (
            "8S TD",
            "KH 6C",
            ["A natural, 8 or 9: Player stands on 8.", "A natural, 8 or 9: Banker stands on 6."],
        ),
        ("2S 3D", "KH 6C", ["Player draws on 0 to 5, Table 1. Player has 5 and draws."]),
        (
            "2S 3D 8H",
            "AH AC",
            [
                "Player draws on 0 to 5, Table 1. Player has 5 and draws.",
                "Player's third card counts 8: Banker draws on 0 to 2, Table 2. Banker has 2 and draws.",
            ],
        ),
        (
            "2S 3D 8H",
            "AH 2C",
            [
                "Player draws on 0 to 5, Table 1. Player has 5 and draws.",
                "Player's third card counts 8: Banker draws on 0 to 2, Table 2. Banker has 3 and stands.",
            ],
        ),
        (
            "2S 4D",
            "AH 4C",
            [
                "Player draws on 0 to 5, Table 1. Player has 6 and stands.",
                "Player stands: Banker draws on 0 to 5, Table 2. Banker has 5 and draws.",
            ],
        ),
    ],
)
def test_the_cell_that_decided_in_words(player: str, banker: str, expected: list[str]) -> None:
    assert [cell.say for cell in cells(DRAW, player.split(), banker.split())] == expected


@pytest.mark.parametrize(
    ("third", "draws_on"),
    [  # the Player's third card, and the Banker's points on which he draws: the columns of Table 2
        ("KS", "0 to 3"),
        ("AS", "0 to 3"),
        ("2S", "0 to 4"),
        ("3S", "0 to 4"),
        ("4S", "0 to 5"),
        ("5S", "0 to 5"),
        ("6S", "0 to 6"),
        ("7S", "0 to 6"),
        ("8S", "0 to 2"),
        ("9S", "0 to 3"),
    ],
)
def test_the_columns_of_table_2(third: str, draws_on: str) -> None:
    assert cells(DRAW, ["2S", "3D", third], ["KH", "6C"])[1].draws_on == draws_on


def test_a_cell_names_table_row_column_and_clause() -> None:
    first, second = cells(DRAW, ["2S", "3D", "6H"], ["KH", "6C"])
    assert first == Cell(
        side="player", basis="table_1", table=1, row=5, column=None, draws=True, draws_on="0 to 5", clause="9.3",
        say="Player draws on 0 to 5, Table 1. Player has 5 and draws.",
    )  # fmt: skip
    assert (second.table, second.row, second.column, second.draws, second.clause) == (2, 6, 6, True, "9.4")
    stands = cells(DRAW, ["2S", "4D"], ["KH", "6C"])[1]
    assert (stands.table, stands.row, stands.column, stands.draws, stands.clause) == (2, 6, None, False, "9.5")
    assert [cell.clause for cell in cells(DRAW, ["9S", "KD"], ["KH", "6C"])] == ["9.2", "9.2"]


@pytest.fixture(scope="module", params=BACKENDS)
def source(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    """The store of the day, of each kind, with heads of its ledgers."""
    url = str(tmp_path_factory.mktemp("coup") / "floor.db")
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres").new_store()
    with open_store(url) as store:
        write(store)
        with store.writing(PROJECTION):
            for day, entry in ((16, 5), (17, 5000), (18, 6000)):
                head = ("gw-1", f"2026-11-{day}", entry, f"{entry:064}", at("23:59", day), f"5{entry}")
                store.execute("INSERT INTO ledger_heads VALUES (?, ?, ?, ?, ?, ?)", head)
            for entry in (8, 9, 14):  # 13, the correction of the coup, came from an older gateway
                store.execute("INSERT INTO entry_hashes VALUES (?, ?, ?)", ("gw-1", entry, f"{entry:02}" * 32))
        yield Source(store)


def test_a_disputed_coup_from_its_cards_to_its_ledger(source: Source) -> None:
    found = evidence(source, scope(), "bac-01/3/42")
    assert (found.id, found.table, found.unit, found.shoe, found.coup) == ("c42-2", "bac-01", UNIT, 3, 42)
    assert [(card.side, card.slot, card.card, card.points) for card in found.cards] == [
        ("player", "player_1", "2S", 2),
        ("banker", "banker_1", "KH", 0),
        ("player", "player_2", "3D", 3),
        ("banker", "banker_2", "6C", 6),
    ]
    assert [cell.side for cell in found.cells] == ["player"]  # Player has 5, and his third card is not there
    assert [(event.time, event.kind, event.by, event.role, event.clause) for event in found.events] == [
        (at("19:12"), "coup", "", "", ""),
        (at("19:12:01"), "alarm", "", "", "12.13"),
        (at("19:14:30"), "request", "A. Smith", "casino_supervisor", "12.13"),
        (at("19:14:31"), "answer", "", "", ""),
        (at("19:14:31"), "coup", "A. Smith", "casino_supervisor", "12.13"),
        (at("19:14:31"), "confirmed", "the dealer", "", ""),
        (at("19:14:31"), "alarm", "A. Smith", "", "12.13"),
    ]
    assert [event.text for event in found.events][2:4] == [
        "decide; coup 3/42, verdict confirmed",
        "Coup 3/42 is confirmed.",
    ]
    (ledger,) = found.ledgers
    assert (ledger.gateway, len(ledger.entries)) == ("gw-1", 7)
    assert (ledger.first, ledger.last) == (ledger.entries[0], ledger.entries[-1]) == (9, 15)
    assert ledger.head == LedgerHead(
        gateway="gw-1", entry=5000, hash=f"{5000:064}", time=at("23:59", 17), signature="55000"
    )
    assert ledger.hashes == [LedgerHash(9, "09" * 32), LedgerHash(14, "14" * 32)]
    assert [one.place for one in found.confirmed] == [Place("gw-1", 14)]
    assert found.rulebook.hash == "5f3a"
    assert (found.rulebook.id, found.cells[0].clause) == ("", "")  # no book of this software
    assert found.verify[0] == "sabot report coup bac-01/3/42 --config /etc/sabot/floor.toml"
    assert found.verify[2] == "sabot ledger show LEDGER --table bac-01 --shoe 3 --coup 42 --last 100 --json"


@pytest.mark.parametrize("address", ["c42", "c42-2", f"bac-01/{UNIT}/3/42"])
def test_other_addresses_of_the_same_coup(source: Source, address: str) -> None:
    assert evidence(source, scope(), address) == evidence(source, scope(), "bac-01/3/42")


def test_cards_in_no_hand_and_with_notes_have_a_time_and_a_place(source: Source) -> None:
    found = evidence(source, scope(), "bac-01/4/1")
    (keyed,) = [card for card in found.cards if card.notes]
    assert (keyed.card, keyed.notes, bool(keyed.time), keyed.place.gateway) == ("9C", ["keyed"], True, "gw-1")
    assert [event.text for event in found.events if event.kind == "card"] == ["banker_2 9C keyed", "banker_1 KH"]
    named = [(event.name, event.card, event.notes) for event in found.events if event.kind == "card"]
    assert named == [("banker_2", "9C", ["keyed"]), ("banker_1", "KH", [])]


def test_every_card_of_a_hand_has_its_time(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Also if other tables of the same gateway deal at the same time, and the shoe number has come before."""
    with open_store(str(tmp_path_factory.mktemp("times") / "floor.db")) as store:
        scene = Scene(store)
        scene.card(at("19:00"), 1, 2, "player_1", "9S")  # of another shoe with the same number
        scene.coup("c0", at("19:01"), 1, 2, unit="5ab0000000000009")
        scene.coup("c1", at("20:00"), 1, 1)
        for second, slot, card in ((1, "player_1", "2S"), (2, "banker_1", "KH"), (3, "player_2", "3D")):
            scene.card(at(f"20:01:0{second}"), 1, 2, slot, card)
        scene.coup("c2", at("20:01:30"), 1, 2)
        scene.save()
        found = evidence(Source(store), scope(), "c2")
    assert [(card.slot, card.time, card.place) for card in found.cards] == [
        ("player_1", at("20:01:01"), Place("gw-1", 4)),
        ("banker_1", at("20:01:02"), Place("gw-1", 5)),
        ("player_2", at("20:01:03"), Place("gw-1", 6)),
        ("banker_2", "", Place()),
    ]
    assert [event.kind for event in found.events] == ["card", "card", "card", "coup"]
    assert found.ledgers[0].entries == [4, 5, 6, 7]


def test_the_state_follows_the_confirmation(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_store(str(tmp_path_factory.mktemp("state") / "floor.db")) as store:
        scene = Scene(store)
        scene.coup("c1", at("20:00"), 1, 1)
        scene.coup("c2", at("20:01"), 1, 2)
        scene.confirmed("f1", at("20:02"), 1, 1, "c1")
        scene.coup("c3", at("20:03"), 1, 3)
        scene.confirmed("f3", at("20:04"), 1, 3, "c3")
        scene.coup("c3-2", at("20:05"), 1, 3, status="void", kind="void", winner=None, corrects="c3")
        scene.save()
        states = [evidence(Source(store), scope(), one).state for one in ("c1", "c2", "c3")]
    assert states == ["confirmed", "verified", "void"]


def test_the_rulebook_is_named_if_this_software_has_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    crown_book = rulebooks.load("crown-baccarat")
    with open_store(str(tmp_path_factory.mktemp("book") / "floor.db")) as store:
        scene = Scene(store)
        hand: dict[str, Any] = {"player": ["2S", "3D", "8H"], "banker": ["KH", "6C"], "player_points": 3}
        scene.coup("c1", at("20:00"), 1, 1, rulebook=crown_book.digest().hex(), **hand)
        scene.save()
        found = evidence(Source(store), scope(), "c1")
    assert (found.rulebook.id, found.rulebook.title) == ("crown-baccarat", crown_book.title)
    assert [cell.clause for cell in found.cells] == [crown_book.draw.table_1, crown_book.draw.table_2]
    assert [card.slot for card in found.cards] == ["player_1", "banker_1", "player_2", "banker_2", "player_3"]
    assert (found.ledgers[0].head, found.ledgers[0].hashes) == (None, [])


def contribution(number: int, coup: int, amount: int, total: int, **given: Any) -> Increment:
    """A contribution of 25 cents a coup to Crown's Lucky Tie, or its reversal."""
    message = IncrementMessage(
        id=f"n{number}", unit=UNIT, event_no=number, table="bac-01", shoe=1, coup=coup, time=at(f"20:0{number}"),
        rulebook="5f3a", gateway="gw-1", jackpot="lucky-tie", parameters=CROWN.digest, currency="AUD", kind="live",
        amount=amount, count=number, total=total, coup_id=f"{UNIT}-{coup}", **given,
    )  # fmt: skip
    return Increment(at(f"20:0{number}:01"), message)


def test_the_contributions_of_a_coup(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_store(str(tmp_path_factory.mktemp("jackpot") / "floor.db")) as store:
        scene = Scene(store)
        for coup in (1, 2):
            scene.coup(f"c{coup}", at(f"20:0{coup}"), 1, coup)
            scene.confirmed(f"{UNIT}-{coup}", at(f"20:0{coup}"), 1, coup, f"c{coup}")
        scene.save()
        store.append(log_name("lucky-tie"), Batch("lucky-tie", at("12:00"), [OPENED]).decide)
        more = [contribution(1, 1, 25, 25), contribution(2, 2, 25, 50), contribution(3, 2, -25, 25, reverses="n2")]
        for entry in more:
            store.append(log_name("lucky-tie"), Batch("lucky-tie", entry.time, [entry]).decide)
        found = evidence(Source(store), scope(), "bac-01/1/2")
        (only,) = evidence(Source(store), scope(), "bac-01/1/1").contributions  # those of coup 2 came within the hour
    assert (only.time, only.amount, found.digits) == (at("20:01"), 25, {"AUD": 2})
    assert [(one.jackpot, one.time, one.amount, one.currency, one.reverses) for one in found.contributions] == [
        ("lucky-tie", at("20:02"), 25, "AUD", ""),
        ("lucky-tie", at("20:03"), -25, "AUD", "n2"),
    ]
    assert [(one.counted, one.not_counted) for one in found.contributions] == [
        (at("20:02:01"), ""),
        (at("20:03:01"), ""),
    ]


def test_the_wins_of_a_coup(source: Source) -> None:
    (win,) = evidence(source, scope(), "bac-01/3/41").wins
    assert (win.jackpot, win.state, win.amount, win.by) == ("lucky-tie", "paid", 2500, "M. Manager")
    assert evidence(source, scope(), "bac-01/3/42").wins == []


@pytest.mark.parametrize(
    ("address", "say"),
    [
        ("nobody-knows", "The store has no coup message with the id nobody-knows. Check the id"),
        ("bac-01/3", "This is no address of a coup: give the id of a message on `coup`, or table/shoe/coup"),
        ("bac-01/x/1", "This is no address of a coup"),
        ("../etc/passwd", "This is no address of a coup"),
        ("bac-01/9/1", "The store has no shoe 9 at table 'bac-01'; the shoes of a day are in `sabot report day DAY`."),
        ("bac-01/3/99", "Shoe bac-01/3 has no coup 99 in the store; it has coups 40 to 46."),
    ],
)
def test_what_is_not_there_is_answered_with_a_sentence(source: Source, address: str, say: str) -> None:
    with pytest.raises(NotThereError) as found:
        evidence(source, scope(), address)
    assert found.value.missing.say.startswith(say)


def test_what_is_not_there_names_the_entries_that_are_missing(source: Source) -> None:
    with pytest.raises(NotThereError) as found:
        evidence(source, scope(), "bac-02/1/9")
    assert [(gap.gateway, gap.first, gap.last) for gap in found.value.missing.gaps] == [("gw-2", 2, 3)]
    with pytest.raises(NotThereError) as by_id:
        evidence(source, scope(), "nobody-knows")
    assert [(gap.gateway, gap.first, gap.last) for gap in by_id.value.missing.gaps] == [("gw-2", 2, 3)]


def test_two_units_with_the_same_shoe_are_offered(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_store(str(tmp_path_factory.mktemp("units") / "floor.db")) as store:
        scene = Scene(store)
        scene.coup("c1", at("20:00"), 1, 1)
        scene.coup("c2", at("21:00"), 1, 1, unit="5ab0000000000009")
        scene.save()
        with pytest.raises(NotThereError) as found:
            evidence(Source(store), scope(), "bac-01/1/1")
        others = [(one.unit, one.id) for one in found.value.missing.others]
        assert others == [("5ab0000000000009", "c2"), (UNIT, "c1")]
        verify = evidence(Source(store), scope(), "c2").verify[0]
        assert verify == "sabot report coup bac-01/1/1 --unit 5ab0000000000009 --config /etc/sabot/floor.toml"


def test_what_another_table_counts_for_the_same_ids_is_not_of_this_coup(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with open_store(str(tmp_path_factory.mktemp("same") / "floor.db")) as store:
        scene = Scene(store)
        scene.coup("c1", at("20:01"), 1, 1)
        scene.confirmed(f"{UNIT}-1", at("20:01"), 1, 1, "c1")
        scene.save()
        log = log_name("lucky-tie")
        store.append(log, Batch("lucky-tie", at("12:00"), [OPENED]).decide)
        other = contribution(1, 1, 25, 25)
        other = replace(other, message=replace(other.message, table="bac-02"))
        store.append(log, Batch("lucky-tie", other.time, [other]).decide)
        found = evidence(Source(store), scope(), "bac-01/1/1")
    assert found.contributions == []


@pytest.mark.parametrize("table", ["bac-01", "bac-02"])
def test_the_wins_of_one_id_are_those_of_their_own_tables(source: Source, table: str) -> None:
    of = evidence(source, scope(), "bac-01/3/41")
    (own,) = of.wins
    found = wins_of(source, scope(), table, {own.win}, of.confirmed[0].time)
    assert [row.table for row in found] == ["bac-01"] * (table == "bac-01")


def test_an_id_that_two_tables_have_names_none_of_their_coups(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_store(str(tmp_path_factory.mktemp("twice") / "floor.db")) as store:
        scene = Scene(store)
        scene.coup("c1", at("20:00"), 3, 9)
        scene.coup("c1", at("21:00"), 1, 1, "bac-02")
        scene.save()
        with pytest.raises(NotThereError) as found:
            evidence(Source(store), scope(), "c1")
        missing = found.value.missing
        assert "bac-01, bac-02" in missing.say
        assert [evidence(Source(store), scope(), one.id).table for one in missing.others] == ["bac-01", "bac-02"]


def test_facts_of_a_request_are_words() -> None:
    assert coup_events._text({"exposed": False, "last_coup": True}) == "exposed no, last coup yes"
