"""`python -m fuzzing`: fuzz targets for some minutes each, two at a time, then keep the least that covers as much."""

import argparse
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fuzzing import corpus, oracle, targets

_OUT = Path("build/fuzz")
_PROGRESS = re.compile(r"#(\d+)\s+\w+\s+cov: (\d+) ft: (\d+) corp: (\S+)")
_EVERY_S = 30.0


def main() -> int:
    """Run what the arguments ask for; 0 if nothing was found."""
    parser = argparse.ArgumentParser(prog="fuzzing", description=__doc__)
    parser.add_argument("--target", choices=("all", *targets.NAMES), default="all")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--once", type=Path, help="run a target with one file, in plain Python")
    chosen = parser.parse_args()
    names = list(targets.NAMES) if chosen.target == "all" else [chosen.target]
    if chosen.once:
        return _once(names[0], chosen.once)
    with ThreadPoolExecutor(2) as two:
        return max(two.map(lambda name: _fuzz(name, chosen.minutes), names))


def _once(name: str, path: Path) -> int:
    with oracle.watched():
        targets.load(name).run(path.read_bytes())
        oracle.check_log()
    print(f"{name}: nothing was found with {path}")
    return 0


def _fuzz(name: str, minutes: float) -> int:
    """Fuzz one target, then minimise its corpus; what was found stays in its folder."""
    work = _OUT / name
    shutil.rmtree(work, ignore_errors=True)
    corpus.unpack([*targets.load(name).seeds(), *corpus.kept(name)], work / "corpus")
    options = [
        f"-max_total_time={minutes * 60:.0f}",
        "-timeout=60",
        "-rss_limit_mb=3000",
        "-keep_seed=1",
        f"-artifact_prefix={work}/",
    ]
    status = _engine(name, [*options, "-print_final_stats=1", str(work / "corpus")], work / "log")
    found = [path for path in work.iterdir() if path.name.startswith(("crash-", "timeout-", "oom-"))]
    for path in found:
        print(f"{name}: found {path}; again: {_again(name, path)}", flush=True)
    if found or status:
        return 1
    _minimise(name, work)
    return 0


def _again(name: str, path: Path) -> str:
    return f"PYTHONPATH=hil_tests:gateway/tests .venv/bin/python -m fuzzing --target {name} --once {path}"


def _engine(name: str, options: list[str], log: Path) -> int:
    """Run the engine; show how far it is from time to time. Return its status."""
    script = log.with_name("engine.sh").resolve()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m fuzzing.engine {name} {script} "$@"\n')
    script.chmod(0o755)
    said_s, begun_s, newest = 0.0, time.monotonic(), ""
    command = [str(script), *options]
    with (
        log.open("w") as kept,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as run,
    ):
        assert run.stdout is not None
        for line in run.stdout:
            kept.write(line)
            found = _PROGRESS.match(line)
            newest = f"{found[1]} runs, {found[2]} edges, {found[3]} features, corpus {found[4]}" if found else newest
            now_s = time.monotonic()
            if newest and now_s - said_s >= _EVERY_S:
                said_s = now_s
                print(f"{name}: {now_s - begun_s:.0f} s, {newest}", flush=True)
    print(f"{name}: {time.monotonic() - begun_s:.0f} s, {newest}; status {run.returncode}", flush=True)
    return run.returncode


def _minimise(name: str, work: Path) -> None:
    """Keep what covers as much as all of it."""
    least = work / "least"
    least.mkdir()
    status = _engine(name, ["-merge=1", "-timeout=60", str(least), str(work / "corpus")], work / "merge.log")
    if status:
        print(f"{name}: the corpus could not be minimised; see {work}/merge.log", flush=True)
        return
    print(f"{name}: {corpus.keep(name, corpus.files(least))} inputs kept in {corpus.path(name)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
