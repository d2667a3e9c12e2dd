"""Secrets of random draws: durable before their commitment is published, and in no entry before the draw."""

import hashlib
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from sabot_floor.jackpots import draws
from sabot_floor.jackpots.engine import Applied, apply, open_jackpot
from sabot_floor.jackpots.engine.entries import Drawn, Opened
from sabot_floor.jackpots.engine.state import JackpotState, Place, decode, encode
from sabot_floor.store import Decision, Entry, Head, Store, open_store
from sabot_protocol.jackpots.draws import DrawError, commitment
from sabot_protocol.jackpots.parameters import LuckyTie, Parameters, Random

AT = "2026-11-17T12:00:00.000Z"
LOG = "jackpot/lucky-seat"
PARAMETERS = Parameters(
    id="lucky-seat", title="Lucky Seat", rulebook="nz-baccarat", currency="NZD", tables=("bac-01", "bac-02", "bac-03"),
    unreasonable=1000, rounding=100, trigger=Random(draws=("table", "seat")),
)  # fmt: skip


def opened(secret: bytes, parameters: Parameters = PARAMETERS) -> JackpotState:
    """The state of a new jackpot that keeps this secret."""
    state = open_jackpot(Opened(time=AT, parameters=parameters, commitment=commitment(secret)))
    state.secret = secret.hex()
    return state


def open_log(store: Store) -> None:
    """Append the first entry, with a new secret kept beside it."""
    state = opened(draws.new_secret())
    entry = Opened(time=AT, parameters=PARAMETERS, commitment=state.commitment)
    store.append(LOG, lambda head: Decision([Entry("1", "opened", msgspec.json.encode(entry), AT)], encode(state)))


def draw_once(store: Store) -> Drawn:
    """Append a draw and keep the next secret, in one transaction."""
    next_secret = draws.new_secret()
    made: list[Drawn] = []

    def decide(head: Head) -> Decision:
        assert head.state is not None
        state = decode(head.state)
        made[:] = [Drawn(time=AT, id=f"draw-{head.seq}", draw=draws.draw(state, head.hash, next_secret))]
        assert isinstance(apply(state, made[0]), Applied)
        state.secret = next_secret.hex()
        return Decision([Entry(made[0].id, "drawn", msgspec.json.encode(made[0]), AT)], encode(state))

    store.append(LOG, decide)
    return made[0]


def kept(store: Store) -> JackpotState:
    head = store.head(LOG)
    assert head is not None
    assert head.state is not None
    return decode(head.state)


def test_each_draw_reveals_its_secret_and_commits_to_the_next(store: Store) -> None:
    open_log(store)
    for _ in range(5):
        before, head = kept(store), store.head(LOG)
        assert head is not None
        entry = draw_once(store)
        assert draws.problems(before, entry, head.hash) == []
        assert entry.draw.secret == before.secret
        assert hashlib.sha256(bytes.fromhex(entry.draw.secret)).hexdigest() == before.commitment
        assert entry.draw.next_commitment == kept(store).commitment == commitment(bytes.fromhex(kept(store).secret))
        assert kept(store).secret not in {before.secret, ""}


def test_no_entry_has_the_secret_before_the_draw(store: Store) -> None:
    open_log(store)
    for _ in range(3):
        draw_once(store)
        secret = kept(store).secret
        for entry in store.entries(LOG):
            assert secret.encode() not in entry.payload
            assert bytes.fromhex(secret) not in entry.payload


OPEN = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from sabot_floor.store import open_store
from test_jackpot_draw_secrets import kept, open_log
store = open_store({url!r})
open_log(store)
print(kept(store).commitment, flush=True)
sys.stdin.read()
"""


def test_a_published_commitment_keeps_its_secret_after_kill_9(store_url: str) -> None:
    program = OPEN.format(tests=str(Path(__file__).parent), url=store_url)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        published = worker.stdout.readline().strip()
        worker.send_signal(signal.SIGKILL)
    with open_store(store_url) as store:  # another worker
        before, head = kept(store), store.head(LOG)
        assert head is not None
        entry = draw_once(store)
        assert entry.draw.commitment == published != ""
        assert draws.problems(before, entry, head.hash) == []


def test_two_workers_draw_in_turn_from_one_store(store_url: str) -> None:
    with open_store(store_url) as one, open_store(store_url) as two:
        open_log(one)
        made = [draw_once(worker) for worker in (one, two, two, one)]
        assert [entry.draw.commitment for entry in made[1:]] == [entry.draw.next_commitment for entry in made[:-1]]
        assert len({entry.draw.secret for entry in made}) == 4


def test_a_withdrawn_table_is_not_drawn_and_the_audit_knows() -> None:
    state = opened(bytes(range(32)))
    state.places["bac-02"] = Place(withdrawn="malfunction")
    entry = Drawn(time=AT, id="d", draw=draws.draw(state, bytes(32), bytes(32)))
    assert entry.draw.candidates.tables == ("bac-01", "bac-03")
    assert draws.problems(state, entry, bytes(32)) == []
    state.places.clear()
    assert any("candidates" in problem for problem in draws.problems(state, entry, bytes(32)))


def test_the_audit_finds_another_hash_before_and_another_commitment() -> None:
    state = opened(bytes(range(32)))
    entry = Drawn(time=AT, id="d", draw=draws.draw(state, bytes(32), bytes(32)))
    assert any("entry before" in problem for problem in draws.problems(state, entry, b"\1" * 32))
    state.commitment = commitment(b"other")
    assert any("published before" in problem for problem in draws.problems(state, entry, bytes(32)))


def test_a_jackpot_won_by_cards_has_no_draw() -> None:
    by_cards = msgspec.structs.replace(PARAMETERS, trigger=LuckyTie("option_3", {"lucky_tie": 100}))
    entry = Drawn(time=AT, id="d", draw=draws.draw(opened(bytes(32)), bytes(32), bytes(32)))
    with pytest.raises(DrawError, match="won by cards"):
        draws.draw(opened(bytes(32), by_cards), bytes(32), bytes(32))
    assert draws.problems(opened(bytes(32), by_cards), entry, bytes(32)) == [
        "jackpot lucky-seat is won by cards, not by a draw: nothing was drawn"
    ]


@pytest.mark.parametrize("secret", ["", "00", "ff" * 32])
def test_a_secret_that_was_changed_by_hand_is_not_used(secret: str) -> None:
    state = opened(bytes(range(32)))
    state.secret = secret
    with pytest.raises(DrawError, match="Do not draw"):
        draws.draw(state, bytes(32), bytes(32))
