"""sabot generate: card sets, the firmware's tables and the schemas, from the definitions in protocol/."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import wrap
from typing import Annotated

import typer
from sabot_protocol import cardcode, cardsets, document, fields, irregularities, messages, numbers, pcapng, schemas
from sabot_protocol.cards import INDEX

app = typer.Typer(rich_markup_mode=None, add_completion=False)
ROOT = Path(__file__).resolve().parents[2]


def card_sets() -> str:
    """protocol/sabot_protocol/cardsets.json."""
    return json.dumps(cardsets.card_sets(), indent=1) + "\n"


def firmware_tables() -> str:
    """firmware/sabot/generated.py."""
    places = sorted(
        (cardcode.word_number(word), int(set_no), INDEX[card])
        for set_no, words in cardsets.card_sets().items()
        for card, word in words.items()
    )
    offsets = irregularities.code_offsets()
    bits = b"".join(_fact_bits(case) for case in offsets)
    first_um = cardcode.SENSORS_UM["a"] + cardcode.FIRST_MARK_UM + cardcode.MARK_UM // 2
    return f'''"""Tables that follow from protocol/: written by `sabot generate`, not by hand."""

from micropython import const

PROTOCOL_HASH = {_literal(messages.protocol_hash())}
SETS = const({cardcode.SETS})
# Bytes that a command has behind its kind, from the first kind on.
COMMAND_SIZES = {_literal(bytes(messages.COMMANDS[kind].sizeof() for kind in numbers.in_order(numbers.COMMANDS)))}

# By case, from the first: where its codes begin in a profile, and the bits of its facts, the most significant first.
CODES_AT = {_literal(bytes(offsets.values()))}
FACT_BITS = (
{_lines(bits)}
)
CODES = const({messages.CODES_BYTES})

# Travel of the leading edge past the entry sensor, and lengths, in micrometres.
CODE_UM = const({cardcode.SENSORS_UM["a"]})
EXIT_UM = const({cardcode.SENSORS_UM["exit"]})
CARD_UM = const({cardcode.CARD_UM})
PITCH_UM = const({cardcode.PITCH_UM})
FIRST_UM = const({first_um})  # to the middle of the first column
LAST_UM = const({first_um + (cardcode.COLUMNS - 1) * cardcode.PITCH_UM})

# The code words of all sets in rising order, 16 bits each: base-3 numbers, A 0, B 1, both 2.
WORDS = (
{_lines(b"".join(number.to_bytes(2, "little") for number, _, _ in places))}
)
# The set and the card of each word.
SET_OF = (
{_lines(bytes(set_no for _, set_no, _ in places))}
)
CARD_OF = (
{_lines(bytes(card for _, _, card in places))}
)
'''


def _fact_bits(case: str) -> bytes:
    """Return the bit number of each fact that decides a case, in three bytes."""
    return bytes(numbers.FACTS[fact].bit_length() - 1 for fact in irregularities.CASES[case]).ljust(3, b"\xff")


# What the firmware has numbers for, by the prefix of their names.
_NUMBERED: dict[str, dict[str, int]] = {
    "EV": messages.EventKind.encmapping,
    "CMD": messages.CommandKind.encmapping,
    "OUT": fields.Outcome.encmapping,
    "CASE": fields.Case.encmapping,
    "CODE": fields.Consequence.encmapping,
    "FACT": fields.Facts.flags,
    "FAULT": fields.Fault.encmapping,
    "BY": fields.ClearedBy.encmapping,
    "KIND": fields.CoupKind.encmapping,
    "VOID": fields.VoidReason.encmapping,
    "THEN": fields.Then.encmapping,
    "CLOSE": fields.CloseReason.encmapping,
    "CARD": fields.CardFlags.flags,
    "REJECT": fields.RejectReason.encmapping,
    "BUTTON": fields.Button.encmapping,
    "BURN": fields.Burn.encmapping,
    "SWITCH": fields.Switches.flags,
    "PATTERN": fields.Pattern.encmapping,
    "CAUSE": fields.ResetCause.encmapping,
    "TEST": fields.Tests.flags,
}


def firmware_numbers() -> str:
    """firmware/sabot/numbers.py: those names that the firmware uses."""
    folder = ROOT / "firmware"
    sources = [*folder.glob("*.py"), *(folder / "sabot").rglob("*.py"), *(folder / "tests").glob("*.py")]
    used = set(
        re.findall(r"\b[A-Z]+_[A-Z0-9_]+\b", "".join(path.read_text() for path in sources if path.stem != "numbers"))
    )
    names = {
        f"{prefix}_{name.upper()}": int(number) for prefix, table in _NUMBERED.items() for name, number in table.items()
    }
    lines = [f"{name} = const({number})" for name, number in names.items() if name in used]
    return f'''"""The numbers of messages.py that the firmware uses: written by `sabot generate`, not by hand."""

from micropython import const

{chr(10).join(lines)}
'''


def protocol_page() -> str:
    """protocol/PROTOCOL.md."""
    lines = (ROOT / "protocol" / "vectors" / "frames.jsonl").read_text().splitlines()
    life = json.loads((ROOT / "hil_tests/recordings/cutting/dummy-coups-after-the-last.json").read_text())["events"]
    return document.document([golden for golden in map(json.loads, lines) if golden["expect"] == "accept"], life)


def _literal(data: bytes) -> str:
    return 'b"' + "".join(f"\\x{byte:02x}" for byte in data) + '"'


def _lines(data: bytes) -> str:
    return "\n".join(f'    b"{line}"' for line in wrap("".join(f"\\x{byte:02x}" for byte in data), 96))


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
