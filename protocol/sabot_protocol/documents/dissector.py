"""tools/wireshark/sabot.lua: a dissector made from the message definition."""

from typing import Any

from sabot_protocol import auth, messages
from sabot_protocol.layout import Choice, Flags, Layout, Names, Number, Raw, Value
from sabot_protocol.pcapng import PROBLEMS, SENDERS

_LAYOUT_KEYS = {"name", "fields", "on", "cases", "bytes", "raw", "values", "bits", "mask"}


def lua() -> str:
    """Return the text of tools/wireshark/sabot.lua."""
    senders, problems = (lua_literal(dict(enumerate(names))) for names in (SENDERS, PROBLEMS))
    tables = f"local SENDERS = {senders}\nlocal PROBLEMS = {problems}\nlocal MAC_BYTES = {auth.MAC_BYTES}\n\n"
    return f"{_HEAD}{tables}local FRAME = {lua_literal(_node(messages.LAYOUT))}\n{_WALK}"


def _node(value: Value) -> dict[str, Any]:
    """Return a value as a table of the dissector: fields of a layout, cases of a choice, or a leaf with its size."""
    match value:
        case Layout():
            return {"fields": [{"name": field.name, **_node(field.value)} for field in value.named()]}
        case Choice():
            return {"on": value.on, "cases": {name: _node(case) for name, case in value.cases.items()}}
        case Names():
            return {"bytes": value.size, "values": {number: name for name, number in value.numbers.items()}}
        case Flags():
            bits = [{"name": name, "mask": mask} for name, mask in value.numbers.items()]
            return {"bytes": value.size, "bits": bits}
        case Raw():
            return {"bytes": value.size, "raw": True}
        case Number(format="B" | "H" | "L"):
            return {"bytes": value.size}
    raise TypeError(f"{value!r} in the message definition: add it to `_node` and to the dissector's `walk`")


def lua_literal(value: Any, indent: str = "") -> str:
    """Return a value as a Lua literal, with nested tables on lines of their own."""
    if isinstance(value, dict):
        deep = any(isinstance(item, dict) for item in value.values())
        deeper = indent + "  " if deep else indent
        parts = [f"{_lua_key(key)} = {lua_literal(item, deeper)}" for key, item in value.items()]
        return _lines(parts, indent) if deep else f"{{ {', '.join(parts)} }}"
    if isinstance(value, list):
        parts = [lua_literal(item, indent + "  ") for item in value]
        return _lines(parts, indent) if parts else "{}"
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


def _lua_key(key: str | int) -> str:
    return str(key) if key in _LAYOUT_KEYS else f"[{lua_literal(key)}]"


def _lines(parts: list[str], indent: str) -> str:
    return "{\n" + "".join(f"{indent}  {part},\n" for part in parts) + indent + "}"


_HEAD = """-- Wireshark dissector for Sabot's serial line: written by `sabot generate`, do not edit.

"""
_WALK = """
local INTEGER = { [1] = ProtoField.uint8, [2] = ProtoField.uint16, [4] = ProtoField.uint32 }
local OTHER = { shoe = "gateway", gateway = "shoe", unknown = "unknown" }
local READABLE = { none = true, sender = true, mac = true }

local sabot = Proto("sabot", "Sabot shoe")
local from_field = ProtoField.uint8("sabot.from", "from", base.DEC, SENDERS)
local problem_field = ProtoField.uint8("sabot.problem", "problem", base.DEC, PROBLEMS)
local mac_field = ProtoField.bytes("sabot.mac", "mac")
local crc_field = ProtoField.uint16("sabot.crc", "crc", base.HEX)
local unread_field = ProtoField.bytes("sabot.unread", "unread")
local damaged = ProtoExpert.new("sabot.damaged", "Damaged frame", expert.group.CHECKSUM, expert.severity.ERROR)
local fields = { from_field, problem_field, mac_field, crc_field, unread_field }

local function declared(field)
  fields[#fields + 1] = field
  return field
end

local function declare_leaf(leaf, name)
  if leaf.raw then
    leaf.field = declared(ProtoField.bytes(name, leaf.name))
    return
  end
  leaf.field = declared(INTEGER[leaf.bytes](name, leaf.name, base.DEC, leaf.values))
  for _, bit in ipairs(leaf.bits or {}) do
    bit.field = declared(ProtoField.bool(name .. "." .. bit.name, bit.name, leaf.bytes * 8, nil, bit.mask))
  end
end

-- Filter names: sabot.<frame type>.<field>, sabot.event.<kind>.<field>, sabot.command.<kind>.<field>.
local function declare(node, prefix)
  local name = node.name and prefix .. "." .. node.name or prefix
  for _, inner in ipairs(node.fields or {}) do declare(inner, name) end
  for case, inner in pairs(node.cases or {}) do declare(inner, prefix .. "." .. case) end
  if node.bytes then declare_leaf(node, name) end
end

local function add_leaf(leaf, range, tree, seen)
  if leaf.raw then
    tree:add(leaf.field, range)
    return
  end
  seen.values[leaf.name] = (leaf.values or {})[range:le_uint()]
  local item = tree:add_le(leaf.field, range)
  for _, bit in ipairs(leaf.bits or {}) do item:add_le(bit.field, range) end
end

-- Adds the fields of a node to the tree; returns the offset behind them.
local function walk(node, tvb, at, tree, seen)
  for _, inner in ipairs(node.fields or {}) do at = walk(inner, tvb, at, tree, seen) end
  local case = node.cases and seen.values[node.on]
  if case then
    seen.info = seen.info .. case .. " "
    at = walk(node.cases[case], tvb, at, tree, seen)
  end
  if node.bytes then
    add_leaf(node, tvb(at, node.bytes), tree, seen)
    at = at + node.bytes
  end
  return at
end

declare(FRAME, "sabot")
sabot.fields = fields
sabot.experts = { damaged }

function sabot.dissector(tvb, pinfo, root)
  local tree = root:add(sabot, tvb())
  local sender, problem = SENDERS[tvb(0, 1):uint()], PROBLEMS[tvb(1, 1):uint()]
  local seen = { values = {}, info = "" }
  tree:add(from_field, tvb(0, 1))
  tree:add(problem_field, tvb(1, 1))
  local at, crc_at = 2, tvb:len() - 2
  if READABLE[problem] then
    at = walk(FRAME, tvb, at, tree, seen)
    if tvb(3, 1):uint() % 2 == 1 then -- the frame has a MAC
      tree:add(mac_field, tvb(at, MAC_BYTES))
      at = at + MAC_BYTES
    end
    tree:add_le(crc_field, tvb(crc_at, 2))
  else
    crc_at = tvb:len()
  end
  if at < crc_at then tree:add(unread_field, tvb(at, crc_at - at)) end
  if problem ~= "none" then
    tree:add_proto_expert_info(damaged, "problem: " .. tostring(problem))
    seen.info = seen.info .. "[" .. tostring(problem) .. "]"
  end
  pinfo.cols.protocol = "sabot"
  pinfo.cols.src = tostring(sender)
  pinfo.cols.dst = tostring(OTHER[sender])
  pinfo.cols.info = seen.info
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, sabot)
"""
