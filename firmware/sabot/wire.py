"""The wire and the journal's records: written by `sabot generate`, not by hand.

A name that ends in _SIZE is a number of bytes, in _FORMAT a struct format, in _BYTES the size of one field. Any other
name of a layout is an offset: in a frame from the first byte of the frame; in EVENT_… from the first byte of a journal
record, so that record[EVENT_CARD_SLOT] is the slot; in COMMAND_… and PROFILE_… from the first byte of their own data.
The format of an event covers its data: pack_into(EVENT_CARD_FORMAT, record, RECORD_DATA, …); the format of a frame
covers what follows the header: pack_into(HELLO_FORMAT, frame, FRAME_BODY, …).

Only names that the firmware uses are here: use another one of firmware_wire.constants(), then run `sabot generate`.
"""

from micropython import const

# Frames: offsets from the first byte of the frame; a format covers the body.
FRAME_SIZE = const(8)
FRAME_FORMAT = const("<BBHL")
FRAME_TYPE = const(0)
FRAME_FLAGS = const(1)
FRAME_SEQ = const(2)
FRAME_BODY = const(8)
HELLO_SIZE = const(75)
HELLO_FORMAT = const("<8sH8s8s3sLLHHHHLBB8s8s")
HELLO_SHOE_NONCE_BYTES = const(8)
EVENT_FRAME_SIZE = const(13)
EVENT_FRAME_EVENT_NO = const(8)
EVENT_FRAME_KIND = const(12)
EVENT_FRAME_DATA = const(13)
ALIVE_SIZE = const(8)
BUSY_SIZE = const(24)
BUSY_GATEWAY = const(8)
BUSY_GATEWAY_BYTES = const(8)
BUSY_NONCE = const(16)
BUSY_NONCE_BYTES = const(8)
WHO_SIZE = const(24)
WHO_GATEWAY = const(8)
WHO_GATEWAY_BYTES = const(8)
WHO_NONCE = const(16)
WHO_NONCE_BYTES = const(8)
WELCOME_SIZE = const(28)
WELCOME_PROTOCOL_HASH = const(8)
WELCOME_SHOE_NONCE = const(16)
WELCOME_DURABLE_EVENT_NO = const(24)
ACK_SIZE = const(12)
ACK_EVENT_NO = const(8)
SET_PROFILE_SIZE = const(78)
COMMAND_FRAME_SIZE = const(13)
COMMAND_FRAME_COMMAND_ID = const(8)
COMMAND_FRAME_KIND = const(12)
RESEND_SIZE = const(12)
RESEND_EVENT_NO = const(8)

# A record of the journal, up to the data of its event.
RECORD_FORMAT = const("<LLBB")
RECORD_EVENT_NO = const(0)
RECORD_EVENT_NO_BYTES = const(4)
RECORD_TIME_MS = const(4)
RECORD_KIND = const(8)
RECORD_DATA_SIZE = const(9)
RECORD_DATA = const(10)

# Numbers by name.
EV_BOOT = const(1)
EV_PROFILE_SET = const(2)
EV_SHOE_OPENED = const(3)
EV_CARD = const(4)
EV_CUTTING_CARD = const(5)
EV_COUP = const(6)
EV_REJECT = const(7)
EV_BUTTON = const(8)
EV_SHOE_CLOSED = const(9)
EV_SENSOR = const(11)
EV_SELF_TEST = const(12)
EV_BURN = const(13)
EV_COUP_KIND = const(14)
EV_COUP_VOID = const(15)
EV_HANDED_OVER = const(16)
EV_FAULT = const(17)
EV_FAULT_CLEARED = const(18)
EV_KEY = const(19)
EV_LID = const(20)
EV_LOCK = const(21)
EV_COMMAND_DONE = const(22)
EV_HEALTH = const(23)
EV_IRREGULARITY = const(24)
EV_TIME_SET = const(25)
EV_ORDERED_SET = const(26)
EV_DECK_CHECK = const(27)
EV_COMPOSITION = const(28)
EV_CHECKPOINT = const(29)
EV_CHECKED = const(30)
EV_COMMAND_REFUSED = const(31)
CMD_SET_TIME = const(1)
CMD_OPEN_SHOE = const(2)
CMD_CLOSE_SHOE = const(3)
CMD_LOCK = const(4)
CMD_UNLOCK = const(5)
CMD_CONFIRM = const(6)
CMD_CLEAR_FAULT = const(7)
CMD_VOID_COUP = const(8)
CMD_NO_BET = const(9)
CMD_KEY_CARD = const(10)
CMD_AUTHORISE = const(11)
CMD_IRREGULARITY = const(12)
CMD_EXPORT_COUP = const(13)
CMD_IMPORT_COUP = const(14)
CMD_SELF_TEST = const(15)
CMD_REBOOT = const(16)
CMD_BURN_CARD = const(17)
CMD_CARD_RETURNED = const(18)
CMD_DECK_CHECK = const(19)
CMD_THIS_NO_BET = const(20)
OUT_DONE = const(0)
OUT_NOT_NOW = const(1)
OUT_NOT_PERMITTED = const(2)
OUT_NOT_AUTHORISED = const(3)
OUT_BAD_VALUE = const(4)
OUT_UNKNOWN = const(5)
CASE_PLAYER_OVERDRAW = const(1)
CASE_BANKER_OVERDRAW = const(2)
CASE_EXCESS_CARD = const(3)
CASE_FIRST_CARD_FACE_UP = const(4)
CASE_SECOND_TO_FOURTH_CARD_FACE_UP = const(5)
CASE_THIRD_CARD_FACE_UP = const(6)
CASE_INSUFFICIENT_CARDS = const(7)
CASE_BURN_MISSED = const(8)
CASE_BAD_ORDER = const(11)
CASE_BANKER_GOT_PLAYERS_CARD = const(12)
CASE_MISSING_OR_FOREIGN_CARD = const(13)
CASE_SCAN_DISCREPANCY = const(14)
CASE_WRONG_SHOE = const(15)
CASE_WRONG_AREA = const(16)
CASE_WRONG_RECIPIENT = const(17)
CASE_MISREAD_CARD = const(18)
CASE_FIRST_CARD_EXPOSED = const(20)
CASE_UNAUTHORISED_COUP = const(21)
CODE_NEXT_LIVE = const(3)
CODE_NEXT_NO_BET = const(4)
CODE_NOT_USED = const(5)
CODE_THIS_NO_BET = const(6)
CODE_PLAY_ON = const(7)
CODE_VOID = const(8)
CODE_VOID_NEW_CARDS = const(9)
CODE_VOID_CHECK = const(10)
CODE_FINISH_RESHUFFLE = const(16)
CODE_RESTART_SHOE = const(17)
CODE_NO_RULE = const(20)
FACT_EXPOSED = const(2)
FACT_LAST_COUP = const(4)
FACT_INTERNATIONAL = const(8)
FACT_FIRST_COUP_COMPLETE = const(16)
FACT_CONFIRMED = const(128)
FAULT_NONE = const(0)
FAULT_CARD = const(1)
FAULT_DECISION = const(2)
FAULT_LID = const(3)
FAULT_JOURNAL_FULL = const(4)
FAULT_COMPOSITION = const(5)
FAULT_SENSOR = const(6)
FAULT_JOURNAL = const(7)
FAULT_IMAGE = const(8)
FAULT_PROGRAM = const(9)
BY_KEY = const(1)
BY_COMMAND = const(2)
BY_ITSELF = const(3)
BY_NEW_SHOE = const(4)
KIND_LIVE = const(1)
KIND_VOID_HAND = const(3)
KIND_FREE_HAND = const(4)
KIND_DUMMY = const(5)
VOID_SUPERVISOR = const(1)
VOID_SHORT_SHOE = const(2)
VOID_MISDEAL = const(3)
VOID_FOREIGN_CARD = const(4)
VOID_WRONG_SHOE = const(5)
VOID_DISCREPANCY = const(6)
VOID_FACE_UP = const(7)
THEN_GO_ON = const(1)
THEN_NEW_CARDS = const(2)
CLOSE_LAST_COUP = const(1)
CLOSE_REPLACED = const(2)
CLOSE_COMMAND = const(3)
CLOSE_NO_CARDS = const(4)
CLOSE_NEW_CARDS = const(5)
CLOSE_HANDED_OVER = const(6)
CARD_KEYED = const(1)
CARD_FACE_UP = const(2)
CARD_EXPOSED = const(4)
CARD_RETURNED = const(8)
CARD_SURPLUS = const(16)
REJECT_NOT_IN_SET = const(4)
REJECT_NOT_DUE = const(8)
REJECT_FOREIGN = const(9)
REJECT_SPACING = const(12)
REJECT_NOISE = const(13)
REJECT_LID_OPEN = const(14)
BUTTON_CONFIRM = const(4)
BUTTON_NEW_SHOE = const(5)
BURN_NONE = const(0)
BURN_FACE_UP = const(3)
SWITCH_CUT_FIRST_CARD_IS_LAST_COUP = const(1)
SWITCH_POST_CUT_DUMMY_COUPS = const(2)
SWITCH_MID_SHOE_BURN = const(4)
SWITCH_CARD_MAY_RETURN_TO_SHOE = const(8)
SWITCH_MANUAL_ENTRY_NEEDS_AUTHORISATION = const(16)
SWITCH_DUMMY_NEEDS_AUTHORISATION = const(32)
SWITCH_DEALT_FACE_UP = const(64)
SWITCH_CONTINUOUS = const(128)
SWITCH_INTERNATIONAL = const(256)
SWITCH_THIS_NO_BET = const(512)
PATTERN_RUNS = const(1)
PATTERN_ONE_RANK = const(2)
PATTERN_ONE_SUIT = const(3)
PATTERN_REPEATED = const(4)
CAUSE_POWER = const(1)
CAUSE_WATCHDOG = const(2)
CAUSE_COMMAND = const(3)
CAUSE_ERROR = const(4)
TEST_IMAGE = const(1)
TEST_JOURNAL = const(2)
TEST_FLASH = const(4)
TEST_SENSORS = const(8)
TYPE_HELLO = const(1)
TYPE_EVENT = const(2)
TYPE_ALIVE = const(3)
TYPE_BUSY = const(4)
TYPE_WHO = const(128)
TYPE_WELCOME = const(129)
TYPE_ACK = const(130)
TYPE_SET_PROFILE = const(131)
TYPE_COMMAND = const(132)
TYPE_RESEND = const(133)

# Single values.
FLAG_AUTHENTICATED = const(1)
MAC_BYTES = const(8)

PROTOCOL_HASH = b"\x08\x47\x3e\x7a\x7c\x5a\xf0\x11"
SETS = const(4)
# Bytes that a command has behind its kind, from the first kind on.
COMMAND_SIZES = b"\x06\x02\x00\x00\x00\x00\x01\x02\x01\x02\x01\x03\x00\x0e\x00\x00\x00\x00\x02\x00"

# By case, from the first: where its codes begin in a profile, and the bits of its facts, the most significant first.
CODES_AT = b"\x00\x08\x0c\x10\x11\x13\x14\x15\x17\x18\x19\x1d\x21\x22\x24\x25\x27\x29\x2a\x2c\x2d"
FACT_BITS = (
    b"\x00\x01\x02\x01\x02\xff\x01\x02\xff\xff\xff\xff\x03\xff\xff\xff\xff\xff\xff\xff\xff\x04\xff\xff"
    b"\xff\xff\xff\xff\xff\xff\x05\x06\xff\x05\x06\xff\xff\xff\xff\x07\xff\xff\xff\xff\xff\x03\xff\xff"
    b"\x03\xff\xff\xff\xff\xff\x08\xff\xff\xff\xff\xff\xff\xff\xff"
)
CODES = const(46)

# Travel of the leading edge past the entry sensor, and lengths, in micrometres.
CODE_UM = const(12000)
EXIT_UM = const(50000)
CARD_UM = const(88000)
PITCH_UM = const(2000)
FIRST_UM = const(18500)  # to the middle of the first column
LAST_UM = const(36500)

# The code words of all sets in rising order, 16 bits each: base-3 numbers, A 0, B 1, both 2.
WORDS = (
    b"\xa6\x01\xde\x01\x4b\x02\xa8\x02\x32\x03\x58\x03\xf7\x04\x8c\x05\x69\x06\x7a\x06\xd9\x06\x29\x08"
    b"\x61\x09\x65\x09\x1c\x0a\x56\x0b\x7c\x0d\x51\x0e\x91\x10\x93\x11\x4f\x12\x72\x12\xe4\x12\x12\x13"
    b"\x2b\x14\x60\x16\x92\x16\xe8\x16\xad\x18\x26\x19\x14\x1a\x3a\x1a\x97\x1b\x5c\x1c\x6a\x1c\xa6\x1c"
    b"\x1d\x1d\xcd\x1d\x19\x1f\x4e\x20\xaa\x20\x54\x21\x44\x22\xc6\x23\x06\x24\xd6\x25\xe0\x25\x35\x26"
    b"\x5d\x27\x1e\x28\x19\x2a\xf9\x2a\x32\x2c\xf7\x2c\xf6\x2d\x56\x30\xca\x30\xfe\x31\x62\x35\xc9\x37"
    b"\x78\x38\x03\x39\x77\x39\xc1\x3a\x98\x3c\xdd\x3d\xa5\x3e\x28\x41\xa1\x41\x6d\x42\xab\x44\xf8\x44"
    b"\x1e\x46\xe7\x46\x4b\x47\x57\x49\x94\x4a\xbe\x4c\x43\x4d\x51\x4d\x99\x4e\xf5\x4e\x6c\x4f\xf4\x50"
    b"\x35\x51\x37\x51\xf6\x51\x88\x52\xc2\x52\x33\x54\x6b\x55\xb2\x55\x29\x57\xbe\x57\x26\x58\x90\x58"
    b"\xef\x58\x76\x5b\x9c\x5b\x1a\x5c\xba\x5e\xda\x5e\x24\x5f\xd7\x61\xee\x61\x26\x62\x08\x63\xbc\x63"
    b"\x46\x64\xad\x65\x4a\x66\x4d\x67\xb7\x67\xb5\x68\xff\x6a\x0f\x6b\x71\x6b\xaa\x6d\x59\x6e\x78\x6e"
    b"\x74\x6f\xc1\x6f\x66\x71\x7c\x72\xf6\x74\x3d\x76\xce\x76\x1e\x78\x25\x79\x44\x79\x8e\x79\x51\x7a"
    b"\xe0\x7a\xf2\x7c\x0a\x7d\x5f\x7d\xc6\x7d\x6a\x7e\x0d\x80\x91\x81\x11\x82\xf3\x82\xda\x83\xd9\x85"
    b"\x03\x87\x3d\x89\xc6\x89\xa0\x8a\xb9\x8b\xbc\x8e\x92\x90\x47\x92\xdc\x94\x76\x95\xaa\x95\x53\x96"
    b"\x71\x98\x77\x9d\x39\x9e\x25\x9f\x88\xa0\x04\xa1\xea\xa1\x8e\xa2\x05\xa3\x96\xa4\x19\xa6\x2e\xa6"
    b"\x8e\xa7\xd4\xa9\x40\xac\x5e\xad\x0f\xae\x00\xb1\x84\xb1\xb5\xb2\xc5\xb4\xed\xb4\x27\xb5\x4f\xb5"
    b"\xaf\xb6\xe7\xb7\x30\xb9\xc1\xb9\x5f\xbe\x90\xbe\x10\xbf\x8f\xbf\x51\xc2\xa4\xc2\x9c\xc3\x82\xc6"
    b"\x7f\xc8\x9e\xc8\x6f\xc9\xdd\xcb\xab\xcc\x2e\xcd\x6e\xcd\x89\xce\x22\xcf\xe0\xd0\x98\xd5\xe6\xd6"
    b"\x11\xdc\x71\xdd\xf1\xe4\x88\xe6"
)
# The set and the card of each word.
SET_OF = (
    b"\x03\x01\x03\x02\x02\x03\x04\x01\x02\x01\x01\x04\x03\x01\x04\x02\x01\x03\x02\x02\x02\x01\x02\x03"
    b"\x02\x03\x03\x03\x04\x04\x02\x04\x04\x01\x03\x01\x02\x01\x02\x04\x03\x01\x01\x01\x03\x02\x04\x01"
    b"\x04\x04\x01\x02\x04\x04\x04\x03\x01\x03\x01\x03\x01\x03\x01\x02\x03\x02\x02\x02\x03\x03\x02\x02"
    b"\x04\x04\x03\x01\x01\x04\x04\x01\x01\x02\x03\x03\x02\x01\x04\x04\x03\x02\x03\x01\x02\x04\x03\x01"
    b"\x04\x03\x02\x02\x03\x02\x01\x04\x04\x03\x01\x02\x02\x04\x01\x03\x01\x04\x01\x04\x04\x04\x02\x01"
    b"\x04\x03\x03\x02\x02\x02\x04\x01\x03\x02\x04\x04\x02\x01\x01\x01\x01\x03\x02\x04\x04\x01\x04\x03"
    b"\x03\x03\x01\x01\x02\x03\x04\x04\x04\x03\x02\x02\x04\x02\x04\x04\x04\x03\x01\x01\x03\x03\x02\x03"
    b"\x04\x02\x02\x04\x01\x02\x02\x03\x01\x01\x03\x01\x02\x01\x03\x02\x04\x01\x04\x03\x01\x03\x04\x02"
    b"\x02\x01\x02\x03\x03\x02\x03\x01\x04\x03\x04\x04\x01\x03\x02\x04"
)
CARD_OF = (
    b"\x00\x00\x01\x00\x01\x02\x00\x01\x02\x02\x03\x01\x03\x04\x02\x03\x05\x04\x04\x05\x06\x06\x07\x05"
    b"\x08\x06\x07\x08\x03\x04\x09\x05\x06\x07\x09\x08\x0a\x09\x0b\x07\x0a\x0a\x0b\x0c\x0b\x0c\x08\x0d"
    b"\x09\x0a\x0e\x0d\x0b\x0c\x0d\x0c\x0f\x0d\x10\x0e\x11\x0f\x12\x0e\x10\x0f\x10\x11\x11\x12\x12\x13"
    b"\x0e\x0f\x13\x13\x14\x10\x11\x15\x16\x14\x14\x15\x15\x17\x12\x13\x16\x16\x17\x18\x17\x14\x18\x19"
    b"\x15\x19\x18\x19\x1a\x1a\x1a\x16\x17\x1b\x1b\x1b\x1c\x18\x1c\x1c\x1d\x19\x1e\x1a\x1b\x1c\x1d\x1f"
    b"\x1d\x1d\x1e\x1e\x1f\x20\x1e\x20\x1f\x21\x1f\x20\x22\x21\x22\x23\x24\x20\x23\x21\x22\x25\x23\x21"
    b"\x22\x23\x26\x27\x24\x24\x24\x25\x26\x25\x25\x26\x27\x27\x28\x29\x2a\x26\x28\x29\x27\x28\x28\x29"
    b"\x2b\x29\x2a\x2c\x2a\x2b\x2c\x2a\x2b\x2c\x2b\x2d\x2d\x2e\x2c\x2e\x2d\x2f\x2e\x2d\x30\x2e\x2f\x2f"
    b"\x30\x31\x31\x2f\x30\x32\x31\x32\x30\x32\x31\x32\x33\x33\x33\x33"
)
