"""sabot flash: puts the firmware on a board over its USB serial port, and reads back what it wrote."""

from collections.abc import Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

import typer
from sabot_protocol.auth import KEY_BYTES, fingerprint
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
_NOTE: Final = "image.bin"
_PROGRAM: Final = (".py", ".mpy")
_RESERVED: Final = 24

Files = Mapping[str, bytes]


@app.command(epilog=EPILOG)
def flash(
    port: Annotated[str, typer.Argument(help="The board's USB serial port.", metavar="PORT")],
    key: Annotated[Path | None, typer.Option(help="Also put in this key of the unit, made by `sabot keys`.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Only compare; exit status 1 if something differs.")] = False,
    bench: Annotated[bool, typer.Option("--bench", help="For the bench: inputs and line come over USB.")] = False,
    erase: Annotated[bool, typer.Option("--erase", help="First remove all that is there, the journal too.")] = False,
) -> None:
    """Put the firmware on a board and read it back; the shoe restarts, its journal stays."""
    if check and erase:
        raise typer.BadParameter("--check changes nothing: leave --erase out")
    try:
        wanted = _wanted(key, bench=bench)
        with closing(Board(port)) as board:
            _fits(board.port, board.system(), wanted)
            board.prepare()
            same = _check(board, wanted) if check else _flash(board, wanted, erase=erase)
            board.restart()
    except (BoardError, OSError, ValueError) as error:
        raise failure("flash", error) from error
    if not same:
        raise typer.Exit(1)


def _wanted(key: Path | None, *, bench: bool) -> dict[str, bytes]:
    """The files that a board should have."""
    image = build.shoe_image(bench=bench)
    if key is None:
        return image
    secret = key.read_bytes()
    if len(secret) != KEY_BYTES:
        raise ValueError(f"{key} has {len(secret)} bytes, a key has {KEY_BYTES}; make it with sabot keys new --shoe")
    return image | {_KEY: secret}


def _fits(port: str, system: System, wanted: Files) -> None:
    """Whether this MicroPython takes files that were compiled here."""
    headers = [data for path, data in wanted.items() if path.endswith(".mpy")]
    version, native = headers[0][1], max(header[2] for header in headers)  # native: 0 where there is only bytecode
    if (
        system.platform != "rp2"
        or system.version < OLDEST
        or system.mpy & 0xFF != version
        or native not in (0, system.mpy >> 8)
    ):
        has = f"{system.machine} has MicroPython {'.'.join(map(str, system.version))} (.mpy {system.mpy:#06x})"
        raise BoardError(f"{port}: {has}, which does not run this firmware; {HOW_TO_GET_MICROPYTHON}")


# Compare


def _differences(board: Board, wanted: Files) -> dict[str, str]:
    """What is wrong with a file, by path; files that are no program and that nobody asks for are left alone."""
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
    _tell(f"{board.port}: {len(wrong)} of {len(wanted)} files differ" if wrong else _sound(board, wanted))
    return not wrong


def _sound(board: Board, wanted: Files) -> str:
    secret = f", key {fingerprint(wanted[_KEY])}" if _KEY in wanted else ""
    return f"{board.port}: all {len(wanted)} files are as built, image {wanted[_NOTE].hex()}{secret}"


# Write


def _flash(board: Board, wanted: Files, *, erase: bool) -> bool:
    if erase:
        board.format()
    with bar("reserving", _RESERVED) as progress:
        if board.reserve(progress):
            _tell(f"{board.port}: the journal's part of flash is made, and empty")
    wrong = _differences(board, wanted)
    _write(board, wanted, wrong)
    _verify(board, wanted)
    removed = len(wrong.keys() - wanted.keys())
    _tell(f"{board.port}: {len(wrong) - removed} files written, {removed} removed; the shoe restarts")
    _tell(_sound(board, wanted))
    return True


def _write(board: Board, wanted: Files, wrong: Mapping[str, str]) -> None:
    """The note first: from then on the self-test refuses all but the whole program."""
    due = sorted((path for path in wrong if path in wanted), key=lambda path: (path != _NOTE, path))
    with bar("writing", sum(len(wanted[path]) for path in due)) as progress:
        for path in due:
            board.write(path, wanted[path], progress)
    for path in wrong.keys() - wanted.keys():
        board.remove(path)


def _verify(board: Board, wanted: Files) -> None:
    """All of the program by the firmware's own hash; what is no program by itself."""
    if board.image_digest() != wanted[_NOTE]:
        wrong = sorted(_differences(board, wanted)) or "its program"
        raise BoardError(f"{board.port}: {wrong} did not read back as written; flash again")
    for path in wanted.keys() & {_NOTE, _KEY}:
        if board.digest(path) != sha256(wanted[path]).hexdigest():
            raise BoardError(f"{board.port}: {path} did not read back as written; flash again")


def _tell(text: str) -> None:
    typer.echo(f"sabot flash: {text}", err=True)
