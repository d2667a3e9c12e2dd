"""sabot flash: write the firmware to a board over its USB serial port, and read it back."""

from collections.abc import Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Annotated, Final

import typer
from sabot_protocol import firmware
from sabot_protocol.auth import KEY_BYTES, fingerprint
from sabot_protocol.inputs.secret_file import SecretError
from sabot_sim.rigs import build

from sabot_tools.stand.board import HOW_TO_GET_MICROPYTHON, OLDEST, Board, BoardError, System
from sabot_tools.text.errors import failure
from sabot_tools.text.progress import bar

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: sabot flash /dev/ttyACM0
Example: sabot flash /dev/ttyACM0 --key key.bin
Example: sabot flash /dev/ttyACM0 --check
"""
_KEY: Final = "key.bin"
_FIRMWARE_KEY: Final = "firmware.pub"
_IMAGE_HASH: Final = "image.bin"
_SLOT: Final = "slot"
_MAIN: Final = "main.py"
_PROGRAM: Final = (".py", ".mpy")
_RESERVED: Final = 24

Files = Mapping[str, bytes]


@app.command(epilog=EPILOG)
def flash(
    port: Annotated[str, typer.Argument(help="The board's USB serial port.", metavar="PORT")],
    key: Annotated[
        Path | None, typer.Option(help="Also write this key of the shoe, made by `sabot keys new UNIT --shoe FILE`.")
    ] = None,
    firmware_key: Annotated[
        Path | None,
        typer.Option(help="Also write this public key: images of its publisher may be pushed over the wire."),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Compare only; exit 1 if a file differs.")] = False,
    bench: Annotated[
        bool, typer.Option("--bench", help="Write the program for a test bench: inputs and serial line over USB.")
    ] = False,
    erase: Annotated[bool, typer.Option("--erase", help="Format the board first: the journal is lost.")] = False,
) -> None:
    """Write the firmware to a board and read it back; the shoe restarts and keeps its journal."""
    if check and erase:
        raise typer.BadParameter("--check writes nothing: leave --erase out")
    try:
        wanted = _wanted_files(key, firmware_key, bench=bench)
        with closing(Board(port)) as board:
            _check_micropython(board.port, board.system(), wanted)
            board.prepare()
            same = _check(board, wanted) if check else _flash(board, wanted, erase=erase)
            board.restart()
    except (BoardError, OSError, SecretError, ValueError) as error:
        raise failure("flash", error) from error
    if not same:
        raise typer.Exit(1)


def _wanted_files(key: Path | None, firmware_key: Path | None, *, bench: bool) -> dict[str, bytes]:
    """Return the files that the board should have; the keys are read first, so that a wrong one is reported at once."""
    keys = {_FIRMWARE_KEY: firmware.read_public(firmware_key).raw} if firmware_key is not None else {}
    if key is not None:
        keys[_KEY] = _secret(key)
    return build.shoe_image(bench=bench) | keys


def _secret(key: Path) -> bytes:
    secret = key.read_bytes()
    if len(secret) != KEY_BYTES:
        raise ValueError(
            f"{key} has {len(secret)} bytes, a key has {KEY_BYTES}; make one with `sabot keys new UNIT --shoe {key}`"
        )
    return secret


def _check_micropython(port: str, system: System, wanted: Files) -> None:
    """Raise BoardError if this MicroPython cannot run files that were compiled here."""
    headers = [data for path, data in wanted.items() if path.endswith(".mpy")]
    version, native = headers[0][1], max(header[2] for header in headers)  # native is 0 if there is only bytecode
    if (
        system.platform != "rp2"
        or system.version < OLDEST
        or system.mpy & 0xFF != version
        or native not in (0, system.mpy >> 8)
    ):
        has = f"{system.machine} has MicroPython {'.'.join(map(str, system.version))} (.mpy {system.mpy:#06x})"
        raise BoardError(f"{port}: {has}, which cannot run this firmware; {HOW_TO_GET_MICROPYTHON}")


# Compare


def _differences(board: Board, wanted: Files) -> dict[str, str]:
    """Return what is wrong with each file, by path; files that are neither wanted nor programs are ignored."""
    found = board.files()
    wrong = {path: "missing" for path in wanted if path not in found}
    wrong |= {path: "surplus" for path in found if path not in wanted and path.endswith(_PROGRAM)}
    for path in found.keys() & wanted.keys():
        if found[path] != (len(wanted[path]), sha256(wanted[path]).hexdigest()):
            wrong[path] = "different"
    return wrong


def _check(board: Board, wanted: Files) -> bool:
    wrong = _differences(board, wanted)
    for path in sorted(wrong):
        typer.echo(f"{wrong[path]} {path}")
    _note(f"{board.port}: {len(wrong)} of {len(wanted)} files differ" if wrong else _all_as_built(board, wanted))
    return not wrong


def _all_as_built(board: Board, wanted: Files) -> str:
    secret = f", key {fingerprint(wanted[_KEY])}" if _KEY in wanted else ""
    return f"{board.port}: all {len(wanted)} files are as built, image {wanted[_image_hash(wanted)].hex()}{secret}"


# Write


def _flash(board: Board, wanted: Files, *, erase: bool) -> bool:
    if erase:
        board.format()
    with bar("reserving", _RESERVED) as progress:
        if board.reserve(progress):
            _note(f"{board.port}: flash is reserved for the journal, which is empty")
    wrong = _differences(board, wanted)
    _write(board, wanted, wrong)
    _verify(board, wanted)
    removed = len(wrong.keys() - wanted.keys())
    _note(f"{board.port}: {len(wrong) - removed} files written, {removed} removed; the shoe restarts")
    _note(_all_as_built(board, wanted))
    return True


def write_order(wrong: Mapping[str, str], wanted: Files) -> list[str]:
    """Return the files to write in order: the program's hash first, so that only the complete program is accepted.

    main.py is the last: until then a board with its program elsewhere starts that one.
    """
    ranks = {_image_hash(wanted): 0, _MAIN: 2}
    return sorted(wrong.keys() & wanted.keys(), key=lambda path: (ranks.get(path, 1), path))


def _write(board: Board, wanted: Files, wrong: Mapping[str, str]) -> None:
    to_write = write_order(wrong, wanted)
    with bar("writing", sum(len(wanted[path]) for path in to_write)) as progress:
        for path in to_write:
            board.write(path, wanted[path], progress)
    for path in wrong.keys() - wanted.keys():
        board.remove(path)


def _verify(board: Board, wanted: Files) -> None:
    """Compare the program by the firmware's own hash, other files one by one; BoardError if one differs."""
    image = _image_hash(wanted)
    if board.image_digest(str(PurePosixPath(image).parent)) != wanted[image]:
        wrong = sorted(_differences(board, wanted)) or "its program"
        raise BoardError(f"{board.port}: {wrong} is not what was written; flash again")
    for path in wanted.keys() & {image, _KEY, _FIRMWARE_KEY, _SLOT}:
        if board.digest(path) != sha256(wanted[path]).hexdigest():
            raise BoardError(f"{board.port}: {path} is not what was written; flash again")


def _image_hash(wanted: Files) -> str:
    """Return the path of the hash of the program: in its slot, or in the root of a bench."""
    return next(path for path in wanted if PurePosixPath(path).name == _IMAGE_HASH)


def _note(text: str) -> None:
    typer.echo(f"sabot flash: {text}", err=True)
