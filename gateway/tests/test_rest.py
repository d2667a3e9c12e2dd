"""Rest: a line at which nothing is due is left alone until its keep-alive; a gateway that rested hears no silence."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from link_bench import new_link, served
from shoe_events import sent
from test_app import Bench, status


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.app.close()
    os.close(made.line)


def test_a_line_at_which_nothing_waits_rests_until_its_keep_alive() -> None:
    link, _ = served(next_event_no=1)
    link.tick(0.0)
    sent(link)
    assert link.quiet(0.25)
    assert link.rest_s(0.25) == 0.75
    assert not link.quiet(1.0)
    link.tick(1.0)
    assert [frame.type for frame in sent(link)] == ["ack"]
    assert link.rest_s(1.0) == 1.0


def test_a_line_without_a_shoe_does_not_rest() -> None:
    link = new_link()
    link.tick(0.0)
    assert not link.quiet(0.0)
    assert link.rest_s(0.0) == 0.0


def test_a_command_does_not_wait_for_the_keep_alive() -> None:
    link, _ = served(next_event_no=1)
    link.tick(0.0)
    sent(link)
    link.command("lock", {})
    assert link.rest_s(0.1) == 0.0
    link.tick(0.1)
    assert [frame.type for frame in sent(link)] == ["command"]
    assert link.rest_s(0.1) == pytest.approx(0.9)
    assert link.rest_s(0.999) > 0.0
    link.acknowledge(0, 0.9)
    sent(link)
    assert link.rest_s(0.9) == pytest.approx(0.2)  # it is sent again after a second
    assert link.rest_s(1.1) == 0.0


def test_a_line_is_looked_at_when_its_shoe_becomes_silent() -> None:
    link, _ = served(next_event_no=1)
    link.tick(4.5)
    sent(link)
    assert link.rest_s(4.5) == pytest.approx(0.5)


def test_an_acknowledgement_that_the_port_has_not_taken_does_not_wait() -> None:
    link, shoe = served()
    link.tick(0.0)
    sent(link)
    link.receive(shoe.button(1), 0.1)
    link.acknowledge(1, 0.1)
    assert link.rest_s(0.2) == 0.0
    link.written(len(link.output()))
    assert link.rest_s(0.2) == pytest.approx(0.9)


def test_a_gateway_that_stood_still_takes_no_shoe_for_silent(bench: Bench) -> None:
    bench.greet()
    bench.listen(2.0)
    bench.now_s += 60.0  # the PC was suspended, and the shoe sends a moment after its gateway looks
    bench.listen(2.0)
    assert status(bench.app)["state"] == "online"
    assert ("ack", 1) in bench.send(bench.shoe.button(1))
    bench.listen(5.4)
    assert status(bench.app)["state"] == "offline"


def test_a_gateway_that_stands_still_again_and_again_finds_a_silent_shoe(bench: Bench) -> None:
    bench.greet()
    for _ in range(4):
        bench.now_s += 3.0
        bench.app.step(0)
    assert status(bench.app)["state"] == "offline"


def test_a_shoe_that_sends_only_alive_hears_something_once_a_second(bench: Bench) -> None:
    bench.greet()
    for _ in range(10):
        bench.listen(1.0)
        assert ("ack", 0) in bench.send(bench.shoe.say("alive"))


def test_a_commit_is_shared_for_longer_where_little_comes(bench: Bench) -> None:
    bench.greet()
    assert bench.shared_for_s(bench.shoe.button(1)) == pytest.approx(0.04)
    assert bench.shared_for_s(bench.shoe.button(*range(2, 26))) == pytest.approx(0.006)  # it catches up after an outage
