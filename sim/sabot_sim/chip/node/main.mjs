// A chip behind a pipe: one JSON object a line on standard input, one answer a line on standard output.
// Usage: node main.mjs FOLDER, where FOLDER is the package rp2040js. It ends with its standard input.

import { readSync, writeSync } from "node:fs";
import { Chip } from "./chip.mjs";
import { putBack, taken } from "./snapshot.mjs";

const CHUNK_BYTES = 1 << 16;
const MOST_LINE_BYTES = 16 << 20;
const MOST_SNAPSHOTS = 8;

const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));
const holder = { chip: null };
const snapshots = [];

const deeds = {
  boot({ bootrom, flash, uniqueId, inputs, idle, watched, skip }) {
    const rom = bytes(bootrom);
    holder.chip = new Chip({
      bootrom: new Uint32Array(rom.buffer),
      flash: bytes(flash),
      uniqueId: bytes(uniqueId),
      inputs,
      idle,
      watched,
      skip,
    });
  },
  run: ({ to }) => holder.chip.runTo(to),
  queue: ({ acts }) => holder.chip.queue(acts),
  drive: ({ levels }) => holder.chip.drive(levels),
  hang: ({ code, at }) => holder.chip.hang(bytes(code), at),
  reset: () => holder.chip.reset(),
  power: () => holder.chip.powerCycle(),
  cpu() {
    const { user, system } = process.cpuUsage();
    return { us: user + system };
  },
  read: ({ start, size }) => ({
    data: Buffer.from(holder.chip.mcu.flash.subarray(start, start + size)).toString("base64"),
  }),
  write: ({ start, data }) => holder.chip.mcu.flash.set(bytes(data), start),
  keep() {
    if (snapshots.length >= MOST_SNAPSHOTS) throw new Error(`more than ${MOST_SNAPSHOTS} snapshots`);
    snapshots.push(taken(holder));
  },
  back: () => putBack(snapshots.pop()),
};

// Return what happened since the last answer.
function news() {
  const { chip } = holder;
  const { core } = chip.mcu;
  const { sent, changes } = chip;
  chip.sent = [];
  chip.changes = [];
  const drops = chip.pastDrops + chip.pacer.drops;
  return { now: chip.nowNs, busy: core.cycles, lost: chip.lost, drops, sent, changes };
}

function answer(line) {
  const request = JSON.parse(line);
  try {
    const result = deeds[request.do](request);
    return { id: request.id, ...news(), ...(result ?? {}) };
  } catch (error) {
    console.error(error.stack);
    return { id: request.id, error: String(error.message) };
  }
}

function write(text) {
  const data = Buffer.from(text);
  for (let at = 0; at < data.length; ) at += writeSync(1, data, at);
}

// Yield lines of standard input.
function* lines() {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let parts = [];
  let size = 0;
  for (;;) {
    const count = readSync(0, chunk);
    if (!count) return;
    let rest = Buffer.from(chunk.subarray(0, count));
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield Buffer.concat([...parts, rest.subarray(0, end)]).toString();
      rest = rest.subarray(end + 1);
      parts = [];
      size = 0;
    }
    parts.push(rest);
    size += rest.length;
    if (size > MOST_LINE_BYTES) throw new Error(`a line of more than ${MOST_LINE_BYTES} bytes`);
  }
}

for (const line of lines()) write(`${JSON.stringify(answer(line))}\n`);
