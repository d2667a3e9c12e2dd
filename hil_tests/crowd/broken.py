"""Broken on purpose: a right, a check or an order is taken out of the code; the crowd's judge must object.

`make crowd-broken` tries every change, `make crowd-broken ONLY=word` those whose reason has this word.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from support.broken import changed
from support.broken_lines import Change

_ROOT: Final = Path(__file__).parents[2]
_COPIED: Final = (
    "gateway/sabot_service", "gateway/sabot_gateway", "gateway/sabot_floor", "protocol/sabot_protocol",
    "sim/sabot_sim", "firmware",
)  # fmt: skip
_COUPS, _SEEDS = 400, (1, 2)  # within which each is found
_SAID: Final = "FAILED: "
_SHOWN: Final = 2000  # characters of what Python says


class Broken(NamedTuple):
    """What is taken away, by lines of the code; `says` is in the judge's objection."""

    why: str
    says: str
    lines: tuple[tuple[str, str, str], ...]  # file, old, new


BROKEN: Final = (
    Broken(
        "a dealer alone makes a clean coup one without wagers (P-37)",
        "was done by a dealer",
        (
            (
                "protocol/sabot_protocol/command_acts.py",
                "    if not UNWAGERED_CODES.isdisjoint(codes):",
                "    if True:",
            ),
        ),
    ),
    Broken(
        "a clause of something else is accepted",
        "it belongs to",
        (("gateway/sabot_gateway/operator/command_acts.py", "    if foreign:", "    if False:"),),
    ),
    Broken(
        "a complete hand is shown before it is turned",
        "what nobody has turned",
        (
            (
                "gateway/sabot_floor/web/unturned.py",
                '    if hand.result and hand.result.status == "confirmed":',
                "    if hand.result:",
            ),
        ),
    ),
    Broken(
        "alarms on the pit console name cards before they are turned",
        "what nobody has turned",
        (
            (
                "gateway/sabot_floor/web/unturned.py",
                "    covered = [one if _is_out(one, hand, history) else _without_cards(one) for one in message.alarms]",
                "    covered = list(message.alarms)",
            ),
        ),
    ),
    Broken(
        "the evidence about a coup has its cards before they are turned",
        "what nobody has turned",
        (
            (
                "gateway/sabot_floor/projection/in_play.py",
                "    return bool(row.shoe == hidden.shoe and row.coup >= hidden.coup)",
                "    return False",
            ),
        ),
    ),
    Broken(
        "a dealer's session opens the pages of the pit",
        "is served to",
        (
            (
                "gateway/sabot_floor/web/data/routes.py",
                '        if session is None or session.kind != "pit":',
                "        if session is None:",
            ),
        ),
    ),
    Broken(
        "Surveillance turns cards",
        "has turned cards",
        (
            (
                "gateway/sabot_floor/web/turning.py",
                "            return not authority.find_role(book.id, role).beside",
                "            return True",
            ),
        ),
    ),
    Broken(
        "a later win is paid first (18.17, 13.4.7(b))",
        "is paid before",
        (("gateway/sabot_floor/jackpots/engine/ranks.py", "    if first is hit:", "    if True:"),),
    ),
    Broken(
        "a step is closed by a lower role than its own",
        "was done by a",
        (
            (
                "protocol/sabot_protocol/incidents.py",
                "    return role_refusal(book, step, role)",
                '    return ""',
            ),
            (
                "gateway/sabot_gateway/operator/command_acts.py",
                '    return step.act if step else ""',
                '    return "draw_cards"',
            ),
        ),
    ),
    Broken(
        "a card is keyed in though none left the shoe unread",
        "is keyed in, and every card that left was read",
        (
            (
                "firmware/sabot/dealing/commands.py",
                "        if not state.unread_cards or other_fault or not _shoe_open(state):",
                "        if other_fault or not _shoe_open(state):",
            ),
            (
                "gateway/sabot_gateway/operator/verbs/card.py",
                "        if table.verifier.unread_cards() == 0:",
                "        if False:",
            ),
        ),
    ),
    Broken(
        "an alarm is not on the pit console",
        "pit console and wall show what is open",
        (
            (
                "gateway/sabot_floor/web/views/pit.py",
                "        alarms=alarms[:MOST_ALARMS],",
                "        alarms=alarms[1:MOST_ALARMS],",
            ),
        ),
    ),
    Broken(
        "a person acts with the PIN that an administrator has set",
        "with the PIN that an administrator had set",
        (
            (
                "gateway/sabot_floor/people/logins.py",
                "            if state.people[person].initial and not initial:",
                "            if False:",
            ),
        ),
    ),
)


@contextmanager
def code_with(broken: Broken) -> Iterator[Path]:
    """Yield a folder with a copy of the code in which these lines are changed."""
    with tempfile.TemporaryDirectory(prefix="sabot-crowd-broken-") as work:
        folder = Path(work)
        for name in _COPIED:
            shutil.copytree(_ROOT / name, folder / name, ignore=shutil.ignore_patterns("tests", "__pycache__"))
        for file, old, new in broken.lines:
            path = folder / file
            path.write_text(changed(path.read_text(), Change(file, old, new, broken.why)))
        yield folder


def objection(broken: Broken) -> str:
    """Return how far the crowd came until its judge objected, and what it said; empty if it did not."""
    with code_with(broken) as folder:
        for seed in _SEEDS:
            said = _played(folder, seed)
            objections = [line.removeprefix(_SAID) for line in said.splitlines() if line.startswith(_SAID)]
            if any(broken.says in one for one in objections):
                coups = said.partition("'coups': ")[2].partition(",")[0]
                return f"seed {seed}, after {coups} coups | {objections[0][:100]}"
            if objections:
                return f"SOMETHING ELSE: {objections[0]}"
    return ""


def _played(folder: Path, seed: int) -> str:
    paths = [folder / Path(name).parent for name in _COPIED[:-1]] + [_ROOT / "hil_tests"]
    paths.append(_ROOT / "protocol" / "tests" / "reference")
    words = [sys.executable, "-m", "crowd", "--coups", str(_COUPS), "--seed", str(seed), "--bench", "cpython"]
    env = {**os.environ, "PYTHONPATH": ":".join(map(str, dict.fromkeys(paths)))}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    if "'coups': " not in done.stdout:
        raise RuntimeError(f"the crowd did not play with this code: {done.stderr[-_SHOWN:]}")
    return done.stdout


def main(word: str) -> int:
    """Try all changes, or those with a word in their reason, two at a time; return 1 if one is not found."""
    chosen = [one for one in BROKEN if word in one.why]
    print("| what is broken | found | the judge |\n|---|---|---|")
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(objection, chosen)
        rows = [(one, said) for one, said in zip(chosen, map(_shown, chosen, found), strict=True)]
    return int(any(not said or said.startswith("SOMETHING") for _, said in rows))


def _shown(broken: Broken, said: str) -> str:
    print(f"| {broken.why} | {said or 'NOT FOUND'} |", flush=True)
    return said


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
