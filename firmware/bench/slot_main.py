"""main.py of a board with slots, on the VM: the slots are in the state directory, and a restart ends the process.

The board of the VM is beside this file: an image is that of a real shoe, which has none of it.
"""

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


def _with_board(run):
    """Return what runs the program of a slot with the board of the VM; both use the modules of that slot."""

    def run_with_board():
        import stimulus  # type: ignore[import-not-found]

        sys.modules["sabot.boards.stimulus"] = stimulus
        import bench  # type: ignore[import-not-found]

        sys.modules["sabot.boards.bench"] = bench
        run()

    return run_with_board


if __name__ == "__main__":
    slots._run = _with_board(slots._run)
    slots.start(Machine(), sys.argv[2])
