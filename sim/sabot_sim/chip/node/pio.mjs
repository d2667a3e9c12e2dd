// PIO at its exact times: dividers, delays and the CPU's sleep, which rp2040js does not count. The twin of pio.py.

import { RPPIO, StateMachine } from "./emulator.mjs";

const FP_PER_NS = 32; // PIO time is counted in 1/256 of a cycle of 8 ns
const NEVER_FP = Infinity;
const MOST_ARREARS_FP = 8 << 8;
const CTRL = 0x000;
const [CLKDIV, INSTR] = [0x00, 0x10]; // of a machine

class PacedMachine extends StateMachine {
  constructor(mcu, pio, index) {
    super(mcu, pio, index);
    this.divFp = 1 << 8;
    this.nextDueFp = 0;
    this.rearmed = false;
  }

  step() {
    if (this.waiting) {
      this.checkWait();
      if (this.waiting) return;
    }
    const before = this.cycles;
    this.rearmed = false;
    this.updatePC = true;
    this.executeInstruction(this.pio.instructions[this.pc]);
    if (this.updatePC) this.nextPC();
    if (!this.rearmed) this.nextDueFp += (this.cycles - before) * this.divFp;
  }

  checkWait() {
    const waited = this.waiting;
    super.checkWait();
    if (!waited || this.waiting) return;
    this.nextDueFp = this.pio.cycleFp + (1 + Math.max(this.waitDelay, 0)) * this.divFp;
    this.rearmed = true;
    this.pio.nextDueFp = Math.min(this.pio.nextDueFp, this.nextDueFp);
  }

  restart() {
    super.restart();
    this.nextDueFp = this.pio.cycleFp;
  }

  clkDivRestart() {
    this.nextDueFp = this.pio.cycleFp + this.divFp;
  }

  writeUint32(offset, value) {
    super.writeUint32(offset, value);
    if (offset === CLKDIV) this.divFp = ((this.clockDivInt || 65536) << 8) | this.clockDivFrac;
    if (offset === CLKDIV || offset === INSTR) this.pio.recomputeDue();
  }
}

// A PIO whose machines run only when the pacer says so.
class PacedPio extends RPPIO {
  constructor(mcu, stock, pacer) {
    super(mcu, stock.name, stock.firstIrq, stock.index);
    this.machines = this.machines.map((_, index) => new PacedMachine(mcu, this, index));
    this.pacer = pacer;
    this.cycleFp = 0;
    this.nextDueFp = NEVER_FP;
    this.drops = 0;
  }

  run() {} // rp2040js would run it by the time of day

  writeUint32(offset, value) {
    this.cycleFp = this.pacer.nowFp();
    const off = this.machines.filter((machine) => !machine.enabled);
    if (offset === CTRL) this.begin(off, value);
    super.writeUint32(offset, value);
    if (offset === CTRL) this.recomputeDue();
    this.pacer.schedule();
  }

  begin(machines, enabled) {
    for (const machine of machines) {
      if (enabled & (1 << machine.index)) machine.nextDueFp = this.cycleFp;
    }
  }

  recomputeDue() {
    let due = NEVER_FP;
    for (const machine of this.machines) {
      if (machine.enabled && !machine.waiting && machine.nextDueFp < due) due = machine.nextDueFp;
    }
    this.nextDueFp = due;
  }

  // Run every machine that is due at `cycleFp`, one instruction each.
  advance(cycleFp) {
    this.cycleFp = cycleFp;
    if (cycleFp < this.nextDueFp) return;
    for (const machine of this.machines) {
      if (!machine.enabled || machine.waiting || machine.nextDueFp > cycleFp) continue;
      if (cycleFp - machine.nextDueFp > MOST_ARREARS_FP) {
        this.drops += 1;
        machine.nextDueFp = cycleFp;
      }
      machine.step();
    }
    this.recomputeDue();
    this.checkChangedPins();
  }
}

// Replaces the PIOs of a chip and steps them: by an alarm while the CPU works, in sleep() while it sleeps.
export class Pacer {
  constructor(mcu, skip) {
    this.core = mcu.core;
    this.clock = mcu.clock;
    this.skip = skip;
    this.stopped = false;
    mcu.pio = mcu.pio.map((stock) => {
      const paced = new PacedPio(mcu, stock, this);
      for (const [address, peripheral] of Object.entries(mcu.peripherals)) {
        if (peripheral === stock) mcu.peripherals[address] = paced;
      }
      return paced;
    });
    [this.one, this.other] = mcu.pio;
    this.alarm = this.clock.createAlarm(() => this.due());
  }

  get drops() {
    return this.one.drops + this.other.drops;
  }

  get first() {
    return this.one.nextDueFp <= this.other.nextDueFp ? this.one : this.other;
  }

  nowFp() {
    return Math.round(this.clock.nanos * FP_PER_NS);
  }

  schedule() {
    const dueFp = this.first.nextDueFp;
    if (dueFp < NEVER_FP) this.alarm.schedule(Math.max(0, dueFp / FP_PER_NS - this.clock.nanos));
  }

  due() {
    this.first.advance(this.nowFp());
    if (!this.core.waiting) this.schedule(); // else sleep() goes on
  }

  // Let time pass while the CPU sleeps, until `ended` returns true.
  sleep(ended) {
    const { clock, core } = this;
    if (this.first.nextDueFp < NEVER_FP) this.alarm.cancel();
    let rounds = new Rounds(this);
    while (core.waiting && !this.stopped && !ended()) {
      const pio = this.first;
      const dueFp = pio.nextDueFp;
      const dueNs = dueFp / FP_PER_NS - clock.nanos;
      const alarmNs = clock.nanosToNextAlarm;
      if (alarmNs <= dueNs) {
        clock.tick(alarmNs);
        rounds = new Rounds(this);
        continue;
      }
      clock.tick(dueNs);
      pio.advance(dueFp);
      if (this.skip && rounds.atHead()) rounds.skip(clock.nanosToNextAlarm);
    }
    if (!this.stopped) this.schedule();
  }
}

// Skips rounds of a machine that only polls and counts: each like the last, with a register one lower.
// Correct for a loop in which the counted register decides nothing before it is 0.
class Rounds {
  constructor(pacer) {
    const enabled = [pacer.one, pacer.other].flatMap((pio) => pio.machines.filter((machine) => machine.enabled));
    this.machine = enabled.length === 1 ? enabled[0] : null;
    this.last = null;
  }

  atHead() {
    return this.machine !== null && this.machine.pc === this.machine.wrapBottom;
  }

  state() {
    const { x, y, outputShiftReg, inputShiftCount, outputShiftCount, inputShiftReg, nextDueFp, rxFIFO } = this.machine;
    const fixed = [x, outputShiftReg, inputShiftCount, outputShiftCount, rxFIFO.itemCount].join();
    return { fixed, y, inputShiftReg, nextDueFp };
  }

  // Skip rounds at the head of the loop, while no alarm is due for `mostNs`.
  skip(mostNs) {
    const last = this.last;
    const state = (this.last = this.state());
    if (!last || last.fixed !== state.fixed) return;
    if (last.y - state.y !== 1 || last.inputShiftReg - state.inputShiftReg !== 1) return;
    const roundFp = state.nextDueFp - last.nextDueFp;
    const rounds = Math.min(Math.floor((mostNs * FP_PER_NS) / roundFp) - 2, this.machine.inputShiftReg);
    if (rounds <= 0) return;
    this.machine.y -= rounds;
    this.machine.inputShiftReg -= rounds;
    this.machine.nextDueFp += rounds * roundFp;
    this.machine.pio.recomputeDue();
  }
}
