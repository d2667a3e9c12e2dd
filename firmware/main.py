"""The superloop: the one place that knows the order of the stages."""

import gc
import sys

from micropython import const
from sabot import health, panel, profile_update, self_test, wire
from sabot.dealing import commands
from sabot.dealing.shoe import Shoe
from sabot.link.frame import number
from sabot.link.link import Link
from sabot.profile import Profile
from sabot.reading.reader import CARD, CUT, NOISE, NOTHING, Reader
from sabot.reading.sampler import Sampler
from sabot.storage.journal import Journal
from sabot.storage.store import CAUSE, Store

if sys.platform == "rp2":
    from sabot.boards import rp2 as boards
else:  # no chip: the bench
    from sabot.boards import bench as boards

_IDLE_MS = const(100)
_MOST_SENDS = const(8)  # in one turn of the loop: cards come first


class Main:
    """All stages of one shoe."""

    def __init__(self, board):
        self.board = board
        self.sampler = board.sampler
        self.store = Store(board.store_medium())
        self.journal = Journal(board.journal_medium())
        self.profile = Profile(wire.SETS)
        self.reader = Reader()
        profile_update.restore(self)
        self.shoe = Shoe(self.journal, self.profile)
        self.lamps = panel.Lamps(self.shoe)
        self.buttons, self.key, self.lid = panel.Buttons(), panel.key(), panel.lid()
        self.key.on, self.lid.on = self.shoe.state.key_on, self.shoe.state.lid_open  # until the first sample
        self.image_hash = b""  # the self-test computes it
        self.cause = self_test.start_cause(self)
        self.boots = self_test.count_boot(self)
        self_test.log_boot(self)
        self.passed = self.self_test()
        self.link = Link(
            board.unit, self.boots, self.cause, self.journal, self.profile, self.sampler, board.random, board.key()
        )
        self.link.image_hash = self.image_hash
        self.link.last_command_id = self.shoe.state.last_command_id
        self.worn_no = self.shoe.state.closed_no  # the last shoe whose wear is logged
        self.heap_least = gc.mem_free()
        self.round_most_us = 0
        self.reboot_due = False
        self.receiver = None  # of an image, while one is received
        self.on_trial = self_test.on_trial()

    def self_test(self):
        """Test the controller and log the result; return True if the line may be used."""
        return self_test.run(self)

    def run(self):
        """Turn the loop until the power goes."""
        while True:
            self.board.wait(0 if self.receiver else _IDLE_MS)
            start_us = self.board.now_us()
            self.turn()
            self.round_most_us = max(self.round_most_us, self.board.since_us(start_us))
            self.board.feed_watchdog()

    def turn(self):
        """Work through everything that the last wait has brought."""
        while self.sampler.get():  # at most one ring: only wait() adds to it
            self.sample()
        now_ms = self.sampler.now_ms
        self.shoe.watch_room(now_ms)
        self.shoe.watch_sensors(now_ms, self.reader.sensor_stuck(self.sampler.t_us))
        self.board.show(self.lamps.outputs(self.shoe, now_ms))
        if self.passed:
            self.pump()
        if self.receiver or self.link.update or self.on_trial:
            from sabot.update import turns  # there while it is used

            turns.turn(self)
        if self.reader.clear():
            self.housekeep()

    def sample(self):
        """Pass one change of the inputs through reader and panel to the shoe."""
        sampler, shoe = self.sampler, self.shoe
        self.read(sampler.t_us, sampler.pins, sampler.now_ms)
        if self.lid.feed(sampler.t_us, sampler.pins):
            shoe.lid(sampler.now_ms, self.lid.on)
        if self.key.feed(sampler.t_us, sampler.pins):
            shoe.key(sampler.now_ms, self.key.on)
        pressed = self.buttons.feed(sampler.t_us, sampler.pins)
        if pressed:
            profile_update.apply_received(self)
            shoe.press(sampler.now_ms, pressed)

    def read(self, t_us, pins, now_ms):
        """Pass the reader's result, if there is one, to the shoe."""
        reader, shoe = self.reader, self.shoe
        result = reader.feed(t_us, pins)
        if result == NOTHING:
            return
        if result == CARD:
            shoe.card(now_ms, reader.card, reader.speed_mm_s, reader.margin_pct)
        elif result == CUT:
            shoe.cutting_card(now_ms, reader.speed_mm_s, reader.margin_pct)
        elif result == NOISE:
            shoe.noise(now_ms, reader.columns)
        else:
            shoe.reject(now_ms, reader.reason, reader.columns, reader.doubtful, reader.speed_mm_s, reader.margin_pct)

    def housekeep(self):
        """Do what takes long, while no card is in the path."""
        self.journal.housekeep()
        self.store.housekeep()
        if self.shoe.state.closed_no != self.worn_no:
            health.log_wear(self)
            health.log_health(self)

    def pump(self):
        """Serial in, commands, serial out."""
        link = self.link
        line_ms = self.board.line_ms()
        link.fault = self.shoe.state.fault
        link.receive(self.board.rx, self.board.rx_size, line_ms, self.board.rx_port)
        profile_update.apply_received(self)
        if link.command_due:
            self.command()
        for _ in range(_MOST_SENDS):
            link.pump(line_ms)
            if not link.tx_size:
                break
            link.sent(self.board.send(link.tx, link.tx_size, link.tx_port))
        if self.reboot_due and not link.tx_size:
            self.store.put_number(CAUSE, wire.CAUSE_COMMAND)
            self.board.reboot()

    def command(self):
        """Do the command that waits, once."""
        link = self.link
        link.command_due = False
        data, at = link.command, wire.COMMAND_FRAME_DATA
        command, command_id = data[wire.COMMAND_FRAME_KIND], number(data, wire.COMMAND_FRAME_COMMAND_ID)
        outcome = self.shoe.command(self.sampler.now_ms, command_id, command, data, at, link.command_size - at)
        link.last_command_id = self.shoe.state.last_command_id  # unchanged if there was no room to log the command
        if outcome == wire.OUT_DONE and link.last_command_id == command_id:
            commands.carry_out(self, command, data, at)


def main():
    """Start here; a board that cannot reset itself starts again with the memory of the program before."""
    board = boards.open_board(Sampler())
    while True:
        run_until_restart(board)
        gc.collect()


def run_until_restart(board):
    """Run the loop; an error that nobody expects is stored, and ends in a restart."""
    main_loop = Main(board)
    try:
        main_loop.run()
    except boards.Restart:
        return
    except Exception as error:
        main_loop.store.put_number(CAUSE, wire.CAUSE_ERROR)
        board.failed(error)


if __name__ == "__main__":
    main()
