-- Wireshark dissector for the line of an Angel Eye shoe: written by `sabot generate`, do not edit.
-- Built from public facts; no recording of a real shoe exists.

local SENDERS = { [0] = "shoe", [1] = "gateway", [2] = "unknown" }
local PROBLEMS = { [0] = "none", [1] = "bcc", [2] = "short", [3] = "bit7", [4] = "value", [5] = "cut_off", [6] = "too_long", [7] = "noise", [8] = "sender" }
local NAKS = { [1] = "line_error", [2] = "bcc", [3] = "no_etx", [17] = "format", [18] = "address", [19] = "command", [20] = "type", [33] = "busy", [34] = "writing", [255] = "other" }
local COMMANDS = { ["LK01"] = "unlock", ["LK02"] = "lock", ["EC00"] = "clear any error but overdraw", ["EC01"] = "overdraw: keep the card for the next coup", ["EC02"] = "overdraw: discard the card", ["GP00"] = "confirm game process" }
local KINDS = {
  ["S"] = { name = "comm_start", bytes = 0, fields = {} },
  ["P"] = { name = "stand_by", bytes = 0, fields = {} },
  ["D"] = { name = "card", bytes = 2, fields = {
    { bits = {
      {
        name = "target",
        mask = 112,
        values = { [0] = "player", [1] = "banker", [2] = "burn", [4] = "burn_first", [5] = "burn_count" },
      },
      { name = "index", mask = 15 },
    } },
    { bits = {
      {
        name = "suit",
        mask = 112,
        values = { [1] = "D", [2] = "C", [3] = "S", [4] = "H" },
      },
      {
        name = "rank",
        mask = 15,
        values = { [1] = "A", [2] = "2", [3] = "3", [4] = "4", [5] = "5", [6] = "6", [7] = "7", [8] = "8", [9] = "9", [10] = "T", [11] = "J", [12] = "Q", [13] = "K" },
      },
    } },
  } },
  ["d"] = { name = "card_outside_game", bytes = 2, fields = {
    { bits = {
      {
        name = "mode",
        mask = 112,
        values = { [0] = "lock", [1] = "error", [2] = "setting" },
      },
      { name = "low", mask = 15 },
    } },
    { bits = {
      {
        name = "suit",
        mask = 112,
        values = { [1] = "D", [2] = "C", [3] = "S", [4] = "H" },
      },
      {
        name = "rank",
        mask = 15,
        values = { [1] = "A", [2] = "2", [3] = "3", [4] = "4", [5] = "5", [6] = "6", [7] = "7", [8] = "8", [9] = "9", [10] = "T", [11] = "J", [12] = "Q", [13] = "K" },
      },
    } },
  } },
  ["R"] = { name = "card_again", bytes = 2, fields = {
    { bits = {
      {
        name = "target",
        mask = 112,
        values = { [0] = "player", [1] = "banker", [2] = "burn", [4] = "burn_first", [5] = "burn_count" },
      },
      { name = "index", mask = 15 },
    } },
    { bits = {
      {
        name = "suit",
        mask = 112,
        values = { [1] = "D", [2] = "C", [3] = "S", [4] = "H" },
      },
      {
        name = "rank",
        mask = 15,
        values = { [1] = "A", [2] = "2", [3] = "3", [4] = "4", [5] = "5", [6] = "6", [7] = "7", [8] = "8", [9] = "9", [10] = "T", [11] = "J", [12] = "Q", [13] = "K" },
      },
    } },
  } },
  ["G"] = { name = "result", bytes = 1, fields = {
    { bits = {
      {
        name = "result",
        mask = 112,
        values = { [1] = "player", [2] = "tie", [4] = "banker", [7] = "forced_end" },
      },
      { name = "banker_pair", mask = 2 },
      { name = "player_pair", mask = 1 },
    } },
  } },
  ["C"] = { name = "cutting_card", bytes = 0, fields = {} },
  ["E"] = { name = "error", bytes = 1, fields = {
    { bits = {
      { name = "in_error_mode", mask = 64 },
      {
        name = "code",
        mask = 63,
        values = { [1] = "cannot_read", [2] = "overdraw", [3] = "wrong_button", [4] = "reverse_exit", [5] = "reverse_midway", [6] = "card_code", [7] = "draw_timeout" },
      },
    } },
  } },
  ["e"] = { name = "error_cancelled", bytes = 1, fields = {
    { bits = {
      { name = "in_error_mode", mask = 64 },
      {
        name = "code",
        mask = 63,
        values = { [1] = "cannot_read", [2] = "overdraw", [3] = "wrong_button", [4] = "reverse_exit", [5] = "reverse_midway", [6] = "card_code", [7] = "draw_timeout" },
      },
    } },
  } },
  ["L"] = { name = "lock", bytes = 1, fields = {
    { bits = {
      { name = "locked", mask = 1 },
    } },
  } },
  ["M"] = { name = "preset", bytes = 6, fields = {} },
}

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
