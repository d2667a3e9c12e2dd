// The flash chip on its serial interface, as the boot ROM's functions program and erase it; rp2040js only maps it.

import { BasePeripheral } from "./emulator.mjs";

const [ENABLE, RX_LEVEL, STATUS, DATA] = [0x08, 0x24, 0x28, 0x60];
const [NOT_FULL, EMPTY, HAS_DATA] = [1 << 1, 1 << 2, 1 << 3];
const CS_CTRL = 0x0c; // of IO_QSPI
const FORCED_HIGH = 3;
const INVERTED = 1;

const [WRITE_STATUS, PROGRAM, READ, WRITE_DISABLE, READ_STATUS, WRITE_ENABLE] = [1, 2, 3, 4, 5, 6];
const [ERASE_SECTOR, READ_STATUS_2, READ_UNIQUE_ID, READ_JEDEC_ID, ERASE_BLOCK] = [0x20, 0x35, 0x4b, 0x9f, 0xd8];
const [PAGE, SECTOR, BLOCK] = [256, 4096, 65536];
const WRITE_ENABLED = 1 << 1;
const QUAD_ENABLED = 1 << 1;
const JEDEC_ID = [0xef, 0x40, 0x15];
const UNIQUE_ID_AT = 5; // after the command and four dummy bytes
const BUS_IDLE = 0xff;

// The serial interface (SSI) with a NOR flash behind it. A command lasts while chip select is low.
export class FlashPort extends BasePeripheral {
  constructor(mcu, uniqueId) {
    super(mcu, "SSI");
    this.uniqueId = uniqueId;
    this.registers = new Uint32Array(64);
    this.selected = true;
    this.writable = false;
    this.command = [];
    this.answers = [];
  }

  select(selected) {
    if (selected && !this.selected) {
      this.command = [];
      this.answers = [];
    } else if (!selected && this.selected) {
      this.apply();
    }
    this.selected = selected;
  }

  readUint32(offset) {
    switch (offset) {
      case RX_LEVEL:
        return this.answers.length;
      case STATUS:
        return EMPTY | NOT_FULL | (this.answers.length ? HAS_DATA : 0);
      case DATA:
        return this.answers.length ? this.answers.shift() : 0;
      default:
        return this.registers[(offset >> 2) & 63];
    }
  }

  writeUint32(offset, value) {
    if (offset !== DATA) this.registers[(offset >> 2) & 63] = value;
    else if (this.registers[ENABLE >> 2]) this.answers.push(this.selected ? this.shift(value & 0xff) : BUS_IDLE);
  }

  // Return what the flash sends while this byte is sent to it.
  shift(byte) {
    const at = this.command.push(byte) - 1;
    const opcode = this.command[0];
    if (at === 0) {
      if (opcode === WRITE_ENABLE) this.writable = true;
      if (opcode === WRITE_DISABLE) this.writable = false;
      return BUS_IDLE;
    }
    switch (opcode) {
      case READ_STATUS:
        return this.writable ? WRITE_ENABLED : 0;
      case READ_STATUS_2:
        return QUAD_ENABLED;
      case WRITE_STATUS:
        return 0;
      case READ_JEDEC_ID:
        return JEDEC_ID[at - 1] ?? 0;
      case READ_UNIQUE_ID:
        return this.uniqueId[at - UNIQUE_ID_AT] ?? BUS_IDLE;
      case READ:
        return at >= 4 ? (this.rp2040.flash[this.address + at - 4] ?? BUS_IDLE) : BUS_IDLE;
      default:
        return BUS_IDLE;
    }
  }

  get address() {
    return (this.command[1] << 16) | (this.command[2] << 8) | this.command[3];
  }

  // Carry out a command when chip select goes high.
  apply() {
    const opcode = this.command[0];
    const { flash } = this.rp2040;
    if ((opcode === ERASE_SECTOR || opcode === ERASE_BLOCK) && this.command.length >= 4) {
      const size = opcode === ERASE_SECTOR ? SECTOR : BLOCK;
      const start = this.address & ~(size - 1);
      if (this.writable) flash.fill(0xff, start, start + size);
      this.writable = false;
    } else if (opcode === PROGRAM && this.command.length > 4) {
      const data = this.command.slice(4, 4 + PAGE);
      if (this.writable) data.forEach((byte, i) => (flash[this.address + i] &= byte));
      this.writable = false;
    } else if (opcode === WRITE_STATUS) {
      this.writable = false;
    }
    this.command = [];
  }
}

// The pins of the flash (IO_QSPI), of which only chip select does something.
export class FlashPins extends BasePeripheral {
  constructor(mcu, port) {
    super(mcu, "IO_QSPI");
    this.port = port;
    this.registers = new Uint32Array(64);
    for (let at = 1; at < 12; at += 2) this.registers[at] = 0x1f;
  }

  readUint32(offset) {
    return this.registers[(offset >> 2) & 63];
  }

  writeUint32(offset, value) {
    this.registers[(offset >> 2) & 63] = value;
    if (offset !== CS_CTRL) return;
    const output = (value >> 8) & 3;
    this.port.select(output !== FORCED_HIGH && output !== INVERTED);
  }
}

// Registers that only keep what is written to them.
export class Registers extends BasePeripheral {
  constructor(mcu, name, atReset) {
    super(mcu, name);
    this.registers = new Uint32Array(16);
    this.fixed = atReset;
    for (const [offset, value] of Object.entries(atReset)) this.registers[offset >> 2] = value;
  }

  readUint32(offset) {
    return this.registers[(offset >> 2) & 15];
  }

  writeUint32(offset, value) {
    if (!(offset in this.fixed)) this.registers[(offset >> 2) & 15] = value;
  }
}

// A block whose bits all read as set, as rp2040py has its PLLs: they are always locked.
export class Locked extends BasePeripheral {
  readUint32() {
    return 0xffffffff;
  }

  writeUint32() {}
}
