// One emulated chip: power, reset, inputs at their times, and what leaves its UART and its outputs.

import { Clock } from "./clock.mjs";
import { Core } from "./core.mjs";
import { RP2040 } from "./emulator.mjs";
import { FlashPins, FlashPort, Locked, Registers } from "./flash.mjs";
import { Pacer } from "./pio.mjs";
import { Uart } from "./uart.mjs";

const FLASH_BYTES = 2 << 20;
const FLASH_START = 0x10000000;
const PAD_AT_RESET = 0x56;
const [LOW, HIGH] = [0, 1];
const [XIP, SSI, IO_QSPI, TIMER, WATCHDOG, VREG] = [0x14000, 0x18000, 0x40018, 0x40054, 0x40058, 0x40064];
const PLLS = [0x40028, 0x4002c];
const PINS = 0; // kinds of acts
const MOST_ACTS = 1_000_000;

class Mcu extends RP2040 {
  constructor(clock) {
    super(clock);
    this.core = new Core(this, clock);
  }

  updateClocks() {} // time is counted at 125 MHz whatever the firmware sets
}

export class Chip {
  // `inputs` and `watched` are GPIOs, `idle` the levels of the inputs at first.
  constructor({ bootrom, flash, uniqueId, inputs, idle, watched, skip }) {
    Object.assign(this, { bootrom, uniqueId, inputs, idle, watched, skip });
    this.powerOn(flash);
  }

  // Begin at time 0 with this flash.
  powerOn(flash) {
    this.clock = new Clock();
    this.sent = [];
    this.changes = [];
    this.acts = [];
    this.lost = this.pastDrops = 0;
    this.levels = null;
    this.ended = true;
    this.end = this.clock.createAlarm(() => (this.ended = true));
    this.next = this.clock.createAlarm(() => this.act());
    this.build(flash);
    this.drive(this.idle);
  }

  powerCycle() {
    this.powerOn(this.mcu.flash.slice(0, FLASH_BYTES));
  }

  build(flash) {
    const mcu = (this.mcu = new Mcu(this.clock));
    mcu.logger = this.logger();
    mcu.loadBootrom(this.bootrom);
    mcu.flash.set(flash);
    this.uart = new Uart(mcu, 0, (byte) => this.sent.push([this.nowNs, byte]), () => (this.lost += 1));
    new Uart(mcu, 1, () => {}, () => {});
    this.pacer = new Pacer(mcu, this.skip);
    this.addFlash(mcu);
    mcu.peripherals[VREG] = new Registers(mcu, "VREG", { 0: 0xb1, 4: 0x91, 8: 0x100 });
    for (const pll of PLLS) mcu.peripherals[pll] = new Locked(mcu, "PLL");
    mcu.peripherals[WATCHDOG].onWatchdogTrigger = () => this.reset();
    for (const gpio of this.watched) {
      mcu.gpio[gpio].addListener((value) => this.changed(gpio, value));
    }
    for (const pin of mcu.gpio) pin.padValue = PAD_AT_RESET;
    mcu.core.PC = FLASH_START;
  }

  addFlash(mcu) {
    const port = new FlashPort(mcu, this.uniqueId);
    mcu.peripherals[SSI] = port;
    mcu.peripherals[IO_QSPI] = new FlashPins(mcu, port);
    mcu.peripherals[XIP] = new Registers(mcu, "XIP", { 0: 3, 4: 1, 8: 6 });
  }

  // SEV sets the event register, which rp2040js only logs.
  logger() {
    return {
      debug: () => {},
      warn: () => {},
      info: (_, text) => text === "SEV" && (this.mcu.core.eventRegistered = true),
      error: (name, text) => console.error(`${name}: ${text}`),
    };
  }

  // Pull the RUN pin, or the watchdog's reset: memory, flash, inputs and time stay, the reason too.
  reset() {
    const old = this.mcu;
    const watchdog = old.peripherals[WATCHDOG];
    this.pastDrops += this.pacer.drops;
    this.pacer.stopped = true;
    watchdog.alarm.enable = false; // it would go off again and again
    old.core.waiting = false;
    const kept = [this.end, this.next].filter((alarm) => this.isSet(alarm)).map((alarm) => [alarm, alarm.nanos]);
    this.clock.nextAlarm = null;
    this.build(old.flash);
    this.mcu.sram.set(old.sram);
    this.mcu.gpio.forEach((pin, gpio) => (pin.rawInputValue = old.gpio[gpio].rawInputValue));
    Object.assign(this.mcu.peripherals[WATCHDOG], { reason: watchdog.reason, scratchData: watchdog.scratchData });
    const epoch = this.clock.nanos;
    const { clock } = this;
    this.mcu.peripherals[TIMER].clock = { get nanos() { return clock.nanos - epoch; } };
    for (const [alarm, nanos] of kept) this.clock.linkAlarm(nanos - this.clock.nanos, alarm);
  }

  // Let the CPU go on with this code.
  hang(code, at) {
    code.forEach((byte, i) => this.mcu.writeUint8(at + i, byte));
    this.mcu.core.PC = at;
  }

  isSet(alarm) {
    for (let set = this.clock.nextAlarm; set; set = set.next) if (set === alarm) return true;
    return false;
  }

  get nowNs() {
    return Math.round(this.clock.nanos);
  }

  changed(gpio, value) {
    if (value === LOW || value === HIGH) this.changes.push([this.nowNs, gpio, value]);
  }

  // Set the levels of the inputs, one bit each, the first input in bit 0.
  drive(levels) {
    this.inputs.forEach((gpio, bit) => {
      const level = (levels >> bit) & 1;
      if (this.levels !== null && ((this.levels >> bit) & 1) === level) return; // a repeated level would be an edge
      this.mcu.gpio[gpio].setInputValue(Boolean(level));
    });
    this.levels = levels;
  }

  // Queue acts: [time in ns, kind, value].
  queue(acts) {
    if (this.acts.length + acts.length > MOST_ACTS) throw new Error(`more than ${MOST_ACTS} acts are queued`);
    this.acts = [...this.acts, ...acts].sort((one, other) => one[0] - other[0]);
    this.scheduleNext();
  }

  scheduleNext() {
    if (this.acts.length) this.next.schedule(Math.max(0, this.acts[0][0] - this.clock.nanos));
  }

  act() {
    const [, kind, value] = this.acts.shift();
    if (kind === PINS) this.drive(value);
    else this.uart.feedByte(value);
    this.scheduleNext();
  }

  // Let time pass until then.
  runTo(ns) {
    if (ns <= this.clock.nanos) return;
    this.ended = false;
    this.end.schedule(ns - this.clock.nanos);
    while (!this.ended) {
      this.work();
      if (!this.ended) this.pacer.sleep(() => this.ended);
    }
  }

  // Execute instructions until the CPU sleeps or time is up.
  work() {
    const { core } = this.mcu;
    while (!core.waiting && !this.ended && core === this.mcu.core) core.batch();
  }
}
