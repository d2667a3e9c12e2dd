"""sabot generate: card sets, the firmware's wire.py, pages, schemas and a dashboard, from their definitions."""

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from sabot_gateway.ops import dashboard
from sabot_protocol import cardcode, cardsets, schemas
from sabot_protocol.documents import angel_eye_dissector, authority_page, dissector, incidents_page, page
from sabot_protocol.documents import firmware_wire as wire

app = typer.Typer(rich_markup_mode=None, add_completion=False)
ROOT = Path(__file__).resolve().parents[3]
FIRMWARE_WIRE = ROOT / "firmware" / "sabot" / "wire.py"


def card_sets() -> str:
    """protocol/sabot_protocol/cardsets.json."""
    return json.dumps(cardsets.card_sets(), indent=1) + "\n"


def firmware_wire() -> str:
    """firmware/sabot/wire.py: the tables, and those constants that the firmware uses."""
    return wire.wire(wire_names_in_firmware())


def wire_names_in_firmware() -> set[str]:
    """Return the names of wire.py that the firmware's programs, modules and tests use."""
    sources = [path for path in (ROOT / "firmware").rglob("*.py") if path != FIRMWARE_WIRE]
    return {name for path in sources for name in _wire_names(ast.parse(path.read_text()))}


def _wire_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "wire":
            yield node.attr
        elif isinstance(node, ast.ImportFrom) and node.module == "sabot.wire":
            yield from (alias.name for alias in node.names)


def protocol_page() -> str:
    """protocol/PROTOCOL.md."""
    lines = (ROOT / "protocol" / "vectors" / "frames.jsonl").read_text().splitlines()
    life = json.loads((ROOT / "hil_tests/recordings/cutting/dummy-coups-after-the-last.json").read_text())["events"]
    return page.document([golden for golden in map(json.loads, lines) if golden["expect"] == "accept"], life)


def _json(document: object) -> Callable[[], str]:
    return lambda: json.dumps(document, indent=1, ensure_ascii=False) + "\n"


GENERATED = {
    cardcode.CARD_SETS: card_sets,
    FIRMWARE_WIRE: firmware_wire,
    ROOT / "gateway" / "examples" / "grafana" / "sabot.json": dashboard.document,
    ROOT / "tools" / "wireshark" / "sabot.lua": dissector.lua,
    ROOT / "tools" / "wireshark" / "angel_eye.lua": angel_eye_dissector.lua,
    ROOT / "protocol" / "PROTOCOL.md": protocol_page,
    ROOT / "protocol" / "AUTHORITY.md": authority_page.document,
    ROOT / "protocol" / "INCIDENTS.md": incidents_page.document,
    ROOT / "protocol" / "asyncapi.json": _json(schemas.asyncapi()),
    **{ROOT / "protocol" / "schemas" / f"{name}.json": _json(schemas.schema(name)) for name in schemas.ALL_PAYLOADS},
}


@app.command(epilog="Example: sabot generate --check")
def generate(
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit 1 when a file is stale.")] = False,
) -> None:
    """Rewrite the checked-in files that follow from a definition."""
    if not (ROOT / "pyproject.toml").exists():
        typer.echo("sabot generate: works in a checkout of the project, and this is an installed copy", err=True)
        raise typer.Exit(1)
    stale = [path for path, text in GENERATED.items() if not path.exists() or path.read_text() != text()]
    for path in stale:
        typer.echo(f"{path.relative_to(ROOT)}: {'stale, run `sabot generate`' if check else 'written'}")
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(GENERATED[path]())
    if not stale:
        typer.echo("every generated file is current")
    raise typer.Exit(int(check and bool(stale)))
