"""Errors, lock and stray cards of an Angel Eye: what people learn, what the book has for it, what stays as it was."""

import pytest
from angel_eye_log import NINE, SIX_CARDS, AngelEyeLog

# Errors and the lock


def test_a_standing_error_is_the_tables_fault_until_it_is_cleared() -> None:
    log = AngelEyeLog()
    log("P1=9S E1! E1!")
    assert log.alarm("shoe_error").say.startswith("The shoe could not read a card. Do not deal. Call a supervisor:")
    error = log.verifier.standing_error()
    assert error["fault"] == "cannot_read"
    assert error["next_step"].startswith("The shoe is in error. The shoe could not read a card. Do not deal.")
    assert log.verifier.exit_locked(fault=True) is True
    log("e1")
    assert (log.verifier.standing_error(), log.active()) == ({}, [])


def test_an_error_that_does_not_stand_is_an_alarm_each_time() -> None:
    log = AngelEyeLog()
    log("P1=9S E3 B1=2H E3")
    assert log.active() == ["shoe_error", "shoe_error"]


def test_every_error_of_the_list_has_a_text_and_an_unknown_one_too() -> None:
    log = AngelEyeLog()
    for code in range(1, 9):
        log(f"E{code}")
    alarms = log.alarms("shoe_error")
    assert [alarm.shoe_says.partition(" (")[0] for alarm in alarms] == [f"error {code}" for code in range(1, 9)]
    assert (alarms[4].shoe_says, alarms[7].shoe_says) == ("error 5 (a card pushed back midway)", "error 8")
    assert len({alarm.say for alarm in alarms}) == 8
    assert alarms[-1].say.startswith("The shoe reports an error without a known meaning.")


@pytest.mark.parametrize(
    ("book", "words", "clause", "say"),
    [
        (
            "star-baccarat",
            NINE,
            "12.2, 12.3, A-19",
            "it is the first card of the next coup",
        ),  # a fifth card
        ("star-baccarat", SIX_CARDS, "12.3", "no bet coup by Method A"),  # a seventh card
        ("star-rapid", "P1=9S B1=2H P2=TD B2=3C", "11.8.3, 11.8.4, 11.8.13, A-32", "dummy hand"),
        (
            "nz-baccarat",
            "P1=2S B1=3H P2=3D B2=4C P3=8S",
            "12.2(a), 12.2(b)",
            "If nobody saw the card: Settle this round without the card",
        ),
    ],
)
def test_an_overdraw_has_the_books_next_step(book: str, words: str, clause: str, say: str) -> None:
    log = AngelEyeLog(book)
    log(f"{words} E2!")
    alarm = log.alarm("shoe_error")
    assert alarm.clause == clause
    assert alarm.say.startswith("A card was drawn that was not due. Do not deal.")
    assert say in alarm.say


def test_the_card_of_an_overdraw_is_kept_if_a_coup_follows_and_only_that_coup_needs_no_approval() -> None:
    log = AngelEyeLog()
    log(f"{SIX_CARDS} E2!")
    say = log.alarm("shoe_error").say
    assert "Keep the card for the next coup, and choose the same at the shoe." in say
    assert say.endswith("take no wagers on it. That coup needs no approval (rule 12.3).")


def test_after_the_last_coup_the_book_decides_what_becomes_of_the_card_of_an_overdraw() -> None:
    log = AngelEyeLog()
    log(f"C {NINE} G=player {NINE} E2!")
    say = log.alarm("shoe_error").say
    assert "Keep the card for the next coup or discard it, as the rulebook requires" in say
    assert "leave the card unused with the rest of the shoe" in say


def test_a_card_of_another_set_has_the_books_next_step() -> None:
    log = AngelEyeLog()
    log("P1=9S E6!")
    assert log.alarm("shoe_error").clause == "12.11"
    log("e6 B1=2H P2=TD B2=3C G=player")
    assert (log.coup().status, log.confirmed()) == ("disputed", [])
    alarm = log.alarm("discrepancy")
    assert alarm.say.startswith("A card that is not of these decks came in this coup. This coup is void")
    assert alarm.clause == "12.11"
    log(f"{NINE} G=player")
    assert log.coups()[-1].status == "verified"


def test_the_key_locks_and_unlocks_and_a_restart_makes_it_unknown() -> None:
    log = AngelEyeLog()
    assert log.verifier.exit_locked(fault=False) is None
    log("L1")
    assert log.alarm("exit_locked").say.startswith("The shoe is locked with its key")
    assert log.verifier.exit_locked(fault=False) is True
    log("L0")
    assert (log.active(), log.verifier.unknown()) == ([], ("shoe", "coup", "error"))
    log("e1")
    assert log.verifier.exit_locked(fault=False) is False
    log("L1 S")
    assert (log.active(), log.verifier.exit_locked(fault=False)) == ([], None)


def test_a_command_that_the_shoe_acknowledged_locks() -> None:
    log = AngelEyeLog()
    log.command("lock", outcome="ack")
    assert "`sabot table bac-01 tell unlock --by NAME`" in log.alarm("exit_locked").say
    log.command("unlock", outcome="ack")
    assert log.active() == []


def test_a_command_that_the_shoe_refused_changes_nothing() -> None:
    log = AngelEyeLog()
    log.command("lock", outcome="nak 21")
    assert (log.alarms(), log.verifier.exit_locked(fault=False)) == ([], None)


# Cards that are not where they belong


@pytest.mark.parametrize(
    ("word", "name", "when", "shoe_says"),
    [
        ("d0=8H", "drawn_while_locked", "while the shoe was locked", "8H"),
        ("d1=8H", "card_outside_game", "This card was drawn in excess. Do", "8H, error 2 (a card drawn in excess)"),
        ("d1/1=8H", "card_outside_game", "while the shoe was in error", "8H, error 1 (a card that cannot be read)"),
        ("d2", "card_outside_game", "while the shoe was being set up", "card not read"),
    ],
)
def test_a_card_outside_the_game_is_an_alarm_and_no_card_of_a_coup(
    word: str, name: str, when: str, shoe_says: str
) -> None:
    log = AngelEyeLog()
    log(f"P1=9S {word}")
    alarm = log.alarm(name)
    assert when in alarm.say
    assert alarm.shoe_says == shoe_says
    assert [card.card for card in log.cards()] == ["9S"]


def test_a_kept_card_is_announced_and_begins_the_next_coup() -> None:
    log = AngelEyeLog()
    log(f"{NINE} R1=8H G=player")
    assert log.alarm("card_kept").say.startswith(
        "The shoe keeps a card: it is the Player's first card of the next coup."
    )
    log("B1=2H")
    first, second = log.cards()[-2:]
    assert (first.slot, first.card, first.notes, first.coup) == ("player_1", "8H", ["kept"], 2)
    assert (second.slot, second.card) == ("banker_1", "2H")
    assert "card_kept" not in log.active()
    assert len(set(log.ids())) == len(log.ids())


def test_a_card_kept_after_an_overdraw_repeats_what_the_book_has_for_it() -> None:
    log = AngelEyeLog()
    log(f"{SIX_CARDS} E2! e2 R1=8H")
    alarm = log.alarm("card_kept")
    assert "no bet coup by Method A" in alarm.say
    assert alarm.clause == "12.3"


def test_a_kept_card_that_did_not_begin_the_next_coup_is_an_alarm() -> None:
    log = AngelEyeLog()
    log(f"{NINE} R1=8H G=player P1=7H")
    assert [(alarm.say[:22], alarm.shoe_says) for alarm in log.verifier.active()] == [("The shoe had kept a ca", "8H")]


def test_a_card_sent_again_without_a_coup_is_an_alarm_only() -> None:
    log = AngelEyeLog()
    log("R2=8H")
    alarm = log.alarm("card_sent_again")
    assert ("for player card 2" in alarm.say, alarm.shoe_says) == (True, "8H")


def test_the_setting_ignore_changes_nothing_on_a_resent_card() -> None:
    log = AngelEyeLog(resent_card="ignore")
    log(f"{NINE} R1=8H G=player")
    assert (log.alarms(), log.coup().status) == ([], "verified")


def test_a_card_that_the_decks_cannot_have_is_an_alarm_with_the_books_clause() -> None:
    log = AngelEyeLog()
    log(f"{NINE} G=player " * 8)
    assert log.alarms() == []
    log("P1=9S")
    alarm = log.alarm("missing_or_foreign_card")
    assert (alarm.clause, alarm.cards_say) == ("12.11", "9S came more often than 8 decks allow")
    assert "Perhaps new cards are in and the change was not seen: then run `sabot table bac-01 open-shoe" in alarm.say
    assert "Otherwise: This coup is void" in alarm.say
    log("B1=4H P2=4D B2=4C P3=2C G=banker")
    assert (log.coups()[-1].status, len(log.confirmed())) == ("disputed", 8)
