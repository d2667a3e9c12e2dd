"""Random draws (NJ-09): vectors computed by hand, no bias, and every change of a recorded draw found."""

import hashlib
import hmac
import json
import random
from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sabot_protocol.jackpots import draws
from sabot_protocol.jackpots.draws import Candidates, Chosen, Draw
from sabot_protocol.jackpots.parameters import Random

SECRET = bytes(range(32))
NEXT = bytes(range(32, 64))
HEAD = hashlib.sha256(b"the entry before").hexdigest()
TABLES = [f"bac-{number:02}" for number in range(1, 8)]
SEATS = draws.candidates(Random(draws=("table", "seat")), TABLES)  # 7 tables, 9 seats


def by_hand(secret: bytes, axes: dict[str, Any], count: int, head: str) -> tuple[int, int]:
    """The index and the number of HMACs it took, from the words of the specification alone."""
    text = json.dumps(axes, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    bits = len(f"{count - 1:b}")
    for counter in range(1000):
        message = counter.to_bytes(4, "big") + bytes.fromhex(head) + text
        digest = hmac.new(secret, message, hashlib.sha256).hexdigest()
        index = int(f"{int(digest, 16):0256b}"[:bits], 2)
        if index < count:
            return index, counter + 1
    raise AssertionError("1000 rejections")


def test_a_secret_has_as_many_bits_as_its_commitment() -> None:
    assert draws.SECRET_BYTES * 8 == 256


def test_candidates_of_a_log_are_bounded() -> None:
    assert msgspec.json.decode(b'{"draws":["table"],"tables":["t"],"seats":0}', type=Candidates) == draws.candidates(
        Random(draws=("table",)), ["t"]
    )
    assert msgspec.json.decode(b'{"draws":["table"],"tables":["t"]}', type=Candidates).seats == 0
    assert msgspec.json.decode(b'{"draws":["seat"],"tables":["t"],"seats":99}', type=Candidates).count() == 99
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"draws":["seat"],"tables":["t"],"seats":100}', type=Candidates)


def test_the_commitment_is_the_sha_256_of_the_secret() -> None:
    assert draws.commitment(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180


def test_vectors_by_hand() -> None:
    axes = {"draws": ["seat", "table"], "tables": TABLES, "seats": 9, "locations": []}
    assert SEATS.count() == 63
    tries = Counter[int]()
    for number in range(500):
        secret = hashlib.sha256(b"%d" % number).digest()
        index, hmacs = by_hand(secret, axes, 63, HEAD)
        assert draws.choose(secret, SEATS, HEAD) == index
        tries[hmacs] += 1
    assert tries[1] < 500  # some were rejected


@pytest.mark.parametrize("count", [1, 2, 3, 31, 32, 33, 64, 99])
def test_vectors_by_hand_around_powers_of_two(count: int) -> None:
    found = Candidates(("seat",), ("bac-01",), seats=count)
    axes = {"draws": ["seat"], "tables": ["bac-01"], "seats": count, "locations": []}
    for number in range(50):
        secret = hashlib.sha256(b"%d" % number).digest()
        assert draws.choose(secret, found, HEAD) == by_hand(secret, axes, count, HEAD)[0]


def test_names_beyond_ascii_are_utf_8() -> None:
    found = Candidates(("location",), ("bac-01",), locations=("büro", "café", "东"))
    axes = {"draws": ["location"], "tables": ["bac-01"], "seats": 0, "locations": ["büro", "café", "东"]}
    assert draws.choose(SECRET, found, HEAD) == by_hand(SECRET, axes, 3, HEAD)[0]


def test_nj_09_each_candidate_is_equally_likely() -> None:
    rng = random.Random(18)
    total = 63 * 200
    counts = Counter(draws.choose(rng.randbytes(32), SEATS, HEAD) for _ in range(total))
    chi_square = sum((counts[index] - 200) ** 2 / 200 for index in range(63))
    assert 30 < chi_square < 103  # 62 degrees of freedom: 0.02 % of fair draws are below, 0.1 % above
    assert set(counts) == set(range(63))


def test_nj_09_a_draw_of_33_is_fair_where_a_modulo_would_not_be() -> None:
    found = draws.candidates(Random(draws=("table",)), [f"t{number:02}" for number in range(33)])
    rng = random.Random(33)
    counts = Counter(draws.choose(rng.randbytes(32), found, HEAD) for _ in range(33 * 200))
    assert sum((counts[index] - 200) ** 2 / 200 for index in range(33)) < 62.5  # 32 degrees of freedom: 0.1 % above


@pytest.mark.parametrize(
    ("trigger", "count", "first", "last"),
    [
        (Random(draws=("table",)), 7, Chosen("bac-01"), Chosen("bac-07")),
        (Random(draws=("seat",), seats=12), 12, Chosen(seat=1), Chosen(seat=12)),
        (Random(draws=("location",), locations=("tie", "pair")), 2, Chosen(location="pair"), Chosen(location="tie")),
        (Random(draws=("table", "seat")), 63, Chosen("bac-01", 1), Chosen("bac-07", 9)),
        (
            Random(draws=("seat", "location", "table"), seats=2, locations=("tie", "pair", "tie")),
            28,
            Chosen("bac-01", 1, "pair"),
            Chosen("bac-07", 2, "tie"),
        ),
    ],
)
def test_nj_09_table_seat_location_and_every_combination(
    trigger: Random, count: int, first: Chosen, last: Chosen
) -> None:
    found = draws.candidates(trigger, TABLES)
    assert found.count() == count
    assert (found.at(0), found.at(count - 1)) == (first, last)
    assert len({found.at(index) for index in range(count)}) == count


def test_a_table_where_it_is_not_offered_is_not_drawn() -> None:
    found = draws.candidates(Random(draws=("table",)), TABLES, {"bac-03": "malfunction"})
    assert found.count() == 6
    assert "bac-03" not in {found.at(index).table for index in range(6)}


def test_nothing_is_drawn_when_no_table_offers_it() -> None:
    for trigger in (Random(draws=("table",)), Random(draws=("seat",))):
        with pytest.raises(draws.DrawError, match="restore a table first"):
            draws.choose(SECRET, draws.candidates(trigger, TABLES, TABLES), HEAD)


def test_the_only_candidate_is_drawn() -> None:
    assert draws.choose(SECRET, draws.candidates(Random(draws=("table",)), ["bac-01"]), HEAD) == 0


def test_the_order_of_tables_in_the_configuration_does_not_matter() -> None:
    backwards = draws.candidates(Random(draws=("seat", "table")), TABLES[::-1])
    assert backwards == SEATS


def problems(made: Draw, **context: Any) -> list[str]:
    """What the auditor finds, with what was published as it was."""
    seen: dict[str, Any] = {"published": draws.commitment(SECRET), "head_hash": HEAD, "expected": SEATS} | context
    return draws.check(made, **seen)


MADE = draws.draw(SECRET, SEATS, HEAD, NEXT)
OTHER = "ab" * 32
CHANGES: dict[str, list[tuple[Any, str]]] = {
    "commitment": [(OTHER, "commitment is abab"), ("", "commitment is ")],
    "secret": [(OTHER, "does not give the commitment"), ("00", "64 hex"), ("", "64 hex"), ("zz" * 32, "64 hex")],
    "head_hash": [(OTHER, "the hash of the entry before"), ("", "64 hex"), ("éé" * 32, "64 hex")],
    "candidates": [
        (msgspec.structs.replace(SEATS, tables=SEATS.tables[1:]), "candidates is"),
        (msgspec.structs.replace(SEATS, tables=SEATS.tables[::-1]), "candidates is"),
        (msgspec.structs.replace(SEATS, tables=(*SEATS.tables, "bac-07")), "candidates is"),
        (msgspec.structs.replace(SEATS, tables=()), "restore a table"),
        (msgspec.structs.replace(SEATS, seats=8), "candidates is"),
        (msgspec.structs.replace(SEATS, draws=("table",)), "candidates is"),
        (msgspec.structs.replace(SEATS, locations=("tie",)), "candidates is"),
    ],
    "index": [(MADE.index + 1, "index is"), (-1, "index is"), (10**30, "index is")],
    "chosen": [
        (Chosen(), "chosen is"),
        (msgspec.structs.replace(MADE.chosen, seat=MADE.chosen.seat % 9 + 1), "chosen is"),
        (msgspec.structs.replace(MADE.chosen, table="bac-99"), "chosen is"),
        (msgspec.structs.replace(MADE.chosen, location="tie"), "chosen is"),
    ],
    "next_commitment": [("", "another secret"), (MADE.commitment, "another secret"), ("x" * 64, "another secret")],
}


def test_a_draw_as_it_was_made_has_no_problem() -> None:
    assert problems(MADE) == []


def test_every_field_has_a_change_to_find() -> None:
    assert set(CHANGES) == set(Draw.__struct_fields__)


@pytest.mark.parametrize(
    ("field", "value", "say"), [(name, *case) for name, cases in CHANGES.items() for case in cases]
)
def test_every_changed_field_is_found(field: str, value: Any, say: str) -> None:
    found = problems(msgspec.structs.replace(MADE, **{field: value}))
    assert any(say in problem for problem in found), found


def test_a_secret_of_another_commitment_is_found_even_if_all_else_agrees() -> None:
    forged = draws.draw(hashlib.sha256(b"chosen later").digest(), SEATS, HEAD, NEXT)
    assert any("published before" in problem for problem in problems(forged))
    assert problems(MADE, published="") == [f"commitment is {MADE.commitment}, expected none, published before"]


def test_another_entry_before_or_other_candidates_are_found() -> None:
    assert problems(MADE, head_hash=OTHER)
    assert problems(MADE, expected=msgspec.structs.replace(SEATS, tables=SEATS.tables[1:]))


@given(st.binary(min_size=32, max_size=32), st.integers(1, 70), st.integers(1, 99), st.binary(min_size=32, max_size=32))
def test_any_draw_checks_and_survives_json(secret: bytes, tables: int, seats: int, head: bytes) -> None:
    names = [f"t{number}" for number in range(tables)]
    found = draws.candidates(Random(draws=("table", "seat"), seats=seats), names)
    made = draws.draw(secret, found, head.hex(), hashlib.sha256(secret).digest())
    assert 0 <= made.index < tables * seats
    assert draws.check(made, draws.commitment(secret), head.hex(), found) == []
    assert msgspec.json.decode(msgspec.json.encode(made), type=Draw) == made
