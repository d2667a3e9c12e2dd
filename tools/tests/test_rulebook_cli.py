"""sabot rulebook: what a file lacks is named with its key, never a crash; a copy of a book under a new id is played."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
import zlib
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from sabot_protocol import rulebooks
from sabot_protocol.rulebooks.check import lacks
from sabot_tools.cli import app
from support.patience import PATIENCE_S
from typer.testing import CliRunner

PACKAGE = Path(rulebooks.__file__).parents[1]
BOOKS = PACKAGE / "rulebooks"
BESIDE = ("", "irregularities", "clauses")
NEW = "harbour-baccarat"
EVERY = int(os.environ.get("SABOT_EVERY_KEY", "12"))  # one key in so many; `make rulebook-keys` takes each
NAMED_TO = 2  # levels: deeper ones are named where every book needs them
NAMED = (
    ("shoe", "burn"), ("shoe", "choice"), ("wager", 0, "side"), ("authority", "act"), ("sign", "standoff"), ("switch",),
)  # fmt: skip
# What a book may have or not: without it there is another book, and not one that lacks something.
OPTIONAL = {
    "jackpot", "jackpots", "option", "sequence", "roulette", "aliases", "beside", "counts_as", "under", "when", "must",
    "or_above", "unnamed", "auto", "free", "never", "silent", "elsewhere", "second_person", "notify", "other", "report",
    "style", "decks", "games", "note", "parts", "parts_clause", "excludes", "excludes_clause", "tournament_clause",
    "differential", "ante", "insurance", "limited_payout", "title", "outcome", "odds", "sentence", "wagers", "order",
    "push", "scope",
}  # fmt: skip


def toml(value: Any) -> str:
    """Return a value as TOML, tables in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def copied(folder: Path, book: str, name: str = NEW) -> Path:
    """Copy a book and the files beside it under a new id."""
    for part in BESIDE:
        (folder / part).mkdir(exist_ok=True, parents=True)
        text = (BOOKS / part / f"{book}.toml").read_text()
        (folder / part / f"{name}.toml").write_text(text.replace(f'id = "{book}"', f'id = "{name}"'))
    return folder / f"{name}.toml"


def paths(value: Any, key: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield every key of a document; of a list of tables those of its first."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield (*key, name)
            yield from paths(one, (*key, name))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield from paths(value[0], (*key, 0))


def without(given: dict[str, Any], key: tuple[str | int, ...]) -> str:
    """Return the document as TOML without this key."""
    left: Any = deepcopy(given)
    place = left
    for name in key[:-1]:
        place = place[name]
    del place[key[-1]]
    return "".join(f"{json.dumps(name)} = {toml(one)}\n" for name, one in left.items())


def _unnamed(given: dict[str, Any], key: tuple[str | int, ...]) -> bool:
    """Return True for the role of an act of persons whom the book does not name, and for a change without notice."""
    act = key[:2] == ("authority", "act") and len(key) > 2 and given["authority"]["act"][key[2]]
    return (key[:2] == ("sign", "notice") and len(key) == 3) or bool(act and act.get("unnamed") and key[-1] == "role")


def levels(book: str, first: str) -> int:
    """Return how deep keys are deleted: everywhere in one book, and there in acts, which are alike, not so deep."""
    return 1 if book != "crown-baccarat" else 3 if first in ("authority", "cases") else 99


@pytest.mark.parametrize("book", rulebooks.ids())
def test_a_copy_of_each_book_lacks_nothing(tmp_path: Path, book: str) -> None:
    ran = CliRunner().invoke(app, ["rulebook", "check", str(copied(tmp_path, book))])
    assert (ran.exit_code, ran.output) == (0, "")


@pytest.mark.parametrize("part", BESIDE)
@pytest.mark.parametrize("book", rulebooks.ids())
def test_a_copy_without_one_key_is_never_a_crash_and_the_key_is_named(tmp_path: Path, book: str, part: str) -> None:
    path = copied(tmp_path, book)
    file = path.parent / part / path.name
    given = tomllib.loads(file.read_text())
    tried = [one for one in paths(given) if len(one) <= levels(book, str(one[0]))]
    first = zlib.crc32(f"{book} {part}".encode()) % min(EVERY, len(tried))
    for key in tried[first::EVERY]:
        file.write_text(without(given, key))
        found = list(lacks(path))
        name = str(key[-1])
        deep = len(key) > NAMED_TO and not any(key[: len(one)] == one for one in NAMED)
        if deep or OPTIONAL & set(map(str, key)) or key[0] == "incident" or _unnamed(given, key):
            continue
        assert any(name in f"{lack.key} {lack.say}" for lack in found), (key, [str(lack) for lack in found])
        assert {lack.file for lack in found} == {file}


def test_every_lack_is_a_line_with_file_and_key(tmp_path: Path) -> None:
    path = tmp_path / f"{NEW}.toml"
    path.write_text(f'id = "{NEW}"\n[decks]\nallowed = [8]\ndefault = "x"\nsurplus = 1\n')
    ran = CliRunner().invoke(app, ["rulebook", "check", str(path)])
    assert ran.exit_code == 1
    lines = ran.output.splitlines()
    keys = ("title", "decks.clause", "draw", "shoe", "switch", "closing", "money", "game", "wager", "authority")
    for key in (*keys, "incident", "sign", "demo"):
        assert f"{path}: {key}: is missing" in lines
    assert f"{path}: decks.surplus: is not a key of a rulebook" in lines
    assert any(line.startswith(f"{path}: decks.default: ") for line in lines)
    for part in BESIDE[1:]:
        assert any(line.startswith(f"{tmp_path / part / path.name}: ") for line in lines)


@pytest.mark.parametrize(
    ("book", "part", "old", "new", "line"),
    [
        (
            "crown-baccarat",
            "",
            'clause = "5.4"',
            'clause = "5.41"',
            "closing.clause: the clauses beside this file have no '5.41'",
        ),
        ("star-rapid", "", 'straight = "5.1.1"', 'straight = "5.1.77"', "roulette.clauses.straight: the clauses"),
        (
            "star-rapid",
            "",
            "allowed = [8]",
            "allowed = [8, 9]",
            "decks.allowed: 9 is no number of decks that a shoe can",
        ),
        (
            "star-premium",
            "",
            "[game]",
            '[game]\nspare = { title = "Spare", clause = "13" }',
            "game.spare: no wager has this game",
        ),
        ("nz-baccarat", "", 'table_1 = "9.3"', 'table_1 = "93"', "draw.table_1: the clauses"),
        ("nz-baccarat", "irregularities", 'clause = "12.1(b)"', 'clause = "12.77"', "clause: the clauses"),
        (
            "nz-baccarat",
            "",
            "win.by_4 =",
            "win.by_four =",
            "wager dragon_bonus_player: win.by_four: bet dragon_bonus has no such outcome; it has by_1, by_2, by_3,",
        ),
        (
            "crown-baccarat",
            "",
            "push.natural_tie =",
            "push.naturals =",
            "wager dragon_bonus_player: push.naturals: bet dragon_bonus has no such outcome",
        ),
        (
            "crown-baccarat",
            "",
            "win.point_6",
            "win.points_6",
            "wager three_card: win.points_6: bet three_card has no such",
        ),
        ("crown-baccarat", "", '"bad_order"', '"bad_ordre"', "incident.misdeal.alarms: no alarm is called 'bad_ordre'"),
    ],
)
def test_what_would_never_happen_or_is_cited_wrongly_is_named(
    tmp_path: Path, book: str, part: str, old: str, new: str, line: str
) -> None:
    path = copied(tmp_path, book)
    file = path.parent / part / path.name
    good = file.read_text()
    assert old in good
    file.write_text(good.replace(old, new, 1))
    ran = CliRunner().invoke(app, ["rulebook", "check", str(path)])
    assert ran.exit_code == 1
    assert all(one.startswith(f"{file}: ") for one in ran.output.splitlines())
    assert line in ran.output


def test_what_is_no_toml_is_named(tmp_path: Path) -> None:
    path = tmp_path / f"{NEW}.toml"
    path.write_bytes(b"\xff = [")
    ran = CliRunner().invoke(app, ["rulebook", "check", str(path)])
    assert ran.exit_code == 1
    assert f"{path}: this is no TOML" in ran.output


def test_show_has_every_fact_of_a_book() -> None:
    ran = CliRunner().invoke(app, ["rulebook", "show", "crown-baccarat"])
    assert ran.exit_code == 0
    for line in ('id = "crown-baccarat"', "decks.default = 8", 'sign.notice.closure.clause = "15.8"'):
        assert line in ran.output.splitlines()
    document = CliRunner().invoke(app, ["rulebook", "show", "crown-baccarat", "--json"])
    assert json.loads(document.output)["closing"]["clause"]
    assert "choose one of" in CliRunner().invoke(app, ["rulebook", "show", "none"]).output


DEMO = ("--coups", "3", "--port", "0", "--web-port", "0", "--speed", "100")


# A new book by the recipe of CONTRIBUTING


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment whose sabot_protocol has a copy of a book under a new id; its path is short, for sockets."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    copied(folder / PACKAGE.name / "rulebooks", "nz-baccarat")
    return {**os.environ, "PYTHONPATH": str(folder), "TMPDIR": str(folder)}


def sabot(env: dict[str, str], *args: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sabot_tools", *args]
    return subprocess.run(
        command, env=env, input=given, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )


@pytest.mark.parametrize("command", [("gateway", "check", "--config", "none.toml"), ("generate", "--check")])
def test_a_book_that_is_being_written_stops_no_command_with_a_traceback(
    site: dict[str, str], command: tuple[str, ...]
) -> None:
    new = Path(site["PYTHONPATH"], PACKAGE.name, "rulebooks", f"{NEW}.toml")
    new.write_text(new.read_text().replace("default = 8", "default = 9", 1))
    ran = sabot(site, *command)
    assert ran.returncode == 1
    assert ran.stderr == (
        f"sabot {command[0]}: rulebook {NEW}.toml: decks.default 9 is not in decks.allowed; "
        "`sabot rulebook check FILE` lists everything that a file lacks\n"
    )


def test_a_new_book_is_checked_settled_and_played(site: dict[str, str], tmp_path: Path) -> None:
    config = tmp_path / "gateway.toml"
    config.write_text(
        f'site = "try"\nledger = "{tmp_path}/ledger.db"\nbroker = "mqtt://127.0.0.1:9"\n'
        f'[[table]]\nname = "bac-01"\nport = "/dev/null"\nrulebook = "{NEW}"\n'
    )
    checked = sabot(site, "gateway", "check", "--config", str(config))
    assert "Traceback" not in checked.stderr + checked.stdout
    assert "rulebook" not in checked.stdout + checked.stderr
    line = json.dumps({"id": 0, "stock": ["9S", "2H", "KD", "3C"]})
    settled = sabot(site, "settle", "--rulebook", NEW, given=f"{line}\n")
    assert json.loads(settled.stdout)["winner"] == "player", settled.stderr
    played = sabot(
        site, "demo", "--rulebook", NEW, *["--coups", "3", "--port", "0", "--web-port", "0", "--speed", "100"]
    )
    assert (played.returncode, played.stderr) == (0, "")
    assert "chain intact" in played.stdout
