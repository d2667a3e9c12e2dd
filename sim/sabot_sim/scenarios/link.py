"""Line, gateway, broker and clock fail; the shoe's log is stored, each event once."""

from typing import Final

from sabot_sim.scenarios.catalogue import NINE_O_CLOCK_US, scenario
from sabot_sim.scenarios.example_coups import BANKER, FIVE, FOUR, PLAYER, SIX, STANDS
from sabot_sim.scenarios.script import Script

_BEFORE_MIDNIGHT_US: Final = NINE_O_CLOCK_US + 15 * 3_600_000_000 - 8_000_000
_UNIT_KEY: Final = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"


def _under(s: Script, fault: str, *coups: str) -> None:
    """Deal coups over a line with this fault, then repair it."""
    s.act("line", fault=fault, seed=1)
    s.coups(*coups)
    s.act("line", fault="mend")


@scenario(
    "link/repeated-split-glued",
    "Frames arrive twice, in pieces, late and glued together: each event is stored once.",
    "frame_repeated",
    "frame_split",
    "frame_glued",
)
def repeated(s: Script) -> None:
    s.open()
    _under(s, "repeat", FIVE)
    _under(s, "split", SIX)
    _under(s, "delay", FOUR)
    s.coups(BANKER)


@scenario(
    "link/corrupt",
    "Bytes change, bytes get lost, and noise comes between frames: damaged frames are sent again.",
    "frame_corrupt",
)
def corrupt(s: Script) -> None:
    s.open()
    _under(s, "corrupt", FIVE)
    _under(s, "lose", SIX)
    _under(s, "noise", FOUR)
    s.coups(PLAYER)


@scenario(
    "link/endless",
    "A frame does not end: it is dropped at the size limit, and the next one is read.",
    "frame_endless",
)
def endless(s: Script) -> None:
    """4,000 bytes without a delimiter, in both directions."""
    s.open()
    _under(s, "endless", STANDS)
    s.coups(FOUR)


@scenario(
    "link/reordered",
    "Frames overtake each other, so that a result arrives before its cards: events are taken in order.",
    "result_first",
)
def reordered(s: Script) -> None:
    s.open()
    _under(s, "reorder", SIX, FIVE, FOUR)
    s.coups(BANKER)


@scenario(
    "link/forged",
    "Frames are put on the line: another card under the last number, and a result ahead of its cards.",
    "same_index",
    "result_first",
)
def forged(s: Script) -> None:
    """The first counts as a repetition, the second as a gap; neither is stored."""
    place = {"shoe_no": 1, "coup_no": 1}
    s.open()
    s.pull("9S 2H KD")
    card = {"slot": "player_2", "card": "AD", "speed_mm_s": 1000, "margin_pct": 80, "flags": {}}
    s.act("inject", kind="card", data={**place, **card}, ahead=0)
    result = {"winner": "banker", "player_points": 1, "banker_points": 9, "flags": {}, "kind": "live"}
    s.act("inject", kind="coup", data={**place, **result}, ahead=3)
    s.coup("5C", after="9S 2H KD")
    s.confirm()


@scenario(
    "link/cut",
    "The line is cut in mid-coup and repaired two coups later: the shoe continues, and its log arrives then.",
)
def cut(s: Script) -> None:
    s.open()
    s.pull("2S KH")
    s.act("line", fault="cut")
    s.coup("2D 3C 5S 4H", after="2S KH")
    s.confirm()
    s.coups(FOUR)
    s.act("line", fault="mend")
    s.coups(BANKER)


@scenario(
    "link/silent",
    "The shoe is connected but silent for one coup; then everything arrives.",
    "connected_silent",
)
def silent(s: Script) -> None:
    s.open()
    _under(s, "mute", FIVE)
    s.coups(PLAYER)


@scenario(
    "link/wrong-baud",
    "The line runs at the wrong baud rate for one coup: all of it is noise, and nothing is stored.",
    "wrong_baud",
)
def wrong_baud(s: Script) -> None:
    s.open()
    _under(s, "baud", FOUR)
    s.coups(FIVE)


@scenario(
    "link/gateway-joins-in-mid-coup",
    "The gateway is killed, cards are dealt, and it starts again in mid-coup.",
    "joins_mid_coup",
)
def joins(s: Script) -> None:
    """It catches up from the shoe's log and verifies the coup as whole."""
    s.open()
    s.coups(FIVE)
    s.act("gateway", state="kill")
    s.pull("9S 2H KD")
    s.act("gateway", state="start")
    s.coup("5C", after="9S 2H KD")
    s.confirm()
    s.coups(SIX)


@scenario(
    "link/two-gateways",
    "A second gateway speaks on the same line: the shoe serves one, and each event is stored once.",
    "two_gateways",
)
def two_gateways(s: Script) -> None:
    s.open()
    s.coups(FOUR)
    s.act("second_gateway")
    s.coups(FIVE)


@scenario(
    "link/broker-away",
    "The broker is away for three hours: it receives every message afterwards, once, with unchanged ids.",
    "broker_away",
)
def broker_away(s: Script) -> None:
    s.open()
    s.coups(FIVE)
    s.act("broker", state="stop")
    s.coups(FOUR)
    s.wait(3 * 3600)
    s.coups(BANKER)
    s.act("broker", state="start")
    s.coups(PLAYER)


@scenario(
    "link/ledger-not-writable",
    "The disk is full for one coup: nothing is acknowledged or published until the ledger can be written.",
    "log_not_writable",
)
def disk_full(s: Script) -> None:
    s.open()
    s.coups(FIVE)
    s.act("disk", state="full")
    s.coups(FOUR)
    s.act("disk", state="fine")
    s.alarms("ledger_not_writable")
    s.coups(BANKER)


@scenario(
    "link/clock-jumps",
    "The clock of the table PC jumps back one hour, then ahead two: events are ordered by number, not by time.",
    "clock_jumps",
)
def clock_jumps(s: Script) -> None:
    """One alarm, and no other effect."""
    s.open()
    s.coups(FIVE)
    s.act("clock", jump_s=-3600)
    s.coups(FOUR)
    s.alarms("gateway_clock")
    s.act("clock", jump_s=7200)
    s.coups(BANKER)


@scenario(
    "link/midnight",
    "A coup is dealt over midnight.",
    "clock_jumps",
    started_unix_us=_BEFORE_MIDNIGHT_US,
)
def midnight(s: Script) -> None:
    s.open()
    s.coups(FIVE)
    s.coups(SIX)


@scenario(
    "link/with-a-key",
    "A shoe with a unit key: every frame has a MAC and a rising number; the line repeats and damages frames.",
    "frame_repeated",
    "frame_corrupt",
    key=_UNIT_KEY,
)
def with_a_key(s: Script) -> None:
    """What does not fit is counted and changes nothing."""
    s.open()
    s.coups(FIVE)
    _under(s, "repeat", FOUR)
    _under(s, "corrupt", BANKER)
    s.power_cycle()
    s.alarms("shoe_restarted")
    s.coups(PLAYER)
