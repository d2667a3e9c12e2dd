"""A restart restores the state of the shoe, whatever was on the table."""

from books import number_of
from desk import NATURAL, Desk
from sabot import wire
from sabot.profile import Profile


def known(desk):
    """Return all that a restart must restore."""
    state = desk.state
    shoe = (
        desk.where(),
        desk.shoe.locked(),
        state.shoe_no,
        state.coup_no,
        state.kind,
        state.next_kind,
        state.fault,
        state.coups_left,
    )
    more = (
        state.authorisations,
        state.key_on,
        state.lid_open,
        state.locked,
        state.closed_no,
        desk.log.next_no,
        state.last_command_id,
    )
    if desk.where() == "closed":
        return shoe[:3] + shoe[6:] + more
    surplus = (
        state.surplus_count,
        state.cards_after_coup,
        state.previous_cards,
        state.card_unread,
        state.unread_in_coup,
        state.awaiting_restart,
        state.end_after_coup,
    )
    return shoe + more + surplus + (state.decks, state.cards_out, bytes(state.coup.cards), bytes(state.counts))


def test_a_restart_after_any_event_restores_the_state():
    desk = Desk("crown-baccarat")
    desk.cmd("lock")
    desk.key(True)
    for step in (
        lambda: desk.cmd("open_shoe", 8, 3),
        lambda: desk.cmd("unlock"),
        lambda: desk.draw("2H 9D 5C"),
        lambda: desk.draw("6S 7H"),
        lambda: desk.cmd("authorise", 3),
        lambda: desk.reject("doubtful"),
        lambda: desk.key(False),
        lambda: desk.cmd("key_card", 9, 0),
        lambda: desk.draw("KD"),
        lambda: desk.draw("3S CUT"),
        lambda: desk.press("tie"),
        lambda: desk.cmd("confirm"),
        lambda: desk.draw("8H"),
        lambda: desk.shoe.lid(0, True),
        lambda: desk.shoe.lid(0, False),
        lambda: desk.cmd("clear_fault", 3),
        lambda: desk.cmd("export_coup"),
        lambda: desk.cmd("void_coup", 1, 2),
        lambda: desk.press("new_shoe"),
        lambda: desk.cmd("close_shoe"),
        lambda: desk.cmd("deck_check", 1, 1),
        lambda: desk.draw("2H"),
    ):
        step()
        before = known(desk)
        desk.restart()
        assert known(desk) == before, desk.logged()


def test_a_fault_and_a_lock_of_a_closed_shoe_outlast_a_restart():
    desk = Desk().open()
    desk.reject("doubtful")
    assert desk.cmd("close_shoe") == "done"
    assert desk.cmd("lock") == "done"
    desk.key(True)
    desk.key(False)
    desk.shoe.lid(0, True)
    before = known(desk)
    desk.restart()
    assert known(desk) == before


def test_a_lock_is_logged_again_after_a_start():
    for lock in (True, False):
        desk = Desk().open()
        desk.cmd("lock" if lock else "unlock")
        desk.logged()
        for _ in range(2):
            desk.shoe.log(0, wire.EV_BOOT, wire.EVENT_BOOT_SIZE)
            desk.shoe.log_consequences(0)
            assert desk.logged()[1:] == (["lock 1"] if lock else [])
            assert desk.shoe.locked() == lock


def test_a_cut_between_the_old_shoe_and_the_new_one():
    desk = Desk().open()
    desk.draw(NATURAL)
    desk.cmd("open_shoe", 6, 2)
    assert desk.logged()[-2:] == ["closed 1 coups 1 replaced", "opened 2 set 1 decks 6 shown"]
    desk.log._records.pop()
    desk.log.next_no -= 1
    desk.restart()
    assert desk.where() == "burning"
    assert desk.state.decks == 6


def test_checkpoints_keep_a_long_shoe_and_a_long_rest_in_a_small_journal():
    desk = Desk(on=("continuous",), capacity=100).open()
    for _ in range(30):
        desk.draw(NATURAL)
        desk.confirm()
        assert desk.log.next_no - desk.state.replay_from < 40
        desk.log.acked = desk.log.next_no - 1
    before = known(desk)
    desk.restart()
    assert known(desk) == before
    desk.cmd("close_shoe")
    for minute in range(60):
        desk.shoe.noise(60_000 * minute, 1)
        desk.log.acked = desk.log.next_no - 1
    assert desk.log.next_no - desk.state.replay_from < 40
    desk.restart()
    assert desk.open().state.shoe_no == 2


def test_after_a_hole_in_the_log_nothing_is_known_and_nothing_invented():
    cards = NATURAL + " 3S"
    for hole in range(7):  # command, opening, four cards, coup, surplus card
        desk = Desk().open()
        desk.draw(cards)
        last, command_id = desk.log.next_no, desk.state.last_command_id
        desk.log.damage(2 + hole)
        desk.restart()
        assert desk.log.next_no == last
        assert desk.where() == "closed"
        assert desk.shoe.damaged == 1
        assert desk.state.last_command_id == command_id


def test_a_damaged_log_locks_the_exit_until_a_self_test_finds_it_sound():
    desk = Desk().open()
    desk.draw("9S 2H")
    desk.log.damage(4)
    desk.restart()
    desk.shoe.fail(0, number_of("fault", "journal"))
    assert desk.logged()[-1] == "fault journal"
    desk.key(True)
    desk.key(False)
    assert desk.cmd("clear_fault", number_of("fault", "journal")) == "not_now"
    assert desk.cmd("open_shoe", 8, 0) == "not_now"
    assert not desk.press("new_shoe")
    assert desk.draw("3H")[-1] == "reject not_due"
    assert desk.state.fault == number_of("fault", "journal")
    assert desk.shoe.locked()


def test_a_record_damaged_before_this_shoe_leaves_its_coup_known():
    desk = Desk().open()
    desk.cmd("close_shoe")
    desk.open()
    desk.draw("9S 2H")
    before = known(desk)
    desk.log.damage(2)
    desk.restart()
    assert known(desk) == before
    assert desk.shoe.damaged == 1


def test_no_checkpoint_is_written_over_a_hole():
    desk = Desk(capacity=200).open()
    for _ in range(60):  # more than a quarter of the log
        desk.shoe.noise(desk.now_ms, 1)
        desk.now_ms += 60_000
    last = desk.log.next_no
    desk.log.damage(2)
    desk.restart()
    assert desk.log.next_no == last
    assert desk.where() == "closed"


def test_a_shoe_that_lost_its_profile_is_locked_until_it_has_it_again():
    desk = Desk().open()
    desk.draw("CUT " + NATURAL)  # by the profile this coup is the last
    before = known(desk)
    profile, desk.profile = desk.profile, Profile(6)
    desk.restart()
    assert desk.shoe.locked()
    assert not desk.shoe.idle()
    assert not desk.press("confirm")
    assert not desk.press("new_shoe")
    assert desk.cmd("void_coup", 1, 1) == "not_now"
    assert desk.draw("3S CUT") == ["reject not_due", "reject not_due"]
    desk.shoe.profile = desk.profile = profile
    desk.shoe.restore()
    desk.state = desk.shoe.state
    now = known(desk)
    assert now[:8] == before[:8]
    assert now[-5:] == before[-5:]
    assert desk.confirm() == ["closed 1 coups 1 last_coup"]


def test_without_a_profile_no_rule_is_known():
    nothing = Profile(6)
    for case in range(1, 20):
        assert nothing.code(case, 0) == number_of("code", "NO_RULE")


def test_the_log_has_the_count_of_starts_and_the_last_profile():
    desk = Desk()
    log = desk.log
    log.record[10:13] = b"\x07\x01\x01"
    log.append(0, number_of("event", "boot"), 3)
    log.record[10:18] = b"abcdefgh"
    log.append(0, number_of("event", "profile_set"), 8)
    desk.restart()
    assert (desk.state.boots, bytes(desk.state.profile_hash)) == (0x107, b"abcdefgh")
    desk.open()  # from here on the log is applied: what was before is recalled
    desk.restart()
    assert (desk.state.boots, bytes(desk.state.profile_hash)) == (0x107, b"abcdefgh")
