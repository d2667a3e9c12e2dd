"""sabot cards: print the code words of a card set, and where they are on a card."""

import json
from typing import Annotated, Any

import typer
from sabot_protocol import cardcode
from sabot_protocol.cards import RANKS, SUITS

app = typer.Typer(rich_markup_mode=None, add_completion=False)

EPILOG = """\b
Example: sabot cards --set 2
Example: sabot cards --set 1 --json
"""

SetNumber = Annotated[int, typer.Option("--set", min=1, max=cardcode.SETS, help="Card set.")]


@app.command(epilog=EPILOG)
def cards(
    set_no: SetNumber = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the code words of a card set and the geometry of the code."""
    typer.echo(json.dumps(card_set_json(set_no)) if as_json else "\n".join(table_lines(set_no)))


def card_set_json(set_no: int) -> dict[str, Any]:
    """Return all that a program needs to print or simulate a card of this set."""
    return {
        "set": set_no,
        "geometry": {
            "columns": cardcode.COLUMNS,
            "pitch_um": cardcode.PITCH_UM,
            "mark_um": cardcode.MARK_UM,
            "first_mark_um": cardcode.FIRST_MARK_UM,
            "card_um": cardcode.CARD_UM,
            "sensors_um": cardcode.SENSORS_UM,
        },
        "pins": cardcode.PINS,
        "words": cardcode.set_words(set_no),
        "cutting_card": "both tracks solid from end to end",
        "inputs": {"lid": cardcode.LID_PIN},
    }


def table_lines(set_no: int) -> list[str]:
    """Return a table with a column for each suit and a row for each rank."""
    words = cardcode.set_words(set_no)
    rows = ["   ".join(f"{rank}{suit} {words[rank + suit]}" for suit in SUITS) for rank in RANKS]
    first, mark, pitch = (um / 1000 for um in (cardcode.FIRST_MARK_UM, cardcode.MARK_UM, cardcode.PITCH_UM))
    return [
        f"set {set_no} of {cardcode.SETS}: A or B is a mark on that track, X on both; the first column leads",
        f"marks of {mark:g} mm every {pitch:g} mm, the first {first:g} mm behind the leading edge",
        "the cutting card is solid on both tracks",
        "",
        *rows,
    ]
