"""Lines of `sabot jackpot replay`: one struct per kind, named by its first field."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from sabot_protocol.topics import CoupKind

from sabot_tools.text.json_lines import BadLineError

Id = Annotated[str, Meta(min_length=1, max_length=100)]
Stake = Annotated[int, Meta(ge=1, le=10**12)]
Wagers = Annotated[dict[str, list[Stake]], Meta(max_length=100)]
Stock = Annotated[list[str], Meta(max_length=416)]


class Line(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Fields that every line may have."""

    id: Any = None
    time: str = ""
    currency: str = ""


class CoupLine(Line):
    """A coup that was dealt."""

    coup: Id
    table: str
    kind: CoupKind
    stock: Stock | None = None
    wagers: Wagers = {}


class CorrectsLine(Line):
    """A coup that is voided, or has other cards or wagers than was confirmed; what is not given stays."""

    corrects: Id
    kind: CoupKind
    table: str | None = None
    stock: Stock | None = None
    wagers: Wagers | None = None


class RecordWinLine(Line):
    """The dealer's record of a winning hand."""

    record_win: Id
    at: str = ""
    by: str = ""
    wagers: Wagers | None = None


class ConfirmLine(Line):
    """A pay-out is confirmed."""

    confirm: Id
    by: str
    role: str
    notified: str = ""


class InvalidLine(Line):
    """A win is deemed invalid."""

    invalid: Id
    by: str
    role: str
    reason: str


class AdjustLine(Line):
    """Two people change the meter."""

    adjust: int
    by: list[str]
    reason: str
    role: str | None = None


class MalfunctionLine(Line):
    """The equipment of a table fails."""

    malfunction: str
    reason: str = "malfunction"
    by: str = ""
    role: str = ""


class CuredLine(Line):
    """The malfunction of a table is rectified."""

    cured: str
    by: str = ""
    role: str = ""


class MakeGoodLine(Line):
    """A missed coup, or everything that a table missed, is made good."""

    make_good: Id
    by: str
    role: str
    reason: str = ""


class ParametersLine(Line):
    """New values of parameters; `version` is one more unless given."""

    parameters: dict[str, Any]
    by: str = ""
    role: str = ""


class DrawLine(Line):
    """A random draw; its secret follows from its number, so that a replay is repeatable."""

    draw: Id
    by: str = ""
    role: str = ""


AnyLine = (
    CoupLine
    | CorrectsLine
    | RecordWinLine
    | ConfirmLine
    | InvalidLine
    | AdjustLine
    | MalfunctionLine
    | CuredLine
    | MakeGoodLine
    | ParametersLine
    | DrawLine
)
KINDS: dict[str, type[AnyLine]] = {
    "coup": CoupLine,
    "corrects": CorrectsLine,
    "record_win": RecordWinLine,
    "confirm": ConfirmLine,
    "invalid": InvalidLine,
    "adjust": AdjustLine,
    "malfunction": MalfunctionLine,
    "cured": CuredLine,
    "make_good": MakeGoodLine,
    "parameters": ParametersLine,
    "draw": DrawLine,
}
VOID: Literal["void"] = "void"


def parse(line: dict[str, Any]) -> AnyLine:
    """Return the line as its kind's struct; BadLineError names the field that is wrong."""
    named = [name for name in KINDS if name in line]
    if not named:
        raise BadLineError(f"no kind of entry: give one of {', '.join(KINDS)}")
    kind = KINDS[named[0]]
    try:
        return msgspec.convert(line, kind)
    except msgspec.ValidationError as error:
        raise BadLineError(_describe(error, kind, line)) from error


def _describe(error: msgspec.ValidationError, kind: type[AnyLine], line: dict[str, Any]) -> str:
    """Return what is wrong with a line, and where; for an unknown field, with those that it may have."""
    unknown = [name for name in line if name not in kind.__struct_fields__]
    if unknown:
        return f"unknown field {unknown[0]!r}: a line with {next(iter(line))} may have {_fields(kind)}"
    what, _, where = str(error).partition(" - at `$.")
    return f"{where.rstrip('`')}: {what}" if where else what


def _fields(kind: type[AnyLine]) -> str:
    return ", ".join(sorted(kind.__struct_fields__))
