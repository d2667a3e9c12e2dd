"""sabot play: the firmware's shoe at the level of cards, one JSON line a step."""

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
Steps, one a line:
  {"command": "open_shoe", "decks": 8, "burn": "none"}      every command of the protocol by its name;
                                                            what is left out is as the book has it
  {"command": "irregularity", "case": "bad_order", "facts": {"reconstructible": true}}
  {"command": "import_coup", "coup": 12, "player": ["9S", "KD"], "banker": ["2H"], "cards_out": 70, "coups_left": 2}
  {"card": "8H"}   with "face_up": true, "exposed": true or false      {"cut": true}
  {"unreadable": true}   or the reason: blank, doubtful, foreign, lid_open ...
  {"button": "confirm"}   or player, banker, tie, new_shoe
  {"key": true}   {"lid": "open"}   {"power": "cycle"}   {"state": true}

\b
Example: echo '{"command": "open_shoe"}' | sabot play --rulebook crown-baccarat --set decks=6 --bench cpython
Example: printf '%s\\n' '{"command": "open_shoe", "burn": "none"}' '{"card": "9S"}' '{"card": "2H"}' '{"card": "KD"}' \
  '{"card": "5C"}' '{"card": "3S", "exposed": true}' '{"button": "confirm"}' | sabot play --rulebook star-baccarat
"""
STATES = ("closed", "burning", "dealing", "complete", "checking")
IN_COUP = ("dealing", "complete")

BenchOption = Annotated[
    str,
    typer.Option(
        "--bench",
        help="unix: the firmware on the MicroPython VM; cpython: in this interpreter; rp2040: on a slow emulated chip.",
    ),
]
TableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="axis=value: dealing=face_up, shuffler=continuous, style=international, decks=6, card_set=2."
    ),
]


class Play:
    """One shoe of a table and what it told so far."""

    def __init__(self, bench: PlayBench, rulebook: str, profile: dict[str, Any]) -> None:
        self._bench, self._rulebook, self._profile = bench, rulebook, profile
        self._log = ShoeLog(rulebook)
        self._last: StepAnswer = bench.step("state")

    def answer(self, line: dict[str, Any]) -> bytes:
        """The reply to one line, from behind its id."""
        return msgspec.json.encode(self.told(line))[1:]

    def told(self, line: dict[str, Any]) -> dict[str, Any]:
        """What the shoe logged for a step, and where it stands."""
        step = step_of(line, self._profile, self._shown())
        told = self._last = self._done(step)
        events = [self._log.event(*record) for record in told.records]
        return {"events": events, **_place(told), **_outcome(told.outcome)}

    def _done(self, step: Step) -> StepAnswer:
        if step == POWER_CYCLE:
            self._bench.power_cycle()
            return self._bench.step("state")
        told = self._bench.step(*step)
        if step[:2] == ("command", CommandKind.encmapping["reboot"]):
            self._bench.power_cycle()
        return told

    def _shown(self) -> dict[str, Any]:
        """What a command need not say, because the shoe shows it."""
        return {
            "rulebook": self._rulebook,
            "fault": _fault(self._last),
            "notified_before_next": True,  # unless it is said: a shoe that is closed takes no report
            "last_coup": self._last.last_coup,
            "first_coup_complete": self._log.first_coup_complete,
            "international": self._profile["switches"]["international"],
        }


def _place(told: StepAnswer) -> dict[str, Any]:
    """Where the shoe stands."""
    state, fault = STATES[told.state], _fault(told)
    kind = kind_of(CoupKind.decmapping[told.kind]) if state in IN_COUP else {"kind": None, "named": None}
    return {
        "locked": told.locked,
        "due": None if told.due is None else Slot.decmapping[told.due],
        "state": "fault" if fault else state,
        "last_coup": told.last_coup,
        **kind,
        "fault": fault,
    }


def _fault(told: StepAnswer) -> str | None:
    return Fault.decmapping[told.fault] if told.fault else None


def _outcome(number: int | None) -> dict[str, str]:
    """What became of a command or a button, and why where nothing did."""
    if number is None:
        return {}
    outcome = Outcome.decmapping[number]
    return {"outcome": outcome} if outcome == "done" else {"outcome": outcome, "why": Outcome.meanings[outcome]}


def profile_of(book: Rulebook, pairs: dict[str, str]) -> dict[str, Any]:
    """What the shoe of this table is told."""
    axes = [*book.shoe.choice, "decks", "card_set"]
    for axis in pairs:
        if axis not in axes:
            raise RulebookError(f"no axis {axis!r}: {book.id} has {', '.join(axes)}")
    decks = _number("decks", pairs["decks"], 8) if "decks" in pairs else None
    card_set = _number("card_set", pairs.get("card_set", "1"), cardcode.SETS)
    return book.profile(decks, card_set, {axis: value for axis, value in pairs.items() if axis in book.shoe.choice})


def _number(axis: str, text: str, most: int) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise RulebookError(f"{axis} = {text}: a number from 1 to {most}")
    return int(text)


def bench_of(name: str, profile: dict[str, Any]) -> PlayBench:
    """A shoe with this profile on this bench, or a word why not."""
    told = profile_hash(profile) + Profile.build(profile)
    if name == "rp2040":
        return _on_chip(told)
    if name not in BENCHES:
        known = ", ".join([*BENCHES, "rp2040"])
        raise typer.BadParameter(f"no bench {name!r}: choose one of {known}", param_hint="--bench")
    return BENCHES[name](told)


def _on_chip(told: bytes) -> PlayBench:
    try:
        from sabot_sim.chip.play import ChipPlay
    except ImportError as error:
        raise BenchError(f"the emulated chip: {not_installed(error.name, 'dev')}, or choose --bench unix") from error
    return ChipPlay(told, lambda text: typer.echo(f"sabot play: {text}", err=True))


@app.command(epilog=EPILOG)
def play(rulebook: RulebookOption, set_: TableOption = None, bench: BenchOption = "unix") -> None:
    """Play a shoe card by card: JSON lines in, what the shoe logged and where it stands out."""
    try:
        profile = profile_of(rulebooks.load(rulebook), parse_pairs(set_))
        with bench_of(bench, profile) as shoe:
            answer_lines(Play(shoe, rulebook, profile).answer)
    except (RulebookError, BenchError) as error:
        raise failure("play", error) from error
