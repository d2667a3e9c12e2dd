"""Parts of the floor service by themselves: order, missing coups, inbox, requests, config."""

import selectors
from pathlib import Path
from typing import Any

import msgspec
import paho.mqtt.client as paho
import pytest
from floor_rig import JACKPOT, JACKPOTS, TIME, Table, confirmed
from jackpot_parameters import crown
from msgspec.structs import replace
from sabot_floor import config as configs
from sabot_floor.check import facts
from sabot_floor.hold import Hold
from sabot_floor.inbox import MOST_WAITING, Arrived, Inbox
from sabot_floor.jackpots import engine
from sabot_floor.jackpots.engine.entries import Increment, Opened, Recorded
from sabot_floor.jackpots.intake import Coup, ForJackpot, Ignored, Intake, Rejected, TableStatus
from sabot_floor.jackpots.missing import PATIENCE_S, MissingIncrements
from sabot_floor.jackpots.order import PATIENCE_S as ORDER_PATIENCE_S
from sabot_floor.jackpots.order import Order
from sabot_floor.requests import VERBS, FloorRequest, parse
from sabot_protocol.inputs.config_file import ConfigError
from sabot_protocol.topics import CoupMessage
from sabot_service.broker import Broker
from sabot_service.messages import RequestError
from sabot_service.moment import Moment
from sabot_service.mqtt import LoopClient

PARAMETERS = crown()


def state() -> engine.JackpotState:
    return engine.open_jackpot(Opened(time=TIME, parameters=PARAMETERS))


def items(table: Table, *counts: int) -> list[ForJackpot]:
    """Return increments with these counts."""
    made = []
    for count in counts:
        table.count = count - 1
        made.append(ForJackpot(Arrived("t", b""), JACKPOT, Increment(TIME, table.increment())))
    return made


def counts(found: list[ForJackpot]) -> list[Any]:
    """Return the counts of increments, and `record` for a record."""
    return [getattr(item.entry.message, "count", "record") for item in found]


def test_order_releases_each_increment_in_its_turn() -> None:
    known = state()
    order, table = Order(lambda _: known), Table()
    assert counts(order.take(items(table, 2, 4, 3), 0.0)) == []
    assert counts(order.take(items(table, 1), 1.0)) == [1, 2, 3, 4]
    known.sequences = {"bac-01": {"gw-1": engine.state.Sequence(count=4)}}
    assert counts(order.take(items(table, 4, 5), 2.0)) == [4, 5]  # a repeat is the engine's to refuse
    assert len(order) == 0


def test_order_does_not_take_another_currency_for_the_one_before() -> None:
    known = state()
    order, table = Order(lambda _: known), Table()
    wrong = ForJackpot(Arrived("t", b""), JACKPOT, Increment(TIME, replace(table.increment(), currency="NZD")))
    assert order.take([wrong, *items(table, 2)], 0.0) == [wrong]  # 2 waits for a 1 in the jackpot's currency
    assert counts(order.take(items(table, 1), 1.0)) == [1, 2]


def test_order_waits_for_each_table_by_itself() -> None:
    known = state()
    order = Order(lambda _: known)
    ahead, next_one = items(Table("bac-01"), 2), items(Table("bac-02"), 1)
    assert order.take([*ahead, *next_one], 0.0) == next_one
    assert order.longest_s(42.0) == 42.0


def test_order_ends_its_patience() -> None:
    known = state()
    order, table = Order(lambda _: known), Table()
    assert counts(order.take(items(table, 3, 4), 0.0)) == []
    assert counts(order.take([], ORDER_PATIENCE_S - 0.1)) == []
    assert counts(order.take([], ORDER_PATIENCE_S)) == [3, 4]


def test_order_takes_any_count_after_a_table_was_restored() -> None:
    known = state()
    known.sequences = {"bac-01": {"gw-1": engine.state.Sequence(count=4, restart=True)}}
    order, table = Order(lambda _: known), Table()
    assert counts(order.take(items(table, 9, 10), 0.0)) == [9, 10]


def test_order_keeps_a_record_until_its_hand_is_known() -> None:
    known = state()
    order, table = Order(lambda _: known), Table()
    won = table.increment(trigger="suited")
    record = ForJackpot(Arrived("t", b""), JACKPOT, Recorded(TIME, table.recorded(won)))
    hand = ForJackpot(Arrived("t", b""), JACKPOT, Increment(TIME, won))
    assert order.take([record], 0.0) == []
    assert order.take([hand], 1.0) == [hand, record]
    assert order.take([record], 2.0) == []
    assert order.take([], 2.0 + ORDER_PATIENCE_S) == [record]


def test_order_forgets_what_the_broker_sends_again() -> None:
    known = state()
    order = Order(lambda _: known)
    order.take(items(Table(), 2), 0.0)
    order.lost()
    assert len(order) == 0


def coup_message(table: Table, coup: int, **changes: Any) -> CoupMessage:
    values = msgspec.structs.asdict(confirmed(table, coup))
    del values["coup_id"]
    return CoupMessage(**(values | {"status": "verified"} | changes))


SERVED = {JACKPOT: PARAMETERS}


def proposed(missing: MissingIncrements, now_s: float, served: Any = None) -> list[tuple[int, str, str]]:
    found = missing.due(served or SERVED, now_s, TIME).get(JACKPOT, [])
    return [(one.coup, one.coup_id, one.outcome) for one in found]


def test_a_number_without_increment_is_proposed_after_a_while() -> None:
    missing, table = MissingIncrements(), Table()
    table.count = 4
    missing.counted(JACKPOT, table.increment(), (3, 4), 0.0)
    assert proposed(missing, PATIENCE_S - 1) == []
    assert proposed(missing, PATIENCE_S) == [(3, "", ""), (4, "", "")]
    assert proposed(missing, 10 * PATIENCE_S) == []


@pytest.mark.parametrize(
    ("known", "unwagered", "expected"),
    [
        ({"kind": "void"}, True, 0),
        ({"status": "disputed"}, True, 0),
        ({"kind": "no_bet"}, False, 0),
        ({"kind": "no_bet"}, True, 1),
        ({}, False, 1),
    ],
)
def test_a_number_that_contributes_nothing_is_not_proposed(
    known: dict[str, str], unwagered: bool, expected: int
) -> None:
    missing, table = MissingIncrements(), Table()
    served = {JACKPOT: crown(unwagered=unwagered)}
    missing.coup(coup_message(table, 3, **known), served)
    missing.counted(JACKPOT, replace(table.increment(), coup=4), (3,), 0.0)
    assert len(proposed(missing, PATIENCE_S, served)) == expected


def test_an_increment_that_comes_late_needs_no_proposal() -> None:
    missing, table = MissingIncrements(), Table()
    increment = table.increment()
    missing.counted(JACKPOT, replace(increment, coup=3), (1, 2), 0.0)
    missing.confirmed(confirmed(table, 5), SERVED, 0.0)
    missing.counted(JACKPOT, increment, (), 1.0)
    missing.counted(JACKPOT, replace(increment, coup=5), (), 1.0)
    assert proposed(missing, PATIENCE_S) == [(2, "", "")]


def test_a_coup_of_a_table_without_jackpot_waits_for_nothing() -> None:
    missing = MissingIncrements()
    missing.confirmed(confirmed(Table("bac-09"), 5), SERVED, 0.0)
    missing.confirmed(confirmed(Table(), 5, kind="void"), SERVED, 0.0)
    missing.confirmed(confirmed(Table(), 5, corrects="x"), SERVED, 0.0)
    assert proposed(missing, PATIENCE_S) == []


def parsed(topic: str, payload: bytes = b"{}") -> Any:
    return Intake("test", b"").parse(Arrived(topic, payload), TIME)


@pytest.mark.parametrize(
    "topic",
    [
        "",
        "sabot/v1/test",
        "sabot/v1/test/",
        "sabot/v1/other/bac-01/jackpot/x",
        "sabot/v1/test/bac-01/jackpot",
        "sabot/v1/test/bac-01/jackpot/x/recorded/y",
        "sabot/v1/test/bac-01/jackpot/x/meter",
        "sabot/v1/test/bac 01/jackpot/x",
        "sabot/v1/test//jackpot/x",
        "sabot/v1/test/\x1b[2J/jackpot/x",
    ],
)
def test_a_topic_that_is_not_ours_is_rejected(topic: str) -> None:
    found = parsed(topic)
    assert isinstance(found, Rejected)
    assert found.reason == "malformed"
    assert found.say.isprintable()


def test_every_kind_of_message_is_known() -> None:
    table = Table()
    increment = msgspec.json.encode(table.increment())
    assert isinstance(parsed(f"sabot/v1/test/bac-01/jackpot/{JACKPOT}", increment), ForJackpot)
    coup = msgspec.json.encode(confirmed(table, 1))
    assert isinstance(parsed("sabot/v1/test/bac-01/confirmed", coup), Coup)
    assert isinstance(parsed("sabot/v1/test/bac-02/confirmed", coup), Rejected)
    assert isinstance(parsed("sabot/v1/test/bac-01/coup", msgspec.json.encode(coup_message(table, 1))), Coup)
    fault = parsed("sabot/v1/test/bac-01/status", b'{"state":"online","time":"","fault":"card\\u001b[2J"}')
    assert isinstance(fault, TableStatus)
    assert fault.fault == "card"
    assert isinstance(parsed("sabot/v1/test/bac-01/status", b""), Ignored)
    assert isinstance(parsed("sabot/v1/test/bac-01/status", b"{}"), Rejected)
    assert isinstance(parsed("sabot/v1/test/status", b"{}"), Ignored)


def test_a_full_inbox_gives_the_connection_up_and_forgets_everything() -> None:
    with selectors.DefaultSelector() as selector:
        inbox = Inbox(LoopClient(Broker("127.0.0.1", 9), "x", clean_session=True, selector=selector, manual_ack=True))
        taken = []
        for number in range(MOST_WAITING):
            inbox.put(Arrived("t", b"x", number + 1, 0))
        taken = inbox.take(10)
        assert inbox.waiting() == MOST_WAITING
        inbox.put(Arrived("t", b"x", 9, 0))
        assert (inbox.waiting(), inbox.given_up) == (0, 1)
        inbox.put_back(taken)
        inbox.done(taken)
        assert (inbox.take(10), inbox.waiting()) == ([], 0)


def delivered(inbox: Inbox, message_id: int, *, retain: bool = False) -> None:
    """Deliver a message with QoS 1, as paho does."""
    message = paho.MQTTMessage(message_id, b"t")
    message.qos, message.retain, message.payload = 1, retain, b"x"
    inbox._on_message(None, None, message)


def test_a_message_is_acknowledged_when_it_is_done_and_a_retained_one_at_once() -> None:
    with selectors.DefaultSelector() as selector:
        mqtt = LoopClient(Broker("127.0.0.1", 9), "x", clean_session=True, selector=selector, manual_ack=True)
        inbox = Inbox(mqtt)
        delivered(inbox, 7)
        delivered(inbox, 7)  # sent again, because it waits
        taken = inbox.take(10)
        assert len(taken) == 1
        inbox.put_back(taken)
        assert not mqtt.client.want_write()
        inbox.done(inbox.take(10))
        assert mqtt.client.want_write()
    with selectors.DefaultSelector() as selector:
        mqtt = LoopClient(Broker("127.0.0.1", 9), "x", clean_session=True, selector=selector, manual_ack=True)
        inbox = Inbox(mqtt)
        delivered(inbox, 8, retain=True)
        assert mqtt.client.want_write()
        assert inbox.waiting() == 1


def test_a_hold_waits_a_second_and_ends_with_a_turn_that_works() -> None:
    hold = Hold()
    hold.begin("the disk is full", Moment(10.0, TIME))
    assert hold.waits(10.9)
    assert not hold.waits(11.0)
    hold.begin("the disk is full", Moment(11.0, "later"))
    assert (hold.problem, hold.since) == ("the disk is full", TIME)
    hold.end()
    assert (hold.problem, hold.since) == ("", "")
    assert not hold.waits(11.5)


ACT = '"jackpot": "lucky-tie", "role": "am"'
GOOD = {
    **dict.fromkeys(("status", "user-list"), "{}"),
    "show": '{"jackpot": "lucky-tie"}',
    "confirm": f'{{{ACT}, "win": "w"}}',
    **dict.fromkeys(("invalid", "order", "settle"), f'{{{ACT}, "win": "w", "reason": "r"}}'),
    "adjust": f'{{{ACT}, "id": "12345678", "amount": -5, "second": "B", "reason": "r"}}',
    **dict.fromkeys(("withdraw", "restore"), f'{{{ACT}, "table": "bac-01", "reason": "r"}}'),
    "make-good": f'{{{ACT}, "missed": "m"}}',
    "draw": f'{{{ACT}, "id": "12345678"}}',
    "accept": '{"role": "area_manager", "reason": "r"}',
    "accept-gateway": '{"role": "area_manager", "reason": "r", "gateway": "6a7e000000000001"}',
    "table": '{"table": "bac-01", "command": "void", "login": {"person": "asmith", "secret": "730155"}}',
    "sign": '{"table": "bac-01", "change": "minimum", "login": {"person": "asmith", "secret": "730155"}}',
    "show-sign": '{"table": "bac-01"}',
    "user-add": '{"person": "asmith", "name": "A. Smith"}',
    "user-role": '{"person": "asmith", "rulebook": "crown-baccarat", "role": "dealer"}',
    **dict.fromkeys(("user-disable", "user-enable"), '{"person": "asmith"}'),
    "user-badge": '{"person": "asmith", "code": "00417733"}',
    "user-pin": '{"person": "asmith", "secret": "730155"}',
    "user-own-pin": '{"login": {"person": "asmith", "secret": "730155"}, "secret": "840266"}',
}
LOGIN = '{"person": "asmith", "secret": "730155"}'


def line(verb: str, args: str, by: str = "A", more: str = "") -> bytes:
    return f'{{"verb": "{verb}", "by": "{by}", "args": {args}{more}}}'.encode()


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_its_request(verb: str) -> None:
    assert isinstance(parse(line(verb, GOOD[verb])), FloorRequest)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (b"", "Bad request"),
        (line("pay", "{}"), "Unknown verb 'pay': see `sabot jackpot --help`"),
        (line("confirm", GOOD["confirm"], by=""), "Give your name: --by NAME"),
        (line("confirm", GOOD["confirm"], more=', "table": "bac-01"'), "takes no table"),
        (line("confirm", GOOD["confirm"], more=', "by": "B"'), "same key twice"),
        (line("adjust", GOOD["adjust"].replace("-5", "2.5")), "Expected `int`"),
        (line("adjust", GOOD["adjust"].replace('"B"', '" "')), "--second NAME"),
        (line("adjust", GOOD["adjust"].replace('"B"', '""')), "Give your name: --second NAME"),
        (
            line("adjust", GOOD["adjust"].replace("-5", "9" * 18)),
            "amount: write a whole number, at most 1000000000000.",
        ),
        (line("adjust", GOOD["adjust"].replace("-5", "9" * 30)), "adjust"),
        (line("show", '{"jackpot": "../x"}'), "show"),
        (line("draw", GOOD["draw"].replace("}", ', "seat": 1}')), "no argument 'seat'"),
        (b'{"verb":' * 3000, "Bad request"),
        (line("confirm", '{"jackpot": "x", "win": "w"}'), "Give your role, --role ROLE, or log in: --as PERSON"),
        (line("confirm", f'{{"jackpot": "x", "win": "w", "login": {LOGIN}}}'), "no name and no role"),
        (line("confirm", f'{{{ACT}, "win": "w", "login": {LOGIN}}}', by=""), "no name and no role"),
        (line("confirm", '{"jackpot": "x", "win": "w", "person": "asmith"}'), "no argument 'person'"),
        (line("adjust", GOOD["adjust"].replace('"second": "B"', f'"login": {LOGIN}')), "Both people log in"),
        (line("user-add", '{"person": "a smith", "name": "A"}'), "user-add"),
        (line("user-pin", '{"person": "asmith", "secret": ""}'), "user-pin"),
    ],
)
def test_a_bad_request_is_refused_with_a_sentence(bad: bytes, says: str) -> None:
    with pytest.raises(RequestError) as refused:
        parse(bad)
    assert says in str(refused.value)


def write(tmp_path: Path, text: str) -> Path:
    (tmp_path / "jackpots.toml").write_text(JACKPOTS)
    path = tmp_path / "floor.toml"
    path.write_text(text)
    return path


GOOD_CONFIG = 'site = "x"\nstore = "floor.db"\nbroker = "mqtt://localhost"\njackpots = "jackpots.toml"\n'


def test_a_config_has_absolute_paths_and_a_socket_for_each_worker(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD_CONFIG)
    config = configs.load(path)
    assert config.store == str(tmp_path / "floor.db")
    assert config.control_path() == tmp_path / "floor-1.sock"
    assert configs.load(path, worker="two").control_path() == tmp_path / "floor-two.sock"
    path = write(tmp_path, GOOD_CONFIG.replace("floor.db", "postgresql://u@h/db"))
    config = configs.load(path)
    assert config.store == "postgresql://u@h/db"
    assert config.control_path() == tmp_path / "floor-1.sock"


def test_everything_that_is_wrong_with_a_config_is_listed_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, 'site = "a b"\nstor = "x"\nworker = 2\nbroker = "mqtt://x"\n[login]\nuser = 1\n')
    with pytest.raises(ConfigError) as refused:
        configs.load(path)
    lines = str(refused.value).splitlines()
    assert all(one.startswith(f"{path}: ") for one in lines)
    for says in (
        "stor: no such key; did you mean `store`?",
        "site = ",
        "store is missing",
        "worker = 2",
        "login.user",
    ):
        assert any(says in one for one in lines), says


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GOOD_CONFIG.replace("mqtt://localhost", "http://x"), "write it as mqtt://"),
        (GOOD_CONFIG.replace("jackpots.toml", "none.toml"), "No such file"),
        (GOOD_CONFIG + 'jackpot_key = "none.key"\n', "none.key: no such file"),
        (GOOD_CONFIG + 'jackpot_key = "open.key"\n', "chmod 600"),
    ],
)
def test_what_a_config_names_must_be_usable(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "open.key").write_text("00" * 32)
    (tmp_path / "open.key").chmod(0o644)
    path = write(tmp_path, text)
    with pytest.raises(ConfigError, match=says):
        configs.load(path)
    assert any(fact.status == "wrong" and says in fact.says for fact in facts(path))


def test_a_check_makes_no_store(tmp_path: Path) -> None:
    *checked, broker, web = facts(write(tmp_path, GOOD_CONFIG.replace("localhost", "localhost:1")))
    assert [fact.status for fact in checked] == ["ok", "warning", "warning", "ok", "ok", "ok", "ok", "ok", "ok"]
    assert (web.status, web.subject, broker.status) == ("ok", "web", "wrong")
    assert "localhost:1" in broker.says
    assert not (tmp_path / "floor.db").exists()
