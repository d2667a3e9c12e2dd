"""Play: the shoe at the level of cards. A step a line on stdin; the events it logged and its state on stdout.

micropython play.py STATE_DIR PROFILE_HEX [HELD [COUNTED LEFT]]: a step is a JSON list, an answer a JSON object.
HELD is the last event that the caller holds; without it, all events are held. COUNTED is `all` operations of the flash
or those of an `erase`: the power is cut at the one after LEFT of them.
"""

import gc
import json
import sys

# First, while the heap is empty: nothing takes more of it to compile.
from sabot.dealing.shoe import Shoe

# isort: split
from sabot import wire
from sabot.boards import bench
from sabot.dealing.state import BURNING, CHECKING
from sabot.profile import Profile
from sabot.storage.journal import RECORD, Journal
from sabot.wire import SETS

STEP_MS = 1000
FLASH_SECTORS = 6
_MARK_AT = 16  # in a sector: written before its erase


def from_hex(text):
    """Return the bytes of hexadecimal digits."""
    return bytes(int(text[i : i + 2], 16) for i in range(0, len(text), 2))


def to_hex(buf):
    """Return bytes as hexadecimal digits."""
    return "".join("%02x" % byte for byte in buf)


class CutMedium(bench.FileMedium):
    """Flash whose power is cut: it prints the write or erase that it does not do any more, and ends."""

    def __init__(self, path, sectors, counted, left):
        super().__init__(path, sectors)
        self._all = counted == "all"
        self._left = left
        self._erased = False  # and its header is not written yet

    def program(self, at, buf):
        """Clear the bits that are 0 in buf, unless the power is cut."""
        place = at % self.sector_bytes
        self._count(at, buf, place == _MARK_AT or (place == 0 and self._erased))
        self._erased = False
        super().program(at, buf)

    def erase(self, sector):
        """Set all bits of a sector, unless the power is cut."""
        self._count(sector * self.sector_bytes, b"", True)
        self._erased = True
        super().erase(sector)

    def _count(self, at, buf, around_erase):
        if not (self._all or around_erase):
            return
        if not self._left:
            print(json.dumps({"cut": [at, to_hex(buf)]}))
            raise SystemExit
        self._left -= 1


class Player:
    """A shoe without sensors and line; the caller that reads its answers holds its log."""

    def __init__(self, medium, profile_hex, held=-1):
        self.journal = Journal(medium)
        self.profile = Profile(SETS)
        self.profile.load(from_hex(profile_hex), 0)
        self._held = self.journal.next_no - 1 if held < 0 else held  # the last event that the caller holds
        self.journal.acknowledge(self._held)
        self._now_ms = 0
        self._record = bytearray(RECORD)
        self.shoe = Shoe(self.journal, self.profile)
        self.shoe.log_consequences(0)

    def step(self, step):
        """Do one step; return the events that the shoe logged for it, and its state."""
        self._now_ms = self._now_ms + STEP_MS & 0x3FFFFFFF
        outcome = getattr(self, "do_" + step[0])(*step[1:])
        records = self._new_records()
        state = self.shoe.state
        return {
            "records": records,
            "outcome": outcome,
            "locked": self.shoe.locked(),
            "due": self._due(),
            "state": state.phase,
            "fault": state.fault,
            "last_coup": state.last_coup(),
            "kind": state.kind,
        }

    def _due(self):
        """Return the slot of the next card, or None."""
        state = self.shoe.state
        if not state.card_due():
            return None
        return 0 if state.phase == BURNING or state.phase == CHECKING or state.burn_next else state.coup.due

    def _new_records(self):
        """Return number, kind and data of the events that the caller does not hold; they may be overwritten then."""
        records = []
        for event_no in range(self._held + 1, self.journal.next_no):
            self.journal.read(event_no, self._record)
            body = self._record[wire.RECORD_DATA : wire.RECORD_DATA + self._record[wire.RECORD_DATA_SIZE]]
            records.append([event_no, self._record[wire.RECORD_KIND], to_hex(body)])
        self._held = self.journal.next_no - 1
        self.journal.acknowledge(self._held)
        self.journal.housekeep()
        return records

    def do_state(self):
        """Do nothing: the answer has the state."""

    def do_heap(self):
        """Return how many bytes are in use after a collection."""
        gc.collect()
        return gc.mem_alloc()

    def do_card(self, card, flags, exposed):
        """Let a card leave the exit."""
        self.shoe.card(self._now_ms, card, 1000, 100, flags, exposed)

    def do_cut(self):
        """Let the cutting card leave the exit."""
        self.shoe.cutting_card(self._now_ms, 1000, 100)

    def do_reject(self, reason):
        """Let something leave that is no certain card."""
        self.shoe.reject(self._now_ms, reason, 0, 0, 1000, 0)

    def do_button(self, button):
        """Press a button of the dealer."""
        return wire.OUT_DONE if self.shoe.press(self._now_ms, button) else wire.OUT_NOT_NOW

    def do_key(self, on):
        """Turn the supervisor's key."""
        self.shoe.key(self._now_ms, bool(on))

    def do_lid(self, is_open):
        """Open or shut the lid."""
        self.shoe.lid(self._now_ms, bool(is_open))

    def do_command(self, command, data_hex):
        """Send a command of the gateway."""
        data = from_hex(data_hex)
        return self.shoe.command(self._now_ms, self.shoe.state.last_command_id + 1, command, data, 0, len(data))


def medium(path, counted="", left="0"):
    """Return the flash of the command line."""
    return CutMedium(path, FLASH_SECTORS, counted, int(left)) if counted else bench.FileMedium(path, FLASH_SECTORS)


def main():
    """Answer every line until there is none."""
    _, state_dir, profile_hex, *rest = sys.argv
    held = int(rest[0]) if rest else -1
    player = Player(medium(state_dir + "/journal.bin", *rest[1:]), profile_hex, held)
    for line in sys.stdin:
        print(json.dumps(player.step(json.loads(line))))


if __name__ == "__main__":
    main()
