"""The superloop: the one place that knows the order of the stages."""

import gc
from struct import pack_into

from micropython import const
from sabot import panel, wire
from sabot.dealing.shoe import Shoe
from sabot.link.frame import number
from sabot.link.link import HEADER, Link, same
from sabot.profile import SIZE as PROFILE_SIZE
from sabot.profile import Profile
from sabot.reading.reader import CARD, CUT, NOISE, NOTHING, Reader
from sabot.reading.sampler import Sampler
from sabot.reading.wear import SENSORS
from sabot.storage.journal import BODY, Journal
from sabot.storage.store import BOOTS, CAUSE, PROFILE, Count, Store
from sabot.wire import SETS

try:
    from sabot.boards import rp2 as boards
except ImportError:  # no chip: the bench
    from sabot.boards import bench as boards  # type: ignore[no-redef]

_IDLE_MS = const(100)
_MOST_SENDS = const(8)  # a turn of the loop: cards come first
_SENSOR_PINS = const(15)
_COMMAND_KIND = const(12)  # where it stands in a frame
_COMMAND_DATA = const(13)


class Main:
    """All stages of one shoe."""

    def __init__(self, board):
        self.board = board
        self.sampler = board.sampler
        self.store = Store(board.store_medium())
        self.journal = Journal(board.journal_medium())
        self.profile = Profile(SETS)
        self.reader = Reader()
        self._command = bytearray(PROFILE_SIZE)
        self._restore_profile()
        self.shoe = Shoe(self.journal, self.profile)
        self.lamps = panel.Lamps(self.shoe)
        self.buttons, self.key, self.lid = panel.Buttons(), panel.key(), panel.lid()
        self.key.on, self.lid.on = self.shoe.it.key_on, self.shoe.it.lid_open  # the next sample says if they still are
        self.cause = self._cause()
        self._restore_boots()
        self.boots = Count(self.store, BOOTS).bump()
        self._log_boot()
        if self.cause == wire.CAUSE_ERROR:
            self.shoe.fail(0, wire.FAULT_PROGRAM)
        self.passed = self.self_test()
        self.link = Link(
            board.unit, self.boots, self.cause, self.journal, self.profile, self.sampler, board.random, board.key()
        )
        self.link.last_command_id = self.shoe.it.last_command_id
        self._worn_no = self.shoe.it.closed_no
        self._heap_least = gc.mem_free()
        self.round_most_us = 0
        self._reboot_due = False

    # Start

    def _restore_profile(self):
        if self.store.get(PROFILE, self._command) == PROFILE_SIZE and self.profile.load(self._command, 0):
            self.reader.set_no = self.profile.card_set

    def _restore_boots(self):
        """The log knows how often the shoe has started, should the store have forgotten."""
        behind = self.shoe.it.boots - self.store.get_number(BOOTS) & 0xFFFF
        if 0 < behind < 0x8000:
            self.store.put_number(BOOTS, self.shoe.it.boots)

    def _cause(self):
        """Why we start: what was noted before the end, or what the board says."""
        noted = self.store.get_number(CAUSE)
        if noted:
            self.store.put_number(CAUSE, 0)
        return noted or self.board.cause()

    def _log_boot(self):
        pack_into("<HB", self.journal.record, BODY, self.boots, self.cause)
        self.shoe.log(0, wire.EV_BOOT, 3)
        self.shoe.follow(0)

    def self_test(self):
        """Image, journal, flash and sensors, logged; whether the shoe may speak at all, which a damaged log may."""
        image = self.board.image_hash()
        passed = self._tests(image)
        self.journal.record[BODY] = passed
        self.journal.record[BODY + 1 : BODY + 9] = image
        now_ms = self.sampler.now_ms
        self.shoe.log(now_ms, wire.EV_SELF_TEST, 9)
        speaks = passed & wire.TEST_IMAGE and passed & wire.TEST_FLASH
        if not speaks or not passed & wire.TEST_JOURNAL:
            self.shoe.fail(now_ms, wire.FAULT_JOURNAL if passed & wire.TEST_IMAGE else wire.FAULT_IMAGE)
        elif self.shoe.it.log_unsound():
            self.shoe.log_bytes(now_ms, wire.EV_FAULT_CLEARED, wire.FAULT_JOURNAL, wire.BY_ITSELF, 2)
        return speaks != 0

    def _tests(self, image):
        passed = wire.TEST_IMAGE if self.board.image_sound(image) else 0
        if not (self.journal.lost or self.journal.worn or self.shoe.damaged or self.store.damaged):
            passed |= wire.TEST_JOURNAL
        if self.store.get_number(BOOTS) == self.boots:
            passed |= wire.TEST_FLASH
        if not self.sampler.pins & _SENSOR_PINS:
            passed |= wire.TEST_SENSORS
        return passed

    # The loop

    def run(self):
        """Until the power goes."""
        while True:
            self.board.wait(_IDLE_MS)
            start_us = self.board.now_us()
            self.turn()
            self.round_most_us = max(self.round_most_us, self.board.since_us(start_us))
            self.board.feed_watchdog()

    def turn(self):
        """Everything that the last wait has brought."""
        while self.sampler.get():  # at most a ring full: only wait() puts more
            self.sample()
        self.shoe.watch_room(self.sampler.now_ms)
        self.shoe.watch_sensors(self.sampler.now_ms, self.reader.stuck(self.sampler.t_us))
        self.board.show(self.lamps.outputs(self.shoe, self.sampler.now_ms))
        if self.passed:
            self.pump()
        if self.reader.clear():
            self.housekeep()

    def sample(self):
        """One change of the inputs through reader and panel into the shoe."""
        sampler, shoe = self.sampler, self.shoe
        self.read(sampler.t_us, sampler.pins, sampler.now_ms)
        if self.lid.feed(sampler.t_us, sampler.pins):
            shoe.lid(sampler.now_ms, self.lid.on)
        if self.key.feed(sampler.t_us, sampler.pins):
            shoe.key(sampler.now_ms, self.key.on)
        pressed = self.buttons.feed(sampler.t_us, sampler.pins)
        if pressed:
            self.set_profile()
            shoe.press(sampler.now_ms, pressed)

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

    def housekeep(self):
        """What takes long, while no card is in the path."""
        self.journal.housekeep()
        self.store.housekeep()
        if self.shoe.it.closed_no != self._worn_no:
            self.log_wear()
            self.log_health()

    def log_wear(self):
        """A shoe was closed: what each sensor has seen of it."""
        self._worn_no = self.shoe.it.closed_no
        for sensor in range(SENSORS):
            size = self.reader.pack_wear(self.journal.record, BODY, self._worn_no, sensor)
            self.shoe.log(self.sampler.now_ms, wire.EV_SENSOR, size)
        self.reader.reset_wear()

    def log_health(self):
        """And how the controller is."""
        gc.collect()
        free, link = gc.mem_free(), self.link
        self._heap_least = min(self._heap_least, free)
        pack_into("<III", self.journal.record, BODY, free, self._heap_least, self.round_most_us & 0x3FFFFFFF)
        counts = (link.crc_errors(), link.resends, link.refused, self.sampler.overruns & 0xFFFF)
        pack_into("<HHHH", self.journal.record, BODY + 12, *counts)
        self.shoe.log(self.sampler.now_ms, wire.EV_HEALTH, 20)
        self.round_most_us = 0

    # The line

    def pump(self):
        """Serial in, commands, serial out."""
        link = self.link
        line_ms = self.board.line_ms()
        link.fault = self.shoe.it.fault
        link.receive(self.board.rx, self.board.rx_size, line_ms, self.board.rx_wire)
        self.set_profile()
        if link.command_due:
            self.obey()
        for _ in range(_MOST_SENDS):
            link.pump(line_ms)
            if not link.tx_size:
                break
            link.sent(self.board.send(link.tx, link.tx_size, link.tx_wire))
        if self._reboot_due and not link.tx_size:
            self.reboot(wire.CAUSE_COMMAND)

    def obey(self):
        """Do the command that waits, once, and log what became of it."""
        link = self.link
        link.command_due = False
        command = link.command[_COMMAND_KIND]
        now_ms = self.sampler.now_ms
        command_id = number(link.command, HEADER)
        size = link.command_size - _COMMAND_DATA
        done = self.shoe.obey(now_ms, command_id, command, link.command, _COMMAND_DATA, size)
        link.last_command_id = self.shoe.it.last_command_id  # the same as before if there was no room to log it
        if done == wire.OUT_DONE and link.last_command_id == command_id:
            self.also(command, now_ms)

    def also(self, command, now_ms):
        """What a command asks of others than the shoe."""
        if command == wire.CMD_SET_TIME:
            record = self.journal.record
            for i in range(6):
                record[BODY + i] = self.link.command[_COMMAND_DATA + i]
            self.shoe.log(now_ms, wire.EV_TIME_SET, 6)
        elif command == wire.CMD_SELF_TEST:
            self.self_test()
        elif command == wire.CMD_REBOOT:
            self._reboot_due = True

    def set_profile(self):
        """Apply a profile that the gateway sent, between shoes or where it was lost; nonsense gets no event."""
        link = self.link
        lost = self.shoe.unruled()
        if not link.new_profile or not (self.shoe.idle() or lost):
            return
        link.new_profile = False
        if lost and not self._ruled_by(link.profile):
            return
        if self.profile.load(link.profile, HEADER):
            self.store.put(PROFILE, memoryview(link.profile)[HEADER:], PROFILE_SIZE)
            self.reader.set_no = self.profile.card_set
            self.journal.record[BODY : BODY + 8] = self.profile.digest
            self.shoe.log(self.sampler.now_ms, wire.EV_PROFILE_SET, 8)
            if lost:
                self.shoe.restore()
                self.shoe.follow(self.sampler.now_ms)

    def _ruled_by(self, profile):
        """Whether the shoe on the table was opened by this profile, as far as the log still says."""
        rules = self.shoe.it.rules
        return not any(rules) or same(profile, HEADER, rules)

    def reboot(self, cause):
        """Start again, and know why."""
        self.store.put_number(CAUSE, cause)
        self.board.reboot()


def main():
    """Start here; an error that nobody expects is noted, and ends in a restart."""
    board = boards.open_board(Sampler())
    while True:  # a board that cannot reset itself comes back here
        it = Main(board)
        try:
            it.run()
        except boards.Restart:
            continue
        except Exception as error:
            it.store.put_number(CAUSE, wire.CAUSE_ERROR)
            board.failed(error)


if __name__ == "__main__":
    main()
