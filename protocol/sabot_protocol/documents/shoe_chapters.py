"""The chapters of PROTOCOL.md for authors of a shoe: what it logs and when, its numbers, profile and key."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sabot_protocol import auth, fields, irregularities, messages, rulebooks

WINDOW: Final = 24  # events sent beyond the last ACK, as in the firmware
MOST_AHEAD: Final = 2**24  # events that a HELLO without a MAC may be ahead of the ledger, as in the gateway
BOOK: Final = rulebooks.in_order()[0]  # of the example profile
_LEFT_OUT = ("no", "time_ms", "event", "unit")  # fields of the example log that have columns or are not shown

_ERASED = "refuses the shoe, with the alarm `log_lost`: the journal was erased, or two shoes have the same id"
_RULES = (
    ("field", "rule", "otherwise the gateway"),
    ("---", "---", "---"),
    (
        "`unit`",
        "one shoe, one id, one port at a time; not all zeros, not all ones, not the id of a gateway",
        "refuses the shoe: `problem` in the table's `status`. The shoe that was there first continues",
    ),
    ("`next_event_no`", "1 or more, and above everything in the ledger", _ERASED),
    ("`oldest_event_no`", "at most `next_event_no`; equal to it if no event is held", "refuses the shoe"),
    (
        "`oldest_event_no`",
        "at most one above the last event in the ledger",
        "serves the shoe from that event, with the alarm `log_lost`: the events between are in no ledger",
    ),
    (
        "both",
        f"without a key, at most {MOST_AHEAD:,} above the last event in the ledger: two years of play",
        "refuses the shoe and stores nothing",
    ),
    (
        "`boot_count`",
        "starts of this unit, modulo 2**16; the same as in its last event `boot`",
        "compares the log, see below",
    ),
    (
        "`last_command_id`",
        "the highest in its log as `command_done` or `command_refused`, 0 for none",
        "compares the log, see below",
    ),
    ("`profile_hash`", "of the profile in use, zeros for none", "sends `set_profile`"),
    ("the other counters, `cause`, `fault`", "for information", "uses none of them; `sabot inspect` shows them"),
)
_CASES = (
    ("the gateway receives", "what it does", "the log behind it"),
    ("---", "---", "---"),
    (
        "a frame with a wrong CRC or COBS code",
        "drops and counts it",
        "waits: RESEND, or the shoe's own repetition, brings the frame again",
    ),
    (
        "an `event` above the next one",
        "drops it and requests the next one by RESEND, four times a second at most",
        "waits",
    ),
    (
        "a frame with a wrong or missing MAC, or a repeated one",
        "drops and counts it; above a hundred a minute the alarm `forged_frames`",
        "waits, as if the frame had been lost",
    ),
    (
        "an `event` with a readable number and an unreadable body: an unknown kind, a value out of bounds, too long or "
        "too short",
        "stores its bytes under its number, raises `unreadable_event`, acknowledges it; the coup it belongs to is "
        "disputed. Without a key it must arrive twice alike, because a damaged frame may have a right CRC",
        "continues",
    ),
    (
        "an `event` without a number, a frame of an unknown type, bytes too long for a frame",
        "drops and counts it; above five a minute the alarm `unreadable_frames`",
        "waits for ever: after half a minute the alarm `log_stalled`",
    ),
)

NUMBERS = """
## Numbers in HELLO

The events of a unit are numbered from 1, each one above the last, below 2**30. A number is used once in the life of a
unit, whatever happens to the event.

{rules}
**Comparing the log.** The numbers of an erased journal will pass those of the ledger one day. So if `boot_count` or
`last_command_id` is below what the ledger has for this unit, or the ledger has no command and `oldest_event_no` is 1,
WELCOME carries `oldest_event_no` less one: the shoe sends everything it holds from there, acknowledged before or not.
The gateway compares each event with its ledger, `time_ms` included, and acknowledges those that are equal. It stores
nothing new before it has seen the last event that it holds. The first difference ends the session: the shoe is refused,
with the alarm `log_lost`, and nothing more is acknowledged. A record damaged since (`damaged`) is skipped.
"""

REFUSED = """
## Refused frames

{cases}
The shoe ignores a frame that it refuses, and counts it in `refused` of HELLO. An unknown command is counted there too,
and logged as `command_refused` with outcome unknown: with its number if this page has it, else with 0. A command whose
data are too long or too short is `command_refused` with outcome bad_value.
"""

ORDER = """
## The order of the log

The gateway verifies the log against the rules of the game. So the order counts as much as the content.

1. **Start**: `boot`, the first event of every start, at `time_ms` 0; then `self_test`.
2. **Profile**: `profile_set`, once `set_profile` was received and no shoe is open. No shoe opens before.
3. **New shoe**: `button` new_shoe, or `command_done` open_shoe; then `shoe_opened` with the next `shoe_no`. A shoe that
   is still open is closed first: `shoe_closed`, reason replaced.
4. **Burn**: one `card` in slot burn and of coup 0 for each card, then `burn`. With mode none there is neither. Modes
   one and shown burn one card. Mode face_up burns the first card and as many more as it counts: an ace 1, two to nine
   as they are, a ten or a court card 10. So it burns two to eleven cards.
5. **Coup**: `card` player_1, banker_1, player_2, banker_2; then player_3 and banker_3 if Table 1 and Table 2 require
   them (`protocol/vectors/draw.json` has both). `coup` follows the last card at once, with the same `time_ms`. Then
   `button` confirm, or `command_done` confirm. The dealer may enter the result before: `button` player, banker or tie.
   `coup_no` is 1 for the first coup of a shoe and rises by one; a coup that is not live is announced by `coup_kind`
   before its first card.
6. **End**: `cutting_card` when it is drawn, see below; after the last coup is confirmed, `shoe_closed`. The shoe then
   logs `sensor` for each of its four sensors, and `health`.
7. **Commands and irregularities** are logged when they happen: `command_done` or `command_refused` before the effect of
   the command, `reject` before the `irregularity`, that before the `fault` or `coup_void` that follows from it.
8. `composition` twice and `checkpoint` come between two coups, or between two shoes. They are for a shoe with a small
   journal; the gateway does not need them.

**set_time.** The gateway sends it each time it begins to serve a shoe. It ends as `command_done`, which repeats it, and
then `time_set` with the same two numbers: `time_ms` in the header of `time_set` is the moment when the shoe received
it. A shoe that cannot do a command, or does not know it (outcome unknown), logs `command_refused`. If it logs nothing,
the gateway repeats the command for ever and sends no other.

**The clock.** `time_ms` counts milliseconds since the start of the shoe, modulo 2**30: it wraps after 12 days, 10
hours, 15 minutes. The gateway takes each step forward modulo 2**30; a step of 2**29 or more is a clock that went
backwards, which only `boot` may do. That raises an alarm and has no other effect: the order of events is that of their
numbers.

**The cutting card** belongs to the coup whose card would have been drawn: before the end of the burn and after a
complete coup, confirmed or not, that is the next coup. `before_first_card` is 1 unless a card of that coup is drawn; in
a coup that begins with a surplus card it is 0. Only the first cutting card of a shoe counts.

| it is drawn | switch `cut_first_card_is_last_coup` | the last coup is |
|---|---|---|
| before the first card of coup n | on | n |
| before the first card of coup n | off | n + 1 |
| after the first card of coup n | on or off | n + 1 |

The last coup, and each coup after it, has the flag `last_coup`. When it is confirmed the shoe closes, reason last_coup.
With the switch `post_cut_dummy_coups` a coup without wagers may follow instead: command `no_bet`, with the kind that
the profile has in `unwagered`, before the last coup is confirmed; if the switch `dummy_needs_authorisation` is on,
after `authorise` or with the supervisor's key turned. `coup_kind` announces it. Each further one needs the same again.
With `post_cut_dummy_coups` off nothing follows. A `continuous` shoe has no cutting card and ends by `close_shoe` or New
shoe.

**Coups without wagers.** `coup_kind` announces one before its first card, or after the card or command that made it
one. If the switch `dummy_needs_authorisation` is on, the coup waits for `authorise` or the supervisor's key, unless it
follows from a case in `ordered`: then the rulebook itself orders it. A card of it that is drawn without authorisation
takes its place and is logged as `irregularity` unauthorised_coup, once per coup. Command `no_bet` concerns the next
coup; `this_no_bet` the coup in progress, from its first card, or the card burnt before it, until it is complete.
`this_no_bet` needs the switch of the same name, and no authorisation.

**Hand-over.** A coup in progress moves to another shoe with all its cards. The first shoe logs `command_done`
export_coup, `handed_over` with import 0 and `shoe_closed`, reason handed_over, with the number of coups before this
one. The other shoe is opened by New shoe or `open_shoe`, with no coup dealt; `command_done` import_coup is followed by
`handed_over` with import 1 and the values of the command. Then the coup continues with the slot that is due, with its
number. A burn that is still due is skipped. The coup has one result, at the second shoe; it is not void, and its wagers
stand.

**A complete log**, as the firmware writes it (`hil_tests/recordings/cutting/dummy-coups-after-the-last`; a test
compares them): a start, a shoe with one burnt card, two coups, the cutting card in the first of them, so that the
second is the last, and two dummy coups after it. Left out: flags that are not set, and values that differ between runs
(hash of the program, heap, loop times).

| no | `time_ms` | event | |
|---|---|---|---|
"""

PROFILE = """
## The profile

`set_profile` holds its {size} bytes, from byte {at}, in the order of the table of that frame. `profile_hash` is the
first {hash} bytes of SHA-256 over exactly these {size} bytes. The shoe stores both, sends the hash in HELLO and
`profile_set`, and need not compute it. `rulebook_hash` identifies the rules of play and is used for nothing else.

The profile of {book} with 8 decks and card set 1 is `{example}`, its hash `{digest}`.

**codes.** The consequence of each irregularity, one Consequence per byte. The cases are in the order of their numbers.
A case that n facts decide has 2**n bytes: the facts, read as bits in the order given here, the first the most
significant, are the index among them. So `player_overdraw` with `exposed` alone is byte 0 + 0b010 = 2 of `codes`, and
byte {codes_at} + 2 of the frame. In event and command `irregularity` the same facts are bits of Facts.

| bytes of `codes` | case | facts |
|---|---|---|
"""

KEY = """
## The key

`key.bin` in the shoe is the key and nothing else: {key} bytes, neither hex nor a newline. Without the file the shoe has
no key; a file of another length is an error, not a shoe without a key. The gateway has the same {key} bytes as {digits}
hex digits and a newline in `UNIT.key`, where UNIT is the unit id as 16 hex digits, mode 0600. `sabot keys new UNIT
--dir keys --shoe key.bin` makes both. If the config of a gateway has `keys`, it serves no shoe without a key.
"""


def chapters(life: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield all chapters; `life` are the events of the example log, from the sidecar of a recording."""
    yield NUMBERS.format(rules=_table(_RULES))
    yield REFUSED.format(cases=_table(_CASES))
    yield ORDER
    yield from (f"| {event['no']} | {event['time_ms']} | `{event['event']}` | {_shown(event)} |\n" for event in life)
    yield _profile()
    yield from _codes()
    yield KEY.format(key=auth.KEY_BYTES, digits=2 * auth.KEY_BYTES)


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _shown(event: Mapping[str, Any]) -> str:
    """Return the fields of an event, without those of its frame."""
    return ", ".join(f"{name} {_value(value)}" for name, value in event.items() if name not in _LEFT_OUT)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{name} {part}" for name, part in value.items())
    return " and ".join(value) if isinstance(value, list) else str(value)


def _profile() -> str:
    profile = rulebooks.load(BOOK).profile(8, 1)
    built, at = messages.Profile.build(profile), 16
    return PROFILE.format(
        size=len(built),
        at=at,
        hash=fields.HASH_BYTES,
        book=BOOK,
        example=built.hex(" "),
        digest=messages.profile_hash(profile).hex(),
        codes_at=at + len(built) - messages.CODES_BYTES,
    )


def _codes() -> Iterator[str]:
    """Yield a row for each case: the index of its bytes, and the facts that choose among them."""
    for case, first in irregularities.code_offsets().items():
        facts = irregularities.CASES[case]
        size = 2 ** len(facts)
        place = f"{first} to {first + size - 1}" if size > 1 else str(first)
        yield f"| {place} | `{case}` | {', '.join(f'`{fact}`' for fact in facts)} |\n"
