"""Reports, cards and faults in combination, through `sabot play`: the shoe does what it logs, in every book."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from edges.run import Failure, Game, replay, shoe, shrink
from edges.run import Table as EdgesTable
from edges.witness import Violation, Witness, due
from sabot_protocol.irregularities import CASES
from support.play_table import CROWN, FIVE, FOUR, SIX, Answer, Table, Tables, every_book, of, one, shared_tables

SHOES = int(os.environ.get("SABOT_EDGES", "15"))
MISDEALS = ("bad_order", "banker_got_players_card")
IN_TIME = {"reconstructible": False, "notified_before_next": True}
STILL_IN = ("short_pull", "pushed_back", "pushed_back_midway", "double", "half_drawn")
UNREAD = ("blank", "columns", "doubtful", "not_in_set", "spacing")


@pytest.fixture(scope="module")
def tables() -> Iterator[Tables]:
    yield from shared_tables()


def report(table: Table, case: str, **facts: bool) -> Answer:
    return table(command="irregularity", case=case, facts=facts)


def two_coups(table: Table) -> Answer:
    """Deal and confirm two coups."""
    table.fresh()
    table.deal(SIX)
    table(button="confirm")
    table.deal(FOUR)
    return table(button="confirm")


# A misdeal: The Star 12.1(b), Premium 14.1(b), New Zealand 12.6 and 12.8, Crown 10.11 and 10.12, Rapid 11.8.1.2


@every_book
@pytest.mark.parametrize("case", MISDEALS)
@pytest.mark.parametrize("power", [False, True])
def test_a_misdeal_after_confirm_voids_the_coup_that_was_dealt(
    tables: Tables, book: str, case: str, power: bool
) -> None:
    table = tables(book)
    two_coups(table)
    if power:
        table(power="cycle")
    answer = report(table, case, **IN_TIME)
    void = one("coup", answer)
    assert one("irregularity", answer)["coup"] == 2
    assert (void["coup"], void["kind"], void["player"], void["banker"]) == (2, "void", FOUR[::2], FOUR[1::2])
    assert (answer["state"], answer["due"], void["then"]) == ("dealing", "player_1", "go_on")
    assert report(table, case, **IN_TIME)["outcome"] == "not_now"  # nothing is left that could be void
    assert one("coup", table.deal(FIVE))["coup"] == 3


@every_book
@pytest.mark.parametrize("case", ["bad_order", "wrong_area", "wrong_recipient", "scan_discrepancy", "burn_missed"])
def test_an_irregularity_has_the_number_of_its_coup(tables: Tables, book: str, case: str) -> None:
    table = tables(book)
    two_coups(table)
    facts = {"reconstructible": True, "notified_before_next": True, "confirmed": True, "international": False}
    dealt = case != "burn_missed"  # that is about the shoe
    of_case = {name: facts.get(name, True) for name in CASES[case]}
    assert one("irregularity", report(table, case, **of_case))["coup"] == (2 if dealt else 3)
    if dealt:
        two_coups(table)
        table.deal(FOUR[:1])
        assert one("irregularity", report(table, case, **of_case))["coup"] == 3


@every_book
@pytest.mark.parametrize("case", MISDEALS)
def test_a_misdeal_does_not_use_up_the_last_coup(tables: Tables, book: str, case: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FOUR[:2])
    table(cut=True)
    table.deal(FOUR[2:])
    assert table(button="confirm")["last_coup"]
    answer = report(table, case, **IN_TIME)
    assert (one("coup", answer)["coup"], answer["state"], answer["last_coup"]) == (1, "dealing", True)
    result = one("coup", table.deal(SIX))
    assert (result["coup"], result["last_coup"]) == (2, True)
    assert one("shoe_closed", table(button="confirm"))["reason"] == "last_coup"


@every_book
@pytest.mark.parametrize("case", MISDEALS)
def test_a_misdeal_reported_too_late_changes_nothing(tables: Tables, book: str, case: str) -> None:
    table = tables(book)
    two_coups(table)
    answer = report(table, case, reconstructible=False, notified_before_next=False)
    assert (one("irregularity", answer)["code"], of("coup", answer)) == ("PLAY_ON", [])
    table.deal(FOUR[:1])
    assert one("coup", report(table, case, **IN_TIME))["coup"] == 3  # the coup that has begun


@every_book
@pytest.mark.parametrize("case", MISDEALS)
def test_a_misdeal_after_an_overdrawn_card_voids_the_coup_that_was_dealt(tables: Tables, book: str, case: str) -> None:
    table = tables(book)
    table.fresh()
    table.deal([*FOUR, "8D"])
    table(command="authorise")
    table(button="confirm")
    answer = report(table, case, **IN_TIME)
    assert (one("coup", answer)["coup"], answer["due"]) == (1, "banker_1")
    result = one("coup", table.deal(["KH", "KC", "9H"]))
    assert (result["coup"], result["player"]) == (2, ["8D", "KC"])


@every_book
@pytest.mark.parametrize("burn", ["none", "one"])
def test_no_coup_is_void_that_was_not_dealt(tables: Tables, book: str, burn: str) -> None:
    table = tables(book)
    table.fresh(burn=burn)
    for case in MISDEALS:
        assert report(table, case, **IN_TIME)["outcome"] == "not_now"
    assert report(table, "insufficient_cards")["outcome"] == "not_now"
    table(lid="open")
    assert table(command="void_coup")["outcome"] == "not_now"
    table(lid="shut")


@every_book
@pytest.mark.parametrize("reason", STILL_IN[1:])
@pytest.mark.parametrize("dealt", [False, True])
def test_a_first_card_that_may_be_out_is_void_with_its_coup(
    tables: Tables, book: str, reason: str, dealt: bool
) -> None:
    """12.1.2, 14.1.2, NZ 12.6, Crown 10.11, 11.8.1: as the alarm of a card that cannot be keyed in has it."""
    table = tables(book)
    table.fresh()
    lines: list[Answer] = [{"unreadable": reason}, {"command": "void_coup"}]
    if dealt:
        table.deal(FOUR)
        table(command="confirm")
    table(**lines[0])
    void = one("coup", table(**lines[1]))
    assert (void["coup"], void["kind"], void["player"]) == (1 + dealt, "void", [])
    begin: Answer = {"command": "open_shoe", "decks": 8, "burn": "none"}
    assert replay(EdgesTable(book, {}), [begin, *lines, *({"card": card} for card in FOUR)]) is None


# A card while a fault locks the exit: every fault, every slot


def hold(table: Table, fault: str) -> Answer:
    """Lock the exit by a fault that takes no card of the coup out."""
    if fault == "lid":
        return table(lid="open")
    if fault == "lid, shut again":
        table(lid="open")
        return table(lid="shut")
    return table(unreadable=fault)


@every_book
@pytest.mark.parametrize("fault", [*STILL_IN, "lid", "lid, shut again", "lid_open"])
def test_a_due_card_takes_its_slot(tables: Tables, book: str, fault: str) -> None:
    table = tables(book)
    for place in range(-1, len(SIX)):
        table.fresh(burn="one")
        cards, slots = ["8C", *SIX], ["burn", "player_1", "banker_1", "player_2", "banker_2", "player_3", "banker_3"]
        for card in cards[: place + 1]:
            table(card=card)
        held = hold(table, fault)
        assert (held["locked"], held["due"], bool(held["fault"])) == (True, slots[place + 1], True)
        answer = table(card=cards[place + 1])
        assert (one("card", answer)["slot"], of("irregularity", answer)) == (slots[place + 1], [])
        table(lid="shut")
        table(command="clear_fault")


@every_book
@pytest.mark.parametrize("reason", [*UNREAD, *STILL_IN, "lid_open"])
@pytest.mark.parametrize("exposed", [False, True])
def test_after_a_complete_coup_a_fault_changes_nothing(tables: Tables, book: str, reason: str, exposed: bool) -> None:
    table = tables(book)
    table.fresh()
    table.deal(FIVE)
    table(unreadable=reason)
    answer = table(card="8D", exposed=exposed)
    found = one("irregularity", answer)
    assert found["case"] == "banker_overdraw"
    assert (one("card", answer)["slot"], one("card", answer)["coup"]) == ("player_1", 2)
    table(command="clear_fault")
    then = table(button="confirm")
    assert (then["due"], then["kind"]) == ("banker_1", "live" if found["code"] == "NEXT_LIVE" else "no_bet")


@every_book
@pytest.mark.parametrize("reason", UNREAD)
@pytest.mark.parametrize("place", range(len(SIX)))
def test_a_card_after_one_that_was_not_read(tables: Tables, book: str, reason: str, place: int) -> None:
    table = tables(book)
    table.fresh()
    for card in SIX[:place]:
        table(card=card)
    table(unreadable=reason)
    answer = table(card="8D")
    found = one("irregularity", answer)
    assert (found["case"], one("card", answer)["slot"], one("card", answer)["coup"]) == ("excess_card", "player_1", 2)
    table(command="authorise", times=2)
    answer = table(command="key_card", card=SIX[place])
    for card in SIX[place + 1 :]:
        answer = table(card=card)
    assert one("coup", answer)["player"] == [SIX[0], SIX[2], SIX[4]]
    then = table(button="confirm")
    assert then["kind"] == ("live" if found["code"] == "NEXT_LIVE" else "no_bet")
    assert one("coup", table.deal(["KH", "KC", "9H"]))["player"] == ["8D", "KC"]


# The last coup of Crown: 10.6.2 makes the first card too many the first card of a Dummy Coup, 10.2 the second unused


@pytest.mark.parametrize("returned", [False, True])
def test_an_unused_card_drops_no_other(tables: Tables, returned: bool) -> None:
    table = tables(CROWN)
    table.fresh()
    table.last_coup()
    table.deal(FIVE)
    codes = [one("irregularity", table(card=card))["code"] for card in ("8D", "3D")]
    assert codes == ["NEXT_NO_BET", "NOT_USED"]
    if returned:
        assert table(command="card_returned")["outcome"] == "done"
        card = one("card", table(card="3D"))
        assert (card["slot"], card["returned"]) == ("unused", True)  # that card went back, and not the eight
    table(command="authorise")
    answer = table(button="confirm")
    assert (answer["named"], answer["due"]) == ("dummy", "banker_1")
    assert one("coup", table.deal(["KH", "KC", "9H"]))["player"] == ["8D", "KC"]


@every_book
@pytest.mark.parametrize("late", [True, False])
def test_a_card_too_many_in_the_burn_belongs_to_the_first_coup(book: str, late: bool) -> None:
    """Once the burn is over it is the first card of that coup, and a report about another leaves it there."""
    facts = {"exposed": True, "last_coup": True}
    reported: dict[str, Any] = {"command": "irregularity", "case": "excess_card", "facts": facts}
    burnt: dict[str, Any] = {"card": "3C"}
    lines: list[dict[str, Any]] = [
        {"command": "open_shoe", "decks": 8, "burn": "one"},
        {"unreadable": "doubtful"},
        {"card": "9S"},
        {"command": "clear_fault"},
        *([burnt, reported] if late else [reported, burnt]),
        *({"card": card} for card in ("2H", "KD", "5C")),
    ]
    assert replay(EdgesTable(book, {}), lines) is None


# A foreign card after a complete coup: complete coups count (The Star 12.11.1, Premium 14.11.1, Rapid 11.8.10)


@every_book
@pytest.mark.parametrize("found", ["by the reader", "by counting", "by people"])
def test_a_foreign_card_after_a_complete_coup(tables: Tables, book: str, found: str) -> None:
    table = tables(book)
    table.fresh(decks=1)
    result = one("coup", table.deal(FOUR))
    step: dict[str, dict[str, Any]] = {
        "by the reader": {"unreadable": "foreign"},
        "by counting": {"card": FOUR[0]},
        "by people": {"command": "irregularity", "case": "missing_or_foreign_card"},
    }
    answer = table(**step[found])
    (case,) = [event for event in of("irregularity", answer) if event["case"] == "missing_or_foreign_card"]
    assert (of("coup", answer), answer["due"], result["kind"]) == ([], None, "live")
    if case["code"] == "NO_RULE":
        assert answer["fault"]
        assert table(command="clear_fault")["state"] == "complete"
        assert table(button="confirm")["state"] == "dealing"
        return
    assert answer["state"] == "complete"
    assert (
        "This coup is void" in case["say"],
        "If a coup is on the table, press Confirm and settle it." in case["say"],
    ) == (
        False,
        True,
    )
    assert one("shoe_closed", table(button="confirm"))["reason"] == "new_cards"


@every_book
@pytest.mark.parametrize("place", ["burning", "before the first", "first card", "in the coup", "complete", "between"])
@pytest.mark.parametrize("confirm", [{"button": "confirm"}, {"command": "confirm"}])
@pytest.mark.parametrize("read", [True, False])
def test_the_text_for_a_foreign_card_is_as_it_ends(
    tables: Tables, book: str, place: str, confirm: Answer, read: bool
) -> None:
    """12.11, 14.11, 11.8.10: the text has a void coup if there is one, and only then."""
    table = tables(book)
    table.fresh(burn="one" if place == "burning" else "none")
    if place not in ("burning", "before the first", "first card"):
        table.deal(FOUR[:2] if place == "in the coup" else FOUR)
    if place == "between":
        table(**confirm)
    if place == "first card":
        table(unreadable="doubtful")
    by_people = {"command": "irregularity", "case": "missing_or_foreign_card"}
    answer = table(**({"unreadable": "foreign"} if read else by_people))
    (case,) = [event for event in of("irregularity", answer) if event["case"] == "missing_or_foreign_card"]
    voided = any(event["kind"] == "void" for event in of("coup", answer))
    if case["code"] == "VOID_CHECK":
        assert case["say"].startswith("No coup is void") != voided
        assert voided == (place in ("first card", "in the coup") or (read and place in ("before the first", "between")))


@every_book
def test_a_foreign_card_that_completes_a_coup_voids_it(tables: Tables, book: str) -> None:
    table = tables(book)
    table.fresh(decks=1)
    answer = table.deal(["9S", "2H", "KD", "2H"])  # two twos of hearts in one deck
    if one("irregularity", answer)["code"] == "NO_RULE":
        assert (answer["fault"], one("coup", answer)["kind"]) == ("composition", "live")
        return
    assert (one("coup", answer)["kind"], answer["state"]) == ("void", "closed")


# A missed burn at Crown: 10.1.1


@pytest.mark.parametrize("cards", range(1, 4))
@pytest.mark.parametrize("power", [False, True])
def test_the_first_coup_is_dealt_again_and_exists_once(tables: Tables, cards: int, power: bool) -> None:
    table = tables(CROWN, "decks=4")
    table.fresh(decks=1)
    table.deal(FOUR[:cards])
    report(table, "burn_missed", first_coup_complete=False)
    if power:
        table(power="cycle")
    assert table(state=True)["fault"] == "decision"
    answers = [table(command="burn_card"), *(table(card=card) for card in [*FOUR, "7D"])]
    assert one("card", answers[1])["slot"] == "burn"
    assert [event["coup"] for answer in answers for event in of("coup", answer)] in ([1], [])
    assert [event for answer in answers for event in of("irregularity", answer)] == []
    assert [answer["fault"] for answer in answers] == [None] * len(answers)


# Random shoes: `make edges` plays a thousand


@pytest.mark.parametrize("part", range(3))
def test_random_shoes_do_what_they_log(part: int) -> None:
    for number in range(part, SHOES, 3):
        _, failure = shoe(f"0 {number}", "unix")
        assert failure is None, (failure.table.command(), failure.lines, failure.violation)


CARDS = ["9S", "2H", "KD", "5C"]


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"slot": "unused"}, "named"),
        ({"coup": 3}, "named"),
        ({"card": "9D"}, "conserved"),
    ],
)
def test_the_witness_finds_what_is_wrong(changed: dict[str, Any], name: str) -> None:
    with Game(EdgesTable(CROWN, {}), "cpython") as game:
        lines = [{"command": "open_shoe", "burn": "none"}, *({"card": card} for card in CARDS)]
        for line in lines:
            before = game.do(line)
        answer = game.do({"card": "8D"})
    witness = Witness()
    with Game(EdgesTable(CROWN, {}), "cpython") as again:
        for line in lines:
            witness.see(line, again.answer, again.do(line))
    answer["events"][0].update(changed)
    with pytest.raises(Violation) as found:
        witness.see({"card": "8D"}, before, answer)
    assert found.value.name == name


def test_the_witness_reads_the_tables() -> None:
    assert [due(SIX[:count]) for count in range(7)] == [
        *("player_1", "banker_1", "player_2", "banker_2", "player_3", "banker_3"),
        None,
    ]
    assert due(FOUR) is None
    assert due(["6S", "KH", "KD", "3C"]) == "banker_3"


def test_a_failure_is_shrunk_to_what_it_needs() -> None:
    lines = [{"card": card} for card in (*SIX, *FOUR)]

    def again(_table: EdgesTable, tried: list[dict[str, Any]]) -> Violation | None:
        return Violation("named", "here") if {"card": "9S"} in tried and {"card": "2D"} in tried else None

    small = shrink(Failure(EdgesTable(CROWN, {}), lines, Violation("named", "there")), again)
    assert small.lines == [{"card": "2D"}, {"card": "9S"}]
