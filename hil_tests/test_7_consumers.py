"""The consumers of gateway/examples beside a real gateway: each confirmed coup once, over a restart of the broker."""

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import paho.mqtt.client as paho
import pytest
from jsonschema import Draft202012Validator
from paho.mqtt.enums import CallbackAPIVersion
from sabot_protocol import schemas
from sabot_service.broker import Broker
from sabot_tools.stand.broker import LocalBroker
from sabot_tools.stand.children import Children
from support.site_watcher import SiteWatcher, WatchSite

EXAMPLES = Path(__file__).parents[1] / "gateway" / "examples"
INSTALLED = Path(sys.prefix) / "consumer"


def in_python(broker: Broker) -> list[str]:
    return [sys.executable, str(EXAMPLES / "consumer.py"), broker.host, str(broker.port), "demo"]


def in_javascript(broker: Broker) -> list[str]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on the path")
    if not (INSTALLED / "node_modules" / "mqtt").is_dir():
        pytest.skip(f"npm's mqtt is not installed: make {INSTALLED.parent.name}/consumer/.installed")
    script = shutil.copy(EXAMPLES / "consumer.mjs", INSTALLED)  # modules are looked for beside it
    return [node, str(script), str(broker), "demo"]


def publish(broker: Broker, topic: str, payload: bytes) -> None:
    """Publish a message and wait for the broker's answer."""
    client = paho.Client(CallbackAPIVersion.VERSION2)
    client.connect(broker.host, broker.port)
    client.loop_start()
    client.publish(topic, payload, qos=1).wait_for_publish(20.0)
    client.disconnect()
    client.loop_stop()


def deal_until_printed(watcher: SiteWatcher, log: Path, more: int) -> list[list[str]]:
    """Deal until the consumer has printed so many more coups; return the words of each line."""

    def lines() -> list[list[str]]:
        return [line.split() for line in log.read_text().splitlines()]

    goal = len(lines()) + more
    watcher.run_until(lambda _: len(lines()) >= goal)
    return lines()


@pytest.mark.parametrize("command", [in_python, in_javascript])
def test_a_consumer_prints_each_confirmed_coup_once(
    watch_site: WatchSite, tmp_path: Path, command: Callable[[Broker], list[str]]
) -> None:
    broker = LocalBroker(tmp_path)
    consumers = Children(tmp_path)
    started = command(broker.address)
    try:
        consumers.start("consumer", started)
        watcher = watch_site(broker_url=str(broker.address), lasting=True, speed=100.0)
        before = deal_until_printed(watcher, tmp_path / "consumer.log", 3)
        broker.stop()
        broker.start()
        first = watcher.messages("confirmed")[0]
        deal_until_printed(watcher, tmp_path / "consumer.log", 3)
        publish(broker.address, "sabot/v1/demo/bac-01/confirmed", msgspec.json.encode(first))
        after = deal_until_printed(watcher, tmp_path / "consumer.log", 2)
    finally:
        consumers.stop()
        broker.stop()
    known = {coup["id"]: coup for coup in watcher.messages("confirmed")}
    printed = [words[1] for words in after]
    assert len(printed) == len(set(printed))
    assert printed[: len(before)] == [words[1] for words in before]
    numbers = [known[one]["coup"] for one in printed if one in known]
    assert set(range(min(numbers), max(numbers) + 1)) == set(numbers)
    for words in after:
        coup = known.get(words[1])
        assert coup is None or words == ["bac-01", coup["id"], coup["kind"], coup["status"], coup["winner"]]


def test_a_consumer_has_about_twenty_lines() -> None:
    for name in ("consumer.py", "consumer.mjs"):
        lines = [line for line in (EXAMPLES / name).read_text().splitlines() if line.strip()]
        assert len(lines) <= 25


def test_the_lock_file_pins_the_package() -> None:
    packages = msgspec.json.decode((EXAMPLES / "package-lock.json").read_bytes())["packages"]
    wanted = msgspec.json.decode((EXAMPLES / "package.json").read_bytes())["dependencies"]["mqtt"]
    assert packages["node_modules/mqtt"]["version"] == wanted
    assert all("integrity" in package for name, package in packages.items() if name)


def test_the_example_of_the_page_fits_its_schema() -> None:
    page = (EXAMPLES.parent / "INTEGRATORS.md").read_text()
    example = msgspec.json.decode(page.split("```json\n")[1].split("```")[0])
    Draft202012Validator(schemas.strict(schemas.schema("confirmed"))).validate(example)


def test_every_topic_of_the_page_is_published() -> None:
    page = (EXAMPLES.parent / "INTEGRATORS.md").read_text()
    named = set(re.findall(r"`sabot/v1/<site>/(?:\+/)?([a-z]+)(?:/<id>/[a-z]+|/#)?`", page))
    assert len(named) == 7
    assert named <= {*schemas.TOPICS, "jackpot"}
