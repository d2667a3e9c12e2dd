"""Every example in --help can be copied: what it names is there, and what needs no daemon runs."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import forked_sabot
import pytest
import typer
from sabot_tools.cli import ACTIONS, app

ROOT = Path(__file__).parents[2]
START = re.compile(r"Examples?: ")
# Without daemon, device, key or a long time; each runs where copies of what it reads are.
RUN = {"authority", "cards", "irregularity", "odds", "read", "roads", "rulebook", "settle"}


def commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command below one, with its words."""
    yield words, command
    names = ACTIONS if not words else getattr(command, "commands", {})
    for name in sorted(names):
        yield from commands(command.get_command(None, name), (*words, name))


@cache
def examples() -> list[str]:
    """Return every example of every help text; one goes on after a backslash."""
    found = []
    for _, command in commands(typer.main.get_command(app)):
        text = re.sub(r"\\\n\s*", "", (command.epilog or "").replace("\b\n", ""))
        found += [line[at.end() :].strip() for line in text.splitlines() for at in START.finditer(line)]
    return sorted(set(found))


def parts(line: str) -> list[list[str]]:
    """Return the `sabot` commands of a line with `|` and `&&`, each as its words, without where its output goes."""
    lists: list[list[str]] = [[]]
    for word in shlex.split(line):
        if word in ("|", "&&"):
            lists.append([])
        else:
            lists[-1].append(word)
    return [one[1 : one.index(">") if ">" in one else None] for one in lists if one and one[0] == "sabot"]


def parse(command: Any, words: list[str], parent: Any = None) -> None:
    """Parse as a run does, down to the command itself, which is not called; files need not be there."""
    for param in command.params:
        if hasattr(param.type, "exists"):
            param.type.exists = False
    with command.make_context(command.name or "sabot", list(words), parent=parent) as context:
        if hasattr(command, "resolve_command"):
            rest = [*context._protected_args, *context.args]
            assert rest, words
            _, chosen, rest = command.resolve_command(context, rest)
            parse(chosen, rest, context)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with what a checkout has, in which files may be written."""
    for path in ROOT.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_is_an_example_of_each_command_that_does_something() -> None:
    missing = [
        words
        for words, command in commands(typer.main.get_command(app))
        if "Example" not in (command.epilog or "") and not hasattr(command, "commands")
    ]
    assert missing == []


@pytest.mark.parametrize("line", examples())
def test_an_example_names_what_there_is(line: str, checkout: Path) -> None:
    found = parts(line)
    assert found, line
    for words in found:
        for word in words:
            if re.fullmatch(r"[a-z]+\.shoe", word):
                (checkout / word).touch()
        parse(typer.main.get_command(app), words)


@pytest.mark.usefixtures("checkout")
@pytest.mark.parametrize("line", [one for one in examples() if {part[0] for part in parts(one)} <= RUN])
def test_an_example_that_needs_no_daemon_runs(line: str) -> None:
    given = f"{shlex.split(line)[1]}\n" if line.startswith("echo ") else ""
    (words,) = parts(line)
    ran = forked_sabot.sabot(*words, lines=given)
    assert (ran.returncode, "Error" in ran.stderr) == (0, False), ran
