"""The process of all attackers: `python -m siege.attackers SPEC`; it ends when its time is over."""

import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from independent.tcp import Port, Server

from siege import control, files, mqtt, spec
from siege.acts import ACTS
from siege.roles import ROLES
from siege.spec import Spec
from siege.stage import Stage

_STEP_S = 0.005
_NICE = 10
_CONTROL_CLIENTS = 3
_PAUSES_S = {"control": (0.01, 0.4), "mqtt": (0.2, 1.5), "files": (0.3, 2.5), "takeover": (2.0, 5.0)}


@dataclass
class Notes:
    """The log of attacks, shared by all threads."""

    out: TextIO
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, where: str, act: str) -> None:
        """Write one line."""
        line = json.dumps({"at_s": round(time.monotonic(), 3), "where": where, "act": act})
        with self._lock:
            self.out.write(line + "\n")
            self.out.flush()


@dataclass
class Siege:
    """All attackers, until the time is over."""

    spec: Spec
    notes: Notes

    def __post_init__(self) -> None:
        """Prepare; no attack has begun."""
        self.ends_s = time.monotonic() + self.spec.seconds
        self.acts = {name: act for name, act in ACTS.items() if self.spec.wants(name)}
        self.roles = {name: role for name, role in ROLES.items() if self.spec.wants(f"as_{name}")} or ROLES

    def run(self) -> None:
        """Run shoes in this thread, everything else in other threads."""
        threads = [threading.Thread(target=work, daemon=True) for work in self._visitors()]
        for thread in threads:
            thread.start()
        if "shoes" in self.spec.groups:
            self._shoes()
        for thread in threads:
            thread.join(max(0.0, self.ends_s - time.monotonic()) + 2.0)

    def stop(self) -> None:
        """The time is over."""
        self.ends_s = 0.0

    def _shoes(self) -> None:
        acts = self.acts or {"plays": ACTS["plays"]}
        stages = {name: self._stage(name, acts) for name in self.spec.hostile}
        ports = self.spec.hostile.items()
        server = Server([Port(stages[name], number, rude=number % 2 == 0) for name, number in ports])
        while time.monotonic() < self.ends_s:
            server.step(_STEP_S)
        waiting = {name: stage.shoe.journal.waiting for name, stage in stages.items()}
        self.spec.waiting.write_text(json.dumps(waiting))
        server.close()

    def _stage(self, name: str, acts: dict[str, Any]) -> Stage:
        rng = random.Random(f"{self.spec.seed} {name}")
        return Stage(self.spec, name, rng, acts, self.roles, self.notes.add)

    def _visitors(self) -> list[Callable[[], None]]:
        """What each thread does."""
        found: list[Callable[[], None]] = []
        for number in range(_CONTROL_CLIENTS if "control" in self.spec.groups else 0):
            rng = random.Random(f"{self.spec.seed} control {number}")
            client = control.Client(self.spec, rng)
            found.append(self._again("control", rng, control.ATTACKS, client))
        for group, attacks in (("mqtt", mqtt.ATTACKS), ("takeover", mqtt.TAKEOVER)):
            rng = random.Random(f"{self.spec.seed} {group}")
            if group in self.spec.groups:
                found.append(self._again(group, rng, attacks, mqtt.Intruder(self.spec, rng)))
        rng = random.Random(f"{self.spec.seed} files")
        if "files" in self.spec.groups:
            found.append(self._vandal(rng, files.Vandal(self.spec, rng)))
        return found

    def _again(self, group: str, rng: random.Random, attacks: dict[str, Any], actor: Any) -> Callable[[], None]:
        """One attack after the other, with pauses."""
        chosen = [name for name in attacks if self.spec.wants(name)]

        def work() -> None:
            while chosen and time.monotonic() < self.ends_s:
                name = rng.choice(chosen)
                self.notes.add(group, name)
                with suppress(OSError, ValueError, RuntimeError):
                    attacks[name](actor)
                time.sleep(rng.uniform(*_PAUSES_S[group]))

        return work

    def _vandal(self, rng: random.Random, vandal: files.Vandal) -> Callable[[], None]:
        """Attack files; restore the right config after each attack, and the right keys at the end."""
        attacks = {name: self._mended(attack, rng) for name, attack in files.ATTACKS.items()}
        attack = self._again("files", rng, attacks, vandal)

        def work() -> None:
            attack()
            files.good_keys(vandal)
            vandal.mend()

        return work

    def _mended(self, attack: files.Attack, rng: random.Random) -> files.Attack:
        def done(vandal: files.Vandal) -> None:
            attack(vandal)
            time.sleep(rng.uniform(0.1, 1.0))
            vandal.mend()

        return done


def main() -> None:
    """Read the spec, attack, end."""
    os.nice(_NICE)
    found = spec.read(Path(sys.argv[1]))
    with found.attack_log.open("a") as out:
        siege = Siege(found, Notes(out))
        signal.signal(signal.SIGTERM, lambda *_: siege.stop())
        siege.run()


if __name__ == "__main__":
    main()
