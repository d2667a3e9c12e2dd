"""What becomes of a notice: sent once by one worker, tried again later, given up, logged; kills in between."""

from collections.abc import Iterator
from contextlib import ExitStack

import msgspec
import pytest
from floor_stores import edit
from notify_parts import BEGIN_S, Worker, alarm, incident, step
from sabot_floor.gaming_day import Calendar
from sabot_floor.notify import delivery, notices
from sabot_floor.notify.channels import Syslog
from sabot_floor.notify.delivery import MOST_ATTEMPTS, Outcome
from sabot_floor.notify.history import LOG, sent_about
from sabot_floor.notify.state import State
from sabot_floor.store import DamagedError, Store, audit, open_store

DAY_S = 86_400.0
CHANNELS = {name: Syslog(name=name) for name in ("pit", "other")}


@pytest.fixture
def stores(store_url: str) -> Iterator[tuple[Store, Store]]:
    """A store of each kind, opened by two workers."""
    with ExitStack() as stack:
        yield stack.enter_context(open_store(store_url)), stack.enter_context(open_store(store_url))


def kinds(worker: Worker) -> list[str]:
    return [kind for kind, _ in worker.log()]


def test_decided_and_sent_are_logged_with_the_answer_in_a_chain(stores: tuple[Store, Store]) -> None:
    worker = Worker(stores[0])
    [notice] = worker.take(alarm())
    worker.receivers.answer(notice, say="202 Accepted")
    worker.take()
    (decided, body), (sent, fate) = worker.log()
    assert (decided, body["id"], body["alarm"]) == ("decided", notice.id, "a-1")
    assert (sent, fate["say"], fate["attempt"], fate["channel"]) == ("sent", "202 Accepted", 1, "pit")
    assert audit.verify_log(stores[1], LOG).faults == []


def test_a_changed_entry_is_found(store_url: str) -> None:
    with open_store(store_url) as store:
        Worker(store).take(alarm())
        edit(store_url, "UPDATE entries SET payload = ? WHERE log = ?", b"{}", LOG)
        assert audit.verify_log(store, LOG).faults
    with pytest.raises(DamagedError):
        open_store(store_url)


def test_two_workers_send_each_notice_once(stores: tuple[Store, Store]) -> None:
    one, two = Worker(stores[0], name="1"), Worker(stores[1], name="2")
    messages = [alarm(number) for number in range(3)]
    assert len(one.take(*messages)) == 3
    assert two.take(*messages) == []
    one.receivers.answer_all()
    one.take()
    assert two.take(*messages, pass_s=600) == []
    assert kinds(one) == ["decided"] * 3 + ["sent"] * 3


def test_a_restart_sends_nothing_again(stores: tuple[Store, Store]) -> None:
    first = Worker(stores[0], Syslog(name="s", to=("surveillance",), severity="critical"))
    first.take(alarm(), incident(step(to=["surveillance"])))
    first.send_all()
    again = Worker(stores[1], Syslog(name="s", to=("surveillance",), severity="critical"))
    assert again.take(alarm(), incident(step(to=["surveillance"])), pass_s=5) == []


def test_a_worker_killed_while_sending_sends_again_after_its_restart_with_the_same_id(
    stores: tuple[Store, Store],
) -> None:
    [notice] = Worker(stores[0]).take(alarm())
    assert [one.id for one in Worker(stores[1]).take(pass_s=1)] == [notice.id]


def test_another_worker_takes_over_when_the_claim_has_ended(stores: tuple[Store, Store]) -> None:
    [notice] = Worker(stores[0], name="1").take(alarm())
    other = Worker(stores[1], name="2")
    assert other.take(pass_s=109) == []  # 5 notices of 10 s, and 60 s
    assert [one.id for one in other.take(pass_s=2)] == [notice.id]


def test_an_outcome_that_comes_after_the_take_over_is_logged_too(stores: tuple[Store, Store]) -> None:
    slow, other = Worker(stores[0], name="1"), Worker(stores[1], name="2")
    [notice] = slow.take(alarm())
    other.take(pass_s=111)
    other.receivers.answer_all()
    other.take()
    slow.receivers.answer(notice, say="200 OK, late")
    slow.take(pass_s=120)
    assert kinds(slow) == ["decided", "sent", "sent"]


def test_a_notice_of_a_channel_that_is_gone_is_given_up(stores: tuple[Store, Store]) -> None:
    Worker(stores[0], Syslog(name="old"), name="1").take(alarm())
    worker = Worker(stores[1], Syslog(name="new"), name="2")
    assert worker.take(pass_s=111) == []
    assert worker.log()[-1] == (
        "given_up",
        {
            "channel": "old", "occasion": "raised", "attempt": 0, "table": "bac-01", "alarm": "a-1",
            "say": "there is no channel old in the config any more",
        },
    )  # fmt: skip


# By values alone


def queued(*numbers: int, channel: str = "pit") -> State:
    state = State()
    for number in numbers:
        made = notices.of_alarm("sydney", channel, alarm(number), "2026-11-17T12:00:00.000Z", Calendar())
        delivery.decide(state, made, BEGIN_S)
    return state


def claimed(state: State, now_s: float, *, worker: str = "1", busy: tuple[str, ...] = ()) -> list[str]:
    found, _ = delivery.claim(state, worker, CHANNELS, set(busy), now_s)
    return [notice.alarm for notice in found]


def outcome(state: State, number: int, result: str, now_s: float) -> list[str]:
    [waiting] = [one for one in state.queue.values() if one.notice.alarm == f"a-{number}"]
    return [entry.kind for entry in delivery.settle(state, Outcome(waiting.notice, result, "why"), now_s)]


def test_failures_wait_longer_each_time_and_end() -> None:
    state, now_s, waits = queued(1), BEGIN_S, list[float]()
    while claimed(state, now_s):
        outcome(state, 1, "failed", now_s)
        failed_s, now_s = now_s, state.queue[next(iter(state.queue))].next_s
        assert claimed(state, now_s - 1) == []
        waits.append(now_s - failed_s)
    assert waits[:9] == [5, 10, 20, 40, 80, 160, 320, 600, 600]
    assert max(waits) == 600
    assert len(waits) == MOST_ATTEMPTS
    assert state.queue == {}
    assert state.tallies["pit"].given_up == 1
    assert "notify the people by hand" in state.tallies["pit"].problem


def test_what_was_not_accepted_in_a_day_is_given_up() -> None:
    state = queued(1)
    assert claimed(state, BEGIN_S + DAY_S)
    outcome(state, 1, "released", BEGIN_S + DAY_S)
    found, [given_up] = delivery.claim(state, "1", CHANNELS, set(), BEGIN_S + DAY_S + 1)
    assert (found, given_up.kind) == ([], "given_up")


def test_a_channel_that_fails_waits_with_everything_and_delays_no_other() -> None:
    state = queued(*range(8))
    state.queue |= queued(20, channel="other").queue
    assert claimed(state, BEGIN_S) == ["a-0", "a-1", "a-2", "a-3", "a-4", "a-20"]
    assert outcome(state, 0, "failed", BEGIN_S) == ["failed"]
    assert outcome(state, 1, "released", BEGIN_S) == []
    assert claimed(state, BEGIN_S + 4) == ["a-20"]  # which this worker had claimed: it was killed meanwhile
    assert claimed(state, BEGIN_S + 5, busy=("other",)) == [
        "a-1",
        "a-2",
        "a-3",
        "a-4",
        "a-5",
    ]  # one that failed is last
    assert claimed(state, BEGIN_S + 5, busy=("other", "pit")) == []


def test_a_success_ends_the_wait_of_its_channel() -> None:
    state = queued(1, 2)
    claimed(state, BEGIN_S)
    outcome(state, 1, "failed", BEGIN_S)
    outcome(state, 2, "sent", BEGIN_S)
    assert state.tallies["pit"].next_s == 0
    assert state.tallies["pit"].problem == ""
    assert claimed(state, BEGIN_S + 4) == []  # the one that failed still waits
    assert claimed(state, BEGIN_S + 5) == ["a-1"]


def test_a_clock_that_goes_back_delays_nothing_for_long() -> None:
    state = queued(1)
    claimed(state, BEGIN_S)
    outcome(state, 1, "failed", BEGIN_S)
    assert claimed(state, BEGIN_S - DAY_S) == ["a-1"]
    assert claimed(state, BEGIN_S - 3 * DAY_S, worker="2") == ["a-1"]


def test_reports_find_what_was_sent_about_a_step(stores: tuple[Store, Store]) -> None:
    worker = Worker(stores[0], Syslog(name="s", to=("surveillance",), severity="critical"))
    for number in range(3):
        worker.take(alarm(number), incident(step(to=["surveillance"]), number=number, entry=number))
        worker.send_all()
        worker.now_s += 1000
    found = sent_about(stores[1], "2026-11-17T12:00:00.000Z")
    assert {key: len(lines) for key, lines in found.items()} == {
        ("bac-01", f"i-{number}", "notify_surveillance"): 1 for number in range(3)
    }
    assert found["bac-01", "i-0", "notify_surveillance"] == ["2026-11-17T12:00:01.100Z s, opened: 250 OK"]
    assert [incident for _, incident, _ in sent_about(stores[1], "2026-11-17T12:30:00.000Z")] == ["i-2"]
    assert sent_about(stores[1], "2027") == {}


@pytest.mark.parametrize("release", ["this", "earlier"])
def test_what_was_sent_for_a_neighbour_is_not_sent_about_this_table(store_url: str, release: str) -> None:
    """A neighbour publishes an incident with our id."""
    with open_store(store_url) as store:
        worker = Worker(store, Syslog(name="s", to=("surveillance",), severity="critical"))
        worker.take(incident(step(to=["surveillance"]), table="bac-09"))
        worker.send_all()
        fate = worker.log()[-1][1]
        if release == "earlier":
            without = msgspec.json.encode({name: value for name, value in fate.items() if name != "table"})
            edit(store_url, "UPDATE entries SET payload = ? WHERE log = ? AND kind = 'sent'", without, LOG)
        assert fate["table"] == "bac-09"
        [about] = sent_about(store, "2026-11-17T12:00:00.000Z")
        assert about == ("bac-09", "i-1", "notify_surveillance")
