"""The projection in a running floor service: stored before the acknowledgement, by one worker or several."""

from pathlib import Path

import msgspec
import pytest
from floor_rig import BASE, INCREMENT, JACKPOT, TIME, Rig, rig, server
from projection_ledger import GATEWAY, LAST, Published, entries
from sabot_floor.app import App
from sabot_floor.config import Config
from sabot_floor.inbox import Arrived
from sabot_floor.projection import coverage, dump
from sabot_floor.projection.reading import Reading
from sabot_floor.projection.rebuild import LedgerEntry, LedgerSpan, rebuild
from sabot_floor.store import StoreError, open_store
from sabot_protocol.jackpots import signing
from sabot_protocol.place import Place, with_place
from sabot_protocol.topics import increment_topic

__all__ = ["rig", "server"]
ENTRIES = entries()


@pytest.fixture
def expected(tmp_path: Path) -> list[bytes]:
    """The dump of a store rebuilt from the ledger."""
    with open_store(str(tmp_path / "expected.db")) as store:
        listed = [LedgerEntry(one.entry, one.table, one.topic, one.payload, one.hash) for one in ENTRIES]
        rebuild(store, LedgerSpan(GATEWAY, 0, LAST), listed)
        return list(dump.lines(store))


def send(rig: Rig, listed: list[Published]) -> None:
    for one in listed:
        rig.client.publish(rig.topic(one.table, one.topic), one.sent(), retain=one.topic == "shoe")


def test_what_two_workers_and_a_killed_one_take_is_there_once(rig: Rig, expected: list[bytes]) -> None:
    first = rig.start("1")
    rig.start("2")
    send(rig, ENTRIES[:9])
    rig.settle(5)
    rig.kill(first)
    send(rig, ENTRIES[9:])
    rig.start("1")
    rig.settle()
    store = rig.store()
    assert list(dump.lines(store)) == expected
    assert coverage.intervals_of(store, GATEWAY) == [(0, LAST)]
    status = msgspec.json.decode(rig.ask("status").data)["projection"]
    assert [(one["gateway"], one["covered_to"], one["gaps"]) for one in status["gateways"]] == [(GATEWAY, LAST, 0)]


def test_a_message_is_not_acknowledged_before_its_row_is_stored(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    app = rig.start()

    def away(messages: list[Arrived]) -> None:
        if messages:
            raise StoreError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(app.feed, "take", away)
        send(rig, ENTRIES[:6])
        rig.until(lambda: app.hold.problem)
        assert app.inbox.waiting() > 0
        assert list(dump.lines(rig.store())) == []
    rig.until(lambda: not app.inbox.waiting(), pass_s=0.2)
    assert coverage.intervals_of(rig.store(), GATEWAY) == [(0, ENTRIES[5].entry)]


def test_a_floor_without_jackpots_has_the_projection(rig: Rig, expected: list[bytes]) -> None:
    config = Config(site=rig.site, store=rig.store_url, broker=str(rig.server.address), control=str(rig.work_dir / "s"))
    app = App(config, monotonic=lambda: rig.now_s)
    rig.apps.append(app)
    rig._stack.callback(rig._close, app)
    rig.until(lambda: app.subscribed and not app.behind.problem)
    send(rig, ENTRIES)
    rig.settle()
    assert list(dump.lines(rig.store())) == expected


def test_a_status_is_given_though_the_store_cannot_be_read(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.start()

    def away(_store: object) -> None:
        raise StoreError("away")

    monkeypatch.setattr("sabot_floor.answers.coverage.gateways", away)
    answer = rig.ask("status")
    assert answer.ok
    assert msgspec.json.decode(answer.data)["projection"]["gateways"] == []


def test_a_neighbour_changes_nothing_until_a_person_accepts_its_gateway(rig: Rig) -> None:
    rig.start()
    other = "00000000000000bb"
    own: dict[str, object] = {"state": "online", "time": TIME, "ledger": GATEWAY, "tables": ["bac-01"]}
    for name, ledger, tables in (("pit-1", GATEWAY, ["bac-01"]), ("pit-2", other, ["bac-01", "bac-02"])):
        status = msgspec.json.encode({**own, "ledger": ledger, "tables": tables})
        rig.client.publish(rig.topic("gateway", f"{name}/status"), status, retain=True)
    send(rig, ENTRIES)
    rig.settle()
    first, second = ENTRIES[4], ENTRIES[11]
    rig.client.publish(rig.topic("bac-01", "coup"), first.sent(other))
    rig.until(lambda: rig.apps[0].feed.counts["other_gateway"])
    assert {row.gateway for row in Reading(rig.store()).coups("2026", "2027")} == {GATEWAY}
    (said,) = msgspec.json.decode(rig.ask("status").data)["projection"]["refused"]
    assert f"`sabot floor accept-gateway {other} --table bac-01 --reason TEXT`" in said
    asked = {"gateway": other, "reason": "the disk of pit-1 is broken"}
    assert not rig.ask("accept-gateway", **asked, by="A", role="dealer").ok
    assert rig.ask("accept-gateway", **asked, by="A", table="bac-01", role="area_manager").ok
    rig.client.publish(rig.topic("bac-01", "coup"), second.sent(other))
    rig.until(lambda: len({row.gateway for row in Reading(rig.store()).coups("2026", "2027")}) == 2)
    assert msgspec.json.decode(rig.ask("status").data)["projection"]["refused"] == []


def test_increments_that_name_another_gateway_do_not_count(rig: Rig) -> None:
    rig.start()
    status = {"state": "online", "time": TIME, "ledger": "gw-1", "tables": ["bac-01"]}
    rig.client.publish(rig.topic("gateway", "pit-1/status"), msgspec.json.encode(status), retain=True)
    own, other = rig.table("bac-01"), rig.table("bac-02")
    for number, table in ((1, own), (2, other), (2, own)):
        signed = msgspec.json.encode(signing.sign(table.increment(), rig.key))
        payload = with_place(signed, Place("", number, number - 1))
        rig.client.publish(increment_topic(rig.site, table.name, JACKPOT), payload)
    rig.until(lambda: rig.meter().meters.display == BASE + 2 * INCREMENT)
    rig.settle()
    assert rig.meter().meters.display == BASE + 2 * INCREMENT
    assert rig.apps[0].feed.counts["other_gateway"] == 1
    assert coverage.intervals_of(rig.store(), "gw-1") == [(0, 2)]
