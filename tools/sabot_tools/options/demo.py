"""Options of `sabot demo`."""

from typing import Annotated, Literal

import typer

from sabot_tools.options.numbers import finite

Kind = Literal["sabot", "angel-eye", "mixed"]

CoupsOption = Annotated[
    int | None, typer.Option(min=1, help="Stop after this many coups.", show_default="until Ctrl-C")
]
TablesOption = Annotated[int, typer.Option(min=1, max=64, help="Number of tables.")]
KindOption = Annotated[
    Kind, typer.Option(help="Shoes: our own, emulated Angel Eyes (from public facts), or both in turn.")
]
RulebookOption = Annotated[
    str | None,
    typer.Option(
        help="Id of the rulebook of all tables, or mixed: the five in turn.",
        show_default="star-baccarat, mixed for several tables, or that of --stack",
    ),
]

SpeedOption = Annotated[float, typer.Option(min=0.1, callback=finite, help="Speed of the dealers; 1 is real time.")]
PortOption = Annotated[
    int, typer.Option(min=0, max=65535, help="MQTT port of the broker to start; 0 chooses a free one.")
]
WebPortOption = Annotated[int, typer.Option(min=0, max=65535, help="Port of the pages; 0 chooses a free one.")]
MetricsPortOption = Annotated[
    int | None,
    typer.Option(
        min=1, max=65534, help="Port of the gateway's metrics; the floor's are at the next.", show_default="none"
    ),
]
BrokerOption = Annotated[str | None, typer.Option(help="Use this broker instead: mqtt://host:port.")]
SeedOption = Annotated[int, typer.Option(help="Seed of the shuffle.")]
StackOption = Annotated[
    str | None, typer.Option(help="Let the second coup of table 1 win the jackpot: lucky-tie, lucky-tie:coloured …")
]
TroubleOption = Annotated[
    bool, typer.Option("--trouble", help="Provoke irregularities at some tables, for people to settle at the pages.")
]
PatienceOption = Annotated[
    float | None,
    typer.Option(
        min=0,
        callback=finite,
        help="Seconds after which the demo's own people settle a trouble.",
        show_default="never; 1 with --coups",
    ),
]


def kinds(kind: Kind, tables: int) -> tuple[str, ...]:
    """Return the kind of each table's shoe; `mixed` begins with an Angel Eye."""
    both = ("angel-eye", "sabot")
    return tuple(both[number % 2] if kind == "mixed" else kind for number in range(tables))
