"""The order of wins through the floor service: gateways with wrong clocks, outages, restarts, people who decide."""

from datetime import datetime, timedelta

import msgspec
import pytest
from floor_rig import JACKPOT, Rig, rig, server
from msgspec.structs import replace
from sabot_floor.jackpots import audit
from sabot_floor.jackpots.receipts import Receipts
from sabot_protocol.jackpots import signing
from sabot_protocol.jackpots.messages import IncrementMessage, PendingMessage, RecordedMessage
from sabot_protocol.place import Place, with_place
from sabot_protocol.topics import BeatMessage, beat_topic, increment_topic, recorded_topic
from sabot_service.moment import utc

__all__ = ["rig", "server"]
WHO = {"jackpot": JACKPOT, "role": "area_manager"}


class Gateway:
    """A gateway of one table: its ledger, its clock, and its link to the broker."""

    def __init__(self, rig: Rig, table: str, number: int, minutes: float = 0.0) -> None:
        self.rig, self.table, self.id = rig, rig.table(table), f"gw-{number}"
        self.name, self.wrong = f"pit-{number}", timedelta(minutes=minutes)
        self.entry = 10 * number
        self.linked, self.kept = True, list[tuple[str, bytes]]()

    def time(self) -> str:
        return utc((datetime.fromisoformat(self.rig.apps[0]._at().time) + self.wrong).timestamp())

    def beat(self) -> None:
        if self.linked:
            self.put_beat(signing.sign(self.made_beat(), self.rig.key))

    def made_beat(self) -> BeatMessage:
        return BeatMessage(time=self.time(), gateway=self.id, entry=self.entry)

    def put_beat(self, message: BeatMessage, name: str = "") -> None:
        topic = beat_topic(self.rig.site, name or self.name)
        self.rig.client.mqtt.client.publish(topic, msgspec.json.encode(message), qos=0)

    def heard_s(self) -> float:
        """Return when the floor has taken the newest beat."""
        found = self.rig.apps[0].collector.receipts._gateways.get(self.id)
        return found.beats[-1][0] if found and found.beats else -1.0

    def _store(self, topic: str, message: IncrementMessage | RecordedMessage) -> None:
        self.entry += 1
        payload = with_place(msgspec.json.encode(message), Place("", self.entry, self.entry - 1))
        self.kept.append((topic, payload))
        self.link(self.linked)

    def link(self, linked: bool) -> None:
        self.linked = linked
        while linked and self.kept:
            self.rig.client.publish(*self.kept.pop(0))

    def hit(self, trigger: str) -> IncrementMessage:
        found = replace(self.table.increment(trigger=trigger), gateway=self.id, time=self.time())
        made = signing.sign(found, self.rig.key)
        self._store(increment_topic(self.rig.site, self.table.name, JACKPOT), made)
        return made

    def record(self, won: IncrementMessage) -> None:
        made = self.table.recorded(won, at=self.time(), stakes={"tie": [100]})
        made = signing.sign(replace(made, gateway=self.id), self.rig.key)
        self._store(recorded_topic(self.rig.site, self.table.name, JACKPOT), made)


def pair(rig: Rig, *minutes: float) -> tuple[Gateway, Gateway]:
    one, two = (Gateway(rig, f"bac-0{n}", n, wrong) for n, wrong in enumerate(minutes or (0.0, 0.0), 1))
    return one, two


def live(rig: Rig, *gateways: Gateway, seconds: int = 2) -> None:
    """Let some seconds pass in which the gateways send beats."""
    for _ in range(seconds):
        sent_s = rig.now_s
        for gateway in gateways:
            gateway.beat()
        _until_heard(rig, [gateway for gateway in gateways if gateway.linked], sent_s)
        for _ in range(10):
            rig.step(0.1)
    if not gateways:
        rig.settle()


def _until_heard(rig: Rig, gateways: list[Gateway], sent_s: float) -> None:
    rig.until(lambda: all(gateway.heard_s() >= sent_s for gateway in gateways))


def pending(rig: Rig) -> list[str]:
    rig.settle()
    return listed(rig)


def listed(rig: Rig) -> list[str]:
    found = msgspec.convert(rig.client.on("pending")[-1], PendingMessage)
    return [win.table for win in found.wins if win.state == "pending"]


def undecided(rig: Rig) -> list[str]:
    found = msgspec.convert(rig.client.on("pending")[-1], PendingMessage)
    return [win.table for win in found.wins if win.undecided]


def faults(rig: Rig, name: str) -> list[tuple[str, bool]]:
    return [(one["table"], one.get("active", True)) for one in rig.client.on("fault") if one["name"] == name]


@pytest.mark.parametrize("minutes", [(0.0, -10.0), (10.0, 0.0), (600.0, -600.0)])
def test_the_first_record_wins_first_whatever_the_clocks_of_the_tables_show(
    rig: Rig, minutes: tuple[float, float]
) -> None:
    rig.start()
    one, two = pair(rig, *minutes)
    won = [one.hit("suited"), two.hit("coloured")]
    live(rig, one, two)
    one.record(won[0])
    live(rig, one, two)
    two.record(won[1])
    live(rig, one, two)
    assert pending(rig) == ["bac-01", "bac-02"]
    assert undecided(rig) == []
    wrong = [f"bac-0{n}" for n, offset in enumerate(minutes, 1) if offset]
    assert [table for table, active in faults(rig, "clock") if active] == wrong
    refused = rig.ask("confirm", "A. Smith", **WHO, win="bac-02/1/1", notified="C. Manager")
    assert "bac-01/1/1 at bac-01 was recorded before it" in refused.say


def test_a_clock_that_is_set_back_between_two_messages_is_a_fault_and_orders_nothing(rig: Rig) -> None:
    rig.start()
    one, two = pair(rig)
    won = [one.hit("coloured"), two.hit("coloured")]
    live(rig, one, two)
    one.record(won[0])
    live(rig, one, two)
    two.wrong = timedelta(minutes=-30)
    two.record(won[1])
    live(rig, one, two)
    assert (pending(rig), undecided(rig)) == (["bac-01", "bac-02"], [])
    two.wrong = timedelta()
    live(rig, one, two)
    assert faults(rig, "clock") == [("bac-02", True), ("bac-02", False)]


def test_after_an_outage_of_a_gateway_a_person_decides(rig: Rig) -> None:
    rig.start()
    one, two = pair(rig)
    won = [one.hit("suited"), two.hit("suited")]
    live(rig, one, two)
    two.link(False)
    live(rig, one, seconds=8)
    two.record(won[1])
    one.record(won[0])
    live(rig, one, seconds=2)
    two.link(True)
    live(rig, one, two)
    assert (pending(rig), undecided(rig)) == (["bac-01", "bac-02"], ["bac-02"])
    for win in ("bac-01/1/1", "bac-02/1/1"):
        assert not rig.ask("confirm", "A. Smith", **WHO, win=win, notified="C. Manager").ok
    order = {**WHO, "win": "bac-02/1/1", "before": "bac-01/1/1", "reason": "video"}
    assert not rig.ask("order", "D. Low", **{**order, "role": "dealer"}).ok
    assert rig.ask("order", "O. Berg", **order).ok
    assert pending(rig) == ["bac-02", "bac-01"]
    assert faults(rig, "order") == [("bac-02", True), ("bac-02", False)]
    assert rig.ask("confirm", "A. Smith", **WHO, win="bac-02/1/1", notified="C. Manager").ok
    assert rig.ask("confirm", "A. Smith", **WHO, win="bac-01/1/1", notified="C. Manager").ok
    assert audit.verify(rig.store(), JACKPOT).faults == []


def test_after_an_outage_of_the_floor_a_person_decides(rig: Rig) -> None:
    app = rig.start()
    one, two = pair(rig)
    won = [one.hit("suited"), two.hit("suited")]
    for gateway in (one, two):
        status = {"state": "online", "time": utc(0), "ledger": gateway.id, "tables": [gateway.table.name]}
        rig.client.publish(rig.topic("gateway", gateway.name, "status"), msgspec.json.encode(status), retain=True)
    live(rig, one, two)
    rig.kill(app)
    two.rig, one.rig = rig, rig
    now = utc(0)
    for gateway, hit in ((two, won[1]), (one, won[0])):
        gateway.time = lambda: now  # type: ignore[method-assign]
        gateway.record(hit)
    rig.until(lambda: not rig.client.unacknowledged)
    rig.start()
    rig.until(lambda: len(listed(rig)) == 2)
    assert undecided(rig) == ["bac-01"]


def test_a_record_that_comes_before_anything_else_of_its_gateway_may_be_late(rig: Rig) -> None:
    """A busy broker delivers what it kept after a pause, and the status that says whether beats come after that."""
    rig.start()
    gateway = Gateway(rig, "bac-01", 1)
    won = gateway.hit("suited")
    receipts, record = Receipts(), gateway.table.recorded(won, at=gateway.time())
    receipts.connected(0.0)
    receipts.turn(9.0, quiet=True)
    receipts.message(record, 9.0, gateway.time())
    assert not receipts.receipt(record, 12, 9.0, gateway.time()).prompt
    receipts.turn(15.0, quiet=True)
    assert receipts.receipt(record, 12, 15.0, gateway.time()).prompt


def test_after_an_outage_of_the_broker_at_the_floor_a_person_decides(rig: Rig) -> None:
    rig.start(relayed=True)
    one, two = pair(rig)
    won = [one.hit("suited"), two.hit("suited")]
    live(rig, one, two)
    rig.relay.cut()
    for gateway, hit in ((two, won[1]), (one, won[0])):
        gateway.record(hit)
    rig.until(lambda: not rig.client.unacknowledged)
    for _ in range(10):
        rig.step(1.0)
    rig.until(lambda: len(listed(rig)) == 2, pass_s=0.2)
    assert undecided(rig) == ["bac-01"]


def test_a_restart_of_the_floor_between_two_records_needs_nobody(rig: Rig) -> None:
    app = rig.start()
    one, two = pair(rig)
    won = [one.hit("suited"), two.hit("suited")]
    live(rig, one, two)
    one.record(won[0])
    live(rig, one, two)
    rig.kill(app)
    rig.start()
    live(rig, one, two)
    two.record(won[1])
    live(rig, one, two)
    assert (pending(rig), undecided(rig)) == (["bac-01", "bac-02"], [])


def test_two_wins_of_one_commit_come_by_their_entries(rig: Rig) -> None:
    rig.start()
    one, _ = pair(rig)
    first, second = one.hit("coloured"), one.hit("coloured")
    live(rig, one)
    one.link(False)
    one.record(second)
    one.record(first)
    one.kept.reverse()  # the broker delivers the newer one before the older one
    one.link(True)
    live(rig, one)
    found = msgspec.convert(rig.client.on("pending")[-1], PendingMessage)
    assert [win.coup for win in found.wins] == [2, 1]


@pytest.mark.parametrize("minutes", [0.0, 45.0])
def test_older_gateways_without_beats_are_ordered_by_receipt(rig: Rig, minutes: float) -> None:
    rig.start()
    one, two = pair(rig, minutes, -minutes)
    won = [one.hit("suited"), two.hit("coloured")]
    live(rig)
    one.record(won[0])
    live(rig)
    two.record(won[1])
    live(rig)
    assert (pending(rig), undecided(rig)) == (["bac-01", "bac-02"], [])


def test_a_void_after_the_pay_out_opens_a_difference_until_a_person_settles_it(rig: Rig) -> None:
    app = rig.start()
    one, two = pair(rig)
    won = [one.hit("suited"), two.hit("suited")]
    live(rig, one, two)
    one.record(won[0])
    live(rig, one, two)
    two.record(won[1])
    live(rig, one, two)
    for win in ("bac-01/1/1", "bac-02/1/1"):
        assert rig.ask("confirm", "A. Smith", **WHO, win=win, notified="C. Manager").ok
    made = one.table.increment(amount=-25, reverses=won[0].id, coup_id="gw-1-9", coup=1, operator=-25, gateway="gw-1")
    rig.send(made)
    rig.until(lambda: faults(rig, "difference"))
    assert faults(rig, "paid_reversed") == [("bac-01", True)]
    shown = msgspec.json.decode(rig.ask("show", jackpot=JACKPOT).data)
    # 1,000.50 rounded up to 1,001.00 and then the reset value of 1,000.00.
    assert [(win["table"], win["prize"], win["due"]) for win in shown["differences"]] == [
        ("bac-01", 100_100, 0),
        ("bac-02", 100_000, 100_100),
    ]
    for win in ("bac-01/1/1", "bac-02/1/1"):
        assert rig.ask("settle", "O. Berg", **WHO, win=win, reason="voucher 17").ok
    shown = msgspec.json.decode(rig.ask("show", jackpot=JACKPOT).data)
    assert shown["differences"] == []
    assert audit.verify(rig.store(), JACKPOT).faults == []
    assert app.logs.state(JACKPOT) is not None
