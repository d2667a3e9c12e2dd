"""The chapters of PROTOCOL.md for somebody who writes a shoe: what it logs and when, its numbers, profile and key."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sabot_protocol import auth, fields, irregularities, messages, rulebooks

WINDOW: Final = 24  # events that may be under way, as the firmware has it
MOST_AHEAD: Final = 2**24  # events that an unauthenticated HELLO may be ahead of the ledger, as the gateway has it
BOOK: Final = "star-baccarat"  # of the profile that is shown
_LEFT_OUT = ("no", "time_ms", "event", "unit")  # of an event of the worked log, which have columns or are not shown

_ERASED = "refuses it, with the alarm `log_lost`: the journal was erased, or the id is used twice"
_RULES = (
    ("field", "rule", "else the gateway"),
    ("---", "---", "---"),
    (
        "`unit`",
        "one shoe, one id, one port at a time; not all zeros, not all ones, not the id of a gateway",
        "refuses it: `problem` in the table's `status`. The shoe that was there first goes on",
    ),
    ("`next_event_no`", "1 or more, and above everything in the ledger", _ERASED),
    ("`oldest_event_no`", "at most `next_event_no`; equal to it where nothing is held", "refuses it"),
    (
        "`oldest_event_no`",
        "at most one above the last event in the ledger",
        "serves it from there on, with the alarm `log_lost`: what lies between is in no ledger",
    ),
    (
        "both",
        f"without a key, at most {MOST_AHEAD:,} above the last event in the ledger: two years of play",
        "refuses it, and stores nothing of it",
    ),
    (
        "`boot_count`",
        "starts of this unit, modulo 2**16; the same as in its last event `boot`",
        "compares the log, see below",
    ),
    (
        "`last_command_id`",
        "the highest that stands in its log as `command_done` or `command_refused`, 0 for none",
        "compares the log, see below",
    ),
    ("`profile_hash`", "of the profile it works by, zeros for none", "sends `set_profile`"),
    ("the other counters, `cause`, `fault`", "as they are", "uses none of them; `sabot inspect` shows them"),
)
_CASES = (
    ("the gateway gets", "it", "and the log behind it"),
    ("---", "---", "---"),
    (
        "a frame with a wrong CRC or COBS code",
        "drops and counts it",
        "waits: RESEND, or the shoe's own repetition, brings it again",
    ),
    (
        "an `event` above the next one",
        "drops it, asks by RESEND for the next one, four times a second at most",
        "waits",
    ),
    (
        "a frame without a right MAC, or one that came before",
        "drops and counts it; above a hundred a minute the alarm `forged_frames`",
        "waits, as if it had been lost",
    ),
    (
        "an `event` whose number can be read and whose body cannot: an unknown kind, a value out of its bounds, too "
        "long or too short",
        "stores its bytes under its number, raises `unreadable_event`, acknowledges it; the coup in which it lies is "
        "disputed. Without a key it must come twice alike, for a damaged frame may have a right CRC",
        "goes on",
    ),
    (
        "an `event` without a number, a frame of an unknown type, one that is too long for a frame",
        "drops and counts it; above five a minute the alarm `unreadable_frames`",
        "waits for ever: after half a minute the alarm `log_stalled`",
    ),
)

NUMBERS = """
## Numbers in HELLO

Events of a unit are numbered from 1, each by one above the last, below 2**30. A number is used once in the life of a
unit, whatever happens to the event.

{rules}
**Comparing.** The numbers of a journal that was erased pass those of the ledger one day. So where `boot_count` or
`last_command_id` is below what the ledger has of this unit, or the ledger knows of no command and `oldest_event_no` is
1, WELCOME says `oldest_event_no` less one: the shoe sends from there on what it holds, acknowledged before or not. The
gateway compares each event with its ledger, `time_ms` included, and acknowledges those that are the same. It takes
nothing new before it has seen the last one that it holds. The first that differs ends the session: the shoe is refused,
with the alarm `log_lost`, and nothing more is acknowledged. A record that was damaged since (`damaged`) is passed over.
"""

REFUSED = """
## What becomes of a frame that is refused

{cases}
The shoe does nothing on a frame that it refuses, and counts it in `refused` of HELLO. A command that it does not know
it also counts there, and logs `command_refused` with outcome unknown: with its number where this page has one, else
with 0. One whose data are too long or too short is `command_refused` with outcome bad_value.
"""

ORDER = """
## What a shoe logs, and in which order

The gateway reads the log a second time by the rules and compares. So the order counts as much as the content.

1. **A start**: `boot`, the first event of every start, at `time_ms` 0; then `self_test`.
2. **The house**: `profile_set` once `set_profile` has come and no shoe is open. No shoe opens before.
3. **A new shoe**: `button` new_shoe, or `command_done` open_shoe; then `shoe_opened` with the next `shoe_no`. A shoe
   that is still open is closed first: `shoe_closed`, reason replaced.
4. **The burn**: one `card` in slot burn and of coup 0 for each card, then `burn`. With mode none there is neither.
   Modes one and shown burn one card. Mode face_up burns the first card and as many more as it counts: an ace 1, two to
   nine as they are, a ten or a court card 10. So it burns two to eleven.
5. **A coup**: `card` player_1, banker_1, player_2, banker_2; then player_3 and banker_3 where Table 1 and Table 2 want
   them (`protocol/vectors/draw.json` has both). `coup` follows the last card at once, with the same `time_ms`. Then
   `button` confirm, or `command_done` confirm. The dealer may press his result before: `button` player, banker or tie.
   `coup_no` is 1 for the first coup of a shoe and rises by one; a coup that is not live is announced by `coup_kind`
   before its first card.
6. **The end**: `cutting_card` where it comes out, see below; after the last coup is confirmed `shoe_closed`. The shoe
   then logs `sensor`, one for each of four, and `health`.
7. **People and trouble** stand where they happen: `command_done` or `command_refused` before what the command does,
   `reject` before the `irregularity`, that before the `fault` or the `coup_void` that follows from it.
8. `composition` twice and `checkpoint` stand between two coups, or between two shoes. They are for a shoe whose journal
   is small; the gateway needs none.

**set_time.** The gateway sends it each time it begins to serve a shoe. It ends as `command_done`, which repeats it, and
then `time_set` with the same two numbers: the header's `time_ms` of `time_set` is the moment at which the shoe took it.
A shoe that cannot do a command, or does not know it (outcome unknown), logs `command_refused`. One that logs nothing
gets it again and again, and no other command before.

**The clock.** `time_ms` counts milliseconds since the start of the shoe, modulo 2**30: it comes round after 12 days, 10
hours, 15 minutes. The gateway takes each step forward modulo 2**30; a step of 2**29 or more is a clock that went back,
which only `boot` may do. It is an alarm, and orders nothing: numbers do.

**The cutting card** belongs to the coup whose card would have come: before the burn is over and behind a complete coup,
confirmed or not, to the next one. `before_first_card` is 1 unless a card of that coup is out: of one that begins with a
surplus card it is 0. Only the first of a shoe counts.

| it comes | switch `cut_first_card_is_last_coup` | the last coup is |
|---|---|---|
| before the first card of coup n | on | n |
| before the first card of coup n | off | n + 1 |
| behind the first card of coup n | on or off | n + 1 |

The last coup, and each one after it, has the flag `last_coup`. When it is confirmed the shoe closes, reason last_coup.
With the switch `post_cut_dummy_coups` a coup without wagers may follow instead: command `no_bet`, with the kind that
the profile calls `unwagered`, before the last coup is confirmed; where the switch `dummy_needs_authorisation` is on,
after `authorise` or with the supervisor's key turned. `coup_kind` announces it. Each further one needs the same again.
With `post_cut_dummy_coups` off nothing follows. A `continuous` shoe has no cutting card and ends by `close_shoe` or New
shoe.

**Coups without wagers.** `coup_kind` announces one before its first card, or behind the card or the command that made
it one. Where the switch `dummy_needs_authorisation` is on, it waits for `authorise` or the supervisor's key, unless it
follows from a case that `ordered` names: that one the book itself orders. A card of it that comes out without the word
takes its place and is `irregularity` unauthorised_coup, once a coup. Command `no_bet` is about the next coup,
`this_no_bet` about the one in progress, from its first card or the card burnt before it until it is complete; it wants
the switch `this_no_bet` and no further word.

**Hand-over.** A coup in progress moves to another shoe with all its cards. The first shoe logs `command_done`
export_coup, `handed_over` with import 0 and `shoe_closed`, reason handed_over, with the number of coups before this
one. The other is opened by New shoe or `open_shoe` and dealt no coup from; `command_done` import_coup is followed by
`handed_over` with import 1 and what the command said. Then the coup goes on with the slot that is due, under its
number. A burn that is still due is not made. The coup has one result, at the second shoe; it is not void, and its
wagers stand.

**A whole life**, as the firmware logs it (`hil_tests/recordings/cutting/dummy-coups-after-the-last`, held by a test): a
start, a shoe with one burnt card, two coups, the cutting card in the first of them, so that the second is the last,
and two dummy coups behind it. Flags that are not set are left out, and so is what differs from run to run: the hash of
the program, heap, times of the loop.

| no | `time_ms` | event | |
|---|---|---|---|
"""

PROFILE = """
## The profile

`set_profile` holds {size} bytes of it, from byte {at} on, as the table of that frame has them. `profile_hash` is the
first {hash} bytes of SHA-256 over exactly these {size} bytes. The shoe keeps both, says the hash in HELLO and
`profile_set`, and need not compute it. `rulebook_hash` names the book and goes into nothing else.

The profile of {book} with 8 decks and card set 1 is `{example}`, its hash `{digest}`.

**codes.** What follows from an irregularity, a Consequence a byte. The cases stand in the order of their numbers. A
case that n facts decide has 2**n bytes: the facts, read as bits in the order given here, the first the most
significant, are the place among them. So `player_overdraw` with `exposed` alone is byte 0 + 0b010 = 2 of `codes`, and
byte {codes_at} + 2 of the frame. In event and command `irregularity` the same facts are bits of Facts.

| bytes of `codes` | case | facts |
|---|---|---|
"""

KEY = """
## The key

`key.bin` in the shoe is the key and nothing else: {key} bytes, neither hex nor a newline. Without the file the shoe has
no key; a file of another length is an error, not a shoe without a key. The gateway has the same {key} bytes as {digits}
hex digits and a newline in `UNIT.key`, the unit's 16 hex digits in its name, mode 0600. `sabot keys new UNIT --dir keys
--shoe key.bin` makes both. Where the config of a gateway gives `keys`, it serves no shoe without one.
"""


def chapters(life: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """All of them; `life` are the events of the worked log, as a recording's sidecar has them."""
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
    """The fields of an event, without those of its frame."""
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
    """A line a case: where its bytes stand, and which facts choose among them."""
    for case, first in irregularities.code_offsets().items():
        facts = irregularities.CASES[case]
        size = 2 ** len(facts)
        place = f"{first} to {first + size - 1}" if size > 1 else str(first)
        yield f"| {place} | `{case}` | {', '.join(f'`{fact}`' for fact in facts)} |\n"
