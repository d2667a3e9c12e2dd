-- Wireshark dissector for Sabot's serial line: written by `sabot generate`, do not edit.

local SENDERS = { [0] = "shoe", [1] = "gateway", [2] = "unknown" }
local PROBLEMS = { [0] = "none", [1] = "crc", [2] = "cobs", [3] = "length", [4] = "content", [5] = "sender", [6] = "unfinished", [7] = "mac" }
local MAC_BYTES = 8

local FRAME = { fields = {
  {
    name = "type",
    bytes = 1,
    values = { [1] = "hello", [2] = "event", [3] = "alive", [4] = "busy", [5] = "update_state", [128] = "who", [129] = "welcome", [130] = "ack", [131] = "set_profile", [132] = "command", [133] = "resend", [134] = "update", [135] = "update_data" },
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
        { name = "image_hash", bytes = 8, raw = true },
        { name = "next_event_no", bytes = 4 },
        { name = "oldest_event_no", bytes = 4 },
        { name = "crc_errors", bytes = 2 },
        { name = "resends", bytes = 2 },
        { name = "refused", bytes = 2 },
        { name = "sample_overruns", bytes = 2 },
        { name = "last_command_id", bytes = 4 },
        {
          name = "cause",
          bytes = 1,
          values = { [1] = "power", [2] = "watchdog", [3] = "command", [4] = "error", [5] = "reverted" },
        },
        {
          name = "fault",
          bytes = 1,
          values = { [0] = "none", [1] = "card", [2] = "decision", [3] = "lid", [4] = "journal_full", [5] = "composition", [6] = "sensor", [7] = "journal", [8] = "image", [9] = "program" },
        },
        { name = "gateway_nonce", bytes = 8, raw = true },
        { name = "shoe_nonce", bytes = 8, raw = true },
      } },
      ["event"] = { fields = {
        { name = "event_no", bytes = 4 },
        {
          name = "kind",
          bytes = 1,
          values = { [1] = "boot", [2] = "profile_set", [3] = "shoe_opened", [4] = "card", [5] = "cutting_card", [6] = "coup", [7] = "reject", [8] = "button", [9] = "shoe_closed", [10] = "damaged", [11] = "sensor", [12] = "self_test", [13] = "burn", [14] = "coup_kind", [15] = "coup_void", [16] = "handed_over", [17] = "fault", [18] = "fault_cleared", [19] = "key", [20] = "lid", [21] = "lock", [22] = "command_done", [23] = "health", [24] = "irregularity", [25] = "time_set", [26] = "ordered_set", [27] = "deck_check", [28] = "composition", [29] = "checkpoint", [30] = "checked", [31] = "command_refused" },
        },
        {
          name = "data",
          on = "kind",
          cases = {
            ["boot"] = { fields = {
              { name = "boot_count", bytes = 2 },
              {
                name = "cause",
                bytes = 1,
                values = { [1] = "power", [2] = "watchdog", [3] = "command", [4] = "error", [5] = "reverted" },
              },
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
                values = { [0] = "burn", [1] = "player_1", [2] = "banker_1", [3] = "player_2", [4] = "banker_2", [5] = "player_3", [6] = "banker_3", [7] = "unused" },
              },
              {
                name = "card",
                bytes = 1,
                values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS" },
              },
              { name = "speed_mm_s", bytes = 2 },
              { name = "margin_pct", bytes = 1 },
              { name = "flags", bytes = 1, bits = {
                { name = "keyed", mask = 1 },
                { name = "face_up", mask = 2 },
                { name = "exposed", mask = 4 },
                { name = "returned", mask = 8 },
                { name = "surplus", mask = 16 },
              } },
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
              {
                name = "kind",
                bytes = 1,
                values = { [1] = "live", [2] = "no_bet", [3] = "void_hand", [4] = "free_hand", [5] = "dummy" },
              },
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
                values = { [1] = "last_coup", [2] = "replaced", [3] = "command", [4] = "no_cards", [5] = "new_cards", [6] = "handed_over" },
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
            ["self_test"] = { fields = {
              { name = "passed", bytes = 1, bits = {
                { name = "image", mask = 1 },
                { name = "journal", mask = 2 },
                { name = "flash", mask = 4 },
                { name = "sensors", mask = 8 },
              } },
              { name = "image_hash", bytes = 8, raw = true },
            } },
            ["burn"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              {
                name = "mode",
                bytes = 1,
                values = { [0] = "none", [1] = "one", [2] = "shown", [3] = "face_up" },
              },
              { name = "cards", bytes = 1 },
              { name = "missed", bytes = 1 },
            } },
            ["coup_kind"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "coup_no", bytes = 2 },
              {
                name = "kind",
                bytes = 1,
                values = { [1] = "live", [2] = "no_bet", [3] = "void_hand", [4] = "free_hand", [5] = "dummy" },
              },
            } },
            ["coup_void"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "coup_no", bytes = 2 },
              {
                name = "reason",
                bytes = 1,
                values = { [1] = "supervisor", [2] = "short_shoe", [3] = "misdeal", [4] = "foreign_card", [5] = "wrong_shoe", [6] = "discrepancy", [7] = "face_up" },
              },
              {
                name = "then",
                bytes = 1,
                values = { [1] = "go_on", [2] = "new_cards" },
              },
              { name = "cards", bytes = 1 },
            } },
            ["handed_over"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "coup_no", bytes = 2 },
              {
                name = "kind",
                bytes = 1,
                values = { [1] = "live", [2] = "no_bet", [3] = "void_hand", [4] = "free_hand", [5] = "dummy" },
              },
              { name = "import", bytes = 1 },
              { name = "cards", fields = {
                {
                  name = "player_1",
                  bytes = 1,
                  values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                },
                {
                  name = "banker_1",
                  bytes = 1,
                  values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                },
                {
                  name = "player_2",
                  bytes = 1,
                  values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                },
                {
                  name = "banker_2",
                  bytes = 1,
                  values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                },
                {
                  name = "player_3",
                  bytes = 1,
                  values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                },
                {
                  name = "banker_3",
                  bytes = 1,
                  values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                },
              } },
              { name = "decks", bytes = 1 },
              { name = "cards_out", bytes = 2 },
              { name = "coups_left", bytes = 1 },
              { name = "awaiting", bytes = 1 },
            } },
            ["fault"] = { fields = {
              {
                name = "fault",
                bytes = 1,
                values = { [0] = "none", [1] = "card", [2] = "decision", [3] = "lid", [4] = "journal_full", [5] = "composition", [6] = "sensor", [7] = "journal", [8] = "image", [9] = "program" },
              },
              { name = "detail", bytes = 2 },
            } },
            ["fault_cleared"] = { fields = {
              {
                name = "fault",
                bytes = 1,
                values = { [0] = "none", [1] = "card", [2] = "decision", [3] = "lid", [4] = "journal_full", [5] = "composition", [6] = "sensor", [7] = "journal", [8] = "image", [9] = "program" },
              },
              {
                name = "by",
                bytes = 1,
                values = { [1] = "key", [2] = "command", [3] = "itself", [4] = "new_shoe" },
              },
            } },
            ["key"] = { fields = {
              { name = "on", bytes = 1 },
            } },
            ["lid"] = { fields = {
              { name = "open", bytes = 1 },
            } },
            ["lock"] = { fields = {
              { name = "on", bytes = 1 },
            } },
            ["command_done"] = { fields = {
              { name = "command_id", bytes = 4 },
              {
                name = "command",
                bytes = 1,
                values = { [1] = "set_time", [2] = "open_shoe", [3] = "close_shoe", [4] = "lock", [5] = "unlock", [6] = "confirm", [7] = "clear_fault", [8] = "void_coup", [9] = "no_bet", [10] = "key_card", [11] = "authorise", [12] = "irregularity", [13] = "export_coup", [14] = "import_coup", [15] = "self_test", [16] = "reboot", [17] = "burn_card", [18] = "card_returned", [19] = "deck_check", [20] = "this_no_bet", [21] = "switch_image" },
              },
              {
                name = "outcome",
                bytes = 1,
                values = { [0] = "done", [1] = "not_now", [2] = "not_permitted", [3] = "not_authorised", [4] = "bad_value", [5] = "unknown" },
              },
              {
                name = "data",
                on = "command",
                cases = {
                  ["set_time"] = { fields = {
                    { name = "utc_s", bytes = 4 },
                    { name = "utc_ms", bytes = 2 },
                  } },
                  ["open_shoe"] = { fields = {
                    { name = "decks", bytes = 1 },
                    {
                      name = "burn",
                      bytes = 1,
                      values = { [0] = "none", [1] = "one", [2] = "shown", [3] = "face_up" },
                    },
                  } },
                  ["close_shoe"] = { fields = {} },
                  ["lock"] = { fields = {} },
                  ["unlock"] = { fields = {} },
                  ["confirm"] = { fields = {} },
                  ["clear_fault"] = { fields = {
                    {
                      name = "fault",
                      bytes = 1,
                      values = { [0] = "none", [1] = "card", [2] = "decision", [3] = "lid", [4] = "journal_full", [5] = "composition", [6] = "sensor", [7] = "journal", [8] = "image", [9] = "program" },
                    },
                  } },
                  ["void_coup"] = { fields = {
                    {
                      name = "reason",
                      bytes = 1,
                      values = { [1] = "supervisor", [2] = "short_shoe", [3] = "misdeal", [4] = "foreign_card", [5] = "wrong_shoe", [6] = "discrepancy", [7] = "face_up" },
                    },
                    {
                      name = "then",
                      bytes = 1,
                      values = { [1] = "go_on", [2] = "new_cards" },
                    },
                  } },
                  ["no_bet"] = { fields = {
                    {
                      name = "kind",
                      bytes = 1,
                      values = { [1] = "live", [2] = "no_bet", [3] = "void_hand", [4] = "free_hand", [5] = "dummy" },
                    },
                  } },
                  ["key_card"] = { fields = {
                    {
                      name = "card",
                      bytes = 1,
                      values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS" },
                    },
                    { name = "flags", bytes = 1, bits = {
                      { name = "keyed", mask = 1 },
                      { name = "face_up", mask = 2 },
                      { name = "exposed", mask = 4 },
                      { name = "returned", mask = 8 },
                      { name = "surplus", mask = 16 },
                    } },
                  } },
                  ["authorise"] = { fields = {
                    { name = "times", bytes = 1 },
                  } },
                  ["irregularity"] = { fields = {
                    {
                      name = "case",
                      bytes = 1,
                      values = { [1] = "player_overdraw", [2] = "banker_overdraw", [3] = "excess_card", [4] = "first_card_face_up", [5] = "second_to_fourth_card_face_up", [6] = "third_card_face_up", [7] = "insufficient_cards", [8] = "burn_missed", [9] = "cut_missed", [10] = "not_shuffled_after_cutting_card", [11] = "bad_order", [12] = "banker_got_players_card", [13] = "missing_or_foreign_card", [14] = "scan_discrepancy", [15] = "wrong_shoe", [16] = "wrong_area", [17] = "wrong_recipient", [18] = "misread_card", [19] = "shoe_not_reading", [20] = "first_card_exposed", [21] = "unauthorised_coup" },
                    },
                    { name = "facts", bytes = 2, bits = {
                      { name = "banker_draws", mask = 1 },
                      { name = "exposed", mask = 2 },
                      { name = "last_coup", mask = 4 },
                      { name = "international", mask = 8 },
                      { name = "first_coup_complete", mask = 16 },
                      { name = "reconstructible", mask = 32 },
                      { name = "notified_before_next", mask = 64 },
                      { name = "confirmed", mask = 128 },
                      { name = "disadvantage", mask = 256 },
                    } },
                  } },
                  ["export_coup"] = { fields = {} },
                  ["import_coup"] = { fields = {
                    { name = "coup_no", bytes = 2 },
                    {
                      name = "kind",
                      bytes = 1,
                      values = { [1] = "live", [2] = "no_bet", [3] = "void_hand", [4] = "free_hand", [5] = "dummy" },
                    },
                    { name = "cards", fields = {
                      {
                        name = "player_1",
                        bytes = 1,
                        values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                      },
                      {
                        name = "banker_1",
                        bytes = 1,
                        values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                      },
                      {
                        name = "player_2",
                        bytes = 1,
                        values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                      },
                      {
                        name = "banker_2",
                        bytes = 1,
                        values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                      },
                      {
                        name = "player_3",
                        bytes = 1,
                        values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                      },
                      {
                        name = "banker_3",
                        bytes = 1,
                        values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                      },
                    } },
                    { name = "decks", bytes = 1 },
                    { name = "cards_out", bytes = 2 },
                    { name = "coups_left", bytes = 1 },
                    { name = "awaiting", bytes = 1 },
                  } },
                  ["self_test"] = { fields = {} },
                  ["reboot"] = { fields = {} },
                  ["burn_card"] = { fields = {} },
                  ["card_returned"] = { fields = {} },
                  ["deck_check"] = { fields = {
                    { name = "on", bytes = 1 },
                    { name = "decks", bytes = 1 },
                  } },
                  ["this_no_bet"] = { fields = {} },
                  ["switch_image"] = { fields = {
                    { name = "image_hash", bytes = 8, raw = true },
                  } },
                },
              },
            } },
            ["health"] = { fields = {
              { name = "heap_free_bytes", bytes = 4 },
              { name = "heap_least_bytes", bytes = 4 },
              { name = "round_most_us", bytes = 4 },
              { name = "crc_errors", bytes = 2 },
              { name = "resends", bytes = 2 },
              { name = "refused", bytes = 2 },
              { name = "sample_overruns", bytes = 2 },
            } },
            ["irregularity"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "coup_no", bytes = 2 },
              {
                name = "case",
                bytes = 1,
                values = { [1] = "player_overdraw", [2] = "banker_overdraw", [3] = "excess_card", [4] = "first_card_face_up", [5] = "second_to_fourth_card_face_up", [6] = "third_card_face_up", [7] = "insufficient_cards", [8] = "burn_missed", [9] = "cut_missed", [10] = "not_shuffled_after_cutting_card", [11] = "bad_order", [12] = "banker_got_players_card", [13] = "missing_or_foreign_card", [14] = "scan_discrepancy", [15] = "wrong_shoe", [16] = "wrong_area", [17] = "wrong_recipient", [18] = "misread_card", [19] = "shoe_not_reading", [20] = "first_card_exposed", [21] = "unauthorised_coup" },
              },
              { name = "facts", bytes = 2, bits = {
                { name = "banker_draws", mask = 1 },
                { name = "exposed", mask = 2 },
                { name = "last_coup", mask = 4 },
                { name = "international", mask = 8 },
                { name = "first_coup_complete", mask = 16 },
                { name = "reconstructible", mask = 32 },
                { name = "notified_before_next", mask = 64 },
                { name = "confirmed", mask = 128 },
                { name = "disadvantage", mask = 256 },
              } },
              {
                name = "code",
                bytes = 1,
                values = { [1] = "BANKER_THIRD", [2] = "PLAYER_THIRD", [3] = "NEXT_LIVE", [4] = "NEXT_NO_BET", [5] = "NOT_USED", [6] = "THIS_NO_BET", [7] = "PLAY_ON", [8] = "VOID", [9] = "VOID_NEW_CARDS", [10] = "VOID_CHECK", [11] = "RECON_WITHDRAW", [12] = "RECON_BINDING", [13] = "CONFIRM", [14] = "CHOICE", [15] = "WITHDRAW_OPTION", [16] = "FINISH_RESHUFFLE", [17] = "RESTART_SHOE", [18] = "MANUAL_ENTRY", [19] = "SWAP_SHOE", [20] = "NO_RULE" },
              },
            } },
            ["time_set"] = { fields = {
              { name = "utc_s", bytes = 4 },
              { name = "utc_ms", bytes = 2 },
            } },
            ["ordered_set"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              {
                name = "pattern",
                bytes = 1,
                values = { [1] = "runs", [2] = "one_rank", [3] = "one_suit", [4] = "repeated" },
              },
              { name = "cards", bytes = 1 },
            } },
            ["deck_check"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              {
                name = "card",
                bytes = 1,
                values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS" },
              },
              { name = "seen", bytes = 1 },
              { name = "expected", bytes = 1 },
            } },
            ["composition"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "half", bytes = 1 },
              { name = "counts", bytes = 13, raw = true },
            } },
            ["checkpoint"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "coup_no", bytes = 2 },
              { name = "decks", bytes = 1 },
              { name = "cards_out", bytes = 2 },
              { name = "coups_left", bytes = 1 },
              {
                name = "kind",
                bytes = 1,
                values = { [1] = "live", [2] = "no_bet", [3] = "void_hand", [4] = "free_hand", [5] = "dummy" },
              },
              { name = "authorised", bytes = 1 },
              { name = "locked", bytes = 1 },
              { name = "before", bytes = 1 },
            } },
            ["checked"] = { fields = {
              { name = "shoe_no", bytes = 2 },
              { name = "cards", bytes = 2 },
              { name = "differences", bytes = 1 },
            } },
            ["command_refused"] = { fields = {
              { name = "command_id", bytes = 4 },
              {
                name = "command",
                bytes = 1,
                values = { [0] = "unknown", [1] = "set_time", [2] = "open_shoe", [3] = "close_shoe", [4] = "lock", [5] = "unlock", [6] = "confirm", [7] = "clear_fault", [8] = "void_coup", [9] = "no_bet", [10] = "key_card", [11] = "authorise", [12] = "irregularity", [13] = "export_coup", [14] = "import_coup", [15] = "self_test", [16] = "reboot", [17] = "burn_card", [18] = "card_returned", [19] = "deck_check", [20] = "this_no_bet", [21] = "switch_image" },
              },
              {
                name = "outcome",
                bytes = 1,
                values = { [0] = "done", [1] = "not_now", [2] = "not_permitted", [3] = "not_authorised", [4] = "bad_value", [5] = "unknown" },
              },
            } },
          },
        },
      } },
      ["alive"] = { fields = {} },
      ["busy"] = { fields = {
        { name = "gateway", bytes = 8, raw = true },
        { name = "nonce", bytes = 8, raw = true },
      } },
      ["update_state"] = { fields = {
        { name = "image_hash", bytes = 8, raw = true },
        {
          name = "state",
          bytes = 1,
          values = { [0] = "idle", [1] = "checking", [2] = "receiving", [3] = "unpacking", [4] = "ready", [5] = "shoe_open", [6] = "no_slots", [7] = "no_key", [8] = "on_trial", [9] = "older", [10] = "bad_signature", [11] = "bad_image", [12] = "no_room" },
        },
        { name = "received", bytes = 4 },
      } },
      ["who"] = { fields = {
        { name = "gateway", bytes = 8, raw = true },
        { name = "nonce", bytes = 8, raw = true },
      } },
      ["welcome"] = { fields = {
        { name = "protocol_hash", bytes = 8, raw = true },
        { name = "shoe_nonce", bytes = 8, raw = true },
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
          { name = "burn_modes", bytes = 1, bits = {
            { name = "one", mask = 2 },
            { name = "shown", mask = 4 },
            { name = "face_up", mask = 8 },
          } },
          { name = "switches", bytes = 2, bits = {
            { name = "cut_first_card_is_last_coup", mask = 1 },
            { name = "post_cut_dummy_coups", mask = 2 },
            { name = "mid_shoe_burn", mask = 4 },
            { name = "card_may_return_to_shoe", mask = 8 },
            { name = "manual_entry_needs_authorisation", mask = 16 },
            { name = "dummy_needs_authorisation", mask = 32 },
            { name = "dealt_face_up", mask = 64 },
            { name = "continuous", mask = 128 },
            { name = "international", mask = 256 },
            { name = "this_no_bet", mask = 512 },
            { name = "result_before_confirm", mask = 1024 },
          } },
          {
            name = "unwagered",
            bytes = 1,
            values = { [1] = "live", [2] = "no_bet", [3] = "void_hand", [4] = "free_hand", [5] = "dummy" },
          },
          { name = "ordered", bytes = 1, bits = {
            { name = "player_overdraw", mask = 1 },
            { name = "banker_overdraw", mask = 2 },
            { name = "excess_card", mask = 4 },
            { name = "first_card_face_up", mask = 8 },
          } },
          { name = "codes", bytes = 46, raw = true },
        } },
      } },
      ["command"] = { fields = {
        { name = "command_id", bytes = 4 },
        {
          name = "kind",
          bytes = 1,
          values = { [1] = "set_time", [2] = "open_shoe", [3] = "close_shoe", [4] = "lock", [5] = "unlock", [6] = "confirm", [7] = "clear_fault", [8] = "void_coup", [9] = "no_bet", [10] = "key_card", [11] = "authorise", [12] = "irregularity", [13] = "export_coup", [14] = "import_coup", [15] = "self_test", [16] = "reboot", [17] = "burn_card", [18] = "card_returned", [19] = "deck_check", [20] = "this_no_bet", [21] = "switch_image" },
        },
        {
          name = "data",
          on = "kind",
          cases = {
            ["set_time"] = { fields = {
              { name = "utc_s", bytes = 4 },
              { name = "utc_ms", bytes = 2 },
            } },
            ["open_shoe"] = { fields = {
              { name = "decks", bytes = 1 },
              {
                name = "burn",
                bytes = 1,
                values = { [0] = "none", [1] = "one", [2] = "shown", [3] = "face_up" },
              },
            } },
            ["close_shoe"] = { fields = {} },
            ["lock"] = { fields = {} },
            ["unlock"] = { fields = {} },
            ["confirm"] = { fields = {} },
            ["clear_fault"] = { fields = {
              {
                name = "fault",
                bytes = 1,
                values = { [0] = "none", [1] = "card", [2] = "decision", [3] = "lid", [4] = "journal_full", [5] = "composition", [6] = "sensor", [7] = "journal", [8] = "image", [9] = "program" },
              },
            } },
            ["void_coup"] = { fields = {
              {
                name = "reason",
                bytes = 1,
                values = { [1] = "supervisor", [2] = "short_shoe", [3] = "misdeal", [4] = "foreign_card", [5] = "wrong_shoe", [6] = "discrepancy", [7] = "face_up" },
              },
              {
                name = "then",
                bytes = 1,
                values = { [1] = "go_on", [2] = "new_cards" },
              },
            } },
            ["no_bet"] = { fields = {
              {
                name = "kind",
                bytes = 1,
                values = { [1] = "live", [2] = "no_bet", [3] = "void_hand", [4] = "free_hand", [5] = "dummy" },
              },
            } },
            ["key_card"] = { fields = {
              {
                name = "card",
                bytes = 1,
                values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS" },
              },
              { name = "flags", bytes = 1, bits = {
                { name = "keyed", mask = 1 },
                { name = "face_up", mask = 2 },
                { name = "exposed", mask = 4 },
                { name = "returned", mask = 8 },
                { name = "surplus", mask = 16 },
              } },
            } },
            ["authorise"] = { fields = {
              { name = "times", bytes = 1 },
            } },
            ["irregularity"] = { fields = {
              {
                name = "case",
                bytes = 1,
                values = { [1] = "player_overdraw", [2] = "banker_overdraw", [3] = "excess_card", [4] = "first_card_face_up", [5] = "second_to_fourth_card_face_up", [6] = "third_card_face_up", [7] = "insufficient_cards", [8] = "burn_missed", [9] = "cut_missed", [10] = "not_shuffled_after_cutting_card", [11] = "bad_order", [12] = "banker_got_players_card", [13] = "missing_or_foreign_card", [14] = "scan_discrepancy", [15] = "wrong_shoe", [16] = "wrong_area", [17] = "wrong_recipient", [18] = "misread_card", [19] = "shoe_not_reading", [20] = "first_card_exposed", [21] = "unauthorised_coup" },
              },
              { name = "facts", bytes = 2, bits = {
                { name = "banker_draws", mask = 1 },
                { name = "exposed", mask = 2 },
                { name = "last_coup", mask = 4 },
                { name = "international", mask = 8 },
                { name = "first_coup_complete", mask = 16 },
                { name = "reconstructible", mask = 32 },
                { name = "notified_before_next", mask = 64 },
                { name = "confirmed", mask = 128 },
                { name = "disadvantage", mask = 256 },
              } },
            } },
            ["export_coup"] = { fields = {} },
            ["import_coup"] = { fields = {
              { name = "coup_no", bytes = 2 },
              {
                name = "kind",
                bytes = 1,
                values = { [1] = "live", [2] = "no_bet", [3] = "void_hand", [4] = "free_hand", [5] = "dummy" },
              },
              { name = "cards", fields = {
                {
                  name = "player_1",
                  bytes = 1,
                  values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                },
                {
                  name = "banker_1",
                  bytes = 1,
                  values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                },
                {
                  name = "player_2",
                  bytes = 1,
                  values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                },
                {
                  name = "banker_2",
                  bytes = 1,
                  values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                },
                {
                  name = "player_3",
                  bytes = 1,
                  values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                },
                {
                  name = "banker_3",
                  bytes = 1,
                  values = { [0] = "AC", [1] = "2C", [2] = "3C", [3] = "4C", [4] = "5C", [5] = "6C", [6] = "7C", [7] = "8C", [8] = "9C", [9] = "TC", [10] = "JC", [11] = "QC", [12] = "KC", [13] = "AD", [14] = "2D", [15] = "3D", [16] = "4D", [17] = "5D", [18] = "6D", [19] = "7D", [20] = "8D", [21] = "9D", [22] = "TD", [23] = "JD", [24] = "QD", [25] = "KD", [26] = "AH", [27] = "2H", [28] = "3H", [29] = "4H", [30] = "5H", [31] = "6H", [32] = "7H", [33] = "8H", [34] = "9H", [35] = "TH", [36] = "JH", [37] = "QH", [38] = "KH", [39] = "AS", [40] = "2S", [41] = "3S", [42] = "4S", [43] = "5S", [44] = "6S", [45] = "7S", [46] = "8S", [47] = "9S", [48] = "TS", [49] = "JS", [50] = "QS", [51] = "KS", [255] = "--" },
                },
              } },
              { name = "decks", bytes = 1 },
              { name = "cards_out", bytes = 2 },
              { name = "coups_left", bytes = 1 },
              { name = "awaiting", bytes = 1 },
            } },
            ["self_test"] = { fields = {} },
            ["reboot"] = { fields = {} },
            ["burn_card"] = { fields = {} },
            ["card_returned"] = { fields = {} },
            ["deck_check"] = { fields = {
              { name = "on", bytes = 1 },
              { name = "decks", bytes = 1 },
            } },
            ["this_no_bet"] = { fields = {} },
            ["switch_image"] = { fields = {
              { name = "image_hash", bytes = 8, raw = true },
            } },
          },
        },
      } },
      ["resend"] = { fields = {
        { name = "event_no", bytes = 4 },
      } },
      ["update"] = { fields = {
        { name = "allow_older", bytes = 1 },
        { name = "version", bytes = 3, raw = true },
        { name = "length", bytes = 4 },
        { name = "image_hash", bytes = 8, raw = true },
        { name = "sha256", bytes = 32, raw = true },
        { name = "signature", bytes = 64, raw = true },
      } },
      ["update_data"] = { fields = {
        { name = "offset", bytes = 4 },
        { name = "part", bytes = 96, raw = true },
      } },
    },
  },
} }

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
