"""Slots: which of two images a board starts. A new one that does not confirm itself is given up for the other.

A slot is the folder `a` or `b` with a whole image. The file `slot` has two characters: the slot to start, and `=` for
an image that has confirmed itself, a digit for a new one (how many starts it has left), `<` after a way back. It is
replaced by a rename, which littlefs does wholly or not at all. `sabot flash` writes this module into the root, and an
update over the wire never touches it: images of any release use it.
"""

import os
import sys

CONFIRMED, REVERTED = "=", "<"
TRIES = "3"
_LONGEST_MS = 8388  # of the chip's watchdog

root = None  # of the folders of the slots; None on a board without slots
slot = ""  # that runs
state = CONFIRMED  # in which it was started


def choice(at):
    """Return slot and state of the next start; slot a where the file makes no sense."""
    try:
        with open(at + "/slot") as file:
            text = file.read()
    except OSError:
        text = ""
    return (text[0], text[1]) if len(text) == 2 and text[0] in "ab" else ("a", CONFIRMED)


def choose(at, name, then):
    """Store slot and state of the next start; after a power cut they are the old ones or these."""
    with open(at + "/slot.new", "w") as file:
        file.write(name + then)
    os.rename(at + "/slot.new", at + "/slot")


def other(name):
    """Return the other slot."""
    return "b" if name == "a" else "a"


def confirm():
    """Keep the image that runs."""
    global state
    state = CONFIRMED
    choose(root, slot, state)


def path(name):
    """Return the path of a file or folder beside the slots."""
    return root + "/" + name  # type: ignore[operator]


def folder():
    """Return the folder of the image that runs; empty on a board without slots."""
    return "" if root is None else path(slot)


def take_start(at):
    """Return slot and state of this start, which is counted if the image is new; out of starts it is given up."""
    name, now = choice(at)
    if now == "0":
        name, now = other(name), REVERTED
        choose(at, name, now)
    elif now.isdigit():
        now = str(int(now) - 1)
        choose(at, name, now)
    return name, now


def start(machine, at=""):
    """Run the chosen image. A new one that fails, or that hangs before it feeds the watchdog, ends in a restart."""
    global root, slot, state
    root = at
    slot, state = take_start(at)
    sys.path.insert(0, folder())
    if not state.isdigit():
        _run()
        return
    machine.WDT(timeout=_LONGEST_MS)
    try:
        _run()
    except Exception as error:
        sys.print_exception(error)
        machine.reset()


def _run():
    import program  # type: ignore[import-not-found]

    program.main()
