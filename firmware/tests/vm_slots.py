"""Slots: what is started, how a new image confirms itself, and the way back."""

import os
import sys

import slots
import tidy  # noqa: F401

PLACE = "/tmp/sabot-slots-%s" % "".join("%02x" % byte for byte in os.urandom(6))


class Machine:
    """The chip's watchdog and reset, as slots.start() uses them."""

    def __init__(self):
        self.watched_ms = self.resets = 0

    def WDT(self, timeout):
        self.watched_ms = timeout

    def reset(self):
        self.resets += 1


def board(choice=None, a="print('a')", b="print('b')"):
    """Return the folder of a board with these programs."""
    os.mkdir(PLACE)
    for name, text in (("a", a), ("b", b)):
        os.mkdir(PLACE + "/" + name)
        with open(PLACE + "/" + name + "/program.py", "w") as file:
            file.write("started = []\n\ndef main():\n    %s\n    started.append(1)\n" % text)
    if choice is not None:
        with open(PLACE + "/slot", "w") as file:
            file.write(choice)


def started(machine):
    """Start as after a reset; return the slot whose main() came to its end."""
    sys.modules.pop("program", None)
    sys.path[:] = [path for path in sys.path if not path.startswith(PLACE)]
    slots.start(machine, PLACE)
    return slots.slot if "program" in sys.modules and sys.modules["program"].started else ""


def cleared():
    """Remove the board."""
    for name in ("a", "b"):
        os.remove(PLACE + "/" + name + "/program.py")
        os.rmdir(PLACE + "/" + name)
    for name in os.listdir(PLACE):
        os.remove(PLACE + "/" + name)
    os.rmdir(PLACE)


def test_a_file_that_makes_no_sense_starts_slot_a():
    for choice in (None, "", "c=", "a", "b==", "\0\0\0"):
        board(choice)
        assert (started(Machine()), slots.state) == ("a", "=")
        cleared()


def test_a_confirmed_image_is_started_without_counting():
    board("b=")
    machine = Machine()
    for _ in range(6):
        assert started(machine) == "b"
    assert (machine.watched_ms, machine.resets, slots.choice(PLACE)) == (0, 0, ("b", "="))
    cleared()


def test_a_new_image_has_three_starts_under_the_watchdog_and_then_the_other_runs():
    board("b3", b="raise ValueError")
    machine = Machine()
    for left in "210":
        assert started(machine) == ""
        assert slots.choice(PLACE) == ("b", left)
    assert (machine.resets, machine.watched_ms) == (3, 8388)
    assert (started(machine), slots.state, slots.choice(PLACE)) == ("a", "<", ("a", "<"))
    assert machine.resets == 3
    slots.confirm()
    assert (started(machine), slots.state) == ("a", "=")
    cleared()


def test_an_image_that_cannot_be_imported_is_given_up_too():
    board("a3", a="import no_such_module")
    machine = Machine()
    for _ in range(3):
        started(machine)
    assert (started(machine), machine.resets) == ("b", 3)
    cleared()


def test_a_new_image_that_confirms_itself_stays():
    board("b3")
    assert (started(Machine()), slots.state) == ("b", "2")
    slots.confirm()
    for _ in range(5):
        assert (started(Machine()), slots.state) == ("b", "=")
    cleared()


def test_a_confirmed_image_that_fails_shows_its_error():
    board("a=", a="raise ValueError('seen')")
    try:
        started(Machine())
    except ValueError:
        cleared()
        return
    raise AssertionError("the error was hidden")
