"""Alarms: what people and the daemon do with them, how long each lasts, and the text beside the code."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import NotThereError, Record, Source, Verifier
from sabot_gateway.verify.alarms.book import CROWDED_OUT, AlarmBook, most_urgent
from sabot_gateway.verify.alarms.catalogue import ALARMS
from sabot_gateway.verify.alarms.shoe_texts import FAULTS, REJECTS
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.disputes import Decision
from sabot_gateway.verify.document import as_text
from sabot_protocol import fields, irregularities
from sabot_protocol.topics import AlarmMessage, CoupMessage, Winner
from shoe_events import BOOK, PROFILE, UNIT, cards, event, result

GATEWAY = "6a7e000000000001"
TIME = "2026-01-01T00:00:00.000Z"
ACT = Source(GATEWAY, 7, "2026-01-01T00:00:09.000Z")
JONES = Decider("B. Jones", "12.13", "2026-01-01T00:00:08.000Z", f"{GATEWAY}-6")
COMMON = {
    "id": f"{UNIT}-1",
    "unit": UNIT,
    "event_no": 1,
    "table": "bac-01",
    "shoe": 1,
    "coup": 1,
    "time": TIME,
    "rulebook": "00",
}


def served(*events: Event) -> Verifier:
    verifier = Verifier("bac-01", BOOK, PROFILE)
    for one in events:
        verifier.take(one, TIME)
    return verifier


def decide(verifier: Verifier, status: Decision, coup: str = "1/1", winner: Winner | None = None) -> list[Record]:
    """B. Jones decides a disputed coup."""
    return verifier.decide(verifier.disputes.find(coup), status, JONES, ACT, winner)


def messages(records: list[Record]) -> list[AlarmMessage]:
    return [record.message for record in records if isinstance(record.message, AlarmMessage)]


def coup(records: list[Record]) -> CoupMessage:
    (message,) = [record.message for record in records if isinstance(record.message, CoupMessage)]
    return message


REJECT = event(9, "reject", shoe_no=1, coup_no=1, reason="double", columns=10, doubtful=0, speed_mm_s=850, margin_pct=0)
FAULT = event(10, "fault", fault="card", detail=0)
DISPUTED = (*cards(1, "9S 2H TD 3C"), result(5, "banker", 9, 5, natural=True))


def test_an_alarm_that_a_person_ends_is_acknowledged_and_over() -> None:
    verifier = served(REJECT)
    (alarm,) = verifier.active()
    seen, over = messages(verifier.acknowledge(alarm.alarm, "A. Smith", ACT))
    assert (seen.id, seen.state, seen.by, seen.time) == (f"{GATEWAY}-7", "acknowledged", "A. Smith", ACT.time)
    assert (over.id, over.state, over.by) == (f"{GATEWAY}-7-cleared", "cleared", "A. Smith")
    assert {seen.alarm, over.alarm} == {f"{UNIT}-9-reject"}
    assert (seen.unit, seen.event_no, seen.shoe, seen.coup) == (GATEWAY, 7, 1, 1)
    assert verifier.active() == []


def test_a_fault_is_acknowledged_and_lasts_until_the_shoe_clears_it() -> None:
    verifier = served(FAULT)
    (seen,) = messages(verifier.acknowledge(f"{UNIT}-10-fault_card", "A. Smith", ACT))
    assert seen.state == "acknowledged"
    assert [alarm.state for alarm in verifier.active()] == ["acknowledged"]
    (over,) = messages(verifier.take(event(11, "fault_cleared", fault="card", by="key"), TIME))
    assert (over.id, over.state, over.by) == (f"{UNIT}-11-fault_card-cleared", "cleared", "the shoe: key")
    assert verifier.active() == []


def test_a_fault_that_is_reported_again_is_one_alarm() -> None:
    verifier = served(FAULT)
    assert messages(verifier.take(event(12, "fault", fault="card", detail=0), TIME)) == []
    assert len(verifier.active()) == 1


def test_fault_none_is_no_alarm() -> None:
    assert messages(served().take(event(1, "fault", fault="none", detail=0), TIME)) == []


def test_a_cleared_fault_ends_the_reject_that_led_to_it() -> None:
    verifier = served(REJECT, FAULT, event(11, "fault_cleared", fault="card", by="command"))
    assert verifier.active() == []


def test_a_new_shoe_ends_what_was_about_the_old_one() -> None:
    verifier = served(REJECT, FAULT, event(11, "damaged"))
    opened = event(12, "shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    assert [alarm.by for alarm in messages(verifier.take(opened, TIME))] == ["a new shoe"]
    assert [alarm.name for alarm in verifier.active()] == ["fault_card", "log_damaged"]


def test_acknowledging_an_unknown_alarm_is_refused() -> None:
    verifier = served(REJECT)
    with pytest.raises(NotThereError, match=f"alarm nothing is not active; active: {UNIT}-9-reject"):
        verifier.acknowledge("nothing", "A. Smith", ACT)


# A disputed coup


def test_a_discrepancy_can_be_acknowledged_but_only_a_decision_ends_it() -> None:
    verifier = served(*DISPUTED)
    (seen,) = messages(verifier.acknowledge(f"{UNIT}-5-discrepancy", "A. Smith", ACT))
    assert seen.state == "acknowledged"
    assert [alarm.name for alarm in verifier.active()] == ["discrepancy"]


def test_a_supervisor_confirms_what_the_cards_give() -> None:
    verifier = served(*DISPUTED)
    records = decide(verifier, "confirmed")
    changed = coup(records)
    assert (changed.id, changed.status, changed.corrects) == (f"{GATEWAY}-7", "confirmed", f"{UNIT}-5")
    assert (changed.winner, changed.by, changed.clause, changed.time) == ("player", "B. Jones", "12.13", ACT.time)
    assert [(alarm.name, alarm.state, alarm.by) for alarm in messages(records)] == [
        ("discrepancy", "cleared", "B. Jones")
    ]
    assert (verifier.disputed(), verifier.active()) == ([], [])


def test_a_supervisor_confirms_the_shoes_result() -> None:
    changed = coup(decide(served(*DISPUTED), "confirmed", winner="banker"))
    assert (changed.winner, changed.status, changed.player, changed.player_points) == (
        "banker",
        "confirmed",
        ["9S", "TD"],
        9,
    )


def test_a_supervisor_voids_it() -> None:
    changed = coup(decide(served(*DISPUTED), "void"))
    assert (changed.kind, changed.status, changed.winner, changed.corrects) == ("void", "void", None, f"{UNIT}-5")


def test_cards_that_are_no_coup_are_confirmed_as_the_shoe_has_them() -> None:
    three = (*cards(1, "2S 2H 2D"), result(4, "player", 4, 2))
    assert coup(decide(served(*three), "confirmed")).winner == "player"


def test_a_result_that_neither_cards_nor_shoe_give_must_be_named() -> None:
    lost = (*cards(1, "2S 2H 2D"), event(4, "damaged"), *cards(5, "9S", coup_no=2))
    verifier = served(*lost)
    with pytest.raises(NotThereError, match=r"name the winner \(--winner, on a page Other winner\), or void it"):
        decide(verifier, "confirmed")
    assert [one.coup for one in verifier.disputed()] == [1]
    assert coup(decide(verifier, "confirmed", winner="tie")).winner == "tie"


def test_one_of_two_disputed_coups_is_decided_by_its_place_or_its_id() -> None:
    again = [replace(one, event_no=one.event_no + 5) for one in cards(1, "9S 2H TD 3C", coup_no=2)]
    verifier = served(*DISPUTED, *again, result(10, "banker", 9, 5, coup_no=2, natural=True))
    assert coup(decide(verifier, "void", f"{UNIT}-10")).coup == 2
    assert [one.coup for one in verifier.disputed()] == [1]
    with pytest.raises(NotThereError, match=rf"no coup 5 is disputed: 1/1 \({UNIT}-5\)"):
        decide(verifier, "void", "5")
    assert coup(decide(verifier, "void", "1/1")).corrects == f"{UNIT}-5"


@pytest.mark.parametrize("named", ["1/1", f"{UNIT}-5"])
def test_a_coup_is_decided_once_and_the_refusal_names_who_decided_and_when(named: str) -> None:
    verifier = served(*DISPUTED)
    decide(verifier, "void")
    with pytest.raises(NotThereError) as refused:
        decide(verifier, "confirmed", named)
    decision = f"B. Jones decided at {JONES.time} that it is void under 12.13"
    assert str(refused.value) == f"coup {named} is no longer disputed: {decision}"


def test_coups_of_two_shoes_with_the_same_number_are_chosen_by_id() -> None:
    verifier = served(*DISPUTED, *(replace(one, unit="5ab0000000000002") for one in DISPUTED))
    with pytest.raises(NotThereError, match=f"use its id: {UNIT}-5 or 5ab0000000000002-5"):
        decide(verifier, "void", "1/1")
    assert coup(decide(verifier, "void", f"{UNIT}-5")).corrects == f"{UNIT}-5"


def test_nothing_is_disputed() -> None:
    with pytest.raises(NotThereError, match="none is disputed"):
        decide(served(), "void")


def test_a_void_at_the_shoe_corrects_what_a_supervisor_had_confirmed() -> None:
    verifier = served(*DISPUTED)
    decide(verifier, "confirmed")
    void = event(6, "coup_void", shoe_no=1, coup_no=1, reason="supervisor", then="go_on", cards=4)
    changed = coup(verifier.take(void, TIME))
    assert (changed.status, changed.corrects) == ("void", f"{GATEWAY}-7")


def test_after_a_restart_the_ledger_says_what_is_active() -> None:
    before = served(*DISPUTED, REJECT)
    after = served()
    after.restore(before.active(), before.disputed())
    assert (after.active(), after.disputed()) == (before.active(), before.disputed())
    records = decide(after, "void")
    assert coup(records).corrects == f"{UNIT}-5"
    assert [alarm.name for alarm in after.active()] == ["reject"]


# What the daemon finds


def test_an_alarm_of_the_gateway_is_raised_once_and_ends_when_it_is_seen() -> None:
    verifier = served()
    (raised,) = messages(verifier.gateway_alarm("ledger_not_writable", "Have the disk looked at.", ACT))
    assert (raised.id, raised.severity, raised.unit) == (f"{GATEWAY}-7-ledger_not_writable", "critical", GATEWAY)
    assert verifier.gateway_alarm("ledger_not_writable", "Have the disk looked at.", ACT) == []
    over = messages(verifier.acknowledge(raised.alarm, "A. Smith", ACT))
    assert [(message.state, message.by) for message in over] == [("acknowledged", "A. Smith"), ("cleared", "A. Smith")]


# The book


def test_the_text_of_an_alarm_ends_with_its_rule() -> None:
    book = AlarmBook()
    (with_clause,) = book.raise_(COMMON, "discrepancy", say="Do not pay.", clause="12.13")
    (without,) = book.raise_(COMMON, "reject", say="Call a supervisor.")
    assert (with_clause.say, with_clause.clause) == ("Do not pay (rule 12.13).", "12.13")
    assert (without.say, without.clause) == ("Call a supervisor.", "")


def test_a_full_book_clears_the_oldest_of_the_least_severe() -> None:
    book = AlarmBook(most=2)
    for number, name in enumerate(("discrepancy", "coup_void"), 1):
        book.raise_({**COMMON, "id": f"{UNIT}-{number}", "event_no": number}, name, say="Look.")
    raised, gone = book.raise_({**COMMON, "id": f"{UNIT}-3", "event_no": 3}, "reject", say="Look.")
    assert (raised.name, raised.state) == ("reject", "raised")
    assert (gone.name, gone.state, gone.by) == ("coup_void", "cleared", CROWDED_OUT)
    assert [alarm.name for alarm in book.active()] == ["discrepancy", "reject"]


def test_a_fault_that_lasts_is_never_crowded_out() -> None:
    book = AlarmBook(most=2)
    for number, name in enumerate(("fault_card", "fault_lid", "discrepancy", "discrepancy", "log_lost"), 1):
        book.raise_({**COMMON, "id": f"{UNIT}-{number}", "event_no": number}, name, say="Look.")
    assert [alarm.name for alarm in book.active()] == ["fault_card", "fault_lid"]


def test_the_alarm_of_a_lost_part_of_the_log_makes_room_for_itself() -> None:
    verifier = served()
    for number in range(1, 101):
        verifier.take(replace(REJECT, event_no=number), at(2 * number))
    changed = messages(verifier.lost(event(110, "key", on=1), 101, 109, at(201)))
    assert [(alarm.event_no, alarm.by) for alarm in changed] == [(110, ""), (110, CROWDED_OUT)]
    assert len(verifier.active()) == 100


# Floods


def at(second: int) -> str:
    """So many seconds after midnight."""
    return f"2026-01-01T00:{second // 60:02}:{second % 60:02}.000Z"


def flood(verifier: Verifier, first: int, count: int, time: str) -> list[AlarmMessage]:
    """So many rejects at once."""
    return [
        message
        for number in range(first, first + count)
        for message in messages(verifier.take(replace(REJECT, event_no=number), time))
    ]


def test_alarms_of_one_name_beyond_a_bound_are_counted_in_one_alarm_that_is_renewed() -> None:
    verifier = served()
    raised = flood(verifier, 1, 1000, at(0))
    assert [alarm.name for alarm in raised] == ["reject"] * 30 + ["alarm_flood"]
    assert raised[-1].severity == "critical"
    assert "Not listed since 2026-01-01T00:00:00.000Z: 1 reject." in raised[-1].say
    more = [message for second in range(1, 41) for message in flood(verifier, 1000 + 100 * second, 100, at(second))]
    assert [alarm.name for alarm in more].count("reject") == 20  # one every two seconds
    renewed = [alarm for alarm in more if alarm.name == "alarm_flood"]
    assert [alarm.time for alarm in renewed] == [at(10), at(20), at(30), at(40)]
    assert {alarm.alarm for alarm in renewed} == {raised[-1].alarm}
    assert len({alarm.id for alarm in more}) == len(more)
    assert "4852 reject" in renewed[-1].say  # of 4902 so far, 30 at once and 20 one by one were raised
    assert len(verifier.active()) == 51


def test_a_flood_of_alarms_about_jackpots_does_not_blame_the_shoe() -> None:
    verifier, name = served(), "jackpot_not_incremented"
    for number in range(1, 33):
        verifier.gateway_alarm(name, "Not counted.", Source("gateway", number, at(0)), coup=(1, number))
    (of_jackpots,) = verifier.alarms.named("alarm_flood")
    assert "The shoe is not the cause" in of_jackpots.say
    assert "out of service" not in of_jackpots.say
    flood(verifier, 100, 31, at(20))
    (of_both,) = verifier.alarms.named("alarm_flood")
    assert "Take the shoe out of service." in of_both.say


def test_a_flood_of_one_name_does_not_hide_an_alarm_of_another() -> None:
    verifier = served()
    flood(verifier, 1, 500, at(0))
    assert [alarm.name for alarm in messages(verifier.take(replace(FAULT, event_no=501), at(0)))] == ["fault_card"]


def test_the_alarm_of_a_flood_ends_when_it_is_seen_and_comes_again_with_the_next() -> None:
    verifier = served()
    (alarm,) = [alarm for alarm in flood(verifier, 1, 40, at(0)) if alarm.name == "alarm_flood"]
    assert [changed.state for changed in messages(verifier.acknowledge(alarm.alarm, "A. Smith", ACT))] == [
        "acknowledged",
        "cleared",
    ]
    (again,) = flood(verifier, 41, 5, at(1))
    assert again.alarm != alarm.alarm
    assert "Not listed since 2026-01-01T00:00:01.000Z: 1 reject." in again.say


def test_a_fault_that_comes_in_a_flood_of_faults_is_raised_as_soon_as_there_is_room() -> None:
    verifier, number = served(), 0
    for _ in range(40):
        number += 2
        verifier.take(replace(FAULT, event_no=number), at(0))
        verifier.take(event(number + 1, "fault_cleared", fault="card", by="key"), at(0))
    verifier.take(replace(FAULT, event_no=100), at(0))
    assert [alarm.name for alarm in verifier.active()] == ["alarm_flood"]
    assert messages(verifier.take(event(101, "key", on=1), at(1))) == []
    (raised,) = messages(verifier.take(event(102, "key", on=1), at(2)))
    assert (raised.name, raised.id, raised.event_no) == ("fault_card", f"{UNIT}-100-fault_card", 100)
    assert messages(verifier.take(event(103, "key", on=1), at(9))) == []


def test_a_fault_that_is_over_before_there_is_room_for_it_is_not_raised() -> None:
    verifier = served()
    for number in range(2, 90, 2):
        verifier.take(replace(FAULT, event_no=number), at(0))
        verifier.take(event(number + 1, "fault_cleared", fault="card", by="key"), at(0))
    assert messages(verifier.take(event(101, "key", on=1), at(50))) == []


def test_a_clock_that_goes_back_in_a_flood_stops_nothing() -> None:
    verifier = served()
    flood(verifier, 1, 100, at(1000))
    assert flood(verifier, 101, 50, at(0)) != []
    assert [alarm.name for alarm in flood(verifier, 151, 1, at(100))] == ["reject"]


def test_a_lost_part_of_the_log_in_a_flood_of_them_is_counted() -> None:
    verifier = served()
    made = [verifier.lost(event(number, "key", on=1), number - 1, number - 1, TIME) for number in range(2, 60)]
    assert [[record.topic for record in each] for each in made[:30]] == [["alarm"]] * 30
    assert made[31:] == [[]] * 27
    assert "1 log_lost" in verifier.active()[-1].say


def test_the_most_severe_and_newest_alarms_are_listed_and_the_rest_counted() -> None:
    book = AlarmBook()
    for number in range(60):
        name = "discrepancy" if number % 3 == 0 else "reject"
        common = {**COMMON, "id": f"{UNIT}-{number}", "event_no": number, "time": at(2 * number)}
        book.raise_(common, name, say="Look." * 40)
    alarms = book.active()
    listed, more = most_urgent(alarms, 16_384)
    assert len(listed) + more == 60
    assert len(msgspec.json.encode(listed)) <= 16_384
    assert [alarm.name for alarm in listed].count("discrepancy") == 20
    assert [alarm.event_no for alarm in listed] == sorted(alarm.event_no for alarm in listed)
    assert listed[-1] == alarms[-1]  # the newest of the others
    assert most_urgent(alarms[:3], 16_384) == (alarms[:3], 0)
    assert most_urgent(alarms, 10) == ([], 60)


# The table


def test_every_alarm_that_can_be_raised_is_in_the_table() -> None:
    assert set(irregularities.CASES) <= set(ALARMS)
    assert {f"fault_{fault}" for fault in fields.Fault.encmapping if fault != "none"} <= set(ALARMS)


def test_every_alarm_ends_in_some_way() -> None:
    for name, kind in ALARMS.items():
        assert kind.ends, name
        assert kind.means.endswith("."), name


def test_texts_about_the_shoe_are_sentences_with_a_next_step() -> None:
    for say in [*REJECTS.values(), *filter(None, FAULTS.values())]:
        assert say.count(".") + say.count(":") >= 2, say
        assert say.endswith("."), say


def test_verify_md_is_current() -> None:
    text = (Path(__file__).parents[1] / "VERIFY.md").read_text(encoding="utf-8")
    assert text == as_text(), "regenerate it: python -m sabot_gateway.verify.document > gateway/VERIFY.md"
