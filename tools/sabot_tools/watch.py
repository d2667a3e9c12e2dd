"""sabot watch: the coups that a broker delivers, as people read them."""

import selectors
import sys
import time
from collections import Counter
from typing import Annotated

import msgspec
import paho.mqtt.client as paho
import typer
from sabot_gateway.broker import Broker, BrokerUrlError
from sabot_gateway.mqtt import LoopClient
from sabot_gateway.plain_text import shown
from sabot_protocol.topics import ROOT, CoupMessage

from sabot_tools.coups import Painter

app = typer.Typer(rich_markup_mode=None, add_completion=False)


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
    seen = _printing(mqtt, site)
    try:
        _follow(mqtt, selector, seen, coups)
    except KeyboardInterrupt:
        typer.echo()
    mqtt.close()


def _printing(mqtt: LoopClient, site: str) -> Counter[str]:
    """Print each coup once; how many were printed, and of each unit the newest."""
    painter = Painter(sys.stdout.isatty())
    seen: Counter[str] = Counter()

    def on_message(_client: object, _userdata: object, message: paho.MQTTMessage) -> None:
        try:
            coup = msgspec.json.decode(message.payload, type=CoupMessage)
            line = painter.line(coup, None)
        except (msgspec.MsgspecError, UnicodeError, LookupError):
            typer.echo(f"sabot watch: what came on {shown(message.topic)} is no coup", err=True)
            return
        if coup.event_no > seen[coup.unit]:
            seen[coup.unit] = coup.event_no
            seen["printed"] += 1
            typer.echo(line)

    def on_ready() -> None:
        mqtt.client.subscribe(f"{ROOT}/{site}/+/coup", qos=1)

    mqtt.on_ready = on_ready
    mqtt.client.on_message = on_message
    return seen


def _follow(mqtt: LoopClient, selector: selectors.BaseSelector, seen: Counter[str], coups: int | None) -> None:
    told = None
    while coups is None or seen["printed"] < coups:
        mqtt.step(time.monotonic())
        if mqtt.problem != told:
            told = mqtt.problem
            if told:
                typer.echo(f"sabot watch: {told}; trying again", err=True)
        selector.select(0.1)
