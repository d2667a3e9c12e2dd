"""Rest: a line at which nothing is due is left alone until its keep-alive."""

import pytest
from link_bench import new_link, served
from shoe_events import sent


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
