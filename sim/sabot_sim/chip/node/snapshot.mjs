// A copy of everything that an object reaches, and the way back: the same objects get their old contents again.
// Functions are not looked into: what a closure keeps must not change.

const isPlain = (value) => value !== null && typeof value === "object";

function copied(value) {
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (ArrayBuffer.isView(value)) return null; // its buffer is copied
  if (Array.isArray(value)) return value.slice();
  if (value instanceof Set || value instanceof Map) return [...value];
  return Object.getOwnPropertyNames(value)
    .filter((name) => "value" in Object.getOwnPropertyDescriptor(value, name))
    .map((name) => [name, value[name]]);
}

function reached(value, copy) {
  if (ArrayBuffer.isView(value)) return [value.buffer];
  if (value instanceof ArrayBuffer) return [];
  return copy.flat(1).filter(isPlain);
}

// Return the copy: each object with its contents.
export function taken(root) {
  const copies = new Map();
  const waiting = [root];
  while (waiting.length) {
    const value = waiting.pop();
    if (copies.has(value)) continue;
    const copy = copied(value);
    copies.set(value, copy);
    waiting.push(...reached(value, copy));
  }
  return copies;
}

function restored(value, copy) {
  if (value instanceof ArrayBuffer) new Uint8Array(value).set(new Uint8Array(copy));
  else if (Array.isArray(value)) value.splice(0, value.length, ...copy);
  else if (value instanceof Set || value instanceof Map) {
    value.clear();
    for (const entry of copy) value instanceof Set ? value.add(entry) : value.set(...entry);
  } else if (!ArrayBuffer.isView(value)) for (const [name, old] of copy) value[name] = old;
}

// Give every object of the copy its contents back.
export function putBack(copies) {
  for (const [value, copy] of copies) restored(value, copy);
}
