"""main.py of a board with slots, on the VM: the slots are in the state directory, and a restart ends the process."""

import sys

import slots

_RESTART = 3


class Machine:
    """What slots.start() needs of the chip."""

    def WDT(self, timeout):
        """Do nothing: a bench has no watchdog."""

    def reset(self):
        """End with the status that asks for a restart."""
        raise SystemExit(_RESTART)


if __name__ == "__main__":
    slots.start(Machine(), sys.argv[2])
