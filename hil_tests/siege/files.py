"""Attacks by files and signals: configs that are wrong, changed or gone, and damaged keys."""

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from siege.spec import Spec, table_text

Attack = Callable[["Vandal"], None]


class Vandal:
    """An attacker who can write the config and the keys."""

    def __init__(self, spec: Spec, rng: random.Random) -> None:
        self.spec, self.rng = spec, rng

    def hup(self) -> None:
        """Let the daemon read its config again."""
        with suppress(OSError, ValueError):
            os.kill(int(self.spec.pid_file.read_text()), signal.SIGHUP)

    def put(self, text: str | bytes) -> None:
        """Write a config and have it read."""
        self.clear()
        data = text.encode() if isinstance(text, str) else text
        beside = self.spec.config.with_suffix(".new")
        beside.write_bytes(data)
        beside.replace(self.spec.config)
        self.hup()

    def clear(self) -> None:
        """Remove whatever is in the config's place."""
        if self.spec.config.is_dir():
            shutil.rmtree(self.spec.config)

    def mend(self) -> None:
        """The right config again."""
        self.put(self.spec.config_text())

    def key_file(self) -> Path:
        """The key of some hostile unit."""
        return self.spec.keys / f"{self.rng.choice(sorted(self.spec.units))}.key"


def removed(vandal: Vandal) -> None:
    """Some hostile tables are removed."""
    names = list(vandal.spec.hostile)
    vandal.put(vandal.spec.config_text(vandal.rng.sample(names, vandal.rng.randint(0, len(names)))))


def changed(vandal: Vandal) -> None:
    """A hostile table gets another port, book or number of decks."""
    names = list(vandal.spec.hostile)
    name = vandal.rng.choice(names)
    odd = (
        "socket://127.0.0.1:1",
        "/dev/null",
        "/dev/full",
        "/nothing",
        "rfc2217://127.0.0.1:1",
        "socket://[::1",
        "loop://",
    )
    others = vandal.spec.config_text([one for one in names if one != name])
    port, book = vandal.rng.choice(odd), vandal.rng.choice(("nz-baccarat", "crown-baccarat", "star-rapid"))
    vandal.put(others + table_text(name, port, book))


def wrong(vandal: Vandal) -> None:
    """Configs with one error each."""
    good = vandal.spec.config_text()
    name, port = next(iter(vandal.spec.hostile.items()))
    again = table_text(name, f"socket://127.0.0.1:{port}", "star-baccarat")
    odd = (
        good + again,
        good + again.replace(name, "other"),
        good + again.replace(name, "status"),
        good + again.replace(name, "a/b"),
        good + again.replace(name, "+"),
        good + again.replace("star-baccarat", "no-book"),
        good.replace("rulebook", "rulebok"),
        good.replace('site = "', 'site = "x'),
        good.replace("keys_required = false", 'keys_required = "x"'),
        good + "decks = -1\n",
        good + "decks = 1e999\n",
        vandal.spec.head(),
        "table = 1\n" + vandal.spec.head(),
        "[" * 2000,
        "x = " + "[" * 50_000,
        "x = " + "{a = " * 20_000,
        good + "options = " + "[" * 50_000 + "\n",
        "",
    )
    vandal.put(vandal.rng.choice(odd))


def garbage(vandal: Vandal) -> None:
    """No config at all."""
    size = vandal.rng.choice((10, 1000, 2_000_000))
    vandal.put(vandal.rng.randbytes(size))


def gone(vandal: Vandal) -> None:
    """The file is missing, or a directory."""
    with suppress(OSError):
        vandal.spec.config.unlink()
    if vandal.rng.random() < 0.5:
        vandal.spec.config.mkdir(exist_ok=True)
    vandal.hup()


def pipes(vandal: Vandal) -> None:
    """A pipe without a writer in the place of a key or of the config."""
    path = vandal.rng.choice((vandal.key_file(), vandal.spec.config))
    with suppress(OSError):
        path.unlink()
        os.mkfifo(path, 0o600)
        vandal.hup()
        time.sleep(1.0)
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))  # a reader that waits for it continues
    with suppress(OSError):
        path.unlink()
    good_keys(vandal)


def hup_flood(vandal: Vandal) -> None:
    """Many signals at once."""
    for _ in range(50):
        vandal.hup()


def bad_keys(vandal: Vandal) -> None:
    """Key files that are damaged, empty, directories or readable by all."""
    path = vandal.key_file()
    with suppress(OSError):
        if path.is_dir():
            path.rmdir()
        path.write_bytes(vandal.rng.choice((b"", vandal.rng.randbytes(64), b"zz" * 32, b"0" * 1_000_000, b"\n")))
        path.chmod(vandal.rng.choice((0o600, 0o644, 0o000)))
        if vandal.rng.random() < 0.2:
            path.unlink()
            path.mkdir()


def good_keys(vandal: Vandal) -> None:
    """Every hostile unit has its key again."""
    for unit, key in vandal.spec.units.items():
        path = vandal.spec.keys / f"{unit}.key"
        with suppress(OSError):
            if path.is_dir():
                path.rmdir()
            path.write_text(key + "\n")
            path.chmod(0o600)


ATTACKS: dict[str, Attack] = {
    f"files_{attack.__name__}": attack
    for attack in (removed, changed, wrong, garbage, gone, pipes, hup_flood, bad_keys, good_keys)
}
