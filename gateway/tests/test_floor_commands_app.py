"""Commands of the floor at a daemon with a real broker and ledger: once, over repeats, kills and reloads."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor import Floor
from floor_commands_bench import KEY, OTHER_KEY, command, signed
from floor_rig import Client
from sabot_gateway import config as configs
from sabot_gateway.app import App
from sabot_gateway.operator.attempts import ATTEMPT, OUTCOME
from sabot_gateway.ops.check import floor_key_facts
from sabot_protocol import command_keys
from sabot_protocol.commands import CommandReply, read
from sabot_protocol.inputs.secret_file import SecretError
from sabot_protocol.schemas import schema_of
from sabot_protocol.topics import command_topic, reply_topic
from sabot_service.broker import Broker
from sabot_tools.stand.broker import LocalBroker
from shoe_events import event
from support.patience import PATIENCE_S


class Sender(Client):
    """The floor service as far as a gateway sees it: sends commands and reads the replies."""

    def _on_ready(self) -> None:
        self.mqtt.client.subscribe(reply_topic(self.site, "+"), 1)

    def send(self, payload: bytes, table: str = "bac-01") -> None:
        self.publish(command_topic(self.site, table), payload)

    def replies(self) -> list[CommandReply]:
        return [msgspec.json.decode(payload, type=CommandReply) for _, payload in self.messages]


class Site:
    """A gateway with two tables, a broker and a sender."""

    def __init__(self, stack: ExitStack, broker: Broker, path: Path) -> None:
        self.key_path = path / "floor.pub"
        self.key_path.write_text(KEY.public.raw.hex() + "\n")
        self.floor = Floor(
            stack, path, "bac-01", "bac-02", broker=f"mqtt://{broker.host}:{broker.port}", floor_key=str(self.key_path)
        )
        self.sender = Sender(broker, "sender", "test")
        self.until(lambda: self.sender.mqtt.client.is_connected() and self.floor.app._publish.idle())

    def until(self, done: Callable[[], object]) -> None:
        give_up_s = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < give_up_s, (self.sender.replies(), self.status())
            self.floor.step(pass_s=0.01)
            self.sender.mqtt.step(time.monotonic())

    def give(self, payload: bytes, table: str = "bac-01") -> CommandReply:
        """Send a payload and return the reply to it."""
        before = len(self.sender.messages)
        self.sender.send(payload, table)
        self.until(lambda: len(self.sender.messages) > before)
        return self.sender.replies()[-1]

    def dispute(self) -> bytes:
        """Deal a coup that is disputed; return the command that decides it."""
        self.floor.greet("bac-01")
        line = self.floor.lines["bac-01"]
        opened = event(line.next_no, "shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none")
        line.write(line.shoe.logged(opened))
        line.next_no += 1
        line.coup(1, winner="banker")
        self.until(
            lambda: "1/1" in str(self.status()["tables"][0]["disputes"]) or self.status()["tables"][0]["disputes"]
        )
        return now("decide", clause="12.13", coup="1/1", args={"coup": "1/1", "verdict": "void"})

    def restart(self) -> None:
        """Kill the daemon, and start it again with the same ledger."""
        floor = self.floor
        floor.app.crash()
        floor.app = App(floor.config, monotonic=lambda: floor.now_s, reread=lambda: floor.config, sleep=lambda _s: None)
        self.until(lambda: floor.app._publish.idle())

    def stored(self, topic: str) -> list[dict[str, Any]]:
        return [msgspec.json.decode(entry.payload) for entry in self.floor.entries() if entry.topic == topic]

    def status(self) -> dict[str, Any]:
        return self.floor.app._requests.status(self.floor.app._at())


def now(verb: str = "ack-alarm", **changes: Any) -> bytes:
    return signed(verb, time.time(), **changes)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    local = LocalBroker(tmp_path_factory.mktemp("broker"))
    yield local.address
    local.kill()


@pytest.fixture
def site(broker: Broker, tmp_path: Path) -> Iterator[Site]:
    with ExitStack() as stack:
        yield Site(stack, broker, tmp_path)


def test_a_disputed_coup_is_decided_from_the_floor_once(site: Site) -> None:
    payload = site.dispute()
    reply = site.give(payload)
    assert (reply.ok, reply.id, reply.table) == (True, read(payload).id, "bac-01")
    assert site.give(payload) == reply
    assert [one["origin"] for one in site.stored(ATTEMPT)] == ["floor"]
    assert [one["say"] for one in site.stored(OUTCOME)] == [reply.say]
    (void,) = [one for one in site.stored("coup") if one["status"] == "void"]
    assert (void["by"], void["clause"], void["attempt"]) == ("A. Smith", "12.13", site.stored(ATTEMPT)[0]["id"])
    counts = site.status()["commands"]
    assert counts == {"floor_key": KEY.public.id, "accepted": 1, "repeated": 1, "refused": {}, "local": 0}


def test_a_kill_after_the_reply_changes_nothing(site: Site) -> None:
    payload = site.dispute()
    reply = site.give(payload)
    site.restart()
    assert site.give(payload) == reply
    assert len(site.stored(ATTEMPT)) == 1


def test_a_kill_between_attempt_and_outcome_is_answered_and_nothing_is_done_again(site: Site) -> None:
    payload = site.dispute()
    desk = site.floor.app._desk
    desk._carry_out = lambda pending, at: None  # type: ignore[method-assign]  # it is killed before that
    site.sender.send(payload)
    site.until(lambda: site.stored(ATTEMPT))
    site.restart()
    reply = site.give(payload)
    assert not reply.ok
    assert "not known whether" in reply.say
    assert (len(site.stored(ATTEMPT)), site.stored(OUTCOME)) == (1, [])
    again = site.give(now("decide", clause="12.13", args={"coup": "1/1", "verdict": "void"}))
    assert again.ok


@pytest.mark.parametrize(
    ("make", "table", "reason"),
    [
        (lambda: signed(now_s=time.time() - 60.0), "bac-01", "expired"),
        (lambda: signed(now_s=time.time() + 60.0), "bac-01", "early"),
        (lambda: now()[:-9], "bac-01", "unreadable"),
        (lambda: OTHER_KEY.sign(command(now_s=time.time())), "bac-01", "other_key"),
        (lambda: now().replace(b"casino_supervisor", b"operator"), "bac-01", "signature"),
        (now, "bac-02", "other_table"),
        (lambda: now(site="sydney"), "bac-01", "other_site"),
        (lambda: now(coup="7/7"), "bac-01", "other_coup"),
        (lambda: now(role="dealer"), "bac-01", "role"),
        (lambda: now(role="nobody"), "bac-01", "unknown_role"),
        (lambda: now("explode"), "bac-01", "unknown_verb"),
        (lambda: now(args={"alarm": 3}), "bac-01", "bad_request"),
        (lambda: b"{" * 20_000, "bac-01", "too_long"),
    ],
)
def test_what_is_not_right_is_refused_stored_counted_and_answered(
    site: Site, make: Callable[[], bytes], table: str, reason: str
) -> None:
    reply = site.give(make(), table)
    assert (reply.ok, reply.reason, reply.table) == (False, reason, table)
    assert [(one["reason"], one["say"], one["table"]) for one in site.stored("refused")] == [(reason, reply.say, table)]
    assert site.status()["commands"]["refused"] == {reason: 1}
    assert site.stored(ATTEMPT) == []


def test_the_key_changes_with_a_reload(site: Site) -> None:
    site.floor.reload(msgspec.structs.replace(site.floor.config, floor_key=None))
    site.until(lambda: not site.floor.app._signals.reloading)
    assert site.give(now()).reason == "no_key"
    site.key_path.write_text(OTHER_KEY.public.raw.hex())
    site.floor.reload(msgspec.structs.replace(site.floor.config, floor_key=str(site.key_path)))
    site.until(lambda: not site.floor.app._signals.reloading)
    assert site.give(now()).reason == "other_key"
    assert site.give(OTHER_KEY.sign(command(now_s=time.time()))).reason == ""
    site.key_path.write_text("no key")
    site.floor.reload(site.floor.config)
    site.until(lambda: not site.floor.app._signals.reloading)
    assert site.status()["commands"]["floor_key"] == OTHER_KEY.public.id  # the config stays as it was


def test_a_held_gateway_takes_no_command(site: Site) -> None:
    site.floor.app.hold("test", "a test holds it")
    reply = site.give(now())
    assert (reply.reason, reply.say) == ("held", "the gateway takes no commands now: a test holds it")
    site.floor.app.release("test")
    assert site.give(now()).reason == ""


# Keys


def test_a_new_pair_signs_and_checks(tmp_path: Path) -> None:
    public = command_keys.make(tmp_path)
    signing = command_keys.read_signing(tmp_path / "floor.key")
    assert command_keys.read_public(tmp_path / "floor.pub").id == signing.public.id == public.id
    command_keys.read_public(tmp_path / "floor.pub").check(read(signing.sign(command())))
    assert (tmp_path / "floor.key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "floor.pub").stat().st_mode & 0o777 == 0o644
    with pytest.raises(SecretError, match="is not overwritten"):
        command_keys.make(tmp_path)


def test_gateway_check_looks_at_the_public_key(tmp_path: Path) -> None:
    config = configs.Config("test", "ledger.db", "mqtt://localhost", ())
    assert [(fact.status, fact.says) for fact in floor_key_facts(config)] == [
        ("ok", "no `floor_key` in the config: none are taken over MQTT")
    ]
    path = tmp_path / "floor.pub"
    named = msgspec.structs.replace(config, floor_key=str(path))
    for text, wanted in (
        (None, "No such file"),
        ("", "no public key of 64 hex digits"),
        ("zz" * 32, "no public key of 64 hex digits"),
    ):
        if text is not None:
            path.write_text(text)
        (fact,) = floor_key_facts(named)
        assert fact.status == "wrong"
        assert wanted in fact.says
        assert "sabot keys floor DIR" in fact.says
    path.write_text(KEY.public.raw.hex() + "\n")
    (fact,) = floor_key_facts(named)
    assert (fact.status, fact.says) == ("ok", f"{path}: key {KEY.public.id}")


def test_the_topics_have_schemas() -> None:
    assert schema_of("sabot/v1/test/bac-01/cmd") == "cmd"
    assert schema_of("sabot/v1/test/bac-01/cmd/reply") == "reply"
