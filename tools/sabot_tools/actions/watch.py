"""sabot watch: subscribe to a broker and print each coup once it is confirmed."""

import re
import selectors
import sys
import time
from collections import Counter
from typing import Annotated, Any

import msgspec
import paho.mqtt.client as paho
import typer
from sabot_protocol.inputs.plain_text import printable
from sabot_protocol.topics import ROOT, ConfirmedMessage
from sabot_service.broker import Broker, BrokerUrlError, Login, LoginError
from sabot_service.mqtt import LoopClient

from sabot_tools.options.login import (
    CaFileOption,
    CertificateFileOption,
    KeyFileOption,
    PasswordFileOption,
    UserOption,
    as_options,
)
from sabot_tools.text.coups import Painter

app = typer.Typer(rich_markup_mode=None, add_completion=False)


EPILOG = """\b
Example: sabot watch --broker mqtt://127.0.0.1:18883
Example: sabot watch --broker mqtts://broker.example:8883 --site sydney --user pit-sydney \
  --password-file pit.password --ca-file ca.pem
"""


@app.command(epilog=EPILOG)
def watch(
    broker: Annotated[
        str, typer.Option(help="URL of the broker: mqtt://host:port, or mqtts:// for TLS.")
    ] = "mqtt://127.0.0.1:18883",
    site: Annotated[str, typer.Option(help="Watch only this site.", show_default="every site")] = "+",
    coups: Annotated[
        int | None, typer.Option(min=1, help="Stop after this many coups.", show_default="until Ctrl-C")
    ] = None,
    user: UserOption = None,
    password_file: PasswordFileOption = None,
    ca_file: CaFileOption = None,
    certificate_file: CertificateFileOption = None,
    key_file: KeyFileOption = None,
) -> None:
    """Subscribe to a broker and print each coup once it is confirmed: before, its cards may not be turned."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+|\+", site):
        raise typer.BadParameter(f"{site!r} is not a site: use letters, digits, - and _", param_hint="--site")
    selector = selectors.DefaultSelector()
    login = Login(user, password_file, ca_file, certificate_file, key_file)
    try:
        mqtt = LoopClient(Broker.from_url(broker), "", clean_session=True, selector=selector, login=login)
    except (BrokerUrlError, LoginError) as error:
        raise typer.BadParameter(as_options(str(error))) from error
    printed = _print_coups(mqtt, site)
    try:
        _run(mqtt, selector, printed, coups)
    except KeyboardInterrupt:
        typer.echo()
    mqtt.close()


def _print_coups(mqtt: LoopClient, site: str) -> Counter[str]:
    """Print each coup once as it arrives; return counts: `coups` printed, and by unit the last event number."""
    painter = Painter(sys.stdout.isatty())
    printed: Counter[str] = Counter()

    def on_message(_client: object, _userdata: object, message: paho.MQTTMessage) -> None:
        try:
            coup = msgspec.json.decode(message.payload, type=ConfirmedMessage)
            line = painter.line(coup, None)
        except (msgspec.MsgspecError, UnicodeError, LookupError, RecursionError):
            typer.echo(
                f"sabot watch: ignored a message on {printable(message.topic)}: it is no confirmed coup", err=True
            )
            return
        if coup.event_no > printed[coup.unit]:
            printed[coup.unit] = coup.event_no
            printed["coups"] += 1
            typer.echo(line)

    topic = f"{ROOT}/{site}/+/confirmed"

    def on_ready() -> None:
        mqtt.client.subscribe(topic, qos=1)

    def on_subscribe(_client: object, _userdata: object, _mid: int, reasons: list[Any], *_: object) -> None:
        if any(reason.is_failure for reason in reasons):
            who = mqtt.login.user or "a client without --user"
            typer.echo(
                f"sabot watch: the broker does not let {who} read {topic}; use a --user and --site that it allows",
                err=True,
            )

    mqtt.on_ready = on_ready
    mqtt.client.on_subscribe = on_subscribe
    mqtt.client.on_message = on_message
    return printed


def _run(mqtt: LoopClient, selector: selectors.BaseSelector, printed: Counter[str], coups: int | None) -> None:
    problem = None
    while coups is None or printed["coups"] < coups:
        mqtt.step(time.monotonic())
        if mqtt.problem != problem:
            problem = mqtt.problem
            if problem:
                typer.echo(f"sabot watch: {as_options(problem)}; trying again", err=True)
        selector.select(0.1)
