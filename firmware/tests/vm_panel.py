"""The panel: buttons, key and lid without their bounces; lock, lamps, buzzer and the flashes of a fault."""

from desk import NATURAL, Desk
from sabot import panel

PLAYER, BANKER, TIE, CONFIRM, NEW_SHOE, KEY, LID = (1 << bit for bit in range(4, 11))
LOCK, RED, AMBER, LAST, BUZZER = 1, 64, 256, 128, 512
TICKS = 0x3FFFFFFF


def pressed(changes, start_us=0):
    """Return the buttons that these changes (ms, pins) press, sampled every millisecond."""
    buttons = panel.Buttons()
    found = []
    pins = 0
    for ms in range(changes[-1][0] + 100):
        for at_ms, level in changes:
            if at_ms == ms:
                pins = level
        button = buttons.feed((start_us + 1000 * ms) & TICKS, pins)
        if button:
            found.append(button)
    return found


def test_each_button_has_its_number():
    for number, pin in enumerate((PLAYER, BANKER, TIE, CONFIRM, NEW_SHOE), 1):
        assert pressed([(5, pin), (105, 0)]) == [number]


def test_a_button_that_is_held_counts_once():
    assert pressed([(5, CONFIRM), (5000, 0)]) == [4]


def test_a_button_that_bounces_counts_once():
    assert pressed([(5, CONFIRM), (6, 0), (7, CONFIRM), (9, 0), (12, CONFIRM), (100, 0), (102, CONFIRM), (103, 0)]) == [
        4
    ]


def test_a_contact_that_fails_while_held_is_no_second_press():
    assert pressed([(5, NEW_SHOE), (100, 0), (103, NEW_SHOE), (300, 0)]) == [5]


def test_a_touch_or_a_spike_is_no_press():
    assert pressed([(5, NEW_SHOE), (15, 0), (200, CONFIRM), (201, 0)]) == []


def test_buttons_pressed_together_mean_nothing():
    assert pressed([(5, PLAYER | BANKER), (200, 0)]) == []
    assert pressed([(5, PLAYER), (10, PLAYER | BANKER), (200, BANKER), (400, 0)]) == []


def test_a_second_button_while_the_first_is_held_means_nothing():
    assert pressed([(5, PLAYER), (100, PLAYER | CONFIRM), (200, PLAYER), (300, PLAYER | NEW_SHOE), (400, 0)]) == [1]
    assert pressed([(5, PLAYER), (100, PLAYER | CONFIRM), (200, CONFIRM), (400, 0), (500, CONFIRM), (600, 0)]) == [1, 4]


def test_presses_one_after_the_other_count_each():
    assert pressed([(5, PLAYER), (60, 0), (120, CONFIRM), (180, 0), (240, CONFIRM), (300, 0)]) == [1, 4, 4]


def test_a_press_while_the_clock_wraps():
    assert pressed([(5, CONFIRM), (60, 0)], start_us=TICKS - 15_000) == [4]


def test_other_inputs_are_no_buttons():
    assert pressed([(5, 15 | KEY | LID), (200, 0)]) == []


def test_a_press_counts_when_only_changes_are_sampled():
    buttons = panel.Buttons()
    assert [buttons.feed(t_us, pins) for t_us, pins in ((0, 0), (1000, CONFIRM), (81_000, 0), (200_000, CONFIRM))] == [
        0,
        0,
        4,
        0,
    ]
    assert buttons.feed(300_000, 0) == 4


def levels(level, changes):
    """Return every change of `on`, sampled every millisecond."""
    found = []
    pins = 0
    for ms in range(changes[-1][0] + 100):
        for at_ms, pins_then in changes:
            if at_ms == ms:
                pins = pins_then
        if level.feed(1000 * ms, pins):
            found.append(level.on)
    return found


def test_key_and_lid_follow_their_contacts_without_the_bounces():
    bounced = [(5, 1), (6, 0), (8, 1), (12, 0), (14, 1), (300, 0), (302, 1), (303, 0)]
    assert levels(panel.key(), [(ms, KEY * on) for ms, on in bounced]) == [True, False]
    assert levels(panel.lid(), [(ms, LID * on) for ms, on in bounced]) == [True, False]


def test_a_spike_is_not_the_supervisor_s_key():
    assert levels(panel.key(), [(5, KEY), (6, 0), (100, LID), (300, 0)]) == []


def test_a_fault_is_red_and_its_number_can_be_counted():
    for fault in range(1, 10):
        desk = Desk().open()
        desk.shoe.fail(0, fault)
        if not desk.state.fault:  # a full journal is shown by amber alone
            continue
        lamps = panel.Lamps(desk.shoe)
        turn = 2 * fault + 5
        seen = [lamps.outputs(desk.shoe, 300 * step) for step in range(turn)]
        assert all(lit & RED and lit & LOCK for lit in seen)
        assert [bool(lit & AMBER) for lit in seen] == [True, False] * fault + [False] * 5


def test_amber_alone_waits():
    desk = Desk("star-rapid").open()
    lamps = panel.Lamps(desk.shoe)
    assert lamps.outputs(desk.shoe, 0) == 0
    desk.cmd("lock")
    assert lamps.outputs(desk.shoe, 0) == LOCK | AMBER
    desk.cmd("unlock")
    desk.draw("8C", flags=2)  # a dummy coup without authorisation
    assert lamps.outputs(desk.shoe, 5000) & ~BUZZER == LOCK | AMBER
    desk.cmd("authorise", 1)
    assert lamps.outputs(desk.shoe, 9000) == 0
    desk = Desk()
    desk.shoe.lid(0, True)
    assert lamps.outputs(desk.shoe, 0) & ~BUZZER == LOCK  # the lid of a closed shoe is for new cards
    desk.press("new_shoe")
    assert lamps.outputs(desk.shoe, 9000) & ~BUZZER == LOCK | AMBER


def test_lamps_of_the_result():
    for cards, lit in (
        (NATURAL, 2 | 32),  # Player, and the Banker's pair of twos
        ("2S 9H KD TD", 4),
        ("9S 9H 9D 9C", 8 | 16 | 32),
    ):
        desk = Desk().open()
        lamps = panel.Lamps(desk.shoe)
        assert lamps.outputs(desk.shoe, 0) == 0
        desk.draw(cards)
        assert lamps.outputs(desk.shoe, 0) == LOCK | lit
        desk.confirm()
        assert lamps.outputs(desk.shoe, 0) == 0


def test_the_lamp_of_the_last_coup():
    desk = Desk().open()
    lamps = panel.Lamps(desk.shoe)
    desk.draw("9S CUT")
    assert not lamps.outputs(desk.shoe, 0) & LAST
    desk.draw("2H TD 2D")
    desk.confirm()
    assert lamps.outputs(desk.shoe, 0) & LAST
    desk.draw(NATURAL)
    assert lamps.outputs(desk.shoe, 0) & LAST
    desk.confirm()
    assert lamps.outputs(desk.shoe, 0) == LOCK


def sounds(lamps, desk, from_ms, until_ms):
    return [ms for ms in range(from_ms, until_ms, 100) if lamps.outputs(desk.shoe, ms & TICKS) & BUZZER]


def test_the_alarm_sounds_long_enough_and_ends():
    for start_ms in (0, 1000, TICKS - 1000):
        desk = Desk().open()
        lamps = panel.Lamps(desk.shoe)
        assert sounds(lamps, desk, start_ms, start_ms + 500) == []
        desk.reject("doubtful")
        sound = sounds(lamps, desk, start_ms + 500, start_ms + 6000)
        assert len(sound) >= 15  # 1.5 s
        assert sound[0] == start_ms + 500
        assert sound[-1] < start_ms + 4000


def test_a_second_alarm_sounds_again():
    desk = Desk().open()
    lamps = panel.Lamps(desk.shoe)
    desk.draw(NATURAL + " 3S")
    assert sounds(lamps, desk, 0, 5000)
    desk.draw("4S")
    assert sounds(lamps, desk, 5000, 9000)


def test_a_card_drawn_by_force_while_the_exit_is_locked_sounds_the_buzzer():
    desk = Desk().open()
    lamps = panel.Lamps(desk.shoe)
    desk.draw("9S")
    assert not sounds(lamps, desk, 0, 1000)
    desk.cmd("lock")
    desk.draw("2H")
    assert sounds(lamps, desk, 1000, 5000)
    desk.cmd("unlock")
    desk.draw("TD")
    assert not sounds(lamps, desk, 5000, 9000)


def test_a_fault_that_comes_back_after_a_restart_sounds_again():
    desk = Desk().open()
    desk.reject("doubtful")
    desk.restart()
    assert sounds(panel.Lamps(desk.shoe), desk, 0, 3000)
    desk.cmd("clear_fault", 1)
    desk.restart()
    assert not sounds(panel.Lamps(desk.shoe), desk, 0, 3000)
