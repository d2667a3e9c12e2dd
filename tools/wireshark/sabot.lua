-- Sabot's serial line in Wireshark: printed by `sabot inspect --lua`, from the message definition.

local SENDERS = { [0] = "shoe", [1] = "gateway", [2] = "unknown" }
local PROBLEMS = { [0] = "none", [1] = "crc", [2] = "cobs", [3] = "length", [4] = "content", [5] = "sender", [6] = "unfinished" }

local FRAME = { fields = {
  {
    name = "type",
    bytes = 1,
    values = { [1] = "hello", [2] = "event", [3] = "alive", [128] = "who", [129] = "welcome", [130] = "ack", [131] = "set_profile" },
  },
  { name = "flags", bytes = 1 },
  { name = "seq", bytes = 2 },
  { name = "time_ms", bytes = 4 },
  {
    name = "body",
    on = "type",
    cases = {
      ["hello"] = { fields = {
        { name = "unit", bytes = 8, raw = true },
        { name = "boot_count", bytes = 2 },
        { name = "protocol_hash", bytes = 8, raw = true },
        { name = "profile_hash", bytes = 8, raw = true },
        { name = "firmware_version", bytes = 3, raw = true },
        { name = "next_event_no", bytes = 4 },
        { name = "oldest_event_no", bytes = 4 },
        { name = "crc_errors", bytes = 2 },
        { name = "resends", bytes = 2 },
        { name = "sample_overruns", bytes = 2 },
      } },
      ["event"] = { fields = {
        { name = "event_no", bytes = 4 },
        {
          name = "kind",
          bytes = 1,
          values = { [1] = "boot", [2] = "profile_set", [3] = "shoe_opened", [4] = "card", [5] = "cutting_card", [6] = "coup", [7] = "reject", [8] = "button", [9] = "shoe_closed", [10] = "damaged", [11] = "sensor" },
        },
        {
          name = "data",
          on = "kind",
          cases = {
            ["boot"] = { fields = {
              { name = "boot_count", bytes = 2 },
            } },
            ["profile_set"] = { fields = {
              { name = "profile_hash", bytes = 8, raw = true },
            } },
            ["shoe_opened"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "card_set", bytes = 1 },
              { name = "decks", bytes = 1 },
              {
                name = "burn",
                bytes = 1,
                values = { [0] = "none", [1] = "one", [2] = "shown", [3] = "face_up" },
              },
            } },
            ["card"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "coup_no", bytes = 2 },
              {
                name = "slot",
                bytes = 1,
                values = { [0] = "burn", [1] = "player_1", [2] = "banker_1", [3] = "player_2", [4] = "banker_2", [5] = "player_3", [6] = "banker_3" },
              },
              {
                name = "card",
                bytes = 1,
                values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS" },
              },
              { name = "speed_mm_s", bytes = 2 },
              { name = "margin_pct", bytes = 1 },
            } },
            ["cutting_card"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "coup_no", bytes = 2 },
              { name = "before_first_card", bytes = 1 },
            } },
            ["coup"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "coup_no", bytes = 2 },
              {
                name = "winner",
                bytes = 1,
                values = { [1] = "player", [2] = "banker", [3] = "tie" },
              },
              { name = "player_points", bytes = 1 },
              { name = "banker_points", bytes = 1 },
              { name = "flags", bytes = 1, bits = {
                { name = "player_pair", mask = 1 },
                { name = "banker_pair", mask = 2 },
                { name = "natural", mask = 4 },
                { name = "last_coup", mask = 8 },
              } },
            } },
            ["reject"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "coup_no", bytes = 2 },
              {
                name = "reason",
                bytes = 1,
                values = { [1] = "blank", [2] = "columns", [3] = "doubtful", [4] = "not_in_set", [5] = "short_pull", [6] = "pushed_back", [7] = "double", [8] = "not_due", [9] = "foreign", [10] = "pushed_back_midway", [11] = "half_drawn", [12] = "spacing", [13] = "noise", [14] = "lid_open" },
              },
              { name = "columns", bytes = 1 },
              { name = "doubtful", bytes = 2 },
              { name = "speed_mm_s", bytes = 2 },
              { name = "margin_pct", bytes = 1 },
            } },
            ["button"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "coup_no", bytes = 2 },
              {
                name = "button",
                bytes = 1,
                values = { [1] = "player", [2] = "banker", [3] = "tie", [4] = "confirm", [5] = "new_shoe" },
              },
            } },
            ["shoe_closed"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "coups", bytes = 2 },
              {
                name = "reason",
                bytes = 1,
                values = { [1] = "last_coup", [2] = "replaced" },
              },
            } },
            ["damaged"] = { fields = {} },
            ["sensor"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              {
                name = "sensor",
                bytes = 1,
                values = { [0] = "entry", [1] = "a", [2] = "b", [3] = "exit" },
              },
              { name = "reads", bytes = 2 },
              { name = "rejects", bytes = 2 },
              { name = "spikes", bytes = 2 },
              { name = "margin_mean_pct", bytes = 1 },
              { name = "margin_worst_pct", bytes = 1 },
              { name = "speed_mean_mm_s", bytes = 2 },
              { name = "speed_least_mm_s", bytes = 2 },
              { name = "speed_most_mm_s", bytes = 2 },
            } },
          },
        },
      } },
      ["alive"] = { fields = {} },
      ["who"] = { fields = {} },
      ["welcome"] = { fields = {
        { name = "protocol_hash", bytes = 8, raw = true },
        { name = "durable_event_no", bytes = 4 },
      } },
      ["ack"] = { fields = {
        { name = "event_no", bytes = 4 },
      } },
      ["set_profile"] = { fields = {
        { name = "profile_hash", bytes = 8, raw = true },
        { name = "profile", fields = {
          { name = "rulebook_hash", bytes = 8, raw = true },
          { name = "card_set", bytes = 1 },
          { name = "decks", bytes = 1 },
          {
            name = "burn",
            bytes = 1,
            values = { [0] = "none", [1] = "one", [2] = "shown", [3] = "face_up" },
          },
          { name = "switches", bytes = 1, bits = {
            { name = "cut_first_card_is_last_coup", mask = 1 },
          } },
        } },
      } },
    },
  },
} }

local INTEGER = { [1] = ProtoField.uint8, [2] = ProtoField.uint16, [4] = ProtoField.uint32 }
local OTHER = { shoe = "gateway", gateway = "shoe", unknown = "unknown" }
local READABLE = { none = true, sender = true }

local sabot = Proto("sabot", "Sabot shoe")
local from_field = ProtoField.uint8("sabot.from", "from", base.DEC, SENDERS)
local problem_field = ProtoField.uint8("sabot.problem", "problem", base.DEC, PROBLEMS)
local crc_field = ProtoField.uint16("sabot.crc", "crc", base.HEX)
local unread_field = ProtoField.bytes("sabot.unread", "unread")
local damaged = ProtoExpert.new("sabot.damaged", "Damaged frame", expert.group.CHECKSUM, expert.severity.ERROR)
local fields = { from_field, problem_field, crc_field, unread_field }

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

-- A field is called sabot.<frame type>.<field>, that of an event sabot.event.<kind>.<field>.
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

-- Adds a node's fields to the tree; returns where the next one begins.
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
    tree:add_le(crc_field, tvb(crc_at, 2))
  else
    crc_at = tvb:len()
  end
  if at < crc_at then tree:add(unread_field, tvb(at, crc_at - at)) end
  if problem ~= "none" then
    tree:add_proto_expert_info(damaged, "what is wrong: " .. tostring(problem))
    seen.info = seen.info .. "[" .. tostring(problem) .. "]"
  end
  pinfo.cols.protocol = "sabot"
  pinfo.cols.src = tostring(sender)
  pinfo.cols.dst = tostring(OTHER[sender])
  pinfo.cols.info = seen.info
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, sabot)
