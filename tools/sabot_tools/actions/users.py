"""sabot users: the people of a site, their roles, PINs and badges; the floor service's log keeps every change."""

from pathlib import Path
from typing import Annotated, Any

import typer
from sabot_protocol.inputs.plain_text import escaped_json, printable
from sabot_service.messages import Request

from sabot_tools.stand.daemon import fail
from sabot_tools.stand.floor_daemon import CONFIG, Config, Socket, ask
from sabot_tools.stand.floor_store import StoreUrl, open_to_read
from sabot_tools.stand.secret_prompt import ask_new_secret, ask_secret

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

Person = Annotated[str, typer.Argument(help="Id of the person: letters, digits, . - and _.", metavar="PERSON")]


@app.callback()
def users() -> None:
    """Add and change the people who log in at the floor service. The account that asks is in the log."""


def _change(config: Path, socket: Path | None, verb: str, **args: Any) -> None:
    """Send a change and print the answer."""
    typer.echo(printable(ask(config, socket, Request(verb, args=args)).say))


@app.command(epilog="Example: sabot users add asmith --name 'A. Smith'")
def add(
    person: Person,
    name: Annotated[str, typer.Option(help="Name for the log and for pay-outs.")],
    config: Config = CONFIG,
    socket: Socket = None,
) -> None:
    """Add a person. Roles and a PIN or a badge come after."""
    _change(config, socket, "user-add", person=person, name=name)


@app.command("list", epilog="Example: sabot users list --store floor.db")
def list_people(
    config: Config = CONFIG,
    socket: Socket = None,
    store: StoreUrl = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON line per person.")] = False,
) -> None:
    """List all people. With --store the service need not run."""
    import json

    from sabot_tools.text.people import line

    for one in _stored(config, store) if store is not None else _asked(config, socket):
        typer.echo(escaped_json(json.dumps(one).encode()) if as_json else printable(line(one)))


def _asked(config: Path, socket: Path | None) -> list[dict[str, Any]]:
    import json

    found: list[dict[str, Any]] = json.loads(bytes(ask(config, socket, Request("user-list")).data))["people"]
    return found


def _stored(config: Path, store: str) -> list[dict[str, Any]]:
    import time

    import msgspec
    from sabot_floor.people.desk import listed
    from sabot_floor.people.log import PeopleLog
    from sabot_service.moment import utc

    with open_to_read(config, store) as found:
        try:
            return listed(PeopleLog(found).state(), utc(time.time()))
        except (msgspec.MsgspecError, RecursionError) as error:
            fail(f"{found.place}: the list of people cannot be read ({error}); verify it: sabot floor verify")


@app.command(epilog="Example: sabot users role asmith crown-baccarat area_manager")
def role(
    person: Person,
    rulebook: Annotated[str, typer.Argument(help="Id of the rulebook.", metavar="RULEBOOK")],
    role: Annotated[str, typer.Argument(help="Role in this rulebook, such as area_manager.", metavar="ROLE")] = "",
    remove: Annotated[bool, typer.Option("--remove", help="Take the role in this rulebook away.")] = False,
    config: Config = CONFIG,
    socket: Socket = None,
) -> None:
    """Give a person a role in a rulebook; `sabot authority` lists the roles."""
    if bool(role) == remove:
        fail("give a role, or take it away with --remove")
    _change(config, socket, "user-role", person=person, rulebook=rulebook, role=role)


@app.command(epilog="Example: sabot users disable asmith")
def disable(person: Person, config: Config = CONFIG, socket: Socket = None) -> None:
    """Keep a person from logging in."""
    _change(config, socket, "user-disable", person=person)


@app.command(epilog="Example: sabot users enable asmith")
def enable(person: Person, config: Config = CONFIG, socket: Socket = None) -> None:
    """Let a disabled person log in again."""
    _change(config, socket, "user-enable", person=person)


@app.command(epilog="Example: sabot users badge asmith")
def badge(
    person: Person,
    remove: Annotated[bool, typer.Option("--remove", help="Take the badge away, as when it is lost.")] = False,
    config: Config = CONFIG,
    socket: Socket = None,
) -> None:
    """Give a person a badge. Hold it to a reader that types; nothing is shown."""
    code = "" if remove else ask_secret(f"Badge of {person}")
    _change(config, socket, "user-badge", person=person, code=code)


@app.command(epilog="Example: sabot users pin asmith")
def pin(person: Person, config: Config = CONFIG, socket: Socket = None) -> None:
    """Set a PIN or password, typed twice without echo. A lock-out ends; the person changes it before the first act."""
    _change(config, socket, "user-pin", person=person, secret=ask_new_secret(f"New PIN or password of {person}"))


@app.command("own-pin", epilog="Example: sabot users own-pin asmith")
def own_pin(person: Person, config: Config = CONFIG, socket: Socket = None) -> None:
    """Change your own PIN or password: first the one of before, then the new one, typed twice without echo."""
    login = {"person": person, "secret": ask_secret(f"PIN or password of {person}")}
    _change(config, socket, "user-own-pin", login=login, secret=ask_new_secret(f"New PIN or password of {person}"))


@app.command(epilog="Example: sabot users log --person asmith --config /etc/sabot/floor.toml")
def log(
    person: Annotated[str, typer.Option(help="Only entries about this person.", metavar="PERSON")] = "",
    config: Config = CONFIG,
    store: StoreUrl = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON line per entry.")] = False,
) -> None:
    """Print the log of people: changes, log-ins, failures, lock-outs. The service need not run; no hash is shown."""
    import json

    from sabot_floor.people.log import LOG

    from sabot_tools.text.people import log_line, without_hashes

    with open_to_read(config, store) as found:
        for entry in found.entries(LOG):
            try:
                message = without_hashes(json.loads(entry.payload))
            except ValueError:
                fail(f"{found.place}: entry {entry.seq} cannot be read; verify the log: sabot floor verify")
            if not person or message.get("person") == person:
                line = json.dumps({"entry": entry.seq, **message})
                typer.echo(escaped_json(line.encode()) if as_json else printable(log_line(entry.seq, message)))
