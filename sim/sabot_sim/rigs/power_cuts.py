"""Power cuts of the whole shoe on the MicroPython VM: the same steps with cuts and without must leave the same log.

A script of steps is what a careless dealer does to a shoe that is never cut. Then the same steps are given to another
one, whose power goes again and again: in mid-write, in mid-erase, in mid-recovery, or, of every fifth seed, at any
instruction. A step that left nothing is done again, as a dealer would.

python -m sabot_sim.rigs.power_cuts SEED replays a seed.
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
_KILLED = 5  # every fifth seed is killed at any time
_LONGEST_STEP_S, _LONGEST_START_S = 0.0008, 0.15
_STATE: Final[Step] = ("state",)
_BOOKS = tuple(sorted(rulebooks.ids()))
_KEPT = 200  # events that are read once more at the end
_PAGE, _SLOT, _SLOTS_A_PAGE = 256, 36, 7


class CutError(AssertionError):
    """What a cut has changed; the message says how to see it again."""


class Script(msgspec.Struct):
    """Steps for a table, and what a shoe tells to each that keeps its power."""

    profile: bytes
    lines: list[tuple[Step, StepAnswer]]


def script(seed: int, steps: int = STEPS) -> Script:
    """What a careless dealer does at this table."""
    rng = random.Random(f"script {seed}")
    profile = random_profile(rng, _BOOKS[seed % len(_BOOKS)])
    dealer = CarelessDealer(rng, profile, _CARELESSNESS, power=False)
    lines = []
    with VmPlay(profile_bytes(profile)) as shoe:
        told = shoe.step(*_STATE)
        for _ in range(steps):
            step = dealer.next(told)
            told = shoe.step(*step)
            lines.append((step, told))
            if told.state == CLOSED:
                dealer.shoe_is_closed()
    return Script(profile_bytes(profile), lines)


def place(told: StepAnswer) -> dict[str, Any]:
    """Where a shoe stands."""
    return {name: getattr(told, name) for name in ("locked", "due", "state", "fault", "last_coup", "kind")}


class Run:
    """A script with cuts. `cut_in` counts them by what they fell into."""

    def __init__(self, seed: int, steps: int = STEPS) -> None:
        self.seed = seed
        self._rng = random.Random(f"cuts {seed}")
        self._script = script(seed, steps)
        self._killed = seed % _KILLED == 0
        self._kill_after = 0  # steps until the process is killed
        self._dead = False
        self._held = 0  # the last event that was told
        self._at = 0  # the step
        self._last = ""  # cut
        self.cut_in: Counter[str] = Counter()
        self.last_cut = 0, b""  # its step, and the flash as it was left

    def run(self) -> int:
        """All steps, and the log once more; how many cuts there were."""
        with VmPlay(self._script.profile) as self._vm:
            self._before = self._vm.step(*_STATE)
            self._restart()
            self._play(0)
            self.end = self._vm.flash.read_bytes()
        return self.cut_in.total()

    def replay(self, image: bytes, first: int) -> None:
        """From the flash that a cut in this step has left, without any more cuts."""
        done = [told for _, told in self._script.lines[:first]]
        self._held = max((record[0] for told in done for record in told.records), default=0)
        with VmPlay(self._script.profile) as self._vm:
            self._before = self._vm.step(*_STATE)
            self._before = done[-1] if done else self._before
            self._vm.flash.write_bytes(image)
            self._vm.power_cycle(str(self._held))
            self._kill_after, self._at = len(self._script.lines) + 1, first
            settled = self._settled(self._vm.step(*_STATE), self._script.lines[first][1])
            if settled:
                self._done(self._script.lines[first][1])
            self._play(first + settled)

    def _play(self, first: int) -> None:
        for at, (step, told) in enumerate(self._script.lines[first:], first):
            self._at = at
            self._do(step, told)
        self._check_log()

    def _do(self, step: Step, told: StepAnswer) -> None:
        """The step, as often as it takes."""
        answer = self._ask(step)
        while answer is None:
            if self._settled(self._restart(), told):
                break
            answer = self._ask(step)
        if answer:
            self._check("the answer", msgspec.to_builtins(answer), msgspec.to_builtins(told))
        self._done(told)

    def _done(self, told: StepAnswer) -> None:
        """The step is over and was told."""
        self._held = told.records[-1][0] if told.records else self._held
        self._before = told

    def _settled(self, shown: StepAnswer, told: StepAnswer) -> bool:
        """After a cut the step has happened wholly, or not at all; whether it has."""
        if shown.records:
            self._check("the events after a cut", shown.records, told.records)
        self._check("the place after a cut", place(shown), place(told if shown.records else self._before))
        return bool(shown.records)

    # Life and death

    def _restart(self) -> StepAnswer:
        """Give it power until it has come up, and say when it goes next."""
        while True:
            self._vm.power_cycle(str(self._held), *self._fate())
            self._dead = False
            shown = self._ask(_STATE)
            if shown:
                return shown

    def _fate(self) -> list[str]:
        """When the power goes next."""
        rng = self._rng
        if self._killed:
            self._kill_after = rng.choice((0, 1, rng.randint(2, 8)))
            return []
        if rng.random() < 0.06:
            return ["erase", str(rng.randint(0, 5))]
        early = rng.random() < 0.2  # in mid-recovery
        return ["all", str(rng.randint(0, 4) if early else rng.randint(2, 20))]

    def _ask(self, step: Step) -> StepAnswer | None:
        """A step and its answer; None if the power went."""
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
        """The operation that was cut: a part of it is done."""
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
        self._last, self.last_cut = operation, (self._at, bytes(flash))

    def _kill(self, step: Step) -> StepAnswer | None:
        """SIGKILL at some moment after the step was given; an answer that was out by then counts."""
        before = self._vm.flash.read_bytes()
        self._vm.send(*step)
        longest_s = _LONGEST_START_S if step == _STATE else _LONGEST_STEP_S
        time.sleep(self._rng.uniform(0, longest_s))
        said, self._dead = self._vm.kill(), True
        flash = bytearray(self._vm.flash.read_bytes())
        if said.endswith(b"\n"):
            self._note("killed after the answer", flash)
            return msgspec.json.decode(said, type=StepAnswer)
        self._note("killed, last write torn" if self._wear(before, flash) else "killed", flash)
        self._vm.flash.write_bytes(flash)
        return None

    def _wear(self, before: bytes, flash: bytearray) -> bool:
        """Tear the last write, if it was an event: nobody has been told of it."""
        changed = [at for at in _slots(len(flash)) if before[at : at + _SLOT] != flash[at : at + _SLOT]]
        in_use = [at for at in changed if at % SECTOR_BYTES and flash[at + 8]]
        if len(in_use) != len(changed) or not changed or self._rng.random() < 0.3:
            return False
        at = max(in_use, key=lambda slot: int.from_bytes(flash[slot : slot + 4], "little"))
        flash[at : at + _SLOT] = torn_program(self._rng, before[at : at + _SLOT], bytes(flash[at : at + _SLOT]))
        return True

    # What must hold

    def _check_log(self) -> None:
        """What flash holds at the end, read by a shoe that starts once more."""
        records = [record for _, told in self._script.lines for record in told.records][-_KEPT:]
        first = records[0][0] if records else 1
        self._killed = False
        self._vm.power_cycle(str(first - 1))
        shown = self._vm.step(*_STATE)
        self._check("the log at the end", shown.records, records)
        self._check("the place at the end", place(shown), place(self._before))

    def _check(self, what: str, found: Any, expected: Any) -> None:
        if found != expected:
            raise self._error(f"{what}: {found}, without cuts {expected}")

    def _error(self, text: str) -> CutError:
        """With all that is needed to see it again."""
        path = Path(gettempdir(), f"sabot-cut-{self.seed}.bin")
        at, image = self.last_cut
        path.write_bytes(image)
        step = self._script.lines[self._at][0]
        again = f"python -m sabot_sim.rigs.power_cuts {self.seed}" + (f" {path} {at}" if self._killed else "")
        where = f"seed {self.seed}, step {self._at} {step}, cut {self.cut_in.total()} ({self._last})"
        return CutError(f"{where}: {text}; again: {again}")


def _operation(at: int, wanted: bytes) -> str:
    """What an operation of the journal is, by its place."""
    if not wanted:
        return "erase"
    if at % SECTOR_BYTES == 0:
        return "header"
    if at % SECTOR_BYTES < _SLOT:
        return "mark"
    return "event" if any(wanted) else "strike"


def _slots(size: int) -> list[int]:
    """Where the slots of a journal begin, headers included."""
    return [page + _SLOT * slot for page in range(0, size, _PAGE) for slot in range(_SLOTS_A_PAGE)]


def main() -> None:
    """One seed; with the flash of a failed cut and its step, from there."""
    run = Run(int(sys.argv[1]))
    if len(sys.argv) > 2:
        run.replay(Path(sys.argv[2]).read_bytes(), int(sys.argv[3]))
    else:
        print(f"{run.run()} cuts: {dict(run.cut_in)}")


if __name__ == "__main__":
    main()
