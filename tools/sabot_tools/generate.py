"""sabot generate: the firmware's tables, from the definitions in protocol/."""

from pathlib import Path
from textwrap import wrap
from typing import Annotated

import typer
from sabot_protocol import cardcode, messages
from sabot_protocol.cards import DECK

app = typer.Typer(rich_markup_mode=None, add_completion=False)
ROOT = Path(__file__).resolve().parents[2]


def firmware_tables() -> str:
    """firmware/sabot/generated.py."""
    numbers = (
        cardcode.word_number(cardcode.set_words(set_no)[card])
        for set_no in range(1, cardcode.SETS + 1)
        for card in DECK
    )
    words = b"".join(number.to_bytes(2, "little") for number in numbers)
    return f'''"""Tables that follow from protocol/: written by `sabot generate`, not by hand."""

from micropython import const

PROTOCOL_HASH = {_literal(messages.protocol_hash())}
COLUMNS = const({cardcode.COLUMNS})
EXIT_UM = const({cardcode.SENSORS_UM["exit"]})
SETS = const({cardcode.SETS})

# The code words of all sets, a card after the other, 16 bits each: base-3 numbers, A 0, B 1, both 2.
WORDS = (
{_lines(words)}
)
'''


def _literal(data: bytes) -> str:
    return 'b"' + "".join(f"\\x{byte:02x}" for byte in data) + '"'


def _lines(data: bytes) -> str:
    return "\n".join(f'    b"{line}"' for line in wrap("".join(f"\\x{byte:02x}" for byte in data), 96))


GENERATED = {ROOT / "firmware" / "sabot" / "generated.py": firmware_tables}


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
            path.write_text(GENERATED[path]())
    if not stale:
        typer.echo("every generated file is current")
    raise typer.Exit(int(check and bool(stale)))
