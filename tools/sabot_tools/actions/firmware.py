"""sabot firmware: build, sign and show images of the shoe's firmware; push one to a shoe through its gateway."""

import json
import time
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from sabot_protocol import firmware as images
from sabot_protocol import messages
from sabot_protocol.firmware import ImageError, SignedImage
from sabot_protocol.inputs.plain_text import printable
from sabot_protocol.inputs.secret_file import SecretError
from sabot_service.messages import Request

from sabot_tools.stand.daemon import CONFIG, Config, Socket, ask, fail
from sabot_tools.text.errors import failure
from sabot_tools.text.progress import bar

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

Table = Annotated[str, typer.Argument(metavar="TABLE", help="Name of the table in the gateway's config.")]
ImageFile = Annotated[Path, typer.Argument(metavar="FILE", help="The signed image.")]
_EVERY_S: Final = 0.5
_WORDS: Final = {
    "": "waits for the shoe's answer",
    "idle": "waits for the shoe's answer",
    "checking": "the shoe checks the signature",
    "receiving": "the shoe receives",
    "unpacking": "the shoe unpacks",
    "ready": "the shoe is ready to switch",
    "shoe_open": "waits: a shoe is open, and dealing comes first",
}


@app.callback()
def firmware() -> None:
    """Build, sign and show images of the shoe's firmware; push one to a shoe through its gateway."""


@app.command(epilog="Example: sabot firmware build shoe.img --key publisher/firmware.key")
def build(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The image to write.")],
    key: Annotated[Path, typer.Option(help="The publisher's private key, made by `sabot keys firmware DIR`.")],
) -> None:
    """Compile the firmware of this checkout, and sign it."""
    from sabot_sim.rigs.signed_image import signed_image

    try:
        image = signed_image(key)
        file.write_bytes(image.file_bytes())
    except (OSError, SecretError) as error:
        raise failure("firmware", error) from error
    typer.echo(f"sabot firmware: {file}: {_summary(image)}", err=True)


@app.command(epilog="Example: sabot firmware show shoe.img --key publisher/firmware.pub")
def show(
    file: ImageFile,
    key: Annotated[Path | None, typer.Option(help="The publisher's public key: check the signature.")] = None,
) -> None:
    """Show what is in an image; exit 1 if it is damaged or, with --key, not signed with that key."""
    try:
        image = images.read(file)
        public = images.read_public(key) if key else None
        if public is not None:
            image.check(public)
    except (ImageError, SecretError) as error:
        raise failure("firmware", error) from error
    files = images.unpacked(image.archive)
    same = "this release's" if image.protocol_hash == messages.protocol_hash() else "another than this release's"
    typer.echo(f"version   {image.version_text}")
    typer.echo(f"image     {image.image_hash.hex()}")
    typer.echo(f"sha256    {image.sha256.hex()}")
    typer.echo(f"protocol  {image.protocol_hash.hex()}, {same}")
    typer.echo(f"files     {len(files)}, {sum(map(len, files.values()))} bytes")
    typer.echo(f"signature {f'right, key {public.id}' if public else 'not checked: add --key firmware.pub'}")


@app.command(epilog="Example: sabot firmware push bac-01 --image /etc/sabot/shoe.img --by 'A. Smith'")
def push(
    table: Table,
    image: Annotated[Path, typer.Option(metavar="FILE", help="The signed image; the daemon must be able to read it.")],
    by: Annotated[str, typer.Option(help="Your name; the ledger keeps it.")],
    allow_older: Annotated[
        bool, typer.Option("--allow-older", help="Also an image that is older than the running one.")
    ] = False,
    other_protocol: Annotated[
        bool,
        typer.Option("--other-protocol", help="Also an image that this gateway cannot serve until it is updated."),
    ] = False,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until the new image runs.")] = True,
    config: Config = CONFIG,
    socket: Socket = None,
) -> None:
    """Push an image to the shoe of a table, between two shoes. The shoe restarts with it, or goes back by itself."""
    try:
        found = images.read(image)
    except ImageError as error:
        raise failure("firmware", error) from error
    args = {"image": str(image.absolute()), "sha256": found.sha256.hex()}
    args |= {"allow_older": allow_older, "other_protocol": other_protocol}  # type: ignore[dict-item]
    answer = ask(config, socket, Request("push-firmware", table, by, "", args))
    typer.echo(printable(answer.say), err=True)
    if wait:
        _follow(config, socket, table)


def _follow(config: Path, socket: Path | None, table: str) -> None:
    """Show how far the push is until it has ended; exit 1 if the new image does not run."""
    state = _state(config, socket, table)
    with bar("pushing", state.get("length", 0)) as progress:
        shown = 0
        while state["phase"] not in ("running", "failed", "none"):
            progress(max(state["received"] - shown, 0))
            shown = max(shown, state["received"])
            time.sleep(_EVERY_S)
            state = _state(config, socket, table)
    if state["phase"] != "running":
        fail(state["say"] or "the gateway was restarted and has forgotten the push: push again, the shoe goes on")
    typer.echo(printable(state["say"]))


@app.command(epilog="Example: sabot firmware status bac-01")
def status(table: Table, config: Config = CONFIG, socket: Socket = None) -> None:
    """Show what the shoe of a table runs, and how far a push is."""
    state = _state(config, socket, table)
    running = state["running"]
    typer.echo(
        f"runs version {running['version']}, image {running['image']}, started by {running['cause']}"
        if running
        else "no shoe has answered yet"
    )
    if state["phase"] != "none":
        typer.echo(printable(f"push of version {state['version']}, image {state['image']}: {_progress(state)}"))


def _progress(state: dict[str, Any]) -> str:
    if state["phase"] == "sending":
        return f"{_WORDS.get(state['state'], state['state'])}, {state['received']} of {state['length']} bytes"
    words = {"switching": "the shoe is to switch", "restarting": "the shoe restarts"}
    return words.get(state["phase"]) or str(state["say"])


def _state(config: Path, socket: Path | None, table: str) -> dict[str, Any]:
    """Return the table's part of the daemon's status."""
    tables = {
        found["table"]: found for found in json.loads(bytes(ask(config, socket, Request("status")).data))["tables"]
    }
    if table not in tables:
        fail(f"this gateway has no table {table!r}: see `sabot gateway status`")
    if not tables[table].get("firmware"):
        fail(f"{table} has no shoe whose firmware can be pushed")
    return dict(tables[table]["firmware"])


def _summary(image: SignedImage) -> str:
    return f"version {image.version_text}, image {image.image_hash.hex()}, {len(image.archive)} bytes"
