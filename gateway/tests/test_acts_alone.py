"""Acts alone: what a dealer cannot do to the wagers of a coup without another person; and what then stays open."""

from typing import Any

import pytest
from desk_bench import DISPUTED, DeskBench
from floor_commands_bench import CommandBench, signed
from sabot_gateway.operator.local_roles import Granted
from sabot_gateway.verify import Verifier
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.records import Source
from sabot_protocol import rulebooks
from sabot_protocol.topics import CoupMessage
from shoe_events import PROFILE, event
from verified_log import Log

_NOT = "may not do this"


@pytest.fixture
def bench() -> CommandBench:
    return CommandBench()


def case(bench: CommandBench, book: str, name: str = "", code: str = "", out: str = "9S 2H") -> None:
    """Put a book and a coup in progress on the table, with an irregularity in its log if one is named."""
    log = Log(book)
    log.deal(out)
    if name:
        log.irregularity(name, code)
    bench.table.verifier = log.verifier
    if bench.table.link.unit is None:
        bench.table.serve()


@pytest.mark.parametrize(
    ("book", "lowest", "clause"),
    [  # P-37: 7.5, 7.4, 7.4 and 10.8.1; the others have no clause for a coup in progress
        ("star-baccarat", "gaming_supervisor", "7.5"),
        ("star-premium", "assistant_gaming_manager", "7.5"),
        ("crown-baccarat", "higher_duties_dealer", "10.8.1"),
    ],
)
def test_a_clean_coup_loses_its_wagers_by_the_role_that_orders_such_coups(
    bench: CommandBench, book: str, lowest: str, clause: str
) -> None:
    case(bench, book)
    reply = bench.give(signed("this-no-bet", role="dealer", clause=clause, coup="1/1"))
    assert reply is not None
    assert not reply.ok
    assert _NOT in reply.say
    bench.give(signed("this-no-bet", role=lowest, clause=clause, coup="1/1"))
    assert bench.refused() == {"role": 1}
    assert [kind for _, kind, _ in bench.commands_sent(0.2)] == ["this_no_bet"]


@pytest.mark.parametrize(
    ("book", "clause"), [("nz-baccarat", "8.3"), ("star-rapid", "11.8.13")]
)  # 5.14 and 7.3 have none
def test_a_book_without_a_clause_for_it_refuses_everybody(bench: CommandBench, book: str, clause: str) -> None:
    case(bench, book)
    for role in ("dealer", "casino_supervisor"):
        reply = bench.give(signed("this-no-bet", role=role, clause=clause, coup="1/1"))
        assert reply is not None
        assert not reply.ok


@pytest.mark.parametrize(
    ("book", "name", "code", "role", "clause"),
    [
        ("star-baccarat", "bad_order", "RECON_WITHDRAW", "dealer", "12.1.1"),  # no wager left: the rule itself
        ("star-premium", "bad_order", "RECON_WITHDRAW", "dealer", "14.1.1"),
        ("star-premium", "wrong_area", "CHOICE", "casino_supervisor", "14.12.6"),
        ("crown-baccarat", "wrong_area", "CHOICE", "higher_duties_dealer", "10.7"),
    ],
)
def test_after_an_irregularity_the_rule_or_the_person_of_that_rule_decides(
    bench: CommandBench, book: str, name: str, code: str, role: str, clause: str
) -> None:
    case(bench, book)
    reply = bench.give(signed("this-no-bet", role=role, clause=clause, coup="1/1"))
    assert reply is not None
    assert not reply.ok, "without the case neither role nor clause is right"
    case(bench, book, name, code)
    bench.give(signed("this-no-bet", role=role, clause=clause, coup="1/1"))
    assert [kind for _, kind, _ in bench.commands_sent(0.2)] == ["this_no_bet"]


@pytest.mark.parametrize(
    ("book", "right", "wrong"), [("star-baccarat", "12.3", "12.1.1"), ("star-premium", "14.3", "14.1.1")]
)
def test_a_face_up_first_card_takes_the_wagers_away_and_no_reconstruction_does(
    bench: CommandBench, book: str, right: str, wrong: str
) -> None:
    case(bench, book, "first_card_face_up", "THIS_NO_BET")
    reply = bench.give(signed("this-no-bet", role="dealer", clause=wrong, coup="1/1"))
    assert reply is not None
    assert f"{wrong} of {book} is not about this" in reply.say
    bench.give(signed("this-no-bet", role="dealer", clause=right, coup="1/1"))
    assert [kind for _, kind, _ in bench.commands_sent(0.2)] == ["this_no_bet"]


def test_a_choice_after_a_misdelivery_is_not_the_dealers(bench: CommandBench) -> None:
    case(bench, "star-premium", "wrong_area", "CHOICE")
    bench.give(signed("this-no-bet", role="dealer", clause="14.12.6", coup="1/1"))
    assert bench.refused() == {"role": 1}


@pytest.mark.parametrize("book", ["star-baccarat", "star-premium", "crown-baccarat"])
def test_wagers_that_a_person_takes_away_leave_an_alarm_for_another(book: str) -> None:
    log = Log(book)
    log.verifier = Verifier("bac-01", log.book, log.profile, lambda *_: Decider("A. Smith", "7.5"))
    log.verifier.take(event(1, "shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none"), "")
    log.deal("9S 2H")
    log.command("this_no_bet")
    alarm = log.alarm("unwagered_by_order")
    assert (alarm.by, alarm.coup, alarm.cards_say, alarm.clause) == ("A. Smith", 1, "9S, 2H", "7.5")


def test_after_a_reconstruction_there_is_no_such_alarm() -> None:
    log = Log("star-baccarat")
    log.deal("9S 2H")
    log.irregularity("bad_order", "RECON_WITHDRAW", reconstructible=True)
    log.command("this_no_bet")
    assert log.alarms("unwagered_by_order") == []


def test_an_irregularity_of_another_coup_is_no_reason() -> None:
    log = Log("star-baccarat")
    log.deal()
    log.irregularity("bad_order", "RECON_WITHDRAW", reconstructible=True)
    log.result()
    log.confirm()
    log.deal("9S 2H")
    log.command("this_no_bet")
    assert log.alarm("unwagered_by_order").coup == 2


@pytest.mark.parametrize(
    ("book", "supervisor"),
    [
        ("star-baccarat", "casino_supervisor"),
        ("star-premium", "casino_supervisor"),
        ("nz-baccarat", "casino_supervisor"),
        ("crown-baccarat", "higher_duties_dealer"),
    ],
)
def test_a_first_card_is_found_face_up_before_the_next_card_is_out(
    bench: CommandBench, book: str, supervisor: str
) -> None:
    report: dict[str, Any] = {"args": {"case": "first_card_face_up"}}
    for out, role, allowed in (("9S", "dealer", True), ("9S 2H", "dealer", False), ("9S 2H", supervisor, True)):
        case(bench, book, out=out)
        before = bench.refused().get("role", 0)
        bench.give(signed("irregularity", role=role, **report))
        assert (bench.refused().get("role", 0) == before) is allowed, (out, role)


# A winner by word


def _decide(bench: DeskBench, **args: Any) -> str:
    return bench.answer_to("decide", args={"coup": "1/1", "verdict": "confirmed", **args})


def test_a_winner_that_the_cards_do_not_give_needs_a_reason() -> None:
    bench = DeskBench()
    bench.table.dispute()  # the Player's nine against five
    refused = _decide(bench, winner="banker")
    assert refused.startswith("Decide refused: the cards say player 9 to 5, and banker needs a reason")
    assert bench.table.verifier.disputed()
    assert _decide(bench, winner="banker", reason="  ").startswith("Decide refused")
    assert _decide(bench, winner="banker", reason="The 2H is a 9H: seen by both").startswith("Coup 1/1 is confirmed")


def test_such_a_winner_leaves_a_critical_alarm_that_only_another_person_ends() -> None:
    bench = DeskBench()
    bench.table.open()
    bench.table.follow(*DISPUTED)
    _decide(bench, winner="banker", reason="The 2H is a 9H")
    (alarm,) = bench.table.verifier.alarms.named("decided_by_word")
    assert (alarm.severity, alarm.by, alarm.clause) == ("critical", "A. Smith", "12.13")
    assert (alarm.shoe, alarm.coup, alarm.cards_say) == (1, 1, "the cards say player 9 to 5")
    assert "The 2H is a 9H" in alarm.say
    for one in (alarm.alarm, "all"):
        assert bench.answer_to("ack-alarm", clause="", args={"alarm": one}).startswith("Acknowledge refused")
    for one in (alarm.alarm, "all"):
        typed = bench.answer_to("ack-alarm", clause="", by="B. Jones", args={"alarm": one})
        assert typed.startswith("Acknowledge refused: nobody is identified here, and a name that is typed is no other")
    assert bench.table.verifier.alarms.named("decided_by_word") == [alarm]
    bench.granted = Granted("casino_supervisor")
    assert bench.answer_to("ack-alarm", clause="", by="B. Jones", args={"alarm": alarm.alarm}) == "1 acknowledged."
    assert bench.table.verifier.alarms.named("decided_by_word") == []


def test_the_winner_of_the_cards_needs_no_reason() -> None:
    bench = DeskBench()
    bench.table.dispute()
    assert _decide(bench, winner="player").startswith("Coup 1/1 is confirmed")
    assert bench.table.verifier.alarms.named("decided_by_word") == []


# What a book permits has its clause, though no act of people has it


@pytest.mark.parametrize(
    ("book", "verb", "clause", "belongs"),
    [
        ("crown-baccarat", "burn-card", "7.2.2(b)", True),  # before each coup
        ("crown-baccarat", "burn-card", "7.1.5(a)", False),
        ("crown-baccarat", "card-returned", "7.1.5(a)", True),  # to the front of the shoe
        ("crown-baccarat", "card-returned", "7.2.2(b)", False),
        ("star-baccarat", "burn-card", "4.7", True),
        ("star-baccarat", "open-shoe", "4.7", True),  # a new shoe is opened with its burn
        ("nz-baccarat", "open-shoe", "7.7(b)", True),
        ("star-rapid", "open-shoe", "3.12", True),
        ("star-baccarat", "close-shoe", "4.7", False),
        ("nz-baccarat", "card-returned", "7.7", False),
    ],
)
def test_a_permission_of_the_book_is_a_clause_of_what_it_permits(
    book: str, verb: str, clause: str, belongs: bool
) -> None:
    bench = DeskBench()
    bench.table.verifier = Verifier("bac-01", rulebooks.load(book), PROFILE)
    bench.table.serve()
    assert ("is not about this" in _refused(bench, verb, clause)) is not belongs


def _refused(bench: DeskBench, verb: str, clause: str) -> str:
    """Return the answer to a request that is refused at once; empty if it goes to the shoe."""
    bench.send(verb, clause=clause, args={})
    return bench.answers.pop().say if bench.answers else ""


@pytest.mark.parametrize(
    ("book", "verb", "clause", "belongs"),
    [  # P-37: Rapid has no rule for it; 11.8.13 and 11.8.14 are about dummy hands, 11.4 to 11.7 about the wheel
        ("star-rapid", "no-bet", "11.8.13", True),
        ("star-rapid", "no-bet", "11.4.6", False),
        ("star-rapid", "no-bet", "11.7", False),
        ("crown-baccarat", "authorise", "10.8.1", True),
        ("crown-baccarat", "authorise", "12.8.2", False),  # Three Card Baccarat
        ("nz-baccarat", "authorise", "12.6", True),
        ("nz-baccarat", "authorise", "7.7", False),  # burning before the first coup
        ("nz-baccarat", "authorise", "5.14", False),  # closing of wagers
        ("star-rapid", "no-bet", "7.3", False),  # the call of no more bets
    ],
)
def test_where_a_book_has_no_rule_clauses_about_irregularities_of_cards_belong(
    book: str, verb: str, clause: str, belongs: bool
) -> None:
    bench = DeskBench()
    bench.table.verifier = Verifier("bac-01", rulebooks.load(book), PROFILE)
    bench.table.serve()
    assert ("is not about this" in _refused(bench, verb, clause)) is not belongs


@pytest.mark.parametrize("book", rulebooks.ids())
def test_a_coup_that_the_button_new_shoe_ends_is_disputed_until_a_person_decides(book: str) -> None:
    """P-39: a supervisor of the book voids a coup, never the dealer alone."""
    log = Log(book)
    log.deal("9S 2H")
    log("button", shoe_no=1, coup_no=1, button="new_shoe")
    records = log("coup_void", shoe_no=1, coup_no=1, reason="supervisor", then="new_cards", cards=2)
    coup = records[0].message
    assert isinstance(coup, CoupMessage)
    assert (coup.kind, coup.status, coup.winner, coup.by) == ("live", "disputed", None, "at the shoe: New shoe")
    assert log.alarms("coup_void") == []
    log("shoe_closed", shoe_no=1, coups=1, reason="replaced")
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    assert log.verifier.disputed() == [coup]
    assert "discrepancy" in [alarm.name for alarm in log.verifier.active()]
    source = Source("6a7e000000000001", 9, "")
    decision, *_ = log.verifier.decide(coup, "void", Decider("A. Smith", "12.1.2"), source, None)
    assert isinstance(decision.message, CoupMessage)
    assert (decision.message.kind, decision.message.status, decision.message.by) == ("void", "void", "A. Smith")
    assert "discrepancy" not in [alarm.name for alarm in log.verifier.active()]


def test_a_coup_without_wagers_is_void_by_the_button_new_shoe() -> None:
    log = Log("star-baccarat")
    log.deal("9S 2H")
    log.command("this_no_bet")
    log("button", shoe_no=1, coup_no=1, button="new_shoe")
    log("coup_void", shoe_no=1, coup_no=1, reason="supervisor", then="new_cards", cards=2)
    assert log.alarms("coup_void", "discrepancy") == [log.alarm("coup_void")]


# Void Hands and Free Hands (New Zealand)


def owed_void_hand(bench: CommandBench) -> Log:
    """A card that was drawn in excess and seen lies there: the next hand is a Void Hand (12.1(b))."""
    log = Log("nz-baccarat")
    log.deal("9S 2H TD 3C")
    log.result()
    log.card("4C", "player_1", coup_no=2, flags={"surplus": True, "exposed": True})
    log.irregularity("player_overdraw", "NEXT_NO_BET", exposed=True)
    bench.table.verifier = log.verifier
    bench.table.serve()
    return log


@pytest.mark.parametrize("confirmed", [False, True])
def test_wagers_are_not_taken_on_a_void_hand_by_calling_it_a_free_hand(bench: CommandBench, confirmed: bool) -> None:
    log = owed_void_hand(bench)
    if confirmed:
        log.confirm()
        log("coup_kind", shoe_no=1, coup_no=2, kind="void_hand")
    reply = bench.give(signed("no-bet", clause="8.3", args={"kind": "free_hand"}))
    sent = [kind for _, kind, _ in bench.commands_sent(0.2)]
    if confirmed:  # its first card is out, so the Free Hand is the one after it
        assert sent == ["no_bet"]
        return
    assert reply is not None
    assert (reply.ok, sent) == (False, [])
    assert "coup 1/2 is a Void Hand" in reply.say
    bench.give(signed("no-bet", clause="8.3", args={"kind": "void_hand"}))
    assert [kind for _, kind, _ in bench.commands_sent(0.2)] == ["no_bet"]


def test_a_free_hand_is_dealt_where_nothing_asks_for_a_void_hand(bench: CommandBench) -> None:
    log = Log("nz-baccarat")
    log.coup()
    bench.table.verifier = log.verifier
    bench.table.serve()
    bench.give(signed("no-bet", clause="8.3", args={"kind": "free_hand"}))
    assert [kind for _, kind, _ in bench.commands_sent(0.2)] == ["no_bet"]


@pytest.mark.parametrize(("kind", "status"), [("free_hand", "disputed"), ("void_hand", "verified")])
def test_a_free_hand_that_had_to_be_a_void_hand_is_disputed(kind: str, status: str) -> None:
    log = owed_void_hand(CommandBench())
    log.command("no_bet", kind=kind)
    log.confirm()
    log("coup_kind", shoe_no=1, coup_no=2, kind=kind)
    for card, slot in (("5C", "banker_1"), ("5D", "player_2"), ("2C", "banker_2")):
        log.card(card, slot)
    log.result(points=(9, 7), kind=kind, natural=True)
    assert log.coups()[-1] == (2, status)
