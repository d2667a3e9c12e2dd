"""Manual: the pages of `man`, from the help of the commands; and the words that bash completes."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from sabot_tools import cli

_FILES = (
    ("/etc/sabot/gateway.toml", "The config of the gateway; every key is explained in it."),
    ("/etc/sabot/keys", "The keys of the shoes, one file a unit."),
    ("/var/lib/sabot/ledger.db", "The ledger."),
    ("/var/lib/sabot/control.sock", "The socket of `sabot gateway status` and `sabot table`, for the group sabot."),
)
_STATUS = "0: done. 1: an error, with a sentence on stderr. 2: a wrong call."
_SECTION_8 = ("gateway", "floor", "keys", "ledger", "users")  # what administrators use
_OF_CHECKOUTS = ("generate",)


def table_pc_actions() -> list[str]:
    """Return the actions that work with what a table PC has."""
    return sorted(name for name, extra in cli.EXTRAS.items() if extra == "gateway" and name not in _OF_CHECKOUTS)


def section(action: str) -> int:
    """Return in which section of the manual an action is."""
    return 8 if action in _SECTION_8 else 1


def overview(epoch_s: int) -> str:
    """Return sabot(1)."""
    lines = [_head("SABOT", 1, epoch_s), *_name("sabot", "card-scanning baccarat shoes and their gateway")]
    lines += [".SH SYNOPSIS", ".B sabot", "ACTION [OPTIONS] ...", ".SH ACTIONS"]
    for name, (_, description) in sorted(cli.ACTIONS.items()):
        lines += [".TP", f".B {_roff(name)}", _roff(description)]
    lines += [".SH EXIT STATUS", _STATUS, ".SH FILES", *_files(), ".SH SEE ALSO"]
    lines += [", ".join(f"\\fBsabot-{_roff(name)}\\fR({section(name)})" for name in table_pc_actions())]
    return "\n".join(lines) + "\n"


def page(action: str, epoch_s: int) -> str:
    """Return the page of one action, with all its commands."""
    command = cli.app_command(action)
    title, about = f"sabot-{action}", cli.ACTIONS[action][1]
    lines = [_head(title.upper(), section(action), epoch_s), *_name(title, about), ".SH SYNOPSIS"]
    lines += [f".B sabot {_roff(action)}", "[OPTIONS] ...", ".SH DESCRIPTION", _roff(command.help or about)]
    lines += _options(command)
    for name, sub in _commands(command):
        lines += [f".SH {_roff(name.upper())}", _roff(f"sabot {action} {name}:"), ".br"]
        lines += [_roff(sub.help or ""), *_options(sub), *_example(sub)]
    lines += [*_example(command), ".SH EXIT STATUS", _STATUS, ".SH FILES", *_files(), ".SH SEE ALSO"]
    return "\n".join([*lines, "\\fBsabot\\fR(1)"]) + "\n"


def completion() -> str:
    """Return a script for bash that completes the actions and their commands."""
    cases = []
    for action in table_pc_actions():
        words = [name for name, _ in _commands(cli.app_command(action))]
        if words:
            cases.append(f'    {action}) words="{" ".join(words)}" ;;')
    actions = " ".join(table_pc_actions())
    return _COMPLETION.format(actions=actions, cases="\n".join(cases))


_COMPLETION = """# bash completion of sabot: actions and their commands; files otherwise.
_sabot() {{
  local words=""
  case "$COMP_CWORD:${{COMP_WORDS[1]}}" in
    1:*) words="{actions}" ;;
    2:*) case "${{COMP_WORDS[1]}}" in
{cases}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _sabot sabot
"""


def _head(title: str, number: int, epoch_s: int) -> str:
    day = datetime.fromtimestamp(epoch_s, UTC).strftime("%Y-%m-%d")
    return f'.TH {_roff(title)} {number} "{day}" "Sabot" "Sabot"\n.nh\n.ad l'


def _name(name: str, about: str) -> list[str]:
    return [".SH NAME", f"{_roff(name)} \\- {_roff(about.rstrip('.'))}"]


def _commands(command: Any) -> Iterator[tuple[str, Any]]:
    """Yield the commands below one, those of a group with its name before them."""
    for name, sub in sorted(getattr(command, "commands", {}).items()):
        if hasattr(sub, "commands"):
            yield from ((f"{name} {inner}", one) for inner, one in _commands(sub))
        else:
            yield name, sub


def _options(command: Any) -> Iterator[str]:
    for one in command.params:
        if one.param_type_name == "argument":
            label = one.human_readable_name.upper()
        else:
            label = ", ".join(one.opts) + ("" if one.is_flag else f" {one.type.name.upper()}")
        yield from (".TP", f".B {_roff(label)}", _roff(getattr(one, "help", None) or ""))


def _example(command: Any) -> Iterator[str]:
    if command.epilog:
        yield from (".PP", _roff(command.epilog))


def _files() -> Iterator[str]:
    for path, about in _FILES:
        yield from (".TP", f".I {_roff(path)}", _roff(about))


def _roff(text: str) -> str:
    """Return a text with nothing in it that roff takes for its own."""
    plain = re.sub(r"\s*\n\s*", " ", text.strip()).replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", plain) or "\\&"
