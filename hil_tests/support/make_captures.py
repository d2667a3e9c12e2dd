"""`make captures`: makes hil_tests/captures again with `sabot shoe`, a real daemon and `sabot table T capture`."""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from sabot_protocol import recording
from sabot_tools.stand.ports import free_port

from support.try_out import ShoeProcess, TryOut

FOLDER: Final = Path(__file__).parents[1] / "captures"
# The sidecar of each capture: the options of its shoe.
CAPTURES: Final[dict[str, dict[str, Any]]] = {
    "crown-three-coups": {"rulebook": "crown-baccarat", "decks": 8, "seed": 7, "coups": 3, "unit": "5ab0000000000001"},
    "rapid-with-key": {
        "rulebook": "star-rapid",
        "decks": 8,
        "seed": 8,
        "coups": 2,
        "unit": "5ab00000000000aa",
        "key": bytes(range(32)).hex(),  # of no shoe in any house
    },
}


def make(name: str, work_dir: Path) -> None:
    """Capture from before the shoe is switched on until the gateway has acknowledged its last coup."""
    wanted, port, site = CAPTURES[name], free_port(), TryOut(work_dir)
    options = [f"--{key.replace('_', '-')}={wanted[key]}" for key in ("rulebook", "decks", "seed", "coups", "unit")]
    try:
        site.gateway(
            f'[[table]]\nname = "bac-01"\nport = "socket://127.0.0.1:{port}"\nrulebook = "{wanted["rulebook"]}"\n'
            f"decks = {wanted['decks']}\n",
            _keys(work_dir, wanted),
        )
        out = work_dir / f"{name}.shoe"
        site.until((work_dir / "control.sock").exists)
        capturing = _capture(site, out)
        site.until(lambda: out.exists() and out.stat().st_size)
        key = ["--key", str(work_dir / "key.bin")] if "key" in wanted else []
        shoe = ShoeProcess(work_dir, f"--tcp={port}", "--speed=20", *options, *key)
        site.shoes.append(shoe)
        site.until(lambda: shoe.process.poll() is not None)
        site.end_gateway()  # which ends the capture with all that came
        if capturing.wait() or shoe.process.returncode:
            raise RuntimeError(f"{name} was not captured: {shoe.notes()}")
    finally:
        site.close()
    _keep(name, out)


def _keys(work_dir: Path, wanted: dict[str, Any]) -> str:
    """Write the key files and return the line of the config; empty if the shoe has no key."""
    if "key" not in wanted:
        return ""
    folder = work_dir / "keys"
    folder.mkdir(mode=0o700)
    for path, data in ((folder / f"{wanted['unit']}.key", wanted["key"]), (work_dir / "key.bin", "")):
        path.touch(mode=0o600)
        path.write_bytes(data.encode() or bytes.fromhex(wanted["key"]))
    return f'keys = "{folder}"\n'


def _capture(site: TryOut, out: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "sabot_tools", "table", "bac-01", "capture", "--seconds", "600", "--out", str(out)]
    return subprocess.Popen([*command, "--config", str(site.config)], env=dict(os.environ))


def _keep(name: str, captured: Path) -> None:
    """Write the capture with a fixed port name, and its sidecar."""
    reader = recording.Reader()
    records = list(recording.read(reader, [captured.read_bytes()]))
    writer = recording.Writer({**(reader.metadata or {}), "port": "socket://127.0.0.1:7001"})
    data = b"".join([writer.start(), *(writer.add(record) for record in records), writer.finish()])
    (FOLDER / f"{name}.shoe").write_bytes(data)
    (FOLDER / f"{name}.json").write_text(json.dumps(CAPTURES[name], indent=1) + "\n")


if __name__ == "__main__":
    for one in CAPTURES:
        with TemporaryDirectory(prefix="sabot-captures-") as folder:
            make(one, Path(folder))
        print(FOLDER / f"{one}.shoe")
