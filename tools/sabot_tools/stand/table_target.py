"""The table of a command: who asks, and whether the table's own daemon is asked or the floor service."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from sabot_protocol.inputs.plain_text import printable
from sabot_service.messages import Request

from sabot_tools.stand import floor_daemon
from sabot_tools.stand.daemon import ask, fail
from sabot_tools.stand.secret_prompt import ask_login

# Not required by typer: with --as nobody gives it.
By = Annotated[
    str,
    typer.Option(
        default_factory=str,
        show_default=False,
        help="Your name, for the ledger; or log in with --as PERSON (`sabot table --help`).",
        metavar="NAME",
    ),
]
Floor = Annotated[
    Path | None,
    typer.Option(
        readable=False,
        metavar="FLOOR.toml",
        help="With --as: the floor service's TOML file.",
        show_default=str(floor_daemon.CONFIG),
    ),
]
As = Annotated[
    str,
    typer.Option(
        "--as",
        metavar="PERSON",
        help="Log in at the floor service, which sends the command; PIN, password or badge is asked for.",
    ),
]
Second = Annotated[
    str,
    typer.Option(metavar="NAME", help="Who approves it, where the rulebook wants two people; with --as: an id."),
]


@dataclass(frozen=True)
class Target:
    """The table of this command, and where its daemon is, or the floor service and who logs in there."""

    table: str
    config: Path
    socket: Path | None
    floor: Path | None = None
    person: str = ""
    second: str = ""

    def request(self, verb: str, by: str, clause: str = "", **args: Any) -> None:
        """Send the request and print the answer."""
        given = {name: value for name, value in args.items() if value is not None}
        if self.person or self.floor:
            self._ask_floor(verb, by, clause, given)
            return
        if not by:
            _usage("give your name, --by NAME, or log in at the floor service, --as PERSON")
        answer = ask(self.config, self.socket, Request(verb, self.table, by, clause, given, self.second))
        typer.echo(printable(answer.say))

    def _ask_floor(self, verb: str, by: str, clause: str, given: dict[str, Any]) -> None:
        if not self.person:
            _usage("with --floor a person logs in: --as PERSON")
        if by:
            _usage("give --as PERSON without --by: the floor service has the name")
        args: dict[str, Any] = {"table": self.table, "command": verb, "clause": clause, "args": given}
        args["login"] = ask_login(self.person)
        if self.second:
            args["second_login"] = ask_login(self.second)
        answer = floor_daemon.ask(self.floor or floor_daemon.CONFIG, None, Request("table", args=args))
        typer.echo(printable(answer.say))

    def only_here(self, what: str) -> None:
        """Exit with an error if the floor service was to do it."""
        if self.person or self.floor:
            fail(f"{what} works only at the table PC: leave out --floor and --as")


def _usage(problem: str) -> NoReturn:
    raise typer.BadParameter(problem)
