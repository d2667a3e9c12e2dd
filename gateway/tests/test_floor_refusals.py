"""Bad messages to the floor service: refused with a sentence, counted, and no meter changes."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor_rig import INCREMENT, JACKPOT, Rig, rig
from sabot_floor.jackpots.batch import log_name
from sabot_protocol.jackpots.messages import IncrementMessage
from sabot_protocol.topics import increment_topic
from sabot_tools.stand.broker import LocalBroker

__all__ = ["rig"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBroker]:
    """A broker that sends nothing twice while a busy service stores: what has no id counts each time it comes."""
    started = LocalBroker(tmp_path_factory.mktemp("broker"), ack_wait_s=60)
    yield started
    started.kill()


def changed(**changes: Any) -> Callable[[IncrementMessage], bytes]:
    """Return what makes a bad payload of a good one."""

    def make(good: IncrementMessage) -> bytes:
        values = msgspec.to_builtins(good) | changes
        return msgspec.json.encode({name: value for name, value in values.items() if value is not None})

    return make


BAD: dict[str, tuple[Callable[[IncrementMessage], bytes], str]] = {
    "no JSON": (lambda good: b"25", "malformed"),
    "nothing": (lambda good: b"", "malformed"),
    "bytes": (lambda good: bytes(range(256)), "malformed"),
    "deep": (lambda good: b"[" * 60_000, "malformed"),
    "huge": (lambda good: changed(gateway="x" * 70_000)(good), "malformed"),
    "an amount with a fraction": (changed(amount=25.5), "malformed"),
    "an amount as a float": (changed(amount=25.0), "malformed"),
    "an amount as text": (changed(amount="25"), "malformed"),
    "no amount": (changed(amount=None), "malformed"),
    "an endless amount": (changed(amount=10**40), "malformed"),
    "more than the parameters give": (changed(amount=26, total=26), "unreasonable"),
    "less than the parameters give": (changed(amount=24, total=24), "amount"),
    "a negative amount": (changed(amount=-25, total=-25), "amount"),
    "another currency": (changed(currency="NZD"), "currency"),
    "another table": (changed(table="bac-02"), "table"),
    "another jackpot": (changed(jackpot="seat"), "malformed"),
    "a coup of another unit": (changed(coup_id="5ab00000000000ff-1"), "coup"),
    "unknown parameters": (changed(parameters="0" * 16), "parameters"),
    "a void coup": (changed(kind="void"), "coup"),
    "no such outcome": (changed(trigger="royal"), "win"),
    "an id of control characters": (changed(id="a\nb"), "malformed"),
    "an empty id": (changed(id=""), "malformed"),
    "a long id": (changed(id="x" * 500), "malformed"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_payload_is_refused_with_a_sentence_and_changes_nothing(
    what: str, server: LocalBroker, tmp_path: Path
) -> None:
    make, reason = BAD[what]
    with ExitStack() as stack:
        rig = Rig(stack, server, tmp_path, str(tmp_path / "floor.db"))
        app = rig.start()
        table = rig.table()
        good = table.increment()
        rig.client.publish(increment_topic(rig.site, "bac-01", JACKPOT), make(good))
        rig.settle()
        assert dict(app.collector.refusals.counts) == {(JACKPOT, reason): 1}
        assert rig.meter().meters.in_ == 0
        assert rig.meter().not_offered == {}
        (sentence,) = app.collector.refusals.newest
        assert len(sentence) > 20
        status = msgspec.json.decode(rig.ask("status").data)
        assert status["refused"] == {JACKPOT: {reason: 1}}
        rig.until(lambda: rig.client.on("fault"))
        assert rig.client.on("fault")[0]["say"] == sentence
        rig.send(good)
        rig.until(lambda: rig.meter().meters.in_ == INCREMENT)


def test_a_flood_of_bad_payloads_leaves_few_entries(rig: Rig) -> None:
    app = rig.start()
    for _ in range(300):
        rig.client.publish(increment_topic(rig.site, "bac-01", JACKPOT), b"{}")
        rig.client.publish(rig.topic("bac-01", "jackpot", "no-such"), b"{}")
        rig.client.publish(rig.topic("bac-01", "jackpot", JACKPOT, "more", "levels"), b"{}")
    rig.settle()
    assert app.collector.refusals.counts == {(JACKPOT, "malformed"): 300, ("", "malformed"): 600}
    head = rig.store().head(log_name(JACKPOT))
    assert head is not None
    assert head.seq < 10


def test_with_a_key_only_signed_messages_count(rig: Rig) -> None:
    key_file = rig.work_dir / "jackpot.key"
    key_file.write_text("5a" * 32 + "\n")
    key_file.chmod(0o600)
    app = rig.start(jackpot_key=str(key_file))
    table = rig.table()
    good = table.increment()
    rig.send(good)
    rig.key = b"\x01" * 32
    rig.send(good)
    rig.settle()
    assert app.collector.refusals.counts == {(JACKPOT, "forged"): 2}
    assert rig.meter().meters.in_ == 0
    rig.key = b"\x5a" * 32
    rig.send(good)
    rig.until(lambda: rig.meter().meters.in_ == INCREMENT)
