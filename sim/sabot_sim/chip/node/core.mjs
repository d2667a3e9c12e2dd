// The CPU, faster: the instructions that programs consist of are executed here, all others by rp2040js.
// Time is added up and given to the clock only before a peripheral is touched and when an alarm is due, so that
// both see the same times as if it was given after every instruction.

import { CortexM0Core } from "./emulator.mjs";

const CYCLE_NS = 8; // 125 MHz
const [FLASH, RAM] = [0x10000000, 0x20000000];
const [SP, LR, PC] = [13, 14, 15];

const signed8 = (value) => (value << 24) >> 24;
const signed16 = (value) => (value << 16) >> 16;

export class Core extends CortexM0Core {
  constructor(mcu, clock) {
    super(mcu);
    this.clock = clock;
    this.r = new Int32Array(this.registers.buffer);
    this.ram8 = mcu.sram;
    this.ram16 = new Uint16Array(mcu.sram.buffer);
    this.ram32 = new Int32Array(mcu.sram.buffer);
    this.flash8 = mcu.flash;
    this.flash16 = mcu.flash16;
    this.flash32 = new Int32Array(mcu.flash.buffer);
    this.rom16 = new Uint16Array(mcu.bootrom.buffer);
    this.ramBytes = mcu.sram.length;
    this.flashBytes = mcu.flash.length;
    this.romBytes = mcu.bootrom.length * 4;
    this.elapsed = 0; // cycles that the clock does not have yet
    this.shared = false; // something outside the CPU was touched
  }

  // Execute instructions until an alarm is due or something outside was touched.
  batch() {
    const { clock } = this;
    const most = (clock.nextAlarm.nanos - clock.nanosCounter) / CYCLE_NS;
    this.elapsed = 0;
    this.shared = false;
    do {
      const cycles = this.step();
      this.elapsed += cycles;
      this.cycles += cycles;
    } while (this.elapsed < most && !this.shared);
    clock.tick(this.elapsed * CYCLE_NS);
  }

  // Give the clock the time of all instructions before this one.
  settle() {
    this.clock.nanosCounter += this.elapsed * CYCLE_NS;
    this.elapsed = 0;
    this.shared = true;
  }

  // Have rp2040js execute the instruction at `pc`; return its cycles.
  other(pc) {
    this.settle();
    this.r[PC] = pc;
    const cycles = this.executeInstruction();
    this.cycles -= cycles; // batch() adds them
    return cycles;
  }

  fetch(pc) {
    const inFlash = (pc - FLASH) >>> 0;
    if (inFlash < this.flashBytes) return this.flash16[inFlash >> 1];
    const inRam = (pc - RAM) >>> 0;
    if (inRam < this.ramBytes) return this.ram16[inRam >> 1];
    return pc >>> 0 < this.romBytes ? this.rom16[pc >> 1] : this.readUint16(pc >>> 0);
  }

  // Execute one instruction; return its cycles.
  step() {
    if (this.interruptsUpdated && this.checkForInterrupts()) this.waiting = false;
    const { r } = this;
    const pc = r[PC] & ~1;
    const op = this.fetch(pc);
    r[PC] = pc + 2;
    switch (op >>> 11) {
      case 0b00000: return this.shiftLeft(op);
      case 0b00001: return this.shiftRight(op);
      case 0b00010: return this.shiftSigned(op);
      case 0b00011: return this.addOrSubtract(op);
      case 0b00100: return this.put((op >> 8) & 7, op & 0xff);
      case 0b00101: return this.subtract(r[(op >> 8) & 7], op & 0xff), 1;
      case 0b00110: return (r[(op >> 8) & 7] = this.add(r[(op >> 8) & 7], op & 0xff)), 1;
      case 0b00111: return (r[(op >> 8) & 7] = this.subtract(r[(op >> 8) & 7], op & 0xff)), 1;
      case 0b01000: return op & 0x400 ? this.high(op, pc) : this.process(op, pc);
      case 0b01001: return this.load32((op >> 8) & 7, ((pc + 4) & ~3) + ((op & 0xff) << 2));
      case 0b01010: return this.storeByRegister(op);
      case 0b01011: return this.loadByRegister(op);
      case 0b01100: return this.store32(r[(op >> 3) & 7] + ((op >> 4) & 0x7c), r[op & 7]);
      case 0b01101: return this.load32(op & 7, r[(op >> 3) & 7] + ((op >> 4) & 0x7c));
      case 0b01110: return this.store8(r[(op >> 3) & 7] + ((op >> 6) & 0x1f), r[op & 7]);
      case 0b01111: return this.load8(op & 7, r[(op >> 3) & 7] + ((op >> 6) & 0x1f));
      case 0b10000: return this.store16(r[(op >> 3) & 7] + ((op >> 5) & 0x3e), r[op & 7]);
      case 0b10001: return this.load16(op & 7, r[(op >> 3) & 7] + ((op >> 5) & 0x3e));
      case 0b10010: return this.store32(r[SP] + ((op & 0xff) << 2), r[(op >> 8) & 7]);
      case 0b10011: return this.load32((op >> 8) & 7, r[SP] + ((op & 0xff) << 2));
      case 0b10100: return (r[(op >> 8) & 7] = (pc & ~3) + 4 + ((op & 0xff) << 2)), 1;
      case 0b10101: return (r[(op >> 8) & 7] = r[SP] + ((op & 0xff) << 2)), 1;
      case 0b10110: return this.stackAndExtend(op, pc);
      case 0b10111: return (op & 0xfe00) === 0xbc00 ? this.pop(op) : this.other(pc);
      case 0b11000: return this.storeMany(op);
      case 0b11001: return this.loadMany(op);
      case 0b11010:
      case 0b11011: return this.branchIf(op, pc);
      case 0b11100: return (r[PC] = pc + 4 + ((op << 21) >> 20)), 2;
      case 0b11110: return this.branchWithLink(op, pc);
      default: return this.other(pc);
    }
  }

  // Arithmetic and logic

  flags(result) {
    this.N = result < 0;
    this.Z = result === 0;
    return result;
  }

  put(rd, value) {
    this.r[rd] = this.flags(value);
    return 1;
  }

  add(one, other) {
    const result = (one + other) | 0;
    this.C = (one >>> 0) + (other >>> 0) > 0xffffffff;
    this.V = ((one ^ result) & (other ^ result)) < 0;
    return this.flags(result);
  }

  subtract(one, other) {
    const result = (one - other) | 0;
    this.C = one >>> 0 >= other >>> 0;
    this.V = ((one ^ other) & (one ^ result)) < 0;
    return this.flags(result);
  }

  shiftLeft(op) {
    const value = this.r[(op >> 3) & 7];
    const by = (op >> 6) & 0x1f;
    if (by) this.C = ((value >>> (32 - by)) & 1) === 1;
    return this.put(op & 7, value << by);
  }

  shiftRight(op) {
    const value = this.r[(op >> 3) & 7];
    const by = (op >> 6) & 0x1f;
    this.C = ((value >>> (by ? by - 1 : 31)) & 1) === 1;
    return this.put(op & 7, by ? value >>> by : 0);
  }

  shiftSigned(op) {
    const value = this.r[(op >> 3) & 7];
    const by = (op >> 6) & 0x1f || 32;
    this.C = ((value >>> (by - 1)) & 1) === 1;
    return this.put(op & 7, value >> Math.min(by, 31));
  }

  addOrSubtract(op) {
    const one = this.r[(op >> 3) & 7];
    const other = op & 0x400 ? (op >> 6) & 7 : this.r[(op >> 6) & 7];
    this.r[op & 7] = op & 0x200 ? this.subtract(one, other) : this.add(one, other);
    return 1;
  }

  process(op, pc) {
    const { r } = this;
    const rd = op & 7;
    const other = r[(op >> 3) & 7];
    switch ((op >> 6) & 0xf) {
      case 0: return this.put(rd, r[rd] & other);
      case 1: return this.put(rd, r[rd] ^ other);
      case 8: return this.flags(r[rd] & other), 1;
      case 9: return (r[rd] = this.subtract(0, other)), 1;
      case 10: return this.subtract(r[rd], other), 1;
      case 11: return this.add(r[rd], other), 1;
      case 12: return this.put(rd, r[rd] | other);
      case 13: return this.put(rd, Math.imul(r[rd], other));
      case 14: return this.put(rd, r[rd] & ~other);
      case 15: return this.put(rd, ~other);
      default: return this.other(pc); // shifts by registers, and with carry
    }
  }

  // Instructions on all sixteen registers, and branches to one.
  high(op, pc) {
    const { r } = this;
    const rd = ((op >> 4) & 8) | (op & 7);
    const rm = (op >> 3) & 0xf;
    switch ((op >> 8) & 3) {
      case 0:
        if (rd >= SP || rm === PC) return this.other(pc);
        r[rd] += r[rm];
        return 1;
      case 1:
        return this.subtract(r[rd], r[rm]), 1;
      case 2:
        if (rd === SP || rd === PC || rm === PC) return this.other(pc);
        r[rd] = r[rm];
        return 1;
      default: {
        const to = r[rm] >>> 0;
        if (op & 0x80) r[LR] = r[PC] | 1;
        if (op & 0x80) r[PC] = to & ~1;
        else this.BXWritePC(to);
        return 2;
      }
    }
  }

  // Memory

  load32(rt, address) {
    const inRam = (address - RAM) >>> 0;
    if (inRam < this.ramBytes && !(inRam & 3)) return (this.r[rt] = this.ram32[inRam >> 2]), 2;
    const inFlash = (address - FLASH) >>> 0;
    if (inFlash < this.flashBytes && !(inFlash & 3)) return (this.r[rt] = this.flash32[inFlash >> 2]), 2;
    this.settle();
    this.r[rt] = this.readUint32(address >>> 0);
    return 1 + this.cyclesIO(address);
  }

  load16(rt, address, extend = (value) => value) {
    const inRam = (address - RAM) >>> 0;
    if (inRam < this.ramBytes) return (this.r[rt] = extend(this.ram16[inRam >> 1])), 2;
    const inFlash = (address - FLASH) >>> 0;
    if (inFlash < this.flashBytes) return (this.r[rt] = extend(this.flash16[inFlash >> 1])), 2;
    this.settle();
    this.r[rt] = extend(this.readUint16(address >>> 0));
    return 1 + this.cyclesIO(address);
  }

  load8(rt, address) {
    const inRam = (address - RAM) >>> 0;
    if (inRam < this.ramBytes) return (this.r[rt] = this.ram8[inRam]), 2;
    const inFlash = (address - FLASH) >>> 0;
    if (inFlash < this.flashBytes) return (this.r[rt] = this.flash8[inFlash]), 2;
    this.settle();
    this.r[rt] = this.readUint8(address >>> 0);
    return 1 + this.cyclesIO(address);
  }

  store32(address, value) {
    const inRam = (address - RAM) >>> 0;
    if (inRam < this.ramBytes && !(inRam & 3)) return (this.ram32[inRam >> 2] = value), 2;
    this.settle();
    this.writeUint32(address >>> 0, value >>> 0);
    return 1 + this.cyclesIO(address, true);
  }

  store16(address, value) {
    const inRam = (address - RAM) >>> 0;
    if (inRam < this.ramBytes) return (this.ram16[inRam >> 1] = value), 2;
    this.settle();
    this.writeUint16(address >>> 0, value >>> 0);
    return 1 + this.cyclesIO(address, true);
  }

  store8(address, value) {
    const inRam = (address - RAM) >>> 0;
    if (inRam < this.ramBytes) return (this.ram8[inRam] = value), 2;
    this.settle();
    this.writeUint8(address >>> 0, value >>> 0);
    return 1 + this.cyclesIO(address, true);
  }

  storeByRegister(op) {
    const address = this.r[(op >> 6) & 7] + this.r[(op >> 3) & 7];
    switch ((op >> 9) & 3) {
      case 0: return this.store32(address, this.r[op & 7]);
      case 1: return this.store16(address, this.r[op & 7]);
      case 2: return this.store8(address, this.r[op & 7]);
      default: return this.loadSigned8(op & 7, address);
    }
  }

  loadSigned8(rt, address) {
    const cycles = this.load8(rt, address);
    this.r[rt] = signed8(this.r[rt]);
    return cycles;
  }

  loadByRegister(op) {
    const address = this.r[(op >> 6) & 7] + this.r[(op >> 3) & 7];
    switch ((op >> 9) & 3) {
      case 0: return this.load32(op & 7, address);
      case 1: return this.load16(op & 7, address);
      case 2: return this.load8(op & 7, address);
      default: return this.load16(op & 7, address, signed16);
    }
  }

  storeMany(op) {
    const rn = (op >> 8) & 7;
    let address = this.r[rn];
    let cycles = 1;
    for (let i = 0; i < 8; i++) {
      if (!(op & (1 << i))) continue;
      this.store32(address, this.r[i]);
      address += 4;
      cycles += 1;
    }
    if (!(op & (1 << rn))) this.r[rn] = address;
    return cycles;
  }

  loadMany(op) {
    const rn = (op >> 8) & 7;
    let address = this.r[rn];
    let cycles = 1;
    for (let i = 0; i < 8; i++) {
      if (!(op & (1 << i))) continue;
      this.load32(i, address);
      address += 4;
      cycles += 1;
    }
    if (!(op & (1 << rn))) this.r[rn] = address;
    return cycles;
  }

  // Stack

  stackAndExtend(op, pc) {
    const { r } = this;
    const value = r[(op >> 3) & 7];
    if ((op & 0xfe00) === 0xb400) return this.push(op);
    switch (op >> 6) {
      case 0b1011000000:
      case 0b1011000001: return (r[SP] += (op & 0x7f) << 2), 1;
      case 0b1011000010:
      case 0b1011000011: return (r[SP] -= (op & 0x7f) << 2), 1;
      case 0b1011001000: return (r[op & 7] = signed16(value)), 1;
      case 0b1011001001: return (r[op & 7] = signed8(value)), 1;
      case 0b1011001010: return (r[op & 7] = value & 0xffff), 1;
      case 0b1011001011: return (r[op & 7] = value & 0xff), 1;
      default: return this.other(pc);
    }
  }

  push(op) {
    const { r } = this;
    let address = r[SP];
    let cycles = 1;
    if (op & 0x100) this.store32((address -= 4), r[LR]);
    for (let i = 7; i >= 0; i--) {
      if (!(op & (1 << i))) continue;
      this.store32((address -= 4), r[i]);
      cycles += 1;
    }
    r[SP] = address;
    return cycles;
  }

  pop(op) {
    const { r } = this;
    let address = r[SP];
    let cycles = 1;
    for (let i = 0; i < 8; i++) {
      if (!(op & (1 << i))) continue;
      this.load32(i, address);
      address += 4;
      cycles += 1;
    }
    if (op & 0x100) {
      r[SP] = address + 4;
      this.BXWritePC(this.readUint32(address >>> 0));
      cycles += 2;
    } else {
      r[SP] = address;
    }
    return cycles;
  }

  // Branches

  branchIf(op, pc) {
    const condition = (op >> 8) & 0xf;
    if (condition >= 14) return this.other(pc);
    if (!this.holds(condition)) return 1;
    this.r[PC] = pc + 4 + (signed8(op) << 1);
    return 2;
  }

  holds(condition) {
    switch (condition) {
      case 0: return this.Z;
      case 1: return !this.Z;
      case 2: return this.C;
      case 3: return !this.C;
      case 4: return this.N;
      case 5: return !this.N;
      case 6: return this.V;
      case 7: return !this.V;
      case 8: return this.C && !this.Z;
      case 9: return !this.C || this.Z;
      case 10: return this.N === this.V;
      case 11: return this.N !== this.V;
      case 12: return this.N === this.V && !this.Z;
      default: return this.N !== this.V || this.Z;
    }
  }

  branchWithLink(op, pc) {
    const second = this.fetch(pc + 2);
    if ((second & 0xd000) !== 0xd000) return this.other(pc);
    const sign = (op << 21) >> 31; // all ones if the offset is negative
    const i1 = ((second >> 13) ^ sign ^ 1) & 1;
    const i2 = ((second >> 11) ^ sign ^ 1) & 1;
    const offset = (sign << 24) | (i1 << 23) | (i2 << 22) | ((op & 0x3ff) << 12) | ((second & 0x7ff) << 1);
    this.r[LR] = (pc + 4) | 1;
    this.r[PC] = pc + 4 + offset;
    return 3;
  }
}
