"""Random draws of a floor service: committed to on the meter, revealed in the log, recomputed by the audit."""

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest
from floor_rig import JACKPOTS, TIME, Rig, server
from sabot_floor.jackpots import audit, engine
from sabot_floor.jackpots.engine import Logged
from sabot_floor.jackpots.engine.entries import Drawn
from sabot_floor.store import Decision, Entry, Store, open_store
from sabot_tools.stand.broker import LocalBroker

__all__ = ["server"]
LOG = "jackpot/seat"


@pytest.fixture
def rig(server: LocalBroker, tmp_path: Path, store_url: str) -> Iterator[Rig]:
    with ExitStack() as stack:
        yield Rig(stack, server, tmp_path, store_url)


def draw(rig: Rig, name: str = "draw-0001", jackpot: str = "seat", role: str = "casino_supervisor") -> None:
    answer = rig.ask("draw", by="A. Smith", jackpot=jackpot, role=role, id=name)
    assert answer.ok, answer.say
    rig.settle()


def drawn(store: Store, log: str = LOG) -> list[Drawn]:
    """The draws in the log, oldest first."""
    found = (msgspec.json.decode(entry.payload, type=Logged) for entry in store.entries(log) if entry.kind == "drawn")
    return [one.entry for one in found if isinstance(one.entry, Drawn)]


def secret(store: Store) -> str:
    head = store.head(LOG)
    assert head is not None
    assert head.state is not None
    return engine.decode(head.state).secret


def test_nj_09_a_draw_needs_no_card_and_pays_what_the_meter_shows(rig: Rig) -> None:
    rig.start()
    rig.settle()
    published = rig.meter("seat").commitment
    draw(rig)
    (win,) = (message["win"] for message in rig.client.on("win", "seat"))
    assert (win["state"], win["table"], win["percent"], win["prize"]) == ("pending", "nz-01", 100, 50_000)
    assert win["seat"] in {f"seat {number}" for number in range(1, 10)}
    act = {"jackpot": "seat", "win": "draw-0001", "role": "casino_supervisor"}
    assert "drew it" in rig.ask("confirm", by="A. Smith", **act).say
    answer = rig.ask("confirm", by="B. Jones", **act)
    assert answer.ok, answer.say
    rig.settle()
    assert (rig.meter("seat").meters.wins, rig.meter("seat").meters.hits) == (50_000, 1)
    (made,) = drawn(rig.store())
    assert hashlib.sha256(bytes.fromhex(made.draw.secret)).hexdigest() == published
    assert rig.meter("seat").commitment == made.draw.next_commitment != published


def test_the_secret_of_the_next_draw_is_in_no_message_and_no_entry(rig: Rig) -> None:
    rig.start()
    rig.settle()
    store = rig.store()
    for number in range(3):
        hidden = secret(store)
        assert len(hidden) == 64
        shown = [payload for _, payload in rig.client.messages] + [entry.payload for entry in store.entries(LOG)]
        shown += [bytes(rig.ask("show", jackpot="seat").data), bytes(rig.ask("status").data)]
        assert not any(hidden.encode() in payload for payload in shown)
        draw(rig, f"draw-000{number}")


def test_the_audit_recomputes_every_draw(rig: Rig) -> None:
    rig.start()
    rig.start("2")
    for number, app in enumerate([*rig.apps, *rig.apps]):
        answer = rig.ask_of(app, "draw", by="A", jackpot="seat", role="casino_supervisor", id=f"draw-000{number}")
        assert answer.ok, answer.say
    verdict = audit.verify(rig.store(), "seat")
    assert (verdict.draws, verdict.faults) == (4, [])


def test_a_draw_after_a_kill_has_the_commitment_that_was_published(rig: Rig) -> None:
    first = rig.start()
    rig.settle()
    published = rig.meter("seat").commitment
    rig.kill(first)
    rig.start()
    draw(rig)
    assert [made.draw.commitment for made in drawn(rig.store())] == [published]
    assert audit.verify(rig.store(), "seat").faults == []


def test_the_same_request_draws_once(rig: Rig) -> None:
    rig.start()
    draw(rig)
    again = rig.ask("draw", by="A. Smith", jackpot="seat", role="casino_supervisor", id="draw-0001")
    assert not again.ok
    assert "was made before" in again.say
    assert len(drawn(rig.store())) == 1


def test_only_the_right_role_draws_and_only_a_random_jackpot(rig: Rig) -> None:
    rig.start()
    refused = rig.ask("draw", by="A", jackpot="seat", role="dealer", id="draw-0001")
    assert not refused.ok
    by_cards = rig.ask("draw", by="A", jackpot="lucky-tie", role="area_manager", id="draw-0001")
    assert by_cards.say == "Jackpot lucky-tie is won by cards, not by a draw: nothing was drawn."
    assert drawn(rig.store()) == []


def test_a_jackpot_that_becomes_a_random_one_can_be_drawn(rig: Rig) -> None:
    first = rig.start()
    rig.settle()
    assert rig.meter().commitment == ""
    rig.kill(first)
    cards = JACKPOTS[JACKPOTS.index("[jackpot.trigger]") : JACKPOTS.index("[[jackpot]]", 20)]
    changed = JACKPOTS.replace(cards, '[jackpot.trigger]\nkind = "random"\ndraws = ["table"]\n\n', 1)
    (rig.work_dir / "jackpots.toml").write_text(changed.replace('currency = "AUD"', 'currency = "AUD"\nversion = 2'))
    rig.start()
    rig.until(lambda: rig.meter().commitment)
    published = rig.meter().commitment
    draw(rig, jackpot="lucky-tie", role="area_manager")
    assert [made.draw.commitment for made in drawn(rig.store(), "jackpot/lucky-tie")] == [published]
    assert audit.verify(rig.store(), "lucky-tie").faults == []


def forged(store: Store, url: str, **changes: object) -> Store:
    """Return another store whose chain is right, with the first draw changed."""
    entries = []
    for entry in store.entries(LOG):
        payload = entry.payload
        if entry.kind == "drawn":
            logged = msgspec.json.decode(payload, type=Logged)
            assert isinstance(logged.entry, Drawn)
            made = msgspec.structs.replace(logged.entry.draw, **changes)
            payload = msgspec.json.encode(
                msgspec.structs.replace(logged, entry=msgspec.structs.replace(logged.entry, draw=made))
            )
        entries.append(Entry(entry.id, entry.kind, payload, entry.time))
    head = store.head(LOG)
    assert head is not None
    other = open_store(url)
    other.append(LOG, lambda _: Decision(entries, head.state))
    return other


@pytest.mark.parametrize("field", ["commitment", "secret", "head_hash", "candidates", "index", "chosen"])
def test_the_audit_finds_a_draw_whose_chain_was_rebuilt(rig: Rig, tmp_path: Path, field: str) -> None:
    rig.start()
    draw(rig)
    store = rig.store()
    made = drawn(store)[0].draw
    changes: dict[str, object] = {
        "commitment": "ab" * 32,
        "secret": "cd" * 32,
        "head_hash": "ef" * 32,
        "candidates": msgspec.structs.replace(made.candidates, seats=8),
        "index": (made.index + 1) % 9,
        "chosen": msgspec.structs.replace(made.chosen, seat=made.chosen.seat % 9 + 1),
    }
    with forged(store, str(tmp_path / "same.db")) as same:
        assert audit.verify(same, "seat").faults == []
    with forged(store, str(tmp_path / "forged.db"), **{field: changes[field]}) as other:
        faults = audit.verify(other, "seat").faults
    assert any("(drawn)" in fault and field.replace("_", " ") in fault for fault in faults), faults


def test_a_draw_warns_of_tables_that_never_contributed_or_are_offline(rig: Rig) -> None:
    rig.start()
    rig.settle()
    request = {"by": "A. Smith", "jackpot": "seat", "role": "casino_supervisor"}
    never = rig.ask("draw", id="draw-0001", **request)
    assert never.say.endswith(
        " Warning: among the candidates, nz-01 has never contributed. nz-01 was drawn: find out whether it is in play "
        "before you confirm. Before the next draw withdraw tables that do not play."
    )
    rig.send(rig.table("nz-01", "seat").increment())
    rig.settle()
    assert "Warning" not in rig.ask("draw", id="draw-0002", **request).say
    status = rig.topic("nz-01", "status")
    rig.client.publish(status, msgspec.json.encode({"state": "offline", "time": TIME}), retain=True)
    rig.settle()
    assert "among the candidates, nz-01 is offline." in rig.ask("draw", id="draw-0003", **request).say
    rig.client.publish(status, msgspec.json.encode({"state": "online", "time": TIME}), retain=True)
    rig.settle()
    assert "Warning" not in rig.ask("draw", id="draw-0004", **request).say
