"""Options of `sabot shoe`: for either kind of shoe, for our own, and for an emulated Angel Eye."""

from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
import typer
from sabot_protocol import cardcode, rulebooks
from sabot_protocol.inputs.config_file import Name
from sabot_sim.angel_eye.settings import BAUD, CYCLES, Burn, LineFaults, Settings

from sabot_tools.options.numbers import finite

Kind = Literal["sabot", "angel-eye"]
Cycle = Literal["1-9", "0-9", "1-F"]
Bcc = Literal["with-stx", "without-stx"]
BurnName = Literal["one", "first-card", "none"]
MISHAP_SHARE: Final = 0.05
_DATA_BITS: Final = 8
_GAP_MS: Final = 50.0
_BURNS: Final[dict[str, Burn]] = {"one": "one", "first-card": "first_card", "none": "none"}
_KINDS_OF_DAMAGE: Final = 3  # a bit wrong, cut off, lost; noise comes on top

KindOption = Annotated[
    Kind,
    typer.Option(help="sabot: our own shoe with its firmware; angel-eye: an Angel Eye II-EX, built from public facts."),
]
BookOption = Annotated[
    str | None,
    typer.Option(
        "--rulebook", help=f"The rulebook: {', '.join(rulebooks.ids())}.", show_default="the first of the demo"
    ),
]
SpeedOption = Annotated[float, typer.Option(min=0.1, callback=finite, help="Speed of the dealer; 1 is real time.")]
PtyOption = Annotated[Path | None, typer.Option(help="Name of the serial line: a symbolic link to its pty.")]
TcpOption = Annotated[
    str | None,
    typer.Option(
        metavar="[HOST:]PORT", help="Listen on this port instead of a pty, for socket://; 0 chooses a free port."
    ),
]
DecksOption = Annotated[int | None, typer.Option(help="Decks in the shoe.", show_default="as in the rulebook")]
SeedOption = Annotated[int, typer.Option(help="Seed of the shuffle, the mishaps and the line.")]
TableOption = Annotated[str, typer.Option(help="Name of the table in the lines for the config.")]
CoupsOption = Annotated[
    int | None, typer.Option(min=1, help="Stop after this many confirmed coups.", show_default="until Ctrl-C")
]
MishapsOption = Annotated[
    bool, typer.Option("--mishaps", help="Now and then deal wrongly, pull an unreadable card, and so on.")
]
PatienceOption = Annotated[
    float,
    typer.Option(
        callback=finite, min=0, help="Seconds until the simulated supervisor unlocks a shoe that has stopped; 0: never."
    ),
]
RestOption = Annotated[
    float | None,
    typer.Option(
        callback=finite, min=0, help="Seconds between two shoes, for what needs a closed shoe.", show_default="0"
    ),
]

CardSetOption = Annotated[
    int | None,
    typer.Option(min=1, max=cardcode.SETS, help="Number of the card set.", show_default="1"),
]
UnitOption = Annotated[
    str | None,
    typer.Option(help="Unit id of the shoe, 16 hex digits; every shoe needs its own.", show_default="5ab0…01"),
]
KeyOption = Annotated[
    Path | None, typer.Option(dir_okay=False, help="Key of the shoe, made by `sabot keys new UNIT --shoe FILE`.")
]
FirmwareKeyOption = Annotated[
    Path | None,
    typer.Option(
        dir_okay=False,
        help="The firmware publisher's public key: the shoe takes images from its gateway between shoes.",
    ),
]
StateOption = Annotated[
    Path | None,
    typer.Option(file_okay=False, help="Keep flash and cards in this directory: the next start continues the log."),
]

CycleOption = Annotated[Cycle | None, typer.Option(help="Angel Eye: characters of its sequence.", show_default="1-9")]
BaudOption = Annotated[
    int | None, typer.Option(min=300, max=115_200, help="Angel Eye: speed of its line.", show_default=str(BAUD))
]
GapOption = Annotated[
    float | None,
    typer.Option(
        callback=finite, min=0, max=400, help="Angel Eye: milliseconds between two copies.", show_default="50"
    ),
]
BccOption = Annotated[
    Bcc | None, typer.Option(help="Angel Eye: how it counts the BCC of a command.", show_default="with-stx")
]
BurnOption = Annotated[
    BurnName | None,
    typer.Option(help="Angel Eye: one card, as many as the first card shows, or none.", show_default="one"),
]
DataBitsOption = Annotated[
    int | None,
    typer.Option(min=7, max=8, help="Angel Eye: 7 is a converter that is set wrongly.", show_default="8"),
]
BadLineOption = Annotated[
    float | None,
    typer.Option(
        callback=finite,
        min=0,
        max=0.9,
        help="Angel Eye: share of copies that are damaged, cut or lost.",
        show_default="0",
    ),
]
InterleavedOption = Annotated[
    bool, typer.Option("--interleaved", help="Angel Eye: copies of two messages may be mixed.")
]
NaksOption = Annotated[
    float | None,
    typer.Option(
        callback=finite,
        min=0,
        max=1,
        help="Angel Eye: share of commands answered with NAK 01, 02 or 21.",
        show_default="0",
    ),
]

_WHY_NOT: Final = {
    "--unit": "an Angel Eye has no identity on its line",
    "--key": "an Angel Eye has no key",
    "--firmware-key": "an Angel Eye takes no firmware from a gateway",
    "--state": "an Angel Eye keeps no log that could continue",
    "--rest": "the dealer of an Angel Eye begins the next shoe at once",
    "--card-set": "an Angel Eye does not report the card set",
}


class Line(NamedTuple):
    """Options of the line of an Angel Eye; None or False where it was left out."""

    cycle: Cycle | None = None
    baud: int | None = None
    gap: float | None = None
    interleaved: bool = False
    bcc: Bcc | None = None
    bad_line: float | None = None
    naks: float | None = None
    burn: BurnName | None = None
    data_bits: int | None = None

    def settings(self) -> Settings:
        """Return the settings of the shoe."""
        gap_s, bad = _GAP_MS / 1000 if self.gap is None else self.gap / 1000, (self.bad_line or 0.0) / _KINDS_OF_DAMAGE
        return Settings(
            cycle=CYCLES[self.cycle or "1-9"],
            baud=self.baud or BAUD,
            gap_s=(gap_s, gap_s),
            data_bits=self.data_bits or _DATA_BITS,
            interleaved=self.interleaved,
            bcc_with_stx=self.bcc != "without-stx",
            burn=_BURNS[self.burn or "one"],
            faults=LineFaults(bad, bad, bad, bad, refused=self.naks or 0.0),
        )


def refuse_table(name: str) -> None:
    """Raise BadParameter for a name that no gateway takes."""
    try:
        msgspec.convert(name, Name)
    except msgspec.ValidationError as error:
        why = f"{name!r} is not a name of a table: write letters, digits, - and _, such as bac-01"
        raise typer.BadParameter(why, param_hint="--table") from error


def refuse_other_kind(kind: Kind, own: dict[str, Any], line: Line) -> None:
    """Raise BadParameter for an option that makes no sense with this kind of shoe."""
    angel_eye = {f"--{name.replace('_', '-')}": value for name, value in line._asdict().items()}
    for name, value in (own if kind == "angel-eye" else angel_eye).items():
        if value is not None and value is not False:
            why = _WHY_NOT.get(name, "it is only for --kind angel-eye")
            raise typer.BadParameter(f"{why}; leave {name} out", param_hint=name)
