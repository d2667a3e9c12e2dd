"""The bench of the gateway: both pipelines do the same work, and the figures show what was measured."""

import resource
from collections import Counter
from typing import Any

import msgspec
import pytest
from sabot_gateway.shoe.session import frame_bytes
from sabot_protocol import messages
from sabot_protocol.fields import NONCE_BYTES
from sabot_protocol.messages import EventKind
from sabot_tools.bench import gateway_load, shoe_player
from sabot_tools.bench.figures import gateway as gateway_figures
from sabot_tools.bench.gateway_load import LoadPlan, LoadResult, Sample

SMALL = LoadPlan(ports=3, frames=60, rate=0, most_s=60)


def coups_of(run: LoadResult) -> dict[str, dict[str, Any]]:
    """The messages by id, without the gateway's clock and the place in its ledger."""
    left_out = ("time", "gateway", "entry", "after", "hash")
    messages = [msgspec.json.decode(payload, type=dict[str, Any]) for payload in run.messages]
    return {message["id"]: {key: message[key] for key in message if key not in left_out} for message in messages}


def test_the_textbook_does_the_same_work_as_the_gateway() -> None:
    ours, textbook = (gateway_load.run(name, SMALL) for name in ("gateway", "textbook"))
    for run in (ours, textbook):
        assert run.frames == run.sent == 180
        assert run.coups == run.due_coups == len(coups_of(run))
        assert run.served() == 1
    assert ours.coups > 3 * 5
    assert coups_of(ours) == coups_of(textbook)
    assert {coup["status"] for coup in coups_of(ours).values()} == {"verified"}
    assert ours.rows == textbook.rows


def test_a_log_is_what_the_firmware_logs_of_whole_shoes() -> None:
    log = shoe_player.log(1, 1500)
    kinds = Counter(EventKind.decmapping[kind] for _, kind, _ in log)
    assert [event_no for event_no, _, _ in log] == list(range(1, 1501))
    assert kinds["shoe_opened"] == 3
    assert kinds["shoe_closed"] == kinds["cutting_card"] == 2
    assert 4 * kinds["coup"] <= kinds["card"] <= 6 * (kinds["coup"] + 1)


def test_a_shoe_keeps_to_its_window_until_it_is_acknowledged() -> None:
    shoe = shoe_player.Shoe(0, [b"%d." % number for number in range(1, 101)], welcomed=True, due=100)
    sent = shoe.output(1.0)
    assert sent == b"".join(b"%d." % number for number in range(1, 25))
    shoe.written(len(sent))
    assert shoe.output(1.5) == b""
    shoe.acked = 2
    assert shoe.output(1.6) == b"25.26."


def test_a_shoe_with_nothing_to_send_sends_alive_once_a_second() -> None:
    shoe = shoe_player.Shoe(0, [b"1."], welcomed=True, due=1)
    shoe.written(len(shoe.output(1.0)))
    assert shoe.output(1.9) == b""
    assert shoe.output(2.0) != b""


def welcome(durable: int) -> bytes:
    body = {"shoe_nonce": bytes(NONCE_BYTES), "durable_event_no": durable, "protocol_hash": messages.protocol_hash()}
    return frame_bytes("welcome", body, 0, 0.0)


def test_a_shoe_sends_to_a_new_gateway_what_the_old_one_had_not_stored() -> None:
    shoe = shoe_player.Shoe(0, [b"%d." % number for number in range(1, 31)], welcomed=True, due=30)
    shoe.written(len(shoe.output(1.0)))
    shoe.receive(welcome(durable=20))
    assert shoe.output(1.1) == b"".join(b"%d." % number for number in range(21, 31))


def test_a_shoe_sends_again_what_is_not_acknowledged_and_waits_longer_each_time() -> None:
    shoe = shoe_player.Shoe(0, [b"1.", b"2."], welcomed=True, due=2, resend_first_s=0.5)
    out: dict[int, bytes] = {}
    for tenth in range(10, 40):
        sent = shoe.output(tenth / 10)
        shoe.written(len(sent))
        out |= {tenth: sent} if b"1." in sent else {}
    assert out == dict.fromkeys((10, 15, 25), b"1.2.")  # half a second, then a second
    shoe.receive(frame_bytes("ack", {"event_no": 2}, 0, 0.0))
    shoe.written(len(shoe.output(5.0)))
    assert b"1." not in shoe.output(20.0)


def test_figures_of_a_small_run_have_names_goals_and_an_explanation() -> None:
    flat = gateway_figures.over_textbook({"gateway": SMALL, "textbook": SMALL}, rounds=1)
    assert (flat.name, flat.goal, flat.unit) == ("gateway.flat_out_over_textbook", 40, "x")
    assert "180 of 180 events in the ledger" in flat.what
    inside, latency, served, memory = gateway_figures.pace(LoadPlan(ports=4, frames=40, rate=20, most_s=60))
    assert (inside.name, latency.goal) == ("gateway.25_ms_over_p99", 1)
    assert "from the bytes read to the PUBACK" in inside.what
    assert (served.ratio, served.ok) == (1, True)
    assert memory.unit == "x, at most"
    used, all_served = gateway_figures.many_ports(LoadPlan(ports=8, frames=20, rate=10, most_s=60))
    assert used.goal == 1
    assert (all_served.name, all_served.ok) == ("gateway.casino_received_over_sent", True)


def test_growth_of_memory_is_given_by_the_minute() -> None:
    samples = [Sample(second, second / 4, 1024 * (50_000 + second)) for second in range(100)]
    run = LoadResult(99, 10, 10, 10, 1, 1, [], [], None, 0, samples)
    over, kib = run.growth()
    assert kib == pytest.approx(60)
    assert over == pytest.approx(50_089.5 / 50_029.5)
    assert run.cores() == pytest.approx(0.25)


def test_a_missing_frame_lowers_the_served_share() -> None:
    assert LoadResult(1, 99, 100, 100, 10, 10, [], [], None, 0, []).served() == 0.99
    assert LoadResult(1, 100, 100, 100, 9, 10, [], [], None, 0, []).served() == 0.9


def test_too_few_open_files_are_an_error() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard == resource.RLIM_INFINITY:
        pytest.skip("this machine has no limit")
    with pytest.raises(gateway_load.CannotMeasureError, match="open files"):
        gateway_load.raise_limits(hard)
