"""The RP2040 board: PIO and DMA record the sensors while the CPU sleeps; panel, lamps and UART are plain pins.

A record is 32 bits: ticks (28, counting down since the start), then the levels of the four sensors at that sample.
A tick is 8 us, so that the ticks of a record wrap at a multiple of the 30-bit clock's range and need no unwrapping.
"""

import os
import time
from array import array

import machine
import rp2
import slots
import uctypes
from machine import UART, Pin
from micropython import const

from sabot import wire
from sabot.boards import flash
from sabot.boards.usb import Usb
from sabot.storage import image

_MYPY = const(0)
if _MYPY:  # asm_pio brings these names itself
    from rp2.asm_pio import (
        in_,
        invert,
        isr,
        jmp,
        label,
        mov,
        noblock,
        null,
        osr,
        out,
        pins,
        push,
        wrap,
        wrap_target,
        x,
        x_not_y,
        y,
        y_dec,
    )

_TICKS = const(0x3FFFFFFF)
_PIO_HZ = const(1_000_000)  # divides a system clock of whole MHz, so that the ticks keep step with the timer
_TICK_SHIFT = const(3)
_LOW_15_BITS = const(0x7FFF)  # the highest tick bit is beyond the clock's range

_RING = const(256)  # records; a card makes 24
_RING_BITS = const(10)  # its size in bytes, as DMA wants it
_MOST_RECORDS = const(32)  # a call
_TRANSFERS = const(0x3FFFFFFF)  # the largest count that can be read without allocating
_PIO0_RX0 = const(4)  # DMA request of the first state machine's FIFO

# GPIO numbers; the UART is on 0 and 1.
_SENSORS = const(2)  # entry, a, b, exit
_PANEL = const(6)  # player, banker, tie, confirm, new shoe, key: each to ground; then the lid: to ground while shut
_OUTPUTS = const(13)  # lock, lamps and buzzer, as panel.py has them
_DECODED = const(28)

_PANEL_MASK = const(0x7F)
_ACTIVE_LOW = const(0x3F)
_OUTPUT_MASK = const(0x3FF)
_GPIO_IN = const(0xD0000004)
_GPIO_OUT_SET = const(0xD0000014)
_GPIO_OUT_CLR = const(0xD0000018)

_LONGEST_NAP_MS = const(10)  # the ring holds more than a card does meanwhile
_SHORTEST_US = const(4_000)  # after a change, samples without one follow in pauses that double
_LONGEST_US = const(64_000)
_SETTLED_US = const(64)  # a change before this is in the ring for certain
_BAUD = const(115_200)
_USB_EMPTY_MS = const(20)  # by then a host that reads has everything
_WATCHDOG_MS = const(8_000)


@rp2.asm_pio(in_shiftdir=rp2.PIO.SHIFT_LEFT, out_shiftdir=rp2.PIO.SHIFT_RIGHT, fifo_join=rp2.PIO.JOIN_RX)
def _record_changes():
    """Take 8 cycles, one tick, for a sample like the last, 16 for a change. ISR: ticks; X: last levels."""
    mov(x, invert(null))
    mov(isr, null)
    wrap_target()
    mov(osr, pins)
    out(y, 4)
    jmp(x_not_y, "change")
    mov(y, isr)
    label("tick")
    jmp(y_dec, "keep")
    label("keep")
    mov(isr, y)[2]
    wrap()
    label("change")
    mov(x, y)
    mov(osr, isr)
    in_(x, 4)
    push(noblock)
    mov(y, osr)
    jmp(y_dec, "again")
    label("again")
    jmp("tick")[2]


class Restart(Exception):  # noqa: N818
    """Never raised here: this board resets itself."""


class Recorder:
    """Changes of the sensors, in a ring that DMA fills; `levels` and `t_us` are those of the last take()."""

    def __init__(self):
        for gpio in range(_SENSORS, _SENSORS + 4):
            Pin(gpio, Pin.IN, Pin.PULL_UP)  # a loose wire is a card that does not leave, not a shoe without cards
        self._halves = array("H", bytes(8 * _RING))  # twice the ring: DMA wants it aligned to its size
        address = uctypes.addressof(self._halves)
        self._address = address + (-address & (4 * _RING - 1))
        self._first = (self._address - address) // 2
        self._machine = rp2.StateMachine(0, _record_changes, freq=_PIO_HZ, in_base=Pin(_SENSORS))
        self._dma = rp2.DMA()
        self.levels = 0
        self.start()
        self._machine.active(1)
        self._start_us = time.ticks_diff(time.ticks_us(), 0) & _TICKS
        self.t_us = self._start_us

    def start(self):
        """Let DMA fill the ring from its beginning."""
        self._taken = 0
        ctrl = self._dma.pack_ctrl(
            size=2, inc_read=False, inc_write=True, ring_sel=True, ring_size=_RING_BITS, treq_sel=_PIO0_RX0
        )
        self._dma.config(read=self._machine, write=self._address, count=_TRANSFERS, ctrl=ctrl, trigger=True)

    def waiting(self):
        """Return how many records are not taken; more than the ring holds if the oldest are overwritten."""
        return _TRANSFERS - self._dma.count - self._taken  # type: ignore[attr-defined]

    def take(self):
        """Take the next record; return False if it is lost, with all but the newest."""
        at = self._first + 2 * (self._taken & (_RING - 1))
        low = self._halves[at]
        high = self._halves[at + 1]
        waiting = self.waiting()  # after reading: DMA does not wait
        if waiting > _RING:
            self._taken += waiting - 1
            return False
        self._taken += 1
        self.levels = low & 15
        self.t_us = (self._start_us - (((high & _LOW_15_BITS) << 12 | low >> 4) << _TICK_SHIFT)) & _TICKS
        return True

    def exhausted(self):
        """Return True if DMA is at the end of its count, so that changes since then are lost."""
        return self._taken == _TRANSFERS


class Board:
    """All pins of the shoe; the sampler gets every change, and now and then a sample without one.

    The ports to a gateway are the UART, 0, and USB, 1: `rx` holds bytes of `rx_port`.
    One class because main.py calls one board, whatever it is made of.
    """

    def __init__(self, sampler):
        self.sampler = sampler
        self.unit = machine.unique_id()
        self._watchdog = None
        self._recorder = Recorder()
        Pin(1, Pin.IN, Pin.PULL_UP)  # an open line is silent
        self._uart = UART(0, _BAUD, tx=Pin(0), rx=Pin(1), rxbuf=512, txbuf=512)
        self._usb = Usb()
        for gpio in range(_PANEL, _OUTPUTS):
            Pin(gpio, Pin.IN, Pin.PULL_UP)
        for gpio in range(_OUTPUTS, _OUTPUTS + 10):
            Pin(gpio, Pin.OUT, value=0)
        self._decoded = Pin(_DECODED, Pin.OUT, value=0)
        self._start_ms = time.ticks_ms()
        self._panel = 0
        self._sampled_us = self._recorder.t_us
        self._pause_us = _SHORTEST_US
        self.rx = bytearray(256)
        self.rx_size = 0
        self.rx_port = 0

    def journal_medium(self):
        """Return the medium of the journal."""
        return flash.journal_medium()

    def store_medium(self):
        """Return the medium of the store."""
        return flash.store_medium()

    def key(self):
        """Return the key of this unit, None if it has none."""
        return image.key("/key.bin")

    def firmware_key(self):
        """Return the public key of the firmware's publisher, None if there is none."""
        return image.key("/firmware.pub")

    def random(self, count):
        """Return unpredictable bytes."""
        return os.urandom(count)

    def image_hash(self):
        """Return the hash of the program."""
        return image.digest(slots.folder())

    def image_sound(self, found):
        """Return True if the program with this hash is the one that was flashed."""
        return image.matches(slots.folder() + "/image.bin", found)

    def cause(self):
        """Return why the board has started."""
        return wire.CAUSE_WATCHDOG if machine.reset_cause() == machine.WDT_RESET else wire.CAUSE_POWER

    def now_us(self):
        """Return a time for since_us()."""
        return time.ticks_us()

    def since_us(self, start_us):
        """Return the microseconds since then."""
        return time.ticks_diff(time.ticks_us(), start_us)

    def feed_watchdog(self):
        """Feed the watchdog, which the first call starts; call it once a turn of the loop."""
        if self._watchdog is None:
            self._watchdog = machine.WDT(timeout=_WATCHDOG_MS)
        self._watchdog.feed()

    def reboot(self):
        """Start again, once the ports have sent everything."""
        self._uart.flush()
        time.sleep_ms(_USB_EMPTY_MS)
        machine.reset()

    def failed(self, error):
        """Start again after an unexpected error, which is noted in flash already."""
        machine.reset()

    def wait(self, timeout_ms):
        """Sleep until something comes in; take bytes into rx and samples into the sampler."""
        while not self.poll() and timeout_ms > 0:
            nap_ms = min(self._pause_us // 1000 + 1, _LONGEST_NAP_MS)
            time.sleep_ms(nap_ms)
            timeout_ms -= nap_ms

    def poll(self):
        """Take what has come in; return False if nothing has. Allocates nothing."""
        now_us = time.ticks_add(time.ticks_us(), -_SETTLED_US)  # before the ring is looked at: the rest of it is older
        sampled = self._take_records() if self._recorder.waiting() else self._sample(now_us)
        return self._receive() or sampled

    def _receive(self):
        """Read the ports by turns, so that neither keeps the other waiting."""
        self.rx_port ^= 1
        self.rx_size = self._read()
        if not self.rx_size:
            self.rx_port ^= 1
            self.rx_size = self._read()
        return self.rx_size

    def _read(self):
        if self.rx_port:
            return self._usb.read(self.rx)
        size = self._uart.any()
        return (self._uart.readinto(self.rx, min(size, len(self.rx))) or 0) if size else 0

    def _take_records(self):
        recorder = self._recorder
        self._pause_us = _SHORTEST_US
        records = min(recorder.waiting(), self.sampler.free(), _MOST_RECORDS)
        for _ in range(records):
            if not recorder.take():
                self.sampler.overruns += 1
                break
            self._put(recorder.t_us)
        if recorder.exhausted():
            self.sampler.overruns += 1
            recorder.start()
        return records

    def _sample(self, now_us):
        """Put a sample of now if the panel has changed or if there was none for a while; return False if not."""
        panel = (machine.mem32[_GPIO_IN] >> _PANEL & _PANEL_MASK) ^ _ACTIVE_LOW
        age_us = time.ticks_diff(now_us, self._sampled_us)
        if panel != self._panel:
            self._pause_us = _SHORTEST_US
        elif age_us < self._pause_us:
            return False
        elif self._pause_us < _LONGEST_US:
            self._pause_us *= 2
        self._panel = panel
        self._put(now_us if age_us > 0 else self._sampled_us)
        return True

    def _put(self, t_us):
        self._sampled_us = t_us
        self.sampler.put(t_us, self._panel << 4 | self._recorder.levels)

    def line_ms(self):
        """Return the clock of the serial ports."""
        return time.ticks_diff(time.ticks_ms(), self._start_ms) & _TICKS

    def show(self, outputs):
        """Drive lock and lamps."""
        machine.mem32[_GPIO_OUT_SET] = (outputs & _OUTPUT_MASK) << _OUTPUTS
        machine.mem32[_GPIO_OUT_CLR] = (~outputs & _OUTPUT_MASK) << _OUTPUTS

    def show_decoded(self, on):
        """Drive the test point that shows that a strip is decoded."""
        self._decoded.value(on)

    def send(self, buf, size, port=0):
        """Write buf[:size] to a port without waiting; return how many bytes it took."""
        if port:
            return self._usb.write(buf, size)
        return self._uart.write(buf, size) or 0  # type: ignore[call-arg]


def open_board(sampler):
    """Return this board; call it once."""
    return Board(sampler)
