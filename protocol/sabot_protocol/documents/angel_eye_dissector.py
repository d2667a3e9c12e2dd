"""tools/wireshark/angel_eye.lua: a dissector for the line of an Angel Eye shoe, made from its tables."""

from collections.abc import Iterator
from typing import Any

from construct import Construct, Enum

from sabot_protocol.angel_eye import tables
from sabot_protocol.documents.dissector import lua_literal
from sabot_protocol.pcapng import ANGEL_EYE_PROBLEMS, SENDERS

# Numbers whose names are not in the definition of their byte.
_NAMES = {"code": tables.ERRORS, "rank": {number: rank for rank, number in tables.RANKS.items()}}


def lua() -> str:
    """Return the text of tools/wireshark/angel_eye.lua."""
    kinds = {letter: _kind(letter, kind) for letter, kind in tables.KINDS.items()}
    commands = {kind + data: meaning for (kind, data), meaning in tables.COMMANDS.items()}
    literals = {
        "SENDERS": dict(enumerate(SENDERS)),
        "PROBLEMS": dict(enumerate(ANGEL_EYE_PROBLEMS)),
        "NAKS": tables.NAKS,
        "COMMANDS": commands,
        "KINDS": kinds,
    }
    return _HEAD + "".join(f"local {name} = {lua_literal(value)}\n" for name, value in literals.items()) + _WALK


def _kind(letter: str, kind: tables.Kind) -> dict[str, Any]:
    """Return name, bytes and bit fields of a type letter."""
    layouts = tables.LAYOUTS.get(letter, ())
    return {"name": kind.name, "bytes": kind.size, "fields": [{"bits": list(_bits(one))} for one in layouts]}


def _bits(layout: Construct) -> Iterator[dict[str, Any]]:
    """Yield name, mask and names of the values of each part of a byte, from bit 7 down."""
    bit = 8
    for part in layout.subcon.subcons:
        size = part.sizeof()
        bit -= size
        if part.name and part.name != "bit_7":
            inner = getattr(part, "subcon", None)
            named = {number: str(name) for number, name in inner.decmapping.items()} if isinstance(inner, Enum) else {}
            values = named or _NAMES.get(part.name, {})
            yield {"name": part.name, "mask": (1 << size) - 1 << bit, **({"values": values} if values else {})}


_HEAD = """-- Wireshark dissector for the line of an Angel Eye shoe: written by `sabot generate`, do not edit.
-- Built from public facts; no recording of a real shoe exists.

"""
_WALK = """
local ENQ, STX, ACK, NAK = 0x05, 0x02, 0x06, 0x15
local OTHER = { shoe = "gateway", gateway = "shoe", unknown = "unknown" }

local angel_eye = Proto("angel_eye", "Angel Eye shoe")
local from_field = ProtoField.uint8("angel_eye.from", "from", base.DEC, SENDERS)
local problem_field = ProtoField.uint8("angel_eye.problem", "problem", base.DEC, PROBLEMS)
local seq_field = ProtoField.string("angel_eye.seq", "seq")
local type_field = ProtoField.string("angel_eye.type", "type")
local name_field = ProtoField.string("angel_eye.name", "name")
local drawn_field = ProtoField.string("angel_eye.drawn", "drawn")
local address_field = ProtoField.string("angel_eye.preset.address", "address")
local value_field = ProtoField.string("angel_eye.preset.value", "value")
local text_field = ProtoField.string("angel_eye.text", "text")
local meaning_field = ProtoField.string("angel_eye.meaning", "meaning")
local nak_field = ProtoField.uint8("angel_eye.nak", "nak", base.HEX, NAKS)
local extra_field = ProtoField.bytes("angel_eye.extra", "extra")
local bcc_field = ProtoField.string("angel_eye.bcc", "bcc")
local unread_field = ProtoField.bytes("angel_eye.unread", "unread")
local damaged = ProtoExpert.new("angel_eye.damaged", "Damaged frame", expert.group.CHECKSUM, expert.severity.ERROR)
local fields = {
  from_field, problem_field, seq_field, type_field, name_field, drawn_field, address_field, value_field, text_field,
  meaning_field, nak_field, extra_field, bcc_field, unread_field,
}

-- Filter names: angel_eye.<name of the message>.<field>.
for _, kind in pairs(KINDS) do
  for _, byte in ipairs(kind.fields) do
    for _, part in ipairs(byte.bits) do
      part.field = ProtoField.uint8(
        "angel_eye." .. kind.name .. "." .. part.name, part.name, base.DEC, part.values, part.mask)
      fields[#fields + 1] = part.field
    end
  end
end

local function part_value(range, part)
  local shift, mask = 1, part.mask
  while mask % 2 == 0 do
    mask, shift = mask / 2, shift * 2
  end
  return math.floor(range:uint() / shift) % (mask + 1)
end

-- Adds the parts of one byte to the tree; returns the card, if it has one.
local function add_byte(byte, range, tree)
  local card = {}
  for _, part in ipairs(byte.bits) do
    tree:add(part.field, range)
    card[part.name] = (part.values or {})[part_value(range, part)]
  end
  return card.rank and card.suit and card.rank .. card.suit
end

local function add_preset(tvb, tree)
  tree:add(address_field, tvb(5, 2))
  tree:add(value_field, tvb(7, 4))
end

-- Adds a frame of the shoe, which begins at byte 2; returns its words for the list of packets.
local function add_frame(tvb, tree)
  local letter, bcc_at = tvb(4, 1):string(), tvb:len() - 2
  local kind = KINDS[letter] or { name = "unknown", bytes = 0, fields = {} }
  local info = letter .. " " .. kind.name
  tree:add(seq_field, tvb(3, 1))
  tree:add(type_field, tvb(4, 1))
  tree:add(name_field, tvb(4, 1), kind.name)
  for number, byte in ipairs(kind.fields) do
    local range = tvb(4 + number, 1)
    local card = add_byte(byte, range, tree)
    if card then
      tree:add(drawn_field, range, card)
      info = info .. " " .. card
    end
  end
  if letter == "M" then add_preset(tvb, tree) end
  local extra_at = 5 + kind.bytes
  if extra_at < bcc_at - 1 then tree:add(extra_field, tvb(extra_at, bcc_at - 1 - extra_at)) end
  tree:add(bcc_field, tvb(bcc_at, 2))
  return info
end

-- Adds a command of the host or a reply of the shoe.
local function add_text(tvb, tree)
  local bcc_at = tvb:len() - 2
  local text = ""
  if bcc_at > 4 then
    local range = tvb(3, bcc_at - 4)
    text = range:string()
    tree:add(text_field, range)
    local meaning = COMMANDS[text:sub(3)]
    if meaning then tree:add(meaning_field, range, meaning) end
  end
  tree:add(bcc_field, tvb(bcc_at, 2))
  return text
end

local function add_nak(tvb, tree)
  tree:add(nak_field, tvb(3, 1))
  return "NAK " .. (NAKS[tvb(3, 1):uint()] or "unknown")
end

local ADD = {
  [ENQ] = add_frame,
  [STX] = add_text,
  [ACK] = function() return "ACK" end,
  [NAK] = add_nak,
}

angel_eye.fields = fields
angel_eye.experts = { damaged }

function angel_eye.dissector(tvb, pinfo, root)
  local tree = root:add(angel_eye, tvb())
  local sender, problem = SENDERS[tvb(0, 1):uint()], PROBLEMS[tvb(1, 1):uint()]
  local info
  tree:add(from_field, tvb(0, 1))
  tree:add(problem_field, tvb(1, 1))
  if problem == "none" or problem == "sender" then
    info = ADD[tvb(2, 1):uint()](tvb, tree)
  else
    tree:add(unread_field, tvb(2))
    info = "[" .. tostring(problem) .. "]"
  end
  if problem ~= "none" then tree:add_proto_expert_info(damaged, "problem: " .. tostring(problem)) end
  pinfo.cols.protocol = "angel_eye"
  pinfo.cols.src = tostring(sender)
  pinfo.cols.dst = tostring(OTHER[sender])
  pinfo.cols.info = info
end

DissectorTable.get("wtap_encap"):add(wtap.USER1, angel_eye)
"""
