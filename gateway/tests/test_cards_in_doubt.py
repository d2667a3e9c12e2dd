"""Cards in doubt: after a foreign card or in a void shoe no coup counts until the cards are checked or replaced."""

from typing import Any

import pytest
from desk_bench import TIME, DeskBench
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.verify import Record, Source, Verifier
from sabot_protocol.cards import DECK
from shoe_events import UNIT, cards, event, result
from verified_log import Log

FOREIGN, CLAUSE = (
    "missing_or_foreign_card",
    {"star-baccarat": "12.11", "star-premium": "14.11", "star-rapid": "11.8.10"},
)
ASKED = list(CLAUSE)  # books that have the decks checked; the others have no rule


class BookLog(Log):
    """A log with the incidents that follow from it."""

    def __call__(self, kind: str, /, **data: Any) -> list[Record]:
        records = super().__call__(kind, **data)
        if kind == "shoe_opened" and data["shoe_no"] == 1:
            self.incidents = IncidentBook("bac-01", self.book)
        self.incidents.follow(records, Source(UNIT, self.no, TIME), self.verifier.state, self.last_event)
        return records


def found(book: str) -> BookLog:
    """A foreign card is found in mid-coup."""
    log = BookLog(book)
    log.coup()
    log.deal("9S 2H")
    log("reject", shoe_no=1, coup_no=2, reason="foreign", columns=10, doubtful=0, speed_mm_s=900, margin_pct=0)
    log.irregularity(FOREIGN, "VOID_CHECK" if book in CLAUSE else "NO_RULE")
    return log


def void(log: Log, then: str = "new_cards") -> None:
    log("coup_void", shoe_no=1, coup_no=log.coup_no, reason="foreign_card", then=then, cards=2)


def new_shoe(log: Log, number: int = 2) -> None:
    log("shoe_closed", shoe_no=number - 1, coups=1, cards=6, reason="new_cards")
    log("shoe_opened", shoe_no=number, card_set=1, decks=8, burn="none")
    log.coup_no = 1


def bench_at(log: Log) -> DeskBench:
    """A desk at the table of a log, with the incidents of its book."""
    bench = DeskBench()
    bench.table.verifier = log.verifier
    if isinstance(log, BookLog):
        bench.table.incidents = log.incidents
    return bench


def critical(log: Log) -> list[str]:
    return [alarm.name for alarm in log.verifier.alarms.named(FOREIGN)]


@pytest.mark.parametrize("book", ASKED)
def test_the_alarm_stays_through_acknowledgement_and_a_new_shoe(book: str) -> None:
    log = found(book)
    void(log)
    (alarm,) = log.verifier.alarms.named(FOREIGN)
    log.verifier.acknowledge(alarm.alarm, "A. Smith", Source("6a7e", 1, ""))
    new_shoe(log)
    assert critical(log) == [FOREIGN]


@pytest.mark.parametrize("book", ["nz-baccarat", "crown-baccarat"])
def test_where_the_book_has_no_rule_a_person_ends_it(book: str) -> None:
    log = found(book)
    (alarm,) = log.verifier.alarms.named(FOREIGN)
    log.verifier.acknowledge(alarm.alarm, "A. Smith", Source("6a7e", 1, ""))
    assert critical(log) == []


@pytest.mark.parametrize("book", ASKED)
def test_the_next_shoe_is_not_opened_by_command_and_its_coups_do_not_count(book: str) -> None:
    log = found(book)
    void(log)
    bench = bench_at(log)
    bench.table.serve()
    log("shoe_closed", shoe_no=1, coups=1, cards=6, reason="new_cards")
    refused = bench.answer_to("open-shoe")
    assert refused.startswith("Open shoe refused: ")
    assert f"(rule {CLAUSE[book]})" in refused
    assert "deck-check" in refused
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")  # with the button of the shoe
    log.coup_no = 1
    log.deal_in(2)
    assert log.coups()[-1] == (1, "disputed")
    assert "before its cards were checked or replaced" in log.alarms()[-1].say


def locked(log: Log) -> None:
    """The shoe logs that it locks its exit."""
    log("lock", on=1)


@pytest.mark.parametrize("book", ASKED)
def test_the_exit_is_locked_until_the_cards_are_good_again(book: str) -> None:
    log = found(book)
    assert log.verifier.lock_due() == "lock", "a shoe of an earlier release does not lock by itself"
    locked(log)
    void(log)
    assert log.verifier.lock_due() == ""
    (alarm,) = log.verifier.alarms.named("exit_locked")
    assert alarm.clause == CLAUSE[book]
    assert "until the cards are checked or replaced" in alarm.say
    assert bench_at(log).answer_to("unlock").startswith("Unlock refused: ")
    log("shoe_closed", shoe_no=1, coups=1, cards=6, reason="new_cards")
    assert log.verifier.lock_due() == ""
    bench_at(log).answer_to("record", args={"act": "replace_unfit_cards"})
    assert log.verifier.lock_due() == "unlock"
    log.command("unlock")
    log("lock", on=0)
    assert (log.verifier.lock_due(), log.verifier.alarms.named("exit_locked")) == ("", [])


def test_a_void_shoe_is_locked_and_a_person_s_own_lock_stays() -> None:
    log = Log("star-premium")  # 4.12
    log.coup()
    log.command("lock")
    locked(log)
    bench_at(log).answer_to("record", args={"act": "void_shoe"})
    assert log.verifier.lock_due() == ""
    log("shoe_closed", shoe_no=1, coups=1, cards=4, reason="command")
    bench_at(log).answer_to("record", args={"act": "order_shuffle"})
    assert (log.verifier.alarms.held(), log.verifier.lock_due()) == ([], "")


@pytest.mark.parametrize("book", ["nz-baccarat", "crown-baccarat"])
def test_where_the_book_has_no_rule_nothing_is_locked_for_the_cards(book: str) -> None:
    assert found(book).verifier.lock_due() == ""


def whole_check(log: Log, left_out: int = 0) -> None:
    """Feed the cards of the decks through the shoe, without the last ones."""
    log("shoe_closed", shoe_no=1, coups=1, cards=6, reason="new_cards")
    log.command("deck_check", on=1, decks=8)
    fed = list(DECK * 8)[: 416 - left_out]
    for card in fed:
        log.card(card, "unused", coup_no=0)
    log.command("deck_check", on=0, decks=0)
    log("checked", shoe_no=1, cards=len(fed), differences=0)


@pytest.mark.parametrize("book", ASKED)
def test_a_whole_check_without_a_difference_ends_the_alarm(book: str) -> None:
    log = found(book)
    void(log)
    whole_check(log)
    assert critical(log) == []


@pytest.mark.parametrize(("book", "held"), [*((book, True) for book in ASKED), ("crown-baccarat", False)])
def test_cards_that_a_check_finds_missing_are_in_doubt_too(book: str, held: bool) -> None:
    log = Log(book)
    log("shoe_closed", shoe_no=1, coups=0, cards=0, reason="command")
    log.command("deck_check", on=1, decks=8)
    log.command("deck_check", on=0, decks=0)
    log("deck_check", shoe_no=1, card="KD", seen=0, expected=8)
    log("checked", shoe_no=1, cards=0, differences=1)
    (alarm,) = log.verifier.alarms.named("decks_differ")
    bench = bench_at(log)
    bench.table.serve()
    log.verifier.acknowledge(alarm.alarm, "A. Smith", Source("6a7e", 1, ""))
    assert bool(log.verifier.alarms.named("decks_differ")) is held
    if held:
        assert bench.answer_to("open-shoe").startswith("Open shoe refused: ")
        bench.answer_to("record", args={"act": "replace_unfit_cards"})
        assert log.verifier.alarms.held() == []


def test_after_a_restart_a_check_of_a_few_cards_is_no_check_of_the_decks() -> None:
    log = found("star-baccarat")
    void(log)
    again = Verifier("bac-01", log.book, log.profile)
    again.restore(log.verifier.alarms.active(), [])
    closed = {"shoe_no": 1, "coups": 1, "cards": 6, "reason": "new_cards"}
    again.take(event(90, "shoe_closed", **closed), "")
    again.take(event(91, "checked", shoe_no=1, cards=3, differences=0), "")
    assert [alarm.name for alarm in again.alarms.held()] == [FOREIGN]


def test_a_check_that_finds_a_difference_or_not_every_deck_ends_nothing() -> None:
    for left_out in (1, 364):
        log = found("star-baccarat")
        void(log)
        whole_check(log, left_out)
        assert critical(log) == [FOREIGN]


@pytest.mark.parametrize(
    ("verb", "args"),
    [
        ("step", {"incident": "foreign_card", "step": "check_cards", "note": "by hand"}),
        ("record", {"act": "replace_unfit_cards"}),
        ("record", {"act": "verify_cards"}),
    ],
)
@pytest.mark.parametrize("book", ASKED)
def test_a_persons_record_of_check_or_new_cards_ends_it(book: str, verb: str, args: dict[str, Any]) -> None:
    log = found(book)
    void(log)
    bench_at(log).answer_to(verb, args=args)
    assert critical(log) == [FOREIGN], "the shoe is still open"
    log("shoe_closed", shoe_no=1, coups=1, cards=6, reason="new_cards")
    say = bench_at(log).answer_to(verb, args=args)
    assert critical(log) == [], say
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    log.deal_in(2)
    assert log.coups()[-1] == (log.coup_no, "verified")


@pytest.mark.parametrize(
    ("book", "clause"), [("crown-baccarat", "4.1.1(d)"), ("nz-baccarat", "7.1(c)")]
)  # the others have no such step
def test_the_step_that_shuffles_a_void_shoe_is_not_done_while_that_shoe_is_open(book: str, clause: str) -> None:
    log = BookLog(book)
    log.coup()
    bench = bench_at(log)
    bench.answer_to("record", args={"act": "void_shoe"})
    for phase in ("between", "in a coup"):
        say = bench.answer_to("step", clause=clause, args={"incident": "shoe_void", "step": "reshuffle"})
        assert say.startswith("Step refused: shoe 1 is still open"), phase
        assert log.verifier.alarms.named("shoe_void")
        log.deal("9S 2H")
    log("coup_void", shoe_no=1, coup_no=2, reason="misdeal", then="new_cards", cards=2)
    log("shoe_closed", shoe_no=1, coups=2, cards=6, reason="new_cards")
    bench.answer_to("step", clause=clause, args={"incident": "shoe_void", "step": "reshuffle"})
    assert log.verifier.alarms.named("shoe_void") == []
    assert "shoe_void" not in [one.kind for one in log.incidents.open()]


@pytest.mark.parametrize("book", ["star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat"])
def test_a_check_of_the_decks_does_not_hide_a_sequence_that_was_revealed(book: str) -> None:
    log = Log(book)
    log.coup()
    bench = bench_at(log)
    bench.table.serve()
    bench.answer_to("record", args={"act": "void_shoe"})
    whole_check(log)
    assert log.verifier.alarms.named("shoe_void"), "every card is there, in an order that players know"
    refused = bench.answer_to("open-shoe")
    assert refused.startswith("Open shoe refused: ")
    assert "deck-check" not in refused
    assert "order_shuffle" in refused
    bench.answer_to("record", args={"act": "order_shuffle"})
    assert log.verifier.alarms.held() == []


@pytest.mark.parametrize("dealing", [False, True])
@pytest.mark.parametrize("book", ASKED)
def test_a_foreign_card_that_a_person_records_puts_the_cards_in_doubt(book: str, dealing: bool) -> None:
    log = BookLog(book)
    log.coup()
    if dealing:
        log.deal("9S 2H")
    bench = bench_at(log)
    bench.answer_to("record", args={"act": "void_foreign_card"})
    (alarm,) = log.verifier.alarms.named(FOREIGN)
    assert (alarm.clause, alarm.severity) == (CLAUSE[book], "critical")
    assert log.verifier.lock_due() == "lock"
    assert [one.kind for one in log.incidents.open()] == ["foreign_card"]
    if dealing:
        void(log)
    else:
        log.coup()
        assert log.coups()[-1] == (2, "disputed")
    assert [one.kind for one in log.incidents.open()].count("foreign_card") == 1
    log("shoe_closed", shoe_no=1, coups=2, cards=6, reason="new_cards")
    bench.answer_to("record", args={"act": "verify_cards"})
    assert critical(log) == []


@pytest.mark.parametrize("book", ASKED)
def test_after_a_void_for_a_foreign_card_no_coup_of_the_shoe_counts(book: str) -> None:
    log = Log(book)
    log.coup()
    log.deal("9S 2H")
    void(log, then="go_on")
    assert critical(log) == [FOREIGN], "a void by a person is the same finding"
    log.coup_no = 3
    log.coup()
    assert log.coups()[-1] == (3, "disputed")
    assert log.coups()[0] == (1, "verified")  # 12.11.1: earlier coups stand


@pytest.mark.parametrize(("book", "then"), [*((book, "new_cards") for book in ASKED), ("crown-baccarat", "go_on")])
def test_a_void_for_a_foreign_card_ends_the_shoe_where_the_book_removes_the_rest(book: str, then: str) -> None:
    log = Log(book)
    log.deal("9S 2H")
    bench = bench_at(log)
    bench.table.serve()
    clause = CLAUSE.get(book, "10.11")
    bench.send("void", clause=clause, args={"reason": "foreign_card", "then": "go_on"})
    ((_, kind, data),) = bench.commands_sent(0.2)
    assert (kind, data["then"]) == ("void_coup", then)


def test_a_complete_coup_stands_when_the_card_is_found_after_it() -> None:
    log = Log("star-baccarat")
    log.deal()
    log.result()
    log.command("irregularity", case=FOREIGN, facts={})
    log.irregularity(FOREIGN, "VOID_CHECK")
    log.confirm()
    assert log.coups() == [(1, "verified")]


@pytest.mark.parametrize("book", ["star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat"])
def test_a_void_shoe_is_closed_and_followed_by_cards_that_were_shuffled_or_replaced(book: str) -> None:
    log = Log(book)
    log.coup()
    bench = bench_at(log)
    bench.table.serve()
    bench.answer_to("record", args={"act": "void_shoe"})
    (alarm,) = log.verifier.alarms.named("shoe_void")
    assert alarm.severity == "critical"
    log.coup()
    assert log.coups()[-1] == (2, "disputed")
    bench.answer_to("record", args={"act": "order_shuffle"})
    assert log.verifier.alarms.named("shoe_void"), "the shoe is still open"
    log("shoe_closed", shoe_no=1, coups=2, cards=8, reason="command")
    assert bench.answer_to("open-shoe").startswith("Open shoe refused: ")
    bench.answer_to("record", args={"act": "order_shuffle"})
    assert log.verifier.alarms.named("shoe_void") == []


def test_the_alarm_is_still_there_after_a_restart() -> None:
    log = found("star-baccarat")
    void(log)
    again = Verifier("bac-01", log.book, log.profile)
    again.restore(log.verifier.alarms.active(), [])
    again.take(event(90, "shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none"), "")
    for one in [*cards(91, "9S 2H TD 3C"), result(95, "player", 9, 5, natural=True)]:
        records = again.take(one, "")
    assert [one.message.status for one in records if one.topic == "coup"] == ["disputed"]  # type: ignore[union-attr]


# Reasons of a void that need another person


def test_a_supervisor_of_rapid_does_not_avoid_the_manager_by_another_reason() -> None:
    from floor_commands_bench import CommandBench, signed

    bench, log = CommandBench(), Log("star-rapid")
    log.deal("9S 2H")
    bench.table.verifier = log.verifier
    bench.table.serve()
    args = {"reason": "discrepancy"}
    reply = bench.give(signed("void", role="casino_supervisor", clause="11.8.11", args=args))
    assert reply is not None
    assert (reply.ok, reply.reason) == (False, "role"), reply.say
    assert "Assistant Gaming Manager" in reply.say
    bench.give(signed("void", role="assistant_gaming_manager", clause="11.8.1.3", args=args))
    assert "agree" in bench.replies[-1].say


@pytest.mark.parametrize(
    ("verb", "clause", "args"),
    [("void", "11.8.6", {"reason": "short_shoe"}), ("irregularity", "", {"case": "insufficient_cards"})],
)
@pytest.mark.parametrize("short", [False, True])
def test_too_few_cards_are_no_way_around_the_manager_while_there_are_enough(
    verb: str, clause: str, args: dict[str, Any], short: bool
) -> None:
    from floor_commands_bench import CommandBench, signed

    bench, log = CommandBench(), Log("star-rapid", decks=1)
    for card in DECK[: 44 if short else 30]:
        log.card(card, "burn", coup_no=0)
    log.deal("9S 2H")
    bench.table.verifier = log.verifier
    bench.table.serve()
    reply = bench.give(signed(verb, role="casino_supervisor", clause=clause, args=args))
    assert (reply is not None and "Assistant Gaming Manager" in reply.say) is not short
    if not short:
        bench.give(signed(verb, role="assistant_gaming_manager", clause=clause, args=args))
    assert len(bench.commands_sent(0.2)) == 1


def test_a_void_for_too_few_cards_while_there_are_enough_is_an_alarm() -> None:
    log = Log("star-rapid")
    log.deal("9S 2H")
    log("coup_void", shoe_no=1, coup_no=1, reason="short_shoe", then="new_cards", cards=2)
    assert log.alarm("cards_left").cards_say == "414 cards are left"
    log = Log("star-rapid", decks=1)
    for card in DECK[:44]:
        log.card(card, "burn", coup_no=0)
    log.deal("9S 2H")
    log("coup_void", shoe_no=1, coup_no=1, reason="short_shoe", then="new_cards", cards=2)
    assert log.alarms("cards_left") == []
