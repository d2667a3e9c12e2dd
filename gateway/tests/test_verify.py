"""Verify: a coup that agrees with its cards, and every way in which it can differ."""

import pytest
from msgspec.structs import replace
from sabot_gateway.shoe.parse import UNREADABLE, Event
from sabot_gateway.verify import Record, Source, Verifier
from sabot_gateway.verify.alarms import shoe_texts, wording
from sabot_gateway.verify.dispatch import ROWS
from sabot_protocol import fields
from sabot_protocol.messages import EVENTS
from sabot_protocol.topics import AlarmMessage, CoupMessage, HealthMessage, ShoeMessage
from shoe_events import BOOK, PROFILE, SLOTS, cards, event, result

TIME = "2026-01-01T00:00:00.000Z"
AT_GATEWAY = Source("gateway", 1, TIME)


def take(*events: Event) -> list[Record]:
    """The records of the last event."""
    verifier, records = Verifier("bac-01", BOOK, PROFILE), []
    for one in events:
        records = verifier.take(one, TIME)
    return records


def test_a_coup_that_agrees() -> None:
    (record,) = take(*cards(1, "9S 2H TD 3C"), result(5, "player", 9, 5, natural=True))
    coup = record.message
    assert record.topic == "coup"
    assert isinstance(coup, CoupMessage)
    assert (coup.status, coup.winner, coup.player, coup.banker) == ("verified", "player", ["9S", "TD"], ["2H", "3C"])
    assert coup.id == "5ab0000000000001-5"
    assert (coup.table, coup.shoe, coup.coup, coup.time) == ("bac-01", 1, 1, TIME)
    assert coup.rulebook == BOOK.digest().hex()


@pytest.mark.parametrize(
    ("dealt", "reported", "cards_say", "clause"),
    [
        ("9S 2H TD 3C", result(5, "banker", 9, 5, natural=True), "player, Player 9, Banker 5 natural", "9.2"),
        ("9S 2H TD 3C", result(5, "player", 8, 5, natural=True), "player, Player 9, Banker 5 natural", "9.2"),
        ("9S 2H TD 3C", result(5, "player", 9, 5), "player, Player 9, Banker 5 natural", "9.2"),
        (
            "9S 2H 9D 3C",
            result(5, "player", 8, 5, natural=True),
            "player, Player 8, Banker 5 natural player_pair",
            "9.2",
        ),
        ("2S 2H 2D 3C", result(5, "banker", 4, 5), "a third card is due by the tables and there is none", "9.3, 9.4"),
        ("2S 2H 2D", result(4, "player", 4, 2), "3 cards: a coup has at least four", "9.3, 9.4"),
        ("6S 2H TD 4C 5D", result(6, "player", 1, 6), "drawn as", "9.5"),
    ],
)
def test_what_the_cards_say(dealt: str, reported: Event, cards_say: str, clause: str) -> None:
    records = take(*cards(1, dealt), reported)
    coup, alarm = records[0].message, records[1].message
    assert isinstance(coup, CoupMessage)
    assert isinstance(alarm, AlarmMessage)
    assert coup.status == "disputed"
    assert (records[1].topic, alarm.name) == ("alarm", "discrepancy")
    assert alarm.clause == clause
    assert alarm.cards_say.startswith(cards_say)
    assert alarm.id != coup.id


def test_cards_of_the_coup_before_do_not_count() -> None:
    first = [*cards(1, "9S 2H TD 3C"), result(5, "player", 9, 5, natural=True)]
    records = take(*first, *cards(6, "2S 9H 3D KC", coup_no=2), result(10, "banker", 5, 9, coup_no=2, natural=True))
    assert len(records) == 1


def test_burnt_cards_do_not_count() -> None:
    burn = cards(1, "KS", ("burn",))
    assert len(take(*burn, *cards(2, "9S 2H TD 3C"), result(6, "player", 9, 5, natural=True))) == 1


OPENED = event(1, "shoe_opened", shoe_no=1, card_set=1, decks=6, burn="none")


def test_a_restart_of_an_open_shoe_is_an_alarm_and_the_coup_goes_on() -> None:
    boot = event(4, "boot", boot_count=2, cause="power")
    own, alarm = take(OPENED, *cards(2, "9S 2H"), boot)
    assert own == Record()
    assert isinstance(alarm.message, AlarmMessage)
    assert (alarm.message.name, alarm.message.shoe_says, alarm.message.cards_say) == (
        "shoe_restarted",
        "power",
        "9S 2H",
    )
    rest = cards(5, "TD 3C", SLOTS[2:])
    (record,) = take(OPENED, *cards(2, "9S 2H"), boot, *rest, result(7, "player", 9, 5, natural=True))
    assert isinstance(record.message, CoupMessage)
    assert record.message.status == "verified"


def test_a_restart_without_a_shoe_is_only_stored() -> None:
    ended = event(2, "shoe_closed", shoe_no=1, coups=0, reason="command")
    assert take(event(1, "boot", boot_count=2, cause="power")) == [Record()]
    assert take(OPENED, ended, event(3, "boot", boot_count=2, cause="power")) == [Record()]


def test_a_shoe_that_went_back_to_its_old_firmware_is_an_alarm_until_it_runs_another_or_a_person_has_seen_it() -> None:
    verifier, boot = Verifier("bac-01", BOOK, PROFILE), event(1, "boot", boot_count=5, cause="reverted")
    alarm = alarm_of(verifier.take(boot, TIME))
    assert (alarm.name, alarm.severity, alarm.state) == ("firmware_reverted", "warning", "raised")
    assert "The shoe runs its old firmware again" in alarm.say
    assert verifier.firmware_pushed("another-unit", AT_GATEWAY) == []
    cleared = alarm_of(verifier.firmware_pushed(boot.unit, AT_GATEWAY))
    assert (cleared.alarm, cleared.state, verifier.active()) == (alarm.alarm, "cleared", [])
    again = alarm_of(verifier.take(event(2, "boot", boot_count=9, cause="reverted"), TIME))
    seen = [record.message for record in verifier.acknowledge(again.alarm, "A. Smith", AT_GATEWAY)]
    assert [message.state for message in seen if isinstance(message, AlarmMessage)] == ["acknowledged", "cleared"]


def test_every_kind_of_event_has_its_row() -> None:
    assert set(ROWS) == {*EVENTS, UNREADABLE}


def alarm_of(records: list[Record]) -> AlarmMessage:
    (message,) = [record.message for record in records if isinstance(record.message, AlarmMessage)]
    return message


def test_a_void_coup_has_no_winner() -> None:
    void = event(4, "coup_void", shoe_no=1, coup_no=1, reason="misdeal", then="new_cards", cards=2)
    records = take(OPENED, *cards(2, "9S 2H"), void)
    coup = records[0].message
    assert isinstance(coup, CoupMessage)
    assert (coup.kind, coup.winner, coup.player, coup.banker) == ("void", None, ["9S"], ["2H"])
    assert "replaced" in alarm_of(records).say


def test_a_surplus_card_belongs_to_the_next_coup() -> None:
    first = [*cards(1, "9S 2H TD 3C"), result(5, "player", 9, 5, natural=True)]
    surplus = [replace(one, data={**one.data, "flags": {"surplus": True}}) for one in cards(6, "2S", coup_no=2)]
    surplus.append(irregularity("player_overdraw", "NEXT_LIVE"))
    rest = cards(7, "9H 3D KC", SLOTS[1:], coup_no=2)
    (record,) = take(*first, *surplus, *rest, result(10, "banker", 5, 9, coup_no=2, natural=True))
    assert isinstance(record.message, CoupMessage)
    assert (record.message.status, record.message.player) == ("verified", ["2S", "3D"])


def test_a_coup_that_came_from_another_shoe_is_played_on() -> None:
    hands = dict.fromkeys(SLOTS, "--") | {"player_1": "9S", "banker_1": "2H"}
    place = {"decks": 8, "cards_out": 2, "coups_left": 0, "awaiting": 0}
    came = event(1, "handed_over", shoe_no=1, coup_no=1, kind="live", **{"import": 1}, cards=hands, **place)
    rest = cards(2, "TD 3C", SLOTS[2:])
    (record,) = take(came, *rest, result(4, "player", 9, 5, natural=True))
    assert isinstance(record.message, CoupMessage)
    assert record.message.player == ["9S", "TD"]


def irregularity(case: str, code: str, **facts: bool) -> Event:
    every = dict.fromkeys(fields.FACTS, False) | facts
    return event(1, "irregularity", shoe_no=1, coup_no=1, case=case, facts=every, code=code)


def test_an_irregularity_comes_with_its_clause_and_the_next_step() -> None:
    alarm = alarm_of(take(irregularity("player_overdraw", "NEXT_LIVE")))
    assert (alarm.name, alarm.clause, alarm.shoe_says) == ("player_overdraw", "12.2", "NEXT_LIVE")
    assert alarm.say.startswith("A third card was drawn to the Player in error. ")
    assert alarm.say.endswith("(rule 12.2).")


def test_another_consequence_than_the_book_s_is_a_discrepancy() -> None:
    records = take(irregularity("player_overdraw", "NEXT_LIVE", exposed=True))
    found = [record.message for record in records if isinstance(record.message, AlarmMessage)]
    assert [alarm.name for alarm in found] == ["player_overdraw", "discrepancy"]
    assert (found[1].shoe_says, found[1].cards_say) == ("NEXT_LIVE", "NEXT_NO_BET")


def test_every_fault_has_a_text() -> None:
    assert set(shoe_texts.FAULTS) == set(fields.Fault.encmapping)
    alarm = alarm_of(take(event(1, "fault", fault="journal_full", detail=0)))
    assert (alarm.name, "Check the cable" in alarm.say) == ("fault_journal_full", True)


def test_an_ordered_set_that_the_shoe_reports_is_an_alarm() -> None:
    ordered = alarm_of(take(event(1, "ordered_set", shoe_no=1, pattern="one_rank", cards=5)))
    assert (ordered.name, ordered.shoe_says) == ("ordered_set", "one rank in the first 5 cards")


def test_a_damaged_record_is_an_alarm() -> None:
    _, alarm = take(event(7, "damaged"))
    assert isinstance(alarm.message, AlarmMessage)
    assert (alarm.message.name, alarm.message.shoe_says) == ("log_damaged", "event 7 cannot be read")


def test_a_reject_is_an_alarm_with_its_reason() -> None:
    facts = {"shoe_no": 1, "coup_no": 2, "columns": 10, "doubtful": 0b1000100, "speed_mm_s": 850, "margin_pct": 0}
    _, alarm = take(event(1, "reject", reason="doubtful", **facts))
    assert isinstance(alarm.message, AlarmMessage)
    assert "worn or dirty" in alarm.message.say
    assert "A supervisor must come" in alarm.message.say
    assert alarm.message.shoe_says == "doubtful, columns 3 and 7, 850 mm/s"


def test_every_reason_of_a_reject_has_a_text() -> None:
    assert set(shoe_texts.REJECTS) == set(fields.RejectReason.encmapping)


def test_doubtful_columns_are_counted_from_one() -> None:
    assert [wording.doubtful_columns(bits) for bits in (0, 1, 0b10_0000_0101)] == [
        "",
        "column 1",
        "columns 1, 3 and 10",
    ]


def sensor(margin_mean_pct: int, reads: int = 400) -> Event:
    speeds = {"speed_mean_mm_s": 900, "speed_least_mm_s": 300, "speed_most_mm_s": 2000}
    margins = {"margin_mean_pct": margin_mean_pct, "margin_worst_pct": 20}
    return event(1, "sensor", shoe_no=1, sensor="b", reads=reads, rejects=0, spikes=0, **margins, **speeds)


def test_a_sensor_that_reads_with_little_margin_is_an_alarm() -> None:
    health, alarm = take(sensor(59))
    assert health.topic == "health"
    assert isinstance(alarm.message, AlarmMessage)
    assert (alarm.message.name, alarm.message.shoe_says) == ("sensor_margin", "mean margin 59 % over 400 cards")
    assert "track B" in alarm.message.say


def test_a_sensor_with_enough_margin_or_few_reads_raises_no_alarm() -> None:
    for (record,) in (take(sensor(60)), take(sensor(0, reads=0)), take(sensor(59, reads=49))):
        assert record.topic == "health"
        assert isinstance(record.message, HealthMessage)
        assert (record.message.sensor, record.message.margin_worst) == ("b", 0.2)


def test_a_shoe_opens_and_closes() -> None:
    opened = event(1, "shoe_opened", shoe_no=4, card_set=2, decks=6, burn="one")
    closed = event(2, "shoe_closed", shoe_no=4, coups=70, reason="last_coup")
    messages = [take(opened)[0].message, take(opened, closed)[0].message]
    assert all(isinstance(message, ShoeMessage) for message in messages)
    assert [(m.state, m.shoe, m.decks, m.card_set) for m in messages if isinstance(m, ShoeMessage)] == [
        ("open", 4, 6, 2),
        ("closed", 4, 6, 2),
    ]


def test_other_events_are_only_kept() -> None:
    assert take(event(1, "button", shoe_no=1, coup_no=1, button="confirm")) == [Record()]


def test_a_damaged_record_has_no_time_and_is_no_clock_that_went_back() -> None:
    damaged = replace(event(2, "damaged"), time_ms=0)
    records = take(event(1, "key", on=1), damaged, event(3, "key", on=0))
    assert [record.message.name for record in records if isinstance(record.message, AlarmMessage)] == []
    verifier = Verifier("bac-01", BOOK, PROFILE)
    verifier.take(event(1, "key", on=1), TIME)
    raised = [record.message for record in verifier.take(damaged, TIME)]
    assert [message.name for message in raised if isinstance(message, AlarmMessage)] == ["log_damaged"]


def test_a_lost_part_of_the_log_is_an_alarm() -> None:
    verifier = Verifier("bac-01", BOOK, PROFILE)
    (alarm,) = verifier.lost(event(20, "button", shoe_no=1, coup_no=1, button="confirm"), 4, 19, TIME)
    assert isinstance(alarm.message, AlarmMessage)
    assert (alarm.message.name, alarm.message.shoe_says) == ("log_lost", "events 4 to 19 were overwritten")
