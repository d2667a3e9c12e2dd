"""A UART for the emulated chip: FIFOs, interrupts and pace of a PL011, of which rp2040py has only the registers."""

from collections import deque
from collections.abc import Callable
from typing import Any

from rp2040py.peripherals.uart import RPUART
from rp2040py.rp2040 import RP2040

_DATA, _ERROR_CLEAR, _FLAGS, _LEVELS = 0x00, 0x04, 0x18, 0x34
_MASK, _RAW, _MASKED, _CLEAR, _DMA = 0x38, 0x3C, 0x40, 0x44, 0x48
_RX, _TX, _RX_TIMEOUT, _OVERRUN = 1 << 4, 1 << 5, 1 << 6, 1 << 10
_BUSY, _RX_EMPTY, _TX_FULL, _RX_FULL, _TX_EMPTY = 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7
_DEPTH = 32
_TRIGGERS = (4, 8, 16, 24, 28, 28, 28, 28)
_TIMEOUT_BITS = 32
_SOURCE_PLL_USB, _PLL_USB_HZ = 2, 48_000_000


class Uart(RPUART):
    """Replaces one of the chip's UARTs; `on_byte` is called with each byte when its stop bit has left.

    One class because it is one peripheral: the bus reads and writes its registers, FIFOs and interrupts together.
    """

    def __init__(self, mcu: RP2040, number: int, on_byte: Callable[[int], None]) -> None:
        stock = mcu.uart[number]
        super().__init__(mcu, stock.name, stock.irq, stock.dreq)
        self._on_byte = on_byte
        self._sent_alarm = mcu.clock.create_alarm(self._sent)
        self._timeout_alarm = mcu.clock.create_alarm(self._timed_out)
        self.lost = 0
        self._clear()
        mcu.uart[number] = self
        for address, peripheral in mcu.peripherals.items():
            if peripheral is stock:
                mcu.peripherals[address] = self

    def _clear(self) -> None:
        self._in: deque[int] = deque()
        self._out: deque[int] = deque()
        self._on_wire: int | None = None
        self._raw = self._mask = self._dma = 0
        self._levels = 0b010_010

    def reset(self) -> None:
        """Reset all registers and FIFOs."""
        super().reset()
        self._sent_alarm.cancel()
        self._timeout_alarm.cancel()
        self._clear()

    @property
    def _depth(self) -> int:
        return _DEPTH if self.fifos_enabled else 1

    @property
    def baud_rate(self) -> int:
        """Baud rate by the clock that the firmware has chosen; rp2040py assumes the system clock."""
        clocks: Any = self.rp2040.clocks
        hz = _PLL_USB_HZ if clocks.peri_ctrl >> 5 & 7 == _SOURCE_PLL_USB else int(self.rp2040.clk_sys)
        return round(hz / 16 / max(1.0, self.baud_divider))

    @property
    def bit_ns(self) -> float:
        """Duration of a bit."""
        return 1e9 / self.baud_rate

    @property
    def byte_ns(self) -> float:
        """Duration of a byte with start and stop bit."""
        return (2 + self.word_length) * self.bit_ns

    def _interrupt(self, *, raise_: int = 0, clear: int = 0) -> None:
        self._raw = self._raw & ~clear | raise_
        self.rp2040.set_interrupt(self.irq, bool(self._raw & self._mask))

    def _send(self, byte: int) -> None:
        if self._on_wire is None:
            self._start(byte)
        elif len(self._out) < self._depth:
            self._out.append(byte)
        if len(self._out) > self._out_trigger:
            self._interrupt(clear=_TX)

    @property
    def _out_trigger(self) -> int:
        return _TRIGGERS[self._levels & 7] if self.fifos_enabled else 0

    def _start(self, byte: int) -> None:
        self._on_wire = byte
        self._sent_alarm.schedule(self.byte_ns)

    def _sent(self) -> None:
        byte, self._on_wire = self._on_wire, None
        if self._out:
            self._start(self._out.popleft())
        if len(self._out) <= self._out_trigger:
            self._interrupt(raise_=_TX)
        if byte is not None:
            self._on_byte(byte)

    def feed_byte(self, value: int) -> None:
        """Take a byte from the line; nobody listens before the UART is enabled, and a full FIFO loses it."""
        if not (self.enabled and self.rx_enabled):
            return
        if len(self._in) >= self._depth:
            self.lost += 1
            self._interrupt(raise_=_OVERRUN)
            return
        self._in.append(value & 0xFF)
        if len(self._in) >= self._in_trigger:
            self._interrupt(raise_=_RX)
        self._timeout_alarm.schedule(_TIMEOUT_BITS * self.bit_ns)

    @property
    def _in_trigger(self) -> int:
        return _TRIGGERS[self._levels >> 3 & 7] if self.fifos_enabled else 1

    def _timed_out(self) -> None:
        if self._in:
            self._interrupt(raise_=_RX_TIMEOUT)

    def _receive(self) -> int:
        byte = self._in.popleft() if self._in else 0
        below = _RX if len(self._in) < self._in_trigger else 0
        self._interrupt(clear=below | (0 if self._in else _RX_TIMEOUT))
        return byte

    @property
    def flags(self) -> int:
        """The flag register."""
        return (
            (_TX_EMPTY if not self._out else 0)
            | (_TX_FULL if len(self._out) >= self._depth else 0)
            | (_RX_EMPTY if not self._in else 0)
            | (_RX_FULL if len(self._in) >= self._depth else 0)
            | (_BUSY if self._on_wire is not None else 0)
        )

    def read_uint32(self, offset: int) -> int:
        """Read a register."""
        if offset == _DATA:
            return self._receive()
        own = {
            _ERROR_CLEAR: 0,
            _FLAGS: self.flags,
            _LEVELS: self._levels,
            _MASK: self._mask,
            _RAW: self._raw,
            _MASKED: self._raw & self._mask,
            _DMA: self._dma,
        }
        return own[offset] if offset in own else super().read_uint32(offset)

    def write_uint32(self, offset: int, value: int) -> None:
        """Write a register."""
        if offset == _DATA:
            self._send(value & 0xFF)
        elif offset == _LEVELS:
            self._levels = value
        elif offset == _MASK:
            self._mask = value
            self._interrupt()
        elif offset == _CLEAR:
            self._interrupt(clear=self.raw_write_value)
        elif offset == _DMA:
            self._dma = value
        elif offset != _ERROR_CLEAR:
            super().write_uint32(offset, value)
