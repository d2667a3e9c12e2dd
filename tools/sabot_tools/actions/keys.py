"""sabot keys: makes, shows and rotates the keys by which shoe and gateway know each other."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from sabot_gateway.shoe.keys import KeyRing, KeysError, sync_directory, write_new
from sabot_protocol.auth import KEY_BYTES, fingerprint

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

Unit = Annotated[str, typer.Argument(help="The shoe's unit id: 16 hex digits.", metavar="UNIT")]
Directory = Annotated[Path, typer.Option("--dir", help="Where the gateway has its keys: `keys` of its config.")]
ShoeFile = Annotated[
    Path | None, typer.Option("--shoe", help="Also write the shoe's copy here: the shoe wants it as key.bin.")
]
KEYS = Path("keys")


@contextmanager
def _in_words() -> Iterator[None]:
    """An error is a sentence on stderr and exit status 1."""
    try:
        yield
    except KeysError as error:
        problem = str(error)
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}; check the path and its permissions"
    else:
        return
    typer.echo(f"sabot keys: {problem}", err=True)
    raise typer.Exit(1)


@app.callback()
def keys() -> None:
    """Make, show and rotate the keys of shoes."""


@app.command(epilog="Example: sabot keys new 5ab0000000000001 --dir keys --shoe key.bin")
def new(unit: Unit, directory: Directory = KEYS, shoe: ShoeFile = None) -> None:
    """Make a key for a shoe that has none."""
    with _in_words():
        ring, unit = KeyRing(directory), unit.lower()
        for path in (ring.path(unit), ring.old_path(unit)):
            if path.exists():
                raise KeysError(
                    f"{path}: there is a key already; for another one: sabot keys rotate {unit} --dir {directory}"
                )
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        ring.units()  # says what is wrong with the directory
        _make(ring.path(unit), shoe)
        typer.echo(f"{unit} has a key: {ring.path(unit)}, fingerprint {fingerprint(ring.keys(unit)[0])}", err=True)


@app.command(epilog="Example: sabot keys show --dir keys")
def show(
    unit: Annotated[str | None, typer.Argument(help="The shoe's unit id; every shoe if left out.")] = None,
    directory: Directory = KEYS,
    secret: Annotated[
        bool, typer.Option("--secret", help="Print the key itself, to put it into UNIT by hand.")
    ] = False,
) -> None:
    """List keys by fingerprint: unit, fingerprint, when made, whether a rotation is under way."""
    with _in_words():
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
    finish: Annotated[bool, typer.Option("--finish", help="The shoe has the new key: remove the old one.")] = False,
) -> None:
    """Give a shoe a new key; the gateway takes the old one too, until `--finish`."""
    if finish and shoe is not None:
        raise typer.BadParameter("--finish makes no key: leave --shoe out")
    with _in_words():
        ring, unit = KeyRing(directory), unit.lower()
        rotating = len(_keys(ring, unit)) > 1
        if finish:
            _finish(ring, unit, rotating=rotating)
        else:
            _begin(ring, unit, shoe, rotating=rotating)


def _keys(ring: KeyRing, unit: str | None) -> list[bytes]:
    if unit is None:
        raise KeysError("whose key? give the unit: sabot keys show UNIT --secret")
    path, found = ring.path(unit.lower()), ring.keys(unit.lower())
    if not found:
        raise KeysError(f"{path}: no such key; make it with: sabot keys new {unit.lower()} --dir {ring.directory}")
    return found


def _print_line(ring: KeyRing, unit: str) -> bool:
    """One unit; whether there is something wrong with its key."""
    try:
        found = _keys(ring, unit)
    except KeysError as error:
        typer.echo(f"sabot keys: {error}", err=True)
        return True
    made = datetime.fromtimestamp(ring.path(unit).stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    rotation = f"  rotation under way, old key {fingerprint(found[1])}" if len(found) > 1 else ""
    typer.echo(f"{unit}  {fingerprint(found[0])}  made {made}{rotation}")
    return False


def _begin(ring: KeyRing, unit: str, shoe: Path | None, *, rotating: bool) -> None:
    """The new key takes the old one's place in one step: at no moment is the unit without a key."""
    if rotating:
        raise KeysError(f"{ring.old_path(unit)}: a rotation is under way; end it first: add --finish")
    fresh = ring.directory / f"{unit}.fresh"
    fresh.unlink(missing_ok=True)  # of a rotation that was cut short
    os.link(ring.path(unit), ring.old_path(unit))
    try:
        _make(fresh, shoe)
    except BaseException:
        ring.old_path(unit).unlink()
        raise
    fresh.replace(ring.path(unit))
    sync_directory(ring.directory)
    then = f"sabot keys rotate {unit} --finish --dir {ring.directory}"
    typer.echo(f"{unit} has a new key; when it is in the shoe: {then}", err=True)


def _finish(ring: KeyRing, unit: str, *, rotating: bool) -> None:
    if not rotating:
        raise KeysError(f"{ring.path(unit)}: no rotation is under way; begin one without --finish")
    ring.old_path(unit).unlink()
    sync_directory(ring.directory)
    typer.echo(f"{unit} has one key again", err=True)


def _make(path: Path, shoe: Path | None) -> None:
    """A key as the gateway wants it and, where asked for, as the shoe wants it; both or none."""
    key = secrets.token_bytes(KEY_BYTES)
    if shoe is not None:
        write_new(shoe, key)
    try:
        write_new(path, key.hex().encode() + b"\n")
    except BaseException:
        if shoe is not None:
            shoe.unlink()
        raise
