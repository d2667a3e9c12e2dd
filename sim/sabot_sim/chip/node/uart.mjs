// A UART: FIFOs, interrupts and pace of a PL011, of which rp2040js has only the registers. The twin of uart.py.

import { RPUART } from "./emulator.mjs";

const [DATA, ERROR_CLEAR, FLAGS, LEVELS] = [0x00, 0x04, 0x18, 0x34];
const [MASK, RAW, MASKED, CLEAR, DMA] = [0x38, 0x3c, 0x40, 0x44, 0x48];
const [RX, TX, RX_TIMEOUT, OVERRUN] = [1 << 4, 1 << 5, 1 << 6, 1 << 10];
const [BUSY, RX_EMPTY, TX_FULL, RX_FULL, TX_EMPTY] = [1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7];
const DEPTH = 32;
const TRIGGERS = [4, 8, 16, 24, 28, 28, 28, 28];
const TIMEOUT_BITS = 32;
const SOURCE_PLL_USB = 2;
const PLL_USB_HZ = 48_000_000;

// Replaces one of the chip's UARTs; `onByte` is called with each byte when its stop bit has left, `onLost` for each
// byte that came while the FIFO was full.
export class Uart extends RPUART {
  constructor(mcu, number, onByte, onLost) {
    const stock = mcu.uart[number];
    super(mcu, stock.name, stock.irq, stock.dreq);
    this.onSent = onByte;
    this.onLost = onLost;
    this.sentAlarm = mcu.clock.createAlarm(() => this.sent());
    this.timeoutAlarm = mcu.clock.createAlarm(() => this.timedOut());
    this.in = [];
    this.out = [];
    this.onWire = null;
    this.raw = this.mask = this.dma = 0;
    this.levels = 0b010_010;
    mcu.uart[number] = this;
    for (const [address, peripheral] of Object.entries(mcu.peripherals)) {
      if (peripheral === stock) mcu.peripherals[address] = this;
    }
  }

  get depth() {
    return this.fifosEnabled ? DEPTH : 1;
  }

  // By the clock that the firmware has chosen.
  get baudRate() {
    const hz = ((this.rp2040.clocks.periCtrl >> 5) & 7) === SOURCE_PLL_USB ? PLL_USB_HZ : this.rp2040.clkSys;
    return Math.round(hz / 16 / Math.max(1, this.baudDivider));
  }

  get bitNs() {
    return 1e9 / this.baudRate;
  }

  interrupt(raise, clear) {
    this.raw = (this.raw & ~clear) | raise;
    this.rp2040.setInterrupt(this.irq, Boolean(this.raw & this.mask));
  }

  get outTrigger() {
    return this.fifosEnabled ? TRIGGERS[this.levels & 7] : 0;
  }

  get inTrigger() {
    return this.fifosEnabled ? TRIGGERS[(this.levels >> 3) & 7] : 1;
  }

  send(byte) {
    if (this.onWire === null) this.start(byte);
    else if (this.out.length < this.depth) this.out.push(byte);
    if (this.out.length > this.outTrigger) this.interrupt(0, TX);
  }

  start(byte) {
    this.onWire = byte;
    this.sentAlarm.schedule((2 + this.wordLength) * this.bitNs);
  }

  sent() {
    const byte = this.onWire;
    this.onWire = null;
    if (this.out.length) this.start(this.out.shift());
    if (this.out.length <= this.outTrigger) this.interrupt(TX, 0);
    if (byte !== null) this.onSent(byte);
  }

  // Take a byte from the line; nobody listens before the firmware has enabled the UART, and a full FIFO loses it.
  feedByte(value) {
    if (!this.enabled || !this.rxEnabled) return;
    if (this.in.length >= this.depth) {
      this.onLost();
      this.interrupt(OVERRUN, 0);
      return;
    }
    this.in.push(value & 0xff);
    if (this.in.length >= this.inTrigger) this.interrupt(RX, 0);
    this.timeoutAlarm.schedule(TIMEOUT_BITS * this.bitNs);
  }

  timedOut() {
    if (this.in.length) this.interrupt(RX_TIMEOUT, 0);
  }

  receive() {
    const byte = this.in.length ? this.in.shift() : 0;
    const below = this.in.length < this.inTrigger ? RX : 0;
    this.interrupt(0, below | (this.in.length ? 0 : RX_TIMEOUT));
    return byte;
  }

  get flags() {
    return (
      (this.out.length ? 0 : TX_EMPTY) |
      (this.out.length >= this.depth ? TX_FULL : 0) |
      (this.in.length ? 0 : RX_EMPTY) |
      (this.in.length >= this.depth ? RX_FULL : 0) |
      (this.onWire === null ? 0 : BUSY)
    );
  }

  readUint32(offset) {
    switch (offset) {
      case DATA:
        return this.receive();
      case ERROR_CLEAR:
        return 0;
      case FLAGS:
        return this.flags;
      case LEVELS:
        return this.levels;
      case MASK:
        return this.mask;
      case RAW:
        return this.raw;
      case MASKED:
        return this.raw & this.mask;
      case DMA:
        return this.dma;
      default:
        return super.readUint32(offset);
    }
  }

  writeUint32(offset, value) {
    switch (offset) {
      case DATA:
        return this.send(value & 0xff);
      case LEVELS:
        this.levels = value;
        return;
      case MASK:
        this.mask = value;
        return this.interrupt(0, 0);
      case CLEAR:
        return this.interrupt(0, this.rawWriteValue);
      case DMA:
        this.dma = value;
        return;
      case ERROR_CLEAR:
        return;
      default:
        super.writeUint32(offset, value);
    }
  }
}
