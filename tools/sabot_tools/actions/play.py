"""sabot play: drive the firmware's shoe card by card, one JSON line per step."""

from typing import Annotated, Any

import msgspec
import typer
from sabot_protocol import cardcode, rulebooks
from sabot_protocol.fields import CoupKind, Fault, Outcome, Slot
from sabot_protocol.messages import CommandKind, Profile, profile_hash
from sabot_protocol.rulebooks import Rulebook, RulebookError
from sabot_sim.rigs.play import BENCHES, PlayBench, StepAnswer
from sabot_sim.rigs.rig import BenchError

from sabot_tools.options.rulebook import RulebookOption, parse_pairs
from sabot_tools.text.errors import failure, not_installed
from sabot_tools.text.json_lines import answer_lines
from sabot_tools.text.shoe_log import ShoeLog, kind_of
from sabot_tools.text.steps import POWER_CYCLE, Step, step_of

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Steps, one per line:
  {"command": "open_shoe", "decks": 8, "burn": "none"}      any command of the protocol; arguments left
                                                            out are as in the rulebook
  {"command": "irregularity", "case": "bad_order", "facts": {"reconstructible": true}}
  {"command": "import_coup", "coup": 12, "player": ["9S", "KD"], "banker": ["2H"], "cards_out": 70, "coups_left": 2}
  {"card": "8H"}   with "face_up": true, "exposed": true or false      {"cut": true}
  {"unreadable": true}   or a reason: blank, doubtful, foreign, lid_open ...
  {"button": "confirm"}   or player, banker, tie, new_shoe
  {"key": true}   {"lid": "open"}   {"power": "cycle"}   {"state": true}

\b
Example: echo '{"command": "open_shoe"}' | sabot play --rulebook crown-baccarat --set decks=6 --bench cpython
Example: printf '%s\\n' '{"command": "open_shoe", "burn": "none"}' '{"card": "9S"}' '{"card": "2H"}' '{"card": "KD"}' \
  '{"card": "5C"}' '{"card": "3S", "exposed": true}' '{"button": "confirm"}' | sabot play --rulebook star-baccarat
"""
_LOCK, _UNLOCK = (("command", CommandKind.encmapping[name], "") for name in ("lock", "unlock"))
_OPEN_SHOE = "command", CommandKind.encmapping["open_shoe"]
STATES = ("closed", "burning", "dealing", "complete", "checking")
IN_COUP = ("dealing", "complete")

BenchOption = Annotated[
    str,
    typer.Option(
        "--bench",
        help="unix: the firmware on the MicroPython VM; cpython: in this interpreter; rp2040: on the emulated chip.",
    ),
]
TableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Option of the table: dealing=face_up, shuffler=continuous, decks=6, card_set=2; may be repeated.",
    ),
]


class Play:
    """One shoe of a table and its log so far."""

    def __init__(self, bench: PlayBench, rulebook: str, profile: dict[str, Any]) -> None:
        self._bench, self._rulebook, self._profile = bench, rulebook, profile
        self._log = ShoeLog(rulebook)
        self._last: StepAnswer = bench.step("state")
        self._in_doubt = False  # the shoe has locked its exit by itself, for its cards

    def encoded_reply(self, line: dict[str, Any]) -> bytes:
        """Return the reply to one line as JSON without its first brace, for answer_lines."""
        return msgspec.json.encode(self.reply(line))[1:]

    def reply(self, line: dict[str, Any]) -> dict[str, Any]:
        """Do one step; return the events that the shoe logged for it, and the shoe's state."""
        step = step_of(line, self._profile, self._defaults())
        records = self._settle() if self._in_doubt and step[:2] == _OPEN_SHOE else []
        answer = self._last = self._do(step)
        events = [self._log.event(*record) for record in (*records, *answer.records)]
        self._in_doubt |= any(_locked_itself(event) for event in events) and step not in (_LOCK, POWER_CYCLE)
        return {"events": events, **_state(answer), **_outcome(answer.outcome)}

    def _settle(self) -> list[tuple[int, int, str]]:
        """Unlock, as the gateway does once other cards are recorded: `open_shoe` is for those."""
        self._in_doubt = False
        return self._bench.step(*_UNLOCK).records

    def _do(self, step: Step) -> StepAnswer:
        if step == POWER_CYCLE:
            self._bench.power_cycle()
            return self._bench.step("state")
        answer = self._bench.step(*step)
        if step[:2] == ("command", CommandKind.encmapping["reboot"]):
            self._bench.power_cycle()
        return answer

    def _defaults(self) -> dict[str, Any]:
        """Return the arguments of commands that may be left out, because the shoe's state has them."""
        return {
            "rulebook": self._rulebook,
            "fault": _fault(self._last),
            "notified_before_next": True,  # a shoe that is closed takes no report
            "last_coup": self._last.last_coup,
            "first_coup_complete": self._log.first_coup_complete,
            "international": self._profile["switches"]["international"],
        }


def _locked_itself(event: dict[str, Any]) -> bool:
    return event["type"] == "lock" and bool(event["on"])


def _state(answer: StepAnswer) -> dict[str, Any]:
    """Return the shoe's state for a reply."""
    state, fault = STATES[answer.state], _fault(answer)
    kind = kind_of(CoupKind.decmapping[answer.kind]) if state in IN_COUP else {"kind": None, "named": None}
    return {
        "locked": answer.locked,
        "due": None if answer.due is None else Slot.decmapping[answer.due],
        "state": "fault" if fault else state,
        "last_coup": answer.last_coup,
        **kind,
        "fault": fault,
    }


def _fault(answer: StepAnswer) -> str | None:
    return Fault.decmapping[answer.fault] if answer.fault else None


def _outcome(number: int | None) -> dict[str, str]:
    """Return the outcome of a command or button, with the reason if it was refused."""
    if number is None:
        return {}
    outcome = Outcome.decmapping[number]
    return {"outcome": outcome} if outcome == "done" else {"outcome": outcome, "why": Outcome.meanings[outcome]}


def profile_of(book: Rulebook, pairs: dict[str, str]) -> dict[str, Any]:
    """Return the profile that the gateway of this table sends to the shoe."""
    axes = [*book.shoe.choice, "decks", "card_set"]
    for axis in pairs:
        if axis not in axes:
            raise RulebookError(f"unknown option {axis!r}: {book.id} has {', '.join(axes)}")
    decks = _number("decks", pairs["decks"], 8) if "decks" in pairs else None
    card_set = _number("card_set", pairs.get("card_set", "1"), cardcode.SETS)
    return book.profile(decks, card_set, {axis: value for axis, value in pairs.items() if axis in book.shoe.choice})


def _number(axis: str, text: str, most: int) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise RulebookError(f"{axis}={text}: expected a number from 1 to {most}")
    return int(text)


def bench_of(name: str, profile: dict[str, Any]) -> PlayBench:
    """Return a shoe with this profile on this bench; BadParameter if there is no such bench."""
    profile_bytes = profile_hash(profile) + Profile.build(profile)
    if name == "rp2040":
        return _on_chip(profile_bytes)
    if name not in BENCHES:
        known = ", ".join([*BENCHES, "rp2040"])
        raise typer.BadParameter(f"unknown bench {name!r}: choose one of {known}", param_hint="--bench")
    return BENCHES[name](profile_bytes)


def _on_chip(profile: bytes) -> PlayBench:
    try:
        from sabot_sim.chip.play import ChipPlay
    except ImportError as error:
        raise BenchError(f"the emulated chip: {not_installed(error.name, 'dev')}, or choose --bench unix") from error
    return ChipPlay(profile, lambda text: typer.echo(f"sabot play: {text}", err=True))


@app.command(epilog=EPILOG)
def play(rulebook: RulebookOption, set_: TableOption = None, bench: BenchOption = "unix") -> None:
    """Play a shoe card by card: read steps as JSON lines, answer with the logged events and the shoe's state."""
    try:
        profile = profile_of(rulebooks.load(rulebook), parse_pairs(set_))
        with bench_of(bench, profile) as shoe:
            answer_lines(Play(shoe, rulebook, profile).encoded_reply)
    except (RulebookError, BenchError) as error:
        raise failure("play", error) from error
