"""sabot keys: make, show and rotate the keys with which shoe and gateway authenticate each other."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from sabot_gateway.shoe.keys import KeyRing
from sabot_protocol.auth import KEY_BYTES, fingerprint
from sabot_protocol.inputs.secret_file import SecretError, sync_directory, write_new

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

Unit = Annotated[str, typer.Argument(help="The shoe's unit id: 16 hex digits.", metavar="UNIT")]
Directory = Annotated[Path, typer.Option("--dir", help="Directory of the gateway's keys: `keys` in its config.")]
ShoeFile = Annotated[
    Path | None, typer.Option("--shoe", help="Also write the shoe's copy here; on the shoe it is key.bin.")
]
KEYS = Path("keys")


@contextmanager
def _errors_to_stderr() -> Iterator[None]:
    """Print an error on stderr and exit with status 1."""
    try:
        yield
    except SecretError as error:
        problem = str(error)
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}; check the path and its permissions"
    else:
        return
    typer.echo(f"sabot keys: {problem}", err=True)
    raise typer.Exit(1)


@app.callback()
def keys() -> None:
    """Make, show and rotate the keys of shoes; make the keys of jackpots, of commands and of firmware images."""


@app.command(epilog="Example: sabot keys new 5ab0000000000001 --dir keys --shoe key.bin")
def new(unit: Unit, directory: Directory = KEYS, shoe: ShoeFile = None) -> None:
    """Make a key for a shoe that has none."""
    with _errors_to_stderr():
        ring, unit = KeyRing(directory), unit.lower()
        for path in (ring.path(unit), ring.old_path(unit)):
            if path.exists():
                raise SecretError(
                    f"{path}: this shoe has a key; to replace it: sabot keys rotate {unit} --dir {directory}"
                )
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        ring.units()  # raises SecretError if the directory cannot be used
        _make(ring.path(unit), shoe)
        typer.echo(f"new key for {unit}: {ring.path(unit)}, fingerprint {fingerprint(ring.keys(unit)[0])}", err=True)


@app.command(epilog="Example: sabot keys jackpot jackpot.key")
def jackpot(
    path: Annotated[Path, typer.Argument(help="The file to make: `jackpot_key` of every config.", metavar="FILE")],
) -> None:
    """Make the key with which gateways sign what tables contribute to jackpots."""
    with _errors_to_stderr():
        key = secrets.token_bytes(KEY_BYTES)
        write_new(path, key.hex().encode() + b"\n")
        typer.echo(
            f"new jackpot key: {path}, fingerprint {fingerprint(key)}; copy it to every gateway and the floor", err=True
        )


@app.command(epilog="Example: sabot keys floor floor-keys")
def floor(
    directory: Annotated[Path, typer.Argument(help="The directory for floor.key and floor.pub.", metavar="DIR")],
) -> None:
    """Make the keys of commands. The floor service signs with one, gateways check with the other."""
    from sabot_protocol import command_keys

    with _errors_to_stderr():
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = command_keys.make(directory)
        private, public = directory / command_keys.PRIVATE_NAME, directory / command_keys.PUBLIC_NAME
        typer.echo(
            f"new floor key {key.id}: {private}, for the floor service only; copy {public} to every table PC: "
            "`floor_key` in the gateway's config",
            err=True,
        )


@app.command(epilog="Example: sabot keys firmware publisher")
def firmware(
    directory: Annotated[Path, typer.Argument(help="The directory for firmware.key and firmware.pub.", metavar="DIR")],
) -> None:
    """Make the keys of firmware images. Their publisher signs with one, gateways and shoes check with the other."""
    from sabot_protocol import firmware as images

    with _errors_to_stderr():
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = images.make_keys(directory)
        private, public = (directory / f"{images.KEY_NAME}.{kind}" for kind in ("key", "pub"))
        typer.echo(
            f"new firmware key {key.id}: {private}, for the publisher only; copy {public} to every table PC "
            f"(`firmware_key` in the gateway's config) and into every shoe: sabot flash PORT --firmware-key {public}",
            err=True,
        )


@app.command(epilog="Example: sabot keys show --dir keys")
def show(
    unit: Annotated[str | None, typer.Argument(help="The shoe's unit id; default: every shoe.")] = None,
    directory: Directory = KEYS,
    secret: Annotated[
        bool, typer.Option("--secret", help="Print the key itself, to copy it to the shoe by hand.")
    ] = False,
) -> None:
    """List keys. Unit, fingerprint, date, and whether a rotation is in progress."""
    with _errors_to_stderr():
        ring = KeyRing(directory)
        if secret:
            typer.echo(_keys(ring, unit)[0].hex())
            return
        problems = [_print_line(ring, each) for each in ([unit.lower()] if unit else ring.units())]
    if any(problems):
        raise typer.Exit(1)


@app.command(epilog="Example: sabot keys rotate 5ab0000000000001 --dir keys --shoe new.bin")
def rotate(
    unit: Unit,
    directory: Directory = KEYS,
    shoe: ShoeFile = None,
    finish: Annotated[bool, typer.Option("--finish", help="Remove the old key: the shoe has the new one.")] = False,
) -> None:
    """Make a new key for a shoe. The gateway accepts the old one too, until `--finish`."""
    if finish and shoe is not None:
        raise typer.BadParameter("--finish makes no key, so there is none to write: leave --shoe out")
    with _errors_to_stderr():
        ring, unit = KeyRing(directory), unit.lower()
        rotating = len(_keys(ring, unit)) > 1
        if finish:
            _finish(ring, unit, rotating=rotating)
        else:
            _begin(ring, unit, shoe, rotating=rotating)


def _keys(ring: KeyRing, unit: str | None) -> list[bytes]:
    if unit is None:
        raise SecretError("no unit given: sabot keys show UNIT --secret")
    path, found = ring.path(unit.lower()), ring.keys(unit.lower())
    if not found:
        raise SecretError(f"{path}: no such key; make it with: sabot keys new {unit.lower()} --dir {ring.directory}")
    return found


def _print_line(ring: KeyRing, unit: str) -> bool:
    """Print the line of one unit; return whether its key has a problem."""
    try:
        found = _keys(ring, unit)
    except SecretError as error:
        typer.echo(f"sabot keys: {error}", err=True)
        return True
    made = datetime.fromtimestamp(ring.path(unit).stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    rotation = f"  rotation in progress, old key {fingerprint(found[1])}" if len(found) > 1 else ""
    typer.echo(f"{unit}  {fingerprint(found[0])}  made {made}{rotation}")
    return False


def _begin(ring: KeyRing, unit: str, shoe: Path | None, *, rotating: bool) -> None:
    """Replace the key atomically: the unit always has one."""
    if rotating:
        raise SecretError(f"{ring.old_path(unit)}: a rotation is in progress; finish it first: add --finish")
    fresh = ring.directory / f"{unit}.fresh"
    fresh.unlink(missing_ok=True)  # left by an interrupted rotation
    os.link(ring.path(unit), ring.old_path(unit))
    try:
        _make(fresh, shoe)
    except BaseException:
        ring.old_path(unit).unlink()
        raise
    fresh.replace(ring.path(unit))
    sync_directory(ring.directory)
    then = f"sabot keys rotate {unit} --finish --dir {ring.directory}"
    typer.echo(f"new key for {unit}; when the shoe has it: {then}", err=True)


def _finish(ring: KeyRing, unit: str, *, rotating: bool) -> None:
    if not rotating:
        raise SecretError(f"{ring.path(unit)}: no rotation is in progress; begin one without --finish")
    ring.old_path(unit).unlink()
    sync_directory(ring.directory)
    typer.echo(f"rotation of {unit} finished: the old key is removed", err=True)


def _make(path: Path, shoe: Path | None) -> None:
    """Write a new key for the gateway and, if asked for, for the shoe; both or none."""
    key = secrets.token_bytes(KEY_BYTES)
    if shoe is not None:
        write_new(shoe, key)
    try:
        write_new(path, key.hex().encode() + b"\n")
    except BaseException:
        if shoe is not None:
            shoe.unlink()
        raise
