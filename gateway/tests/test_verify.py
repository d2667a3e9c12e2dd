"""Verify: agreement, and every way the shoe's word can differ from its cards."""

import pytest
from sabot_gateway import alarms
from sabot_gateway.parse import Event
from sabot_gateway.verify import Record, Verifier
from sabot_protocol import fields
from sabot_protocol.topics import AlarmMessage, CoupMessage, HealthMessage, ShoeMessage
from shoe_events import BOOK, cards, event, result

TIME = "2026-01-01T00:00:00.000Z"


def take(*events: Event) -> list[Record]:
    """The records of the last event."""
    verifier, records = Verifier("bac-01", BOOK), []
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
    ("dealt", "said", "cards_say", "clause"),
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
def test_what_the_cards_say(dealt: str, said: Event, cards_say: str, clause: str) -> None:
    records = take(*cards(1, dealt), said)
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
    records = take(*first, *cards(6, "2S 9H 3D KC"), result(10, "banker", 5, 9, natural=True))
    assert len(records) == 1


def test_burnt_cards_do_not_count() -> None:
    burn = cards(1, "KS", ("burn",))
    assert len(take(*burn, *cards(2, "9S 2H TD 3C"), result(6, "player", 9, 5, natural=True))) == 1


OPENED = event(1, "shoe_opened", shoe_no=4, card_set=2, decks=6, burn="one")


def test_a_restart_in_mid_coup_closes_the_shoe_and_is_an_alarm() -> None:
    closed, alarm = take(OPENED, *cards(2, "9S 2H"), event(4, "boot", boot_count=2, cause="power"))
    assert isinstance(closed.message, ShoeMessage)
    assert isinstance(alarm.message, AlarmMessage)
    assert (closed.message.state, closed.message.decks) == ("closed", 6)
    assert (alarm.message.name, alarm.message.shoe, alarm.message.cards_say) == (
        "coup_interrupted",
        1,
        "9S 2H were dealt",
    )


def test_a_restart_between_coups_closes_the_shoe_and_is_an_alarm() -> None:
    closed, alarm = take(OPENED, event(2, "boot", boot_count=2, cause="power"))
    assert isinstance(closed.message, ShoeMessage)
    assert isinstance(alarm.message, AlarmMessage)
    assert (closed.message.state, closed.message.shoe) == ("closed", 4)
    assert alarm.message.name == "shoe_restarted"


def test_a_restart_without_a_shoe_is_only_kept() -> None:
    ended = event(2, "shoe_closed", shoe_no=4, coups=70, reason="last_coup")
    assert take(event(1, "boot", boot_count=2, cause="power")) == [Record()]
    assert take(OPENED, ended, event(3, "boot", boot_count=2, cause="power")) == [Record()]


def test_cards_before_a_restart_do_not_count_after_it() -> None:
    again = event(5, "shoe_opened", shoe_no=5, card_set=2, decks=6, burn="none")
    before = [OPENED, *cards(2, "9S 2H"), event(4, "boot", boot_count=2, cause="power")]
    assert len(take(*before, *cards(5, "9S 2H TD 3C"), result(9, "player", 9, 5, natural=True))) == 1
    assert len(take(*before, again, *cards(6, "9S 2H TD 3C"), result(10, "player", 9, 5, natural=True))) == 1


def test_a_damaged_record_is_an_alarm() -> None:
    _, alarm = take(event(7, "damaged"))
    assert isinstance(alarm.message, AlarmMessage)
    assert (alarm.message.name, alarm.message.shoe_says) == ("log_damaged", "event 7 cannot be read")


def test_a_reject_is_an_alarm_in_words() -> None:
    facts = {"shoe_no": 1, "coup_no": 2, "columns": 10, "doubtful": 0b1000100, "speed_mm_s": 850, "margin_pct": 0}
    _, alarm = take(event(1, "reject", reason="doubtful", **facts))
    assert isinstance(alarm.message, AlarmMessage)
    assert "worn or dirty" in alarm.message.say
    assert "call a supervisor" in alarm.message.say
    assert alarm.message.shoe_says == "doubtful, columns 3 and 7, 850 mm/s"


def test_every_reason_of_a_reject_has_words() -> None:
    assert set(alarms.REJECTS) == set(fields.RejectReason.encmapping)


def test_doubtful_columns_are_counted_from_one() -> None:
    assert [alarms.which_columns(bits) for bits in (0, 1, 0b10_0000_0101)] == ["", "column 1", "columns 1, 3 and 10"]


def sensor(margin_mean_pct: int, reads: int = 400) -> Event:
    speeds = {"speed_mean_mm_s": 900, "speed_least_mm_s": 300, "speed_most_mm_s": 2000}
    margins = {"margin_mean_pct": margin_mean_pct, "margin_worst_pct": 20}
    return event(1, "sensor", shoe_no=1, sensor="b", reads=reads, rejects=0, spikes=0, **margins, **speeds)


def test_a_sensor_that_reads_with_little_margin_is_an_alarm() -> None:
    health, alarm = take(sensor(59))
    assert health.topic == "health"
    assert isinstance(alarm.message, AlarmMessage)
    assert (alarm.message.name, alarm.message.shoe_says) == ("sensor_margin", "margin 59 % in the mean of 400 cards")
    assert "track B" in alarm.message.say


def test_a_sensor_with_margin_enough_or_without_reads_is_none() -> None:
    for (record,) in (take(sensor(60)), take(sensor(0, reads=0))):
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


def test_a_lost_part_of_the_log_is_an_alarm() -> None:
    alarm = Verifier("bac-01", BOOK).lost(event(20, "button", shoe_no=1, coup_no=1, button="confirm"), 4, 19, TIME)
    assert isinstance(alarm.message, AlarmMessage)
    assert (alarm.message.name, alarm.message.shoe_says) == ("log_lost", "events 4 to 19 were overwritten")
