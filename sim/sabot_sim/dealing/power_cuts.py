"""Power cuts of the whole shoe on the MicroPython VM: the same steps with and without cuts must leave the same log.

A careless dealer plays steps on a shoe that is never cut. Then another shoe gets the same steps while its power is cut
again and again: in a write, in an erase, in a recovery, or, for every fifth seed, at any instruction. A step that left
no event is repeated, as a dealer would.

python -m sabot_sim.dealing.power_cuts SEED replays a seed.
"""

import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final

import msgspec
from sabot_protocol import rulebooks

from sabot_sim.dealing.careless_dealer import CLOSED, CarelessDealer, profile_bytes, random_profile
from sabot_sim.dealing.random_commands import Step
from sabot_sim.rigs.flash import torn_erase, torn_program
from sabot_sim.rigs.play import StepAnswer, VmPlay

STEPS: Final = 150  # of a script: about 250 events
SECTOR_BYTES: Final = 4096
_CARELESSNESS = 0.25
_KILLED = 5  # every fifth seed: the process is killed at any time
_LONGEST_STEP_S, _LONGEST_START_S = 0.0008, 0.15
_STATE: Final[Step] = ("state",)
_BOOKS = tuple(sorted(rulebooks.ids()))
_KEPT = 200  # events that are read again at the end
_PAGE, _SLOT, _SLOTS_A_PAGE = 256, 36, 7


class CutError(AssertionError):
    """A cut has changed something; the message says how to repeat it."""


class Steps(msgspec.Struct):
    """Steps for a table, and the answers of a shoe that keeps its power."""

    profile: bytes
    answered: list[tuple[Step, StepAnswer]]


def uncut_steps(seed: int, count: int = STEPS) -> Steps:
    """Let a careless dealer play at a shoe that keeps its power."""
    rng = random.Random(f"script {seed}")
    profile = random_profile(rng, _BOOKS[seed % len(_BOOKS)])
    dealer = CarelessDealer(rng, profile, _CARELESSNESS, power=False)
    answered = []
    with VmPlay(profile_bytes(profile)) as shoe:
        answer = shoe.step(*_STATE)
        for _ in range(count):
            step = dealer.next(answer)
            answer = shoe.step(*step)
            answered.append((step, answer))
            if answer.state == CLOSED:
                dealer.shoe_is_closed()
    return Steps(profile_bytes(profile), answered)


def state_of(answer: StepAnswer) -> dict[str, Any]:
    """Return the shoe's state as the answer shows it."""
    return {name: getattr(answer, name) for name in ("locked", "due", "state", "fault", "last_coup", "kind")}


class CutRun:
    """The same steps with cuts. `cut_in` counts the cuts by the operation that was cut."""

    def __init__(self, seed: int, steps: int = STEPS) -> None:
        self.seed = seed
        self._rng = random.Random(f"cuts {seed}")
        self._steps = uncut_steps(seed, steps)
        self._killed = seed % _KILLED == 0
        self._kill_after = 0  # steps until the process is killed
        self._dead = False
        self._held = 0  # number of the last event in an answer
        self._at = 0  # index of the step
        self._last_cut_in = ""
        self.cut_in: Counter[str] = Counter()
        self.last_cut = 0, b""  # its step, and the flash as it was left

    def run(self) -> int:
        """Play all steps and read the log again; return the number of cuts."""
        with VmPlay(self._steps.profile) as self._vm:
            self._before = self._vm.step(*_STATE)
            self._restart()
            self._play(0)
            self.end = self._vm.flash.read_bytes()
        return self.cut_in.total()

    def replay(self, image: bytes, first: int) -> None:
        """Continue from the flash that a cut in step `first` has left, without further cuts."""
        done = [answer for _, answer in self._steps.answered[:first]]
        self._held = max((record[0] for answer in done for record in answer.records), default=0)
        with VmPlay(self._steps.profile) as self._vm:
            self._before = self._vm.step(*_STATE)
            self._before = done[-1] if done else self._before
            self._vm.flash.write_bytes(image)
            self._vm.power_cycle(str(self._held))
            self._kill_after, self._at = len(self._steps.answered) + 1, first
            settled = self._settled(self._vm.step(*_STATE), self._steps.answered[first][1])
            if settled:
                self._done(self._steps.answered[first][1])
            self._play(first + settled)

    def _play(self, first: int) -> None:
        for at, (step, expected) in enumerate(self._steps.answered[first:], first):
            self._at = at
            self._do(step, expected)
        self._check_log()

    def _do(self, step: Step, expected: StepAnswer) -> None:
        """Repeat a step until it has happened."""
        answer = self._ask(step)
        while answer is None:
            if self._settled(self._restart(), expected):
                break
            answer = self._ask(step)
        if answer:
            self._check("the answer", msgspec.to_builtins(answer), msgspec.to_builtins(expected))
        self._done(expected)

    def _done(self, answer: StepAnswer) -> None:
        self._held = answer.records[-1][0] if answer.records else self._held
        self._before = answer

    def _settled(self, shown: StepAnswer, expected: StepAnswer) -> bool:
        """Check that after a cut the step has happened wholly or not at all; return whether it has."""
        if shown.records:
            self._check("the events after a cut", shown.records, expected.records)
        self._check("the state after a cut", state_of(shown), state_of(expected if shown.records else self._before))
        return bool(shown.records)

    # Power

    def _restart(self) -> StepAnswer:
        """Switch on until the shoe has started, and plan the next cut."""
        while True:
            self._vm.power_cycle(str(self._held), *self._next_cut())
            self._dead = False
            shown = self._ask(_STATE)
            if shown:
                return shown

    def _next_cut(self) -> list[str]:
        """Return arguments for play.py that cut the power; a killed run counts steps instead."""
        rng = self._rng
        if self._killed:
            self._kill_after = rng.choice((0, 1, rng.randint(2, 8)))
            return []
        if rng.random() < 0.06:
            return ["erase", str(rng.randint(0, 5))]
        early = rng.random() < 0.2  # in a recovery
        return ["all", str(rng.randint(0, 4) if early else rng.randint(2, 20))]

    def _ask(self, step: Step) -> StepAnswer | None:
        """Send a step and return its answer; None if the power was cut."""
        if self._dead:
            return None
        if self._killed and self._kill_after == 0:
            return self._kill(step)
        self._kill_after -= 1
        self._vm.send(*step)
        line = self._vm.line()
        if line.startswith(b'{"cut"'):
            self._tear(*json.loads(line)["cut"])
            return None
        if not line.startswith(b"{"):
            raise self._error(f"the VM has ended: {line.decode(errors='replace')}")
        return msgspec.json.decode(line, type=StepAnswer)

    def _tear(self, at: int, buf_hex: str) -> None:
        """Carry out a part of the operation that was cut."""
        flash, wanted = bytearray(self._vm.flash.read_bytes()), bytes.fromhex(buf_hex)
        old = bytes(flash[at : at + (len(wanted) or SECTOR_BYTES)])
        if wanted:
            torn = torn_program(self._rng, old, bytes(was & want for was, want in zip(old, wanted, strict=True)))
        else:
            torn = torn_erase(self._rng, old)
        flash[at : at + len(torn)] = torn
        self._vm.flash.write_bytes(flash)
        self._note(_operation(at, wanted), flash)

    def _note(self, operation: str, flash: bytearray) -> None:
        self.cut_in[operation] += 1
        self._last_cut_in, self.last_cut = operation, (self._at, bytes(flash))

    def _kill(self, step: Step) -> StepAnswer | None:
        """Send SIGKILL at some moment after the step; an answer that was sent by then counts."""
        before = self._vm.flash.read_bytes()
        self._vm.send(*step)
        longest_s = _LONGEST_START_S if step == _STATE else _LONGEST_STEP_S
        time.sleep(self._rng.uniform(0, longest_s))
        output, self._dead = self._vm.kill(), True
        flash = bytearray(self._vm.flash.read_bytes())
        if output.endswith(b"\n"):
            self._note("killed after the answer", flash)
            return msgspec.json.decode(output, type=StepAnswer)
        self._note("killed, last write torn" if self._tear_last_event(before, flash) else "killed", flash)
        self._vm.flash.write_bytes(flash)
        return None

    def _tear_last_event(self, before: bytes, flash: bytearray) -> bool:
        """Tear the last write if it was an event that no answer has shown; return whether it was torn."""
        changed = [at for at in _slots(len(flash)) if before[at : at + _SLOT] != flash[at : at + _SLOT]]
        in_use = [at for at in changed if at % SECTOR_BYTES and flash[at + 8]]
        if len(in_use) != len(changed) or not changed or self._rng.random() < 0.3:
            return False
        at = max(in_use, key=lambda slot: int.from_bytes(flash[slot : slot + 4], "little"))
        flash[at : at + _SLOT] = torn_program(self._rng, before[at : at + _SLOT], bytes(flash[at : at + _SLOT]))
        return True

    # Checks

    def _check_log(self) -> None:
        """Compare the log in flash, read by a shoe that starts once more."""
        records = [record for _, answer in self._steps.answered for record in answer.records][-_KEPT:]
        first = records[0][0] if records else 1
        self._killed = False
        self._vm.power_cycle(str(first - 1))
        shown = self._vm.step(*_STATE)
        self._check("the log at the end", shown.records, records)
        self._check("the state at the end", state_of(shown), state_of(self._before))

    def _check(self, what: str, found: Any, expected: Any) -> None:
        if found != expected:
            raise self._error(f"{what}: {found}, without cuts {expected}")

    def _error(self, text: str) -> CutError:
        """Return an error with everything needed to repeat it."""
        path = Path(gettempdir(), f"sabot-cut-{self.seed}.bin")
        at, image = self.last_cut
        path.write_bytes(image)
        step = self._steps.answered[self._at][0]
        again = f"python -m sabot_sim.dealing.power_cuts {self.seed}" + (f" {path} {at}" if self._killed else "")
        where = f"seed {self.seed}, step {self._at} {step}, cut {self.cut_in.total()} ({self._last_cut_in})"
        return CutError(f"{where}: {text}; repeat: {again}")


def _operation(at: int, wanted: bytes) -> str:
    """Return the name of a journal operation, by its address."""
    if not wanted:
        return "erase"
    if at % SECTOR_BYTES == 0:
        return "header"
    if at % SECTOR_BYTES < _SLOT:
        return "mark"
    return "event" if any(wanted) else "strike"


def _slots(size: int) -> list[int]:
    """Return the addresses of the slots of a journal, headers included."""
    return [page + _SLOT * slot for page in range(0, size, _PAGE) for slot in range(_SLOTS_A_PAGE)]


def main() -> None:
    """Run one seed; with the flash of a failed cut and its step, from there."""
    run = CutRun(int(sys.argv[1]))
    if len(sys.argv) > 2:
        run.replay(Path(sys.argv[2]).read_bytes(), int(sys.argv[3]))
    else:
        print(f"{run.run()} cuts: {dict(run.cut_in)}")


if __name__ == "__main__":
    main()
