"""sabot generate: card sets, the firmware's tables and the schemas, from the definitions in protocol/."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from sabot_protocol import cardcode, cardsets, pcapng, schemas
from sabot_protocol.documents import firmware_wire, page

app = typer.Typer(rich_markup_mode=None, add_completion=False)
ROOT = Path(__file__).resolve().parents[3]


def card_sets() -> str:
    """protocol/sabot_protocol/cardsets.json."""
    return json.dumps(cardsets.card_sets(), indent=1) + "\n"


def firmware_tables() -> str:
    """firmware/sabot/generated.py."""
    title = '"""Tables that follow from protocol/: written by `sabot generate`, not by hand."""'
    return f"{title}\n{firmware_wire.HEAD}{firmware_wire.tables()}"


def firmware_numbers() -> str:
    """firmware/sabot/numbers.py: those names that the firmware uses."""
    used = names_in_firmware()
    names = firmware_wire.numbered(firmware_wire.NUMBERED)
    lines = [f"{name} = const({number})" for name, number in names if name in used]
    return f'''"""The numbers of messages.py that the firmware uses: written by `sabot generate`, not by hand."""

from micropython import const

{chr(10).join(lines)}
'''


def names_in_firmware() -> set[str]:
    """Return the names of constants that the firmware's programs, modules and tests use."""
    folder = ROOT / "firmware"
    sources = [
        *folder.glob("*.py"),
        *(folder / "bench").glob("*.py"),
        *(folder / "sabot").rglob("*.py"),
        *(folder / "tests").glob("*.py"),
    ]
    text = "".join(path.read_text() for path in sources if path.stem not in ("numbers", "wire"))
    return set(re.findall(r"\b[A-Z]+_[A-Z0-9_]+\b", text))


def protocol_page() -> str:
    """protocol/PROTOCOL.md."""
    lines = (ROOT / "protocol" / "vectors" / "frames.jsonl").read_text().splitlines()
    life = json.loads((ROOT / "hil_tests/recordings/cutting/dummy-coups-after-the-last.json").read_text())["events"]
    return page.document([golden for golden in map(json.loads, lines) if golden["expect"] == "accept"], life)


def _json(document: object) -> Callable[[], str]:
    return lambda: json.dumps(document, indent=1, ensure_ascii=False) + "\n"


GENERATED = {
    cardcode.CARD_SETS: card_sets,
    ROOT / "firmware" / "sabot" / "generated.py": firmware_tables,
    ROOT / "firmware" / "sabot" / "numbers.py": firmware_numbers,
    ROOT / "tools" / "wireshark" / "sabot.lua": pcapng.lua,
    ROOT / "protocol" / "PROTOCOL.md": protocol_page,
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
