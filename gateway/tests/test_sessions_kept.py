"""Sessions over a restart of the floor service: which go on, and which stay ended; with real stores of both kinds."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from floor_stores import edit
from sabot_floor.backup import backup
from sabot_floor.people import entries
from sabot_floor.people.kept import PREFIX
from sabot_floor.people.verbs import Login
from sabot_floor.store import AwayError, DamagedError, Decision, audit, open_store
from sabot_floor.web.desk import ChangePin, LogOut, Look
from test_web_desk import HASH, HERE, IDLE_S, NOON, NOON_S, PIN, Rig

HOURS_S = 3600.0
Next = Callable[..., Rig]


@pytest.fixture
def site(store_url: str, tmp_path: Path) -> Iterator[Next]:
    """Give one service after the other on one store; each process has a monotonic clock of its own."""
    made: list[Rig] = []

    def begin(at_s: float = 0.0, worker: str = "1", url: str = store_url) -> Rig:
        if made:
            made[-1].close()
        made.append(Rig(tmp_path, 7.0, url, NOON_S + at_s - 7.0, worker))
        return made[-1]

    first = begin()
    first.change(entries.Added(time=NOON, person="vera", name="Vera", by="root"))
    first.change(entries.SecretSet(time=NOON, person="vera", hash=HASH, by="root"))
    yield begin
    assert audit.verify(made[-1].store).faults == []
    made[-1].close()


def live(rig: Rig, token: str, address: str = HERE) -> bool:
    return rig.ask(Look(token, address)).answer.ok


def test_a_restart_logs_nobody_out(site: Next) -> None:
    rig = site()
    token, other = rig.log_in().token, rig.log_in(kind="dealer", address="10.0.0.2").token
    rig = site(60.0)
    assert live(rig, token)
    assert not live(rig, token, "10.0.0.2")
    found = rig.ask(Look(other, "10.0.0.2")).session
    assert found is not None
    assert (found.person, found.kind) == ("vera", "dealer")
    assert rig.act(token).answer.ok


def test_the_store_has_no_token(site: Next) -> None:
    rig = site()
    token = rig.log_in().token
    head = rig.store.head(f"{PREFIX}1")
    assert head is not None
    assert head.state is not None
    assert token.encode() not in head.state


def test_the_idle_time_and_the_twelve_hours_go_on_over_a_restart(site: Next) -> None:
    rig = site()
    token = rig.log_in().token
    assert not live(site(IDLE_S), token)
    rig = site()
    token = rig.log_in().token
    for hour in range(1, 12 * 12):
        rig = site(hour * 299.0)
        assert rig.ask(Look(token, HERE, touch=True)).answer.ok, hour
        rig.now_s += 1.0
        rig.desk.step(rig.at())
    assert not live(site(12 * HOURS_S), token)


def test_who_does_something_is_not_idle_after_the_restart(site: Next) -> None:
    rig = site()
    token = rig.log_in().token
    rig.now_s += 200.0
    assert rig.ask(Look(token, HERE, touch=True)).answer.ok
    rig.desk.step(rig.at())
    assert live(site(450.0), token)
    assert not live(site(501.0), token)


def test_a_session_that_has_ended_does_not_come_back(site: Next) -> None:
    rig = site()
    out, oldest = rig.log_in().token, rig.log_in().token
    assert rig.ask(LogOut(out, HERE)).answer.ok
    newer = [rig.log_in().token for _ in range(5)]
    rig = site(10.0)
    assert [live(rig, one) for one in (out, oldest, *newer)] == [False, False, True, True, True, True, True]


@pytest.mark.parametrize("while_away", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        entries.Disabled(time=NOON, person="vera", by="root"),
        entries.RoleGiven(time=NOON, person="vera", rulebook="crown-baccarat", role="dealer", by="root"),
        entries.SecretSet(time=NOON, person="vera", hash="other", by="root"),
        entries.BadgeSet(time=NOON, person="vera", badge="other", by="root"),
    ],
)
def test_a_changed_record_ends_it_also_while_the_service_is_away(
    site: Next, change: entries.Entry, while_away: bool
) -> None:
    rig = site()
    token = rig.log_in().token
    if not while_away:
        rig.change(change)
        rig.now_s += 3.0
        rig.desk.step(rig.at())
    rig = site(10.0)
    if while_away:
        rig.change(change)
    assert not live(rig, token)
    assert not rig.act(token).answer.ok


def test_a_changed_pin_leaves_the_session_of_its_page_alone(site: Next) -> None:
    rig = site()
    elsewhere, here = rig.log_in(address="10.0.0.2").token, rig.log_in().token
    changed = rig.ask(ChangePin(here, HERE, PIN, "840266"))
    assert changed.answer.ok
    rig = site(10.0)
    assert (live(rig, elsewhere, "10.0.0.2"), live(rig, here), live(rig, changed.token)) == (False, False, True)


def test_another_worker_has_its_own(site: Next) -> None:
    token = site().log_in().token
    rig = site(10.0, worker="2")
    assert not live(rig, token)
    rig.log_in()
    assert live(site(20.0), token)


def test_a_clock_that_was_put_back_ends_all(site: Next) -> None:
    token = site().log_in().token
    assert not live(site(-60.0), token)


def test_what_the_store_did_not_take_is_stored_later(site: Next, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = site()
    token = rig.log_in().token

    def away(*_: object) -> None:
        raise AwayError("the database does not answer")

    with monkeypatch.context() as patched:
        patched.setattr(rig.store, "append", away)
        assert rig.ask(LogOut(token, HERE)).answer.ok
    rig.now_s += 5.0
    rig.desk.step(rig.at())
    assert not live(site(10.0), token)


def test_sessions_that_were_edited_are_refused_with_the_store(site: Next, store_url: str) -> None:
    rig = site()
    rig.log_in()
    kept = rig.store.head(f"{PREFIX}1")
    assert kept is not None
    edit(store_url, "UPDATE logs SET state = ? WHERE name = ?", b"{", f"{PREFIX}1")
    with pytest.raises(DamagedError, match="log sessions/1"):
        open_store(store_url)
    edit(store_url, "UPDATE logs SET state = ? WHERE name = ?", kept.state, f"{PREFIX}1")


def test_sessions_that_cannot_be_read_are_none(site: Next) -> None:
    rig = site()
    token = rig.log_in().token
    rig.store.append(f"{PREFIX}1", lambda head: Decision((), b"{"))
    rig = site(10.0)
    assert not live(rig, token)
    assert live(rig, rig.log_in().token)


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_restored_copy_opens_no_session(site: Next, tmp_path: Path) -> None:
    rig = site()
    token = rig.log_in().token
    (tmp_path / "copies").mkdir()
    copy, _ = backup(rig.store, tmp_path / "copies", NOON)
    assert rig.ask(LogOut(token, HERE)).answer.ok
    assert not live(site(10.0, url=str(copy)), token)


def test_a_log_in_of_before_is_one_more_way_to_log_in(site: Next) -> None:
    token = site().log_in().token
    rig = site(10.0)
    said: list[bool] = []
    rig.people.log_in([Login("vera", f"session:{token}")], "act", f"web {HERE}", lambda _: said.append(False),
                      lambda _: said.append(True))  # fmt: skip
    while not said:
        rig.selector.select(1.0)
        rig.checker.take()
    assert said == [True]
