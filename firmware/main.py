"""The superloop: the one place that knows the order of the stages."""

from struct import pack_into

from micropython import const
from sabot import panel
from sabot.boards import bench
from sabot.card import CARD, CUT, NOISE, NOTHING, Reader
from sabot.generated import SETS
from sabot.journal import BODY, RECORD, Count, Journal
from sabot.link import HEADER, Link, number
from sabot.profile import Profile
from sabot.sampler import Sampler
from sabot.shoe import BOOT, CLOSED, COMMAND_DONE, PROFILE_SET, SENSOR, Shoe
from sabot.wear import SENSORS

_SLOTS = const(1024)
_IDLE_MS = const(100)
_MOST_SENDS = const(8)  # a turn of the loop: cards come first
_POWER = const(1)  # the cause of a start
_COMMAND_KIND = const(12)  # where it stands in a frame

# What becomes of a command.
_DONE = const(0)
_NOT_NOW = const(1)
_UNKNOWN = const(5)
_CONFIRM = const(6)


class Main:
    """All stages of one shoe."""

    def __init__(self, unit, state_dir, serial_fd, stimulus_fd):
        self.sampler = Sampler()
        self.board = bench.Board(self.sampler, serial_fd, stimulus_fd)
        self.journal = Journal(bench.FileMedium(state_dir + "/journal.bin", _SLOTS, RECORD), _SLOTS)
        self.profile = Profile(SETS)
        self.reader = Reader()
        self.buttons = panel.Buttons()
        counts = bench.FileMedium(state_dir + "/counts.bin", 2, 4)
        self.shoe = Shoe(self.journal, self.profile, Count(counts, 1))
        boot_count = self._boot(Count(counts, 0))
        key = bench.key(state_dir)
        self.link = Link(unit, boot_count, _POWER, self.journal, self.profile, self.sampler, bench.random, key)
        self._worn_no = 0

    def _boot(self, boots):
        boot_count = boots.bump()
        pack_into("<HB", self.journal.record, BODY, boot_count, _POWER)
        self.journal.append(0, BOOT, 3)
        return boot_count

    def run(self):
        """Until the power goes."""
        while True:
            self.board.wait(_IDLE_MS)
            while self.sampler.get():  # at most a ring full: only wait() puts more
                self.sample()
            self.shoe.watch_room(self.sampler.now_ms)
            self.board.show(panel.outputs(self.shoe))
            self.pump()

    def sample(self):
        """One change of the inputs through reader and buttons into the shoe."""
        sampler = self.sampler
        self.read(sampler.t_us, sampler.pins, sampler.now_ms)
        pressed = self.buttons.feed(sampler.pins)
        if pressed & panel.CONFIRM:
            self.shoe.confirm(sampler.now_ms)
        if pressed & panel.NEW_SHOE:
            self.set_profile()
            self.shoe.new_shoe(sampler.now_ms)
        if self.shoe.closed_no != self._worn_no:
            self.log_wear()

    def read(self, t_us, pins, now_ms):
        """What the reader makes of this change, told to the shoe."""
        reader = self.reader
        result = reader.feed(t_us, pins)
        if result == NOTHING:
            return
        if result == CARD:
            self.shoe.card(now_ms, reader.card, reader.speed_mm_s, reader.margin_pct)
        elif result == CUT:
            self.shoe.cutting_card(now_ms, reader.speed_mm_s, reader.margin_pct)
        elif result == NOISE:
            self.shoe.noise(now_ms, reader.columns)
        else:
            self.shoe.reject(
                now_ms, reader.reason, reader.columns, reader.doubtful, reader.speed_mm_s, reader.margin_pct
            )

    def log_wear(self):
        """A shoe was closed: what each sensor has seen of it."""
        self._worn_no = self.shoe.closed_no
        for sensor in range(SENSORS):
            size = self.reader.pack_wear(self.journal.record, BODY, self._worn_no, sensor)
            self.journal.append(self.sampler.now_ms, SENSOR, size)
        self.reader.reset_wear()

    def pump(self):
        """Serial in, commands, serial out."""
        link = self.link
        line_ms = self.board.line_ms()
        link.receive(self.board.rx, self.board.rx_size, line_ms)
        if self.shoe.state == CLOSED:
            self.set_profile()
        if link.command_due:
            self.obey()
        for _ in range(_MOST_SENDS):
            link.pump(line_ms)
            if not link.tx_size:
                break
            link.sent(self.board.send(link.tx, link.tx_size))

    def obey(self):
        """Do the command that waits, once, and log what became of it."""
        link = self.link
        link.command_due = False
        link.last_command_id = number(link.command, HEADER)
        kind = link.command[_COMMAND_KIND]
        pack_into("<IBB", self.journal.record, BODY, link.last_command_id, kind, self.outcome(kind))
        self.journal.append(self.sampler.now_ms, COMMAND_DONE, 6)

    def outcome(self, kind):
        """What becomes of a command of this kind."""
        if kind != _CONFIRM:
            return _UNKNOWN
        return _DONE if self.shoe.confirm(self.sampler.now_ms) else _NOT_NOW

    def set_profile(self):
        """Apply a profile that the gateway sent, between shoes; one that makes no sense gets no event."""
        if not self.link.new_profile or self.shoe.card_due():
            return
        self.link.new_profile = False
        if self.profile.load(self.link.profile, HEADER):
            self.reader.set_no = self.profile.card_set
            self.journal.record[BODY : BODY + 8] = self.profile.digest
            self.journal.append(self.sampler.now_ms, PROFILE_SET, 8)


if __name__ == "__main__":
    Main(*bench.arguments()).run()
