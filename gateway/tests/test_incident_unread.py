"""A card that was not read (P-46, Rapid 11.8.12): keyed in, drawn again, or no longer needed."""

from incident_log import IncidentLog

WAITS = ("keyed_card", "open", ["key_card"])
OVER: tuple[str, str, list[str]] = ("keyed_card", "closed", [])


def unread() -> IncidentLog:
    log = IncidentLog("star-rapid")
    log.deal("9S 2H")
    log.irregularity("misread_card", "MANUAL_ENTRY")
    assert log.states() == [WAITS]
    return log


def test_a_card_that_is_drawn_again_need_not_be_keyed_in() -> None:
    log = unread()
    log("fault_cleared", fault="card", by="key")
    assert log.states() == [WAITS]
    log.card("TD", "player_2")
    assert log.states() == [WAITS, OVER]
    step = log.step("key_card")
    assert (step.by, step.note) == ("the shoe", "not needed: the card that was due was read")


def test_a_card_too_many_does_not_take_the_place_of_the_one_that_was_not_read() -> None:
    log = unread()
    log.card("3C", "player_1", coup_no=2, flags={"surplus": True})
    assert log.states() == [WAITS]


def test_a_void_coup_needs_no_card_keyed_in() -> None:
    log = unread()
    log("coup_void", shoe_no=1, coup_no=1, then="go_on", cards=2, reason="misdeal")
    assert OVER in log.states()


def test_nor_does_a_shoe_that_is_closed() -> None:
    log = unread()
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    assert log.states() == [WAITS, OVER]
