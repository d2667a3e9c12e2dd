"""sabot watch: the coups that a broker delivers, as people read them."""

import selectors
import sys
import time
from typing import Annotated

import msgspec
import paho.mqtt.client as paho
import typer
from sabot_gateway.mqtt import Broker, BrokerUrlError, LoopClient
from sabot_protocol.topics import ROOT, CoupMessage

from sabot_tools.coups import Painter

app = typer.Typer(rich_markup_mode=None)


@app.command(epilog="Example: sabot watch --broker mqtt://127.0.0.1:18883")
def watch(
    broker: Annotated[str, typer.Option(help="mqtt://host:port")] = "mqtt://127.0.0.1:18883",
    site: Annotated[str, typer.Option(help="Only this site.")] = "+",
    coups: Annotated[int | None, typer.Option(min=1, help="Stop after so many coups; else at Ctrl-C.")] = None,
) -> None:
    """Print the coups that a broker delivers."""
    try:
        where = Broker.from_url(broker)
    except BrokerUrlError as error:
        raise typer.BadParameter(str(error)) from error
    selector = selectors.DefaultSelector()
    mqtt = LoopClient(where, "", clean_session=True, selector=selector)
    seen = _printing(mqtt.client, site)
    try:
        _follow(mqtt, selector, seen, coups)
    except KeyboardInterrupt:
        typer.echo()
    mqtt.close()


def _printing(client: paho.Client, site: str) -> set[str]:
    """Print each coup once; the ids that were printed."""
    painter = Painter(sys.stdout.isatty())
    seen: set[str] = set()

    def on_message(_client: object, _userdata: object, message: paho.MQTTMessage) -> None:
        coup = msgspec.json.decode(message.payload, type=CoupMessage)
        if coup.id not in seen:
            seen.add(coup.id)
            typer.echo(painter.line(coup, None))

    def on_connect(*_: object) -> None:
        client.subscribe(f"{ROOT}/{site}/+/coup", qos=1)

    client.on_connect = on_connect
    client.on_message = on_message
    return seen


def _follow(mqtt: LoopClient, selector: selectors.BaseSelector, seen: set[str], coups: int | None) -> None:
    told = None
    while coups is None or len(seen) < coups:
        mqtt.step(time.monotonic())
        if mqtt.problem != told:
            told = mqtt.problem
            if told:
                typer.echo(f"sabot watch: {told}; trying again", err=True)
        selector.select(0.1)
