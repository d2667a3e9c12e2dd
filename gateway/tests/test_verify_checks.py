"""Verify, check by check, from event sequences written by hand; the clauses are those of the printed books."""

from math import comb
from typing import Any

import pytest
from sabot_gateway.verify import Record, Verifier
from sabot_gateway.verify.checks.shuffle import (
    MANY_OF_RANK,
    MANY_OF_SUIT,
    REPEATED,
    ROW_OF_RANK,
    ROW_OF_SUIT,
    RUN,
    Pattern,
)
from sabot_protocol import fields, messages, rulebooks
from sabot_protocol.cards import DECK
from sabot_protocol.topics import AlarmMessage, CoupMessage
from shoe_events import FLAGS, SLOTS, UNIT, event

FOUR = "9S 2H TD 3C"  # the Player wins with a natural nine
ALL_FOUR: dict[str, Any] = {"natural": True}


class Log:
    """A shoe's log written by hand, and a verifier that takes it."""

    def __init__(self, book: str = "star-baccarat", decks: int = 8, burn: str = "none", **choices: str) -> None:
        self.book = rulebooks.load(book)
        self.profile = self.book.profile(8, 1, choices)
        self.verifier = Verifier("bac-01", self.book, self.profile)
        self.no, self.ms, self.coup_no = 0, 0, 1
        self.records: list[Record] = []
        self("shoe_opened", shoe_no=1, card_set=1, decks=decks, burn=burn)

    def __call__(self, kind: str, /, *, ms: int = 1000, time: str = "", unit: str = UNIT, **data: Any) -> list[Record]:
        """One more event, so many ms after the one before."""
        self.no, self.ms = self.no + 1, self.ms + ms
        made = event(self.no, kind, **data)._replace(time_ms=self.ms % 2**30, unit=unit)
        made_records = self.verifier.take(made, time)
        self.records += made_records
        return made_records

    def card(self, card: str, slot: str, **changes: Any) -> list[Record]:
        flags = changes.pop("flags", {})
        data = {"shoe_no": 1, "coup_no": self.coup_no, "speed_mm_s": 900, "margin_pct": 80, **changes}
        return self("card", slot=slot, card=card, flags=flags, **data)

    def deal(self, cards: str = FOUR) -> None:
        for card, slot in zip(cards.split(), SLOTS, strict=False):
            self.card(card, slot)

    def result(
        self, winner: str = "player", points: tuple[int, int] = (9, 5), kind: str = "live", **flags: bool
    ) -> None:
        flags = {**FLAGS, **(flags or ALL_FOUR)}
        place: dict[str, Any] = {"shoe_no": 1, "coup_no": self.coup_no, "kind": kind}
        self("coup", **place, winner=winner, player_points=points[0], banker_points=points[1], flags=flags)

    def button(self, button: str = "confirm") -> list[Record]:
        return self("button", shoe_no=1, coup_no=self.coup_no, button=button)

    def confirm(self) -> None:
        self.button()
        self.coup_no += 1

    def coup(self, **flags: bool) -> None:
        """A whole one, confirmed."""
        self.deal()
        self.result(**{**ALL_FOUR, **flags})
        self.confirm()

    def command(self, command: str, **data: Any) -> None:
        self("command_done", command_id=self.no, command=command, outcome="done", data=data)

    def irregularity(self, case: str, code: str, **facts: bool) -> list[Record]:
        every = dict.fromkeys(fields.FACTS, False) | facts
        return self("irregularity", shoe_no=1, coup_no=self.coup_no, case=case, facts=every, code=code)

    def alarms(self, *names: str) -> list[AlarmMessage]:
        said = [record.message for record in self.records]
        wanted = names or ("discrepancy",)
        return [one for one in said if isinstance(one, AlarmMessage) and one.state == "raised" and one.name in wanted]

    def alarm(self, *names: str) -> AlarmMessage:
        (alarm,) = self.alarms(*names)
        return alarm

    def told(self) -> list[CoupMessage]:
        said = [record.message for record in self.records]
        return [one for one in said if isinstance(one, CoupMessage)]

    def coups(self) -> list[tuple[int, str]]:
        return [(one.coup, one.status) for one in self.told()]


# Composition


def test_the_second_copy_of_a_card_in_one_deck_must_be_told() -> None:
    log = Log(decks=1)
    log.coup()
    log.card("9S", "player_1")
    assert log.alarms() == []  # the shoe's own word may follow
    log.card("2D", "banker_1")
    alarm = log.alarm()
    assert alarm.cards_say == "missing or foreign card: 9S came more often than 1 decks allow"
    assert (alarm.coup, alarm.severity) == (2, "critical")


def test_a_surplus_copy_that_the_shoe_tells_is_one_alarm_and_no_discrepancy() -> None:
    log = Log(decks=1)
    log.coup()
    log.card("9S", "player_1")
    log.irregularity("missing_or_foreign_card", "VOID_CHECK")
    log("coup_void", shoe_no=1, coup_no=2, reason="foreign_card", then="new_cards", cards=1)
    log("shoe_closed", shoe_no=1, coups=2, reason="new_cards")
    assert log.alarms() == []
    assert log.alarm("missing_or_foreign_card").clause == "12.11"


@pytest.mark.parametrize("book", ["star-baccarat", "star-premium", "star-rapid"])
@pytest.mark.parametrize("confirmed", [False, True])
@pytest.mark.parametrize("reason", [None, "foreign"])
def test_a_foreign_card_behind_a_complete_coup_is_told_as_it_ends(
    book: str, confirmed: bool, reason: str | None
) -> None:
    log = Log(book)
    log.deal()
    log.result()
    if confirmed:
        log.confirm()
    if reason:
        read: dict[str, Any] = {"columns": 10, "doubtful": 0, "speed_mm_s": 850, "margin_pct": 0}
        log("reject", shoe_no=1, coup_no=log.coup_no, reason=reason, **read)
    else:
        log.command("irregularity", case="missing_or_foreign_card", facts={})
    log.irregularity("missing_or_foreign_card", "VOID_CHECK")
    say = log.alarm("missing_or_foreign_card").say
    assert say.startswith("No coup is void") == (not confirmed or reason is None)  # else it is the next coup's first


@pytest.mark.parametrize("slot", ["burn", "unused"])
def test_burnt_and_unused_cards_count(slot: str) -> None:
    log = Log("crown-baccarat", decks=1)
    log.command("burn_card")
    log.card("9S", slot, flags={"surplus": slot == "unused"})
    if slot == "unused":
        log.irregularity("excess_card", "NEXT_LIVE")
    log.card("9S", "player_1")
    log.card("2H", "banker_1")
    assert "9S came more often" in log.alarm().cards_say


def test_under_a_continuous_shuffler_cards_come_again() -> None:
    log = Log(decks=1, shuffler="continuous")
    for _ in range(9):
        log.coup()
    assert log.alarms() == []


def test_a_card_that_was_put_back_does_not_count_twice() -> None:
    log = Log("crown-baccarat", decks=1)
    log.deal()
    log.result()
    log.coup_no = 2
    log.card("8D", "player_1", flags={"surplus": True})
    log.coup_no = 1
    log.irregularity("player_overdraw", "NEXT_NO_BET")
    log.command("card_returned")
    log.confirm()
    log("coup_kind", shoe_no=1, coup_no=2, kind="dummy")
    log.card("8D", "player_1", flags={"returned": True})
    log.card("KC", "banker_1")
    assert log.alarms() == []


def test_the_shoes_own_counts_are_compared() -> None:
    log = Log()
    log.coup()
    halves = [DECK[:26], DECK[26:]]
    for half, cards in enumerate(halves):
        counts = [int(card in FOUR.split()) for card in cards]
        packed = bytes(low | high << 4 for low, high in zip(counts[::2], counts[1::2], strict=True))
        log("composition", shoe_no=1, half=half, counts=packed)
    place: dict[str, Any] = {
        "shoe_no": 1,
        "coup_no": 2,
        "decks": 8,
        "coups_left": 0,
        "kind": "live",
        "authorised": 0,
        "locked": 0,
        "before": 0,
    }
    log("checkpoint", **place, cards_out=4)
    assert log.alarms() == []
    log("checkpoint", **place, cards_out=5)
    assert (log.alarm().shoe_says, log.alarm().cards_say) == ("5 cards of 8 decks", "4 cards of 8 decks")


def test_a_check_of_the_decks_is_one_alarm_whatever_it_finds() -> None:
    log = Log()
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    log.command("deck_check", on=1, decks=1)
    log.coup_no = 0
    for card in ("AS", "AS", "KH"):
        log.card(card, "burn")
    log.command("deck_check", on=0, decks=0)
    for card, seen in (("AS", 2), ("2C", 0)):
        log("deck_check", shoe_no=1, card=card, seen=seen, expected=1)
    log("checked", shoe_no=1, cards=3, differences=2)
    assert log.alarm("decks_differ").shoe_says == "AS came 2 times, 2C came 0 times"
    assert log.alarms() == []


# The cutting card: The Star 4.9, 4.10; NZ 11.2; Crown 4.1.1(b), 7.3.4(d), A-17; Rapid 3.13, 3.14

LAST_BY_BOOK = [
    ("star-baccarat", 1, "4.10", "4.9"),
    ("star-premium", 1, "4.10", "4.9"),
    ("nz-baccarat", 1, "11.2(a)", "11.2(b)"),
    ("star-rapid", 1, "3.14", "3.13"),
    ("crown-baccarat", 2, "4.1.1(b), A-17", "7.3.4(d)"),
]


@pytest.mark.parametrize(("book", "last", "clause", "_"), LAST_BY_BOOK)
def test_a_cutting_card_before_the_first_card(book: str, last: int, clause: str, _: str) -> None:
    right, wrong = Log(book), Log(book)
    for log, by in ((right, last), (wrong, 3 - last)):
        log("cutting_card", shoe_no=1, coup_no=1, before_first_card=1)
        log.deal()
        log.result(**ALL_FOUR, last_coup=by == 1)
    assert right.alarms() == []
    assert wrong.alarm().clause == clause
    assert wrong.coups() == [(1, "disputed")]


@pytest.mark.parametrize(("book", "_", "__", "clause"), LAST_BY_BOOK)
def test_a_cutting_card_in_mid_coup_makes_the_next_the_last(book: str, _: int, __: str, clause: str) -> None:
    log = Log(book)
    log.card("9S", "player_1")
    log("cutting_card", shoe_no=1, coup_no=1, before_first_card=0)
    for card, slot in zip(["2H", "TD", "3C"], SLOTS[1:], strict=False):
        log.card(card, slot)
    log.result()
    log.confirm()
    log.deal()
    log.result(**ALL_FOUR)
    assert (log.alarm().shoe_says, log.alarm().cards_say) == ("not the last coup", "the last coup")
    assert log.alarm().clause == clause


@pytest.mark.parametrize(("book", "_", "clause", "__"), LAST_BY_BOOK)
def test_a_coup_with_wagers_after_the_last_one(book: str, _: int, clause: str, __: str) -> None:
    log = Log(book)
    log("cutting_card", shoe_no=1, coup_no=1, before_first_card=1)
    log.coup(last_coup=book != "crown-baccarat")
    if book == "crown-baccarat":
        log.coup(last_coup=True)
    log.coup(last_coup=True)
    alarm = log.alarms()[0]
    if book == "crown-baccarat":  # only the wagers are wrong
        assert (alarm.shoe_says, alarm.cards_say) == ("live", "dummy: after the last coup")
    else:
        assert (alarm.shoe_says, alarm.cards_say) == ("coup 2 is dealt", "coup 1 was the last")
        assert alarm.clause == clause
    assert log.coups()[-1][1] == "disputed"


def test_dummy_coups_may_follow_the_last_one_at_crown() -> None:
    log = Log("crown-baccarat")
    log("cutting_card", shoe_no=1, coup_no=1, before_first_card=1)
    log.coup()
    log.coup(last_coup=True)
    log.command("authorise", times=1)
    log("coup_kind", shoe_no=1, coup_no=3, kind="dummy")
    log.deal()
    log.result(kind="dummy", **ALL_FOUR, last_coup=True)
    assert log.alarms() == []


@pytest.mark.parametrize("confirmed", [False, True])
def test_a_cutting_card_behind_a_card_too_many_is_in_the_coup_that_it_begins(confirmed: bool) -> None:
    log = Log()  # 12.2, 4.9: the coup goes on, and one more follows; A-55
    log.deal()
    log.result()
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True})
    log.irregularity("player_overdraw", "NEXT_LIVE")
    if confirmed:
        log.confirm()
    log("cutting_card", shoe_no=1, coup_no=2, before_first_card=0)
    if not confirmed:
        log.confirm()
    for card, slot in zip(["2H", "KD", "3S"], SLOTS[1:], strict=False):
        log.card(card, slot)
    log.result("player", (8, 5))
    log.confirm()
    log.coup(last_coup=True)
    assert log.alarms() == []
    assert log.coups() == [(1, "verified"), (2, "verified"), (3, "verified")]


def test_a_cutting_card_before_a_coup_that_a_card_too_many_began_is_none() -> None:
    log = Log()
    log.deal()
    log.result()
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True})
    log.irregularity("player_overdraw", "NEXT_LIVE")
    log("cutting_card", shoe_no=1, coup_no=2, before_first_card=1)
    assert log.alarm().cards_say == "in coup 2"


# Numbers


def test_slots_come_in_the_order_of_the_draw() -> None:
    log = Log()
    log.card("9S", "player_1")
    log.card("2H", "player_2")
    assert log.alarm().cards_say == "after 9S banker_1 is due"
    assert log.alarm().coup == 1


def test_a_third_card_that_the_tables_do_not_give() -> None:
    log = Log()
    log.deal(FOUR)
    log.card("4S", "player_3")
    assert (log.alarm().cards_say, log.alarm().clause) == ("after 9S 2H TD 3C the coup is complete", "9.2")


def test_cards_after_the_end_are_told_once() -> None:
    log = Log()
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    for slot in SLOTS[:4]:
        log.card("9S", slot)
    assert log.alarm().say.startswith("A card was dealt, but no shoe is open.")
    assert log.alarm().say.endswith("keep the shoe for inspection.")


# Burn: The Star 4.7, NZ 7.7 with ten for tens and pictures


@pytest.mark.parametrize(("first", "more"), [("5S", 5), ("AS", 1), ("KS", 10), ("TD", 10)])
def test_a_card_burnt_face_up_burns_as_many_as_its_value(first: str, more: int) -> None:
    for count, wrong in ((more, False), (more - 1, True)):
        log = Log("nz-baccarat", burn="face_up")
        for card in [first, *DECK[:count]]:
            log.card(card, "burn", coup_no=0)
        log("burn", shoe_no=1, mode="face_up", cards=count + 1, missed=0)
        assert [alarm.clause for alarm in log.alarms()] == (["7.7"] if wrong else [])


def test_a_card_burnt_later_is_legal_at_crown_by_order_only() -> None:
    log = Log("crown-baccarat")
    log.coup()
    log.command("burn_card")
    log.card("KD", "burn")
    assert log.alarms() == []
    log.card("KD", "burn")
    assert log.alarm().clause == "7.2.2(b)"


# Kinds


def test_a_first_card_face_up_asks_for_a_coup_without_wagers() -> None:
    log = Log()
    log.card("9S", "player_1", flags={"face_up": True})
    log.irregularity("first_card_face_up", "THIS_NO_BET")
    for card, slot in zip(["2H", "TD", "3C"], SLOTS[1:], strict=False):
        log.card(card, slot)
    log.result()
    assert (log.alarm().shoe_says, log.alarm().cards_say) == ("live", "no_bet: first card face up")
    assert log.alarm().clause == "12.4"


# Ordered sets


def shows(cards: str) -> str:
    pattern = Pattern()
    return next(filter(None, (pattern.add(card) for card in cards.split())), "")


@pytest.mark.parametrize(
    ("cards", "found"),
    [
        ("AS 2S 3S 4S 5S 6S 7S", ""),
        ("AS 2H 3S 4D 5S 6C 7S 8S", "8 cards in order of rank"),
        ("KD 3D 2H AS KC QD JC TH 9S 8C", "8 cards in order of rank"),
        ("9S 9H 9D 9C 9S 9H 9D 4C", ""),
        ("9S 9H 9D 9C 9S 9H 9D 9C", "8 cards of one rank in a row"),
        ("AS 3S 5S 2S 7S 9S JS 4S 6S KS 8S TS QS", "13 cards of one suit in a row"),
        ("AS 3S 5S 2S 7S 9S JS 4S 6S KS 8S TS QH", ""),
        ("2S 9D KH 4C 7S JD AC 2S 9D KH 4C 7S JD", "6 cards repeated in the same order"),
        ("2S 9D KH 4C 7S JD AC 2S 9D KH 4C 7S AD", ""),
    ],
)
def test_patterns_of_an_unshuffled_set(cards: str, found: str) -> None:
    assert shows(cards) == found


def test_twelve_of_one_rank_and_nineteen_of_one_suit_among_26() -> None:
    other = "2D 4H 6C 8D TH QC 3D 5H 7C 9D JH KC 2H 4C"
    ranks = " ".join(f"A{suit} {card}" for suit, card in zip("SHDCSHDCSHDC", other.split(), strict=False))
    assert shows(f"{ranks} 2H 4C") == "12 of 26 cards are of one rank"
    spades = "AS 3S 5S 2S 7S 9S KD JS 4S 6S 8S TS QS 2S 4C AS 3S 9S 7H 5S 8S QD 6H 3C 2C KS"
    assert spades.count("S") == 19
    assert shows(spades) == "19 of 26 cards are of one suit"
    assert shows(spades.replace("KS", "KH")) == ""


def test_a_shuffled_shoe_is_ordered_once_in_100_000_at_most() -> None:
    """Eight decks: 32 of a rank and 104 of a suit among 416 cards; rows by the chance of each next card."""

    def at_least(count: int, of: int, among: int = 26) -> float:
        ways = sum(comb(of, k) * comb(416 - of, among - k) for k in range(count, among + 1))
        return ways / comb(416, among)

    rows = [45 * 2 * (32 / 409) ** 7, 45 * (31 / 415) ** 7, 40 * (103 / 415) ** 12, 99 * 98 / 2 * (8 / 411) ** 6]
    many = [13 * at_least(MANY_OF_RANK, 32), 4 * at_least(MANY_OF_SUIT, 104)]
    assert (RUN, ROW_OF_RANK, ROW_OF_SUIT, REPEATED) == (8, 8, 13, 6)
    assert sum(rows) + sum(many) < 1e-5


def test_an_ordered_set_is_told_once_a_shoe_whoever_finds_it() -> None:
    log = Log()
    for card in ("AS", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS"):
        log.card(card, "unused", flags={"surplus": True})
    log("ordered_set", shoe_no=1, pattern="runs", cards=10)
    assert (log.alarm("ordered_set").shoe_says, log.alarm("ordered_set").cards_say) == (
        "",
        "8 cards in order of rank",
    )


# Clocks


def utc(second: int) -> str:
    return f"2026-01-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.000Z"


def test_cards_faster_than_a_hand_are_told_once() -> None:
    log = Log()
    for card, slot in zip(FOUR.split(), SLOTS, strict=False):
        log("card", ms=20, shoe_no=1, coup_no=1, slot=slot, card=card, speed_mm_s=900, margin_pct=80, flags={})
    assert log.alarm("cards_too_fast").shoe_says == "20 ms apart"


def test_the_shoes_clock_may_wrap_and_restart_but_not_go_back() -> None:
    log = Log()
    log("key", ms=2**29 - 1, on=1)
    log("key", ms=2**29 - 1, on=0)
    log("boot", ms=-5000, boot_count=2, cause="power")
    assert log.alarms("shoe_clock") == []
    log("key", ms=-5000, on=1)
    log("key", ms=-5000, on=0)
    assert log.alarm("shoe_clock").say.startswith("The shoe's clock went back without a restart.")


def test_events_that_come_late_are_no_clock_that_is_wrong() -> None:
    log = Log()
    for second, ms in ((10, 1000), (3610, 1000), (3610, 1000), (3610, 3_590_000), (3620, 10_000)):
        log("key", ms=ms, time=utc(second), on=1)
    assert log.alarms("shoe_clock", "gateway_clock") == []


def test_a_gateway_clock_that_goes_back_an_hour_is_told_once_and_disorders_nothing() -> None:
    log = Log()
    log.card("9S", "player_1")
    for second in (7200, 7201, 3601, 3602, 2, 3):
        log("key", time=utc(second), on=1)
    assert log.alarm("gateway_clock").cards_say == "3600 seconds back"
    assert log.alarms("shoe_clock") == []


def test_a_shoe_that_runs_ahead_and_a_drift_between_two_settings() -> None:
    ahead = Log()
    ahead("key", time=utc(10), on=1)
    ahead("key", time=utc(610), ms=600_000, on=1)
    ahead("key", time=utc(620), ms=30_000, on=0)
    assert ahead.alarm("shoe_clock").cards_say == "20 seconds ahead"
    drift = Log()
    drift("time_set", utc_s=1000, utc_ms=0)
    drift("time_set", ms=100_000, utc_s=1120, utc_ms=0)
    assert drift.alarms("shoe_clock") == []
    drift("time_set", ms=100_000, utc_s=1260, utc_ms=0)
    assert (drift.alarm("shoe_clock").shoe_says, drift.alarm("shoe_clock").cards_say) == (
        "100 s",
        "140 s by the gateway",
    )


def test_a_bench_that_plays_faster_than_time_is_no_clock_that_is_wrong() -> None:
    log = Log()
    for second in range(100):
        log("key", time=utc(second), ms=30_000, on=1)
    log("time_set", utc_s=1000, utc_ms=0)
    log("time_set", ms=100_000, utc_s=1010, utc_ms=0)
    assert log.alarms("shoe_clock", "gateway_clock") == []


# The profile


def test_cards_under_another_profile_are_a_discrepancy() -> None:
    log = Log()
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    log("profile_set", profile_hash=messages.profile_hash(log.profile))
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    assert log.alarms() == []
    log("shoe_closed", shoe_no=2, coups=0, reason="command")
    log("profile_set", profile_hash=bytes(8))
    log("shoe_opened", shoe_no=3, card_set=1, decks=8, burn="none")
    assert log.alarm().shoe_says == "profile 0000000000000000"


# The dealer's entry: The Star 12.13, Rapid 7.7.4.9-10, 8.1, 11.8.11


def wrong_button(book: str = "star-baccarat") -> Log:
    log = Log(book)
    log.deal()
    log.result()
    log.button("banker")
    code = {"star-baccarat": "CONFIRM", "crown-baccarat": "NO_RULE"}[book]
    log.irregularity("scan_discrepancy", code, confirmed=True)
    log("fault", fault="decision", detail=0)
    return log


def test_a_wrong_button_disputes_the_coup_and_the_fault_that_holds_the_exit_is_an_alarm_too() -> None:
    log = wrong_button()
    raised = [r.message for r in log.records if isinstance(r.message, AlarmMessage)]
    assert [(alarm.name, alarm.clause) for alarm in raised] == [("discrepancy", "12.13"), ("fault_decision", "")]
    assert (raised[0].shoe_says, raised[0].cards_say) == ("the dealer says banker", "the cards say player")
    assert log.coups() == [(1, "verified"), (1, "disputed")]
    assert [coup.corrects for coup in log.verifier.disputed()] == [f"{UNIT}-6"]


@pytest.mark.parametrize("book", ["star-baccarat", "crown-baccarat"])
def test_a_supervisor_at_the_shoe_settles_it(book: str) -> None:
    log = wrong_button(book)
    log("fault_cleared", fault="decision", by="key")
    assert log.coups()[-1] == (1, "disputed")
    log.button("confirm")
    assert log.coups()[-1] == (1, "confirmed")
    assert (log.verifier.disputed(), log.verifier.active()) == ([], [])


def test_a_dealers_confirm_alone_does_not_settle_it() -> None:
    log = wrong_button()
    log.button("confirm")
    assert log.coups()[-1] == (1, "disputed")


def test_the_shoe_voids_what_was_disputed() -> None:
    log = wrong_button()
    disputed = log.verifier.disputed()[0]
    own, *_ = log("coup_void", shoe_no=1, coup_no=1, reason="discrepancy", then="go_on", cards=4)
    assert isinstance(own.message, CoupMessage)
    assert (own.message.status, own.message.winner, own.message.corrects) == ("void", None, disputed.id)
    assert log.verifier.disputed() == []
    log("fault_cleared", fault="decision", by="command")
    assert [alarm.name for alarm in log.verifier.active()] == ["coup_void"]


def test_a_wrong_button_that_the_shoe_ignores() -> None:
    log = Log()
    log.deal()
    log.result()
    log.button("banker")
    log.button("confirm")
    first, second = log.alarms()
    assert first.say.startswith("The dealer's result does not match the cards.")
    assert second.say.startswith("The shoe did not report an irregularity.")


# Parts that are missing


def test_a_shoe_that_is_joined_in_mid_coup_is_disputed_for_that_coup_only() -> None:
    log = Log()
    log.verifier = Verifier("bac-01", log.book, log.profile)
    log.records.clear()
    log.coup_no = 17
    for card, slot in zip(["TD", "3C"], SLOTS[2:], strict=False):
        log.card(card, slot)
    log.result()
    log.confirm()
    log.coup()
    assert log.coups() == [(17, "disputed"), (18, "verified")]
    assert log.alarm().say.startswith("Part of this coup's log is missing.")


def test_another_unit_begins_afresh() -> None:
    log = Log()
    log.deal()
    log("shoe_opened", unit="5ab0000000000002", shoe_no=40, card_set=1, decks=8, burn="none")
    assert log.alarms() == []


# The exit is locked by command: The Star 5.4, Premium 5.5, NZ 5.14, Crown 5.4, Rapid 7.3


@pytest.mark.parametrize(
    ("book", "clause", "next_step"),
    [
        ("star-baccarat", "5.4", "wagers are closed"),
        ("star-premium", "5.5", "Keep it face down"),
        ("nz-baccarat", "5.14", "Call no more bets"),
        ("crown-baccarat", "5.4", "wagers are closed"),
        ("star-rapid", "7.3", "Those already placed stand"),
    ],
)
def test_a_card_drawn_while_locked_closes_wagers_by_the_book(book: str, clause: str, next_step: str) -> None:
    log = Log(book)
    log("lock", on=1)
    log.card("9S", "player_1")
    alarm = log.alarm("drawn_while_locked")
    assert (alarm.shoe_says, alarm.clause) == ("9S as player_1", clause)
    assert next_step in alarm.say
    log("lock", on=0)
    for card, slot in zip(["2H", "TD", "3C"], SLOTS[1:], strict=False):
        log.card(card, slot)
    log.result()
    assert log.coups() == [(1, "verified")]
    assert log.alarms("drawn_while_locked") == [alarm]


def test_a_later_card_drawn_while_the_exit_is_locked_says_nothing_of_wagers() -> None:
    log = Log()
    log.card("9S", "player_1")
    log("lock", on=1)
    log.card("2H", "banker_1")
    assert (log.alarm("drawn_while_locked").clause, "wagers" in log.alarm("drawn_while_locked").say) == ("", False)


def test_a_card_too_many_or_keyed_in_is_not_drawn_while_locked() -> None:
    log = Log()
    log("lock", on=1)
    log.card("9S", "player_1", flags={"keyed": True})
    log.card("2H", "unused", flags={"surplus": True})
    assert log.alarms("drawn_while_locked") == []


def test_behind_a_hole_in_the_log_the_lock_is_not_known() -> None:
    log = Log()
    log("lock", on=1)
    log("damaged")
    log.card("9S", "player_1")
    assert log.alarms("drawn_while_locked") == []
