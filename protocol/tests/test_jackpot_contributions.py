"""Contributions: what coups add to a jackpot; carries that lose nothing; signatures that nobody else can make."""

import hmac
from fractions import Fraction
from itertools import accumulate

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jackpot_parameters import crown, new_zealand
from sabot_protocol.jackpots.contributions import Contribution, ContributionError, contribution, reversal
from sabot_protocol.jackpots.messages import IncrementMessage, RecordedMessage
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.jackpots.signing import is_signed, sign
from sabot_protocol.topics import CoupKind

NONE = Fraction(0)
STAKES = {"perfect_pair_player": [100, 233], "tie": [5000]}  # 333 qualify: 1.5 % is 4.995
WAGER = new_zealand(funding="wager", increment=0)


def test_cj_06_the_operator_contributes_for_each_completed_coup() -> None:
    assert contribution(crown(), "live", {}, NONE) == Contribution(25, 25, NONE)
    assert contribution(crown(), "live", {"tie": [100]}, NONE) == Contribution(25, 25, NONE)  # nothing from players


@pytest.mark.parametrize("parameters", [crown(), new_zealand(), WAGER])
def test_cj_07_a_void_coup_contributes_nothing(parameters: Parameters) -> None:
    assert contribution(parameters, "void", STAKES, Fraction(3, 4)) == Contribution(0, 0, Fraction(3, 4))


@pytest.mark.parametrize("kind", ["dummy", "no_bet", "void_hand"])
def test_cj_07_a_coup_without_wagers_contributes_if_the_parameters_have_it_so(kind: CoupKind) -> None:
    assert contribution(crown(unwagered=True), kind, {}, NONE).amount == 25
    assert contribution(crown(unwagered=False), kind, {}, NONE).amount == 0
    assert contribution(crown(unwagered=False), "live", {}, NONE).amount == 25
    assert contribution(new_zealand(), kind, STAKES, NONE) == Contribution(10, 10, NONE)  # nobody may have wagered


def test_nj_03_funding_by_operator_by_wager_and_by_both() -> None:
    rest = Fraction(995, 1000)
    assert contribution(new_zealand(funding="operator"), "live", STAKES, NONE) == Contribution(10, 10, NONE)
    assert contribution(WAGER, "live", STAKES, NONE) == Contribution(4, 0, rest)
    assert contribution(new_zealand(), "live", STAKES, NONE) == Contribution(14, 10, rest)
    assert contribution(new_zealand(), "free_hand", STAKES, NONE) == Contribution(14, 10, rest)


def test_the_carry_flows_into_the_next_coup() -> None:
    second = contribution(WAGER, "live", STAKES, Fraction(995, 1000))  # 9.99 in all
    assert second == Contribution(5, 0, Fraction(990, 1000))


def test_several_wagers_each_with_its_per_cent() -> None:
    several = new_zealand(funding="wager", increment=0, wager_increment={"perfect_pair_player": "1.5%", "tie": "0.1%"})
    assert contribution(several, "live", STAKES, NONE) == Contribution(9, 0, Fraction(995, 1000))  # 4.995 + 5


@given(st.lists(st.lists(st.integers(1, 10_000), max_size=4), max_size=30), st.integers(1, 9_999_999))
def test_the_sum_of_amounts_is_the_floor_of_the_exact_sum(coups: list[list[int]], millionths: int) -> None:
    percent = f"{millionths // 1_000_000}.{millionths % 1_000_000:06}%"
    parameters = new_zealand(
        funding="wager", increment=0, wager_increment={"tie": percent}, unreasonable=10**9, tables=("bac-01",)
    )
    total, carry = 0, NONE
    for exact_stakes, stakes in zip(accumulate(sum(coup) for coup in coups), coups, strict=True):
        made = contribution(parameters, "live", {"tie": stakes}, carry)
        total, carry = total + made.amount, made.carry
        assert total == exact_stakes * millionths // 100_000_000
        assert 0 <= carry < 1


@given(st.lists(st.tuples(st.integers(1, 1000), st.booleans()), max_size=40))
def test_with_reversals_amounts_and_carry_are_the_exact_sum(coups: list[tuple[int, bool]]) -> None:
    total, carry, exact = 0, NONE, NONE
    for stake, reversed_later in coups:
        stakes = {"perfect_pair_player": [stake]}
        made = contribution(new_zealand(), "live", stakes, carry)
        assert made.amount >= 10
        total, carry, exact = total + made.amount, made.carry, exact + 10 + Fraction(15 * stake, 1000)
        if reversed_later:
            back = reversal(new_zealand(), "live", stakes, made.amount, carry)
            assert (back.amount, back.operator) == (-made.amount, -10)
            total, carry, exact = total + back.amount, back.carry, exact - 10 - Fraction(15 * stake, 1000)
        assert total + carry == exact


def test_an_unreasonable_amount_is_refused_with_its_figure() -> None:
    assert contribution(crown(unreasonable=25), "live", {}, NONE).amount == 25
    with pytest.raises(ContributionError, match=r"lucky-tie: 25 from one coup .* 24; check the stakes"):
        contribution(crown(unreasonable=24), "live", {}, NONE)


@pytest.mark.parametrize("stake", [0, -1, 1.5, True, "100"])
def test_a_stake_is_a_whole_number_of_minor_units(stake: int) -> None:
    with pytest.raises(ContributionError, match="on perfect_pair_player is not a whole number of minor units"):
        contribution(WAGER, "live", {"perfect_pair_player": [stake]}, NONE)


INCREMENT = IncrementMessage(
    id="g/1",
    unit="u",
    event_no=7,
    table="bac-01",
    shoe=1,
    coup=3,
    time="2026-11-17T12:00:00Z",
    rulebook="0011223344556677",
    gateway="g",
    jackpot="lucky-tie",
    parameters="00112233445566ff",
    currency="AUD",
    amount=25,
    count=1,
    total=25,
    coup_id="g/0",
    kind="live",
)
KEY = b"k" * 32


def test_a_signature_covers_every_field_but_the_place_in_the_ledger() -> None:
    signed = sign(INCREMENT, KEY)
    assert is_signed(signed, KEY)
    assert not is_signed(signed, b"x" * 32)
    assert not is_signed(INCREMENT, KEY)
    assert sign(signed, KEY) == signed
    for field in msgspec.structs.fields(IncrementMessage):
        if field.name in ("entry", "after"):
            assert is_signed(msgspec.structs.replace(signed, **{field.name: 7}), KEY)
            continue
        changed = {int: 1_000_000, str: "other"}.get(type(getattr(signed, field.name)), {"tie": [1]})
        assert not is_signed(msgspec.structs.replace(signed, **{field.name: changed}), KEY), field.name


def test_a_signature_is_the_hmac_of_type_and_sorted_json() -> None:
    # printf 'RecordedMessage\n{"at":…}' | openssl dgst -sha256 -hmac kkkk…
    fields = {name: getattr(INCREMENT, name) for name in ("id", "unit", "event_no", "table", "shoe", "coup", "time")}
    recorded = RecordedMessage(
        **fields, rulebook="r", gateway="g", jackpot="j", coup_id="c", outcome="suited", at="t", by="Ann"
    )
    assert sign(recorded, KEY).signature == "dd1d78829026ed8a820ca9fc012fbb4c5da6e5880d6e72e73f8debba5a1263cf"


@pytest.mark.parametrize("length", [1, 32, 63, 64, 65, 200])
def test_a_key_of_any_length_signs_as_hmac_does(length: int) -> None:
    key = bytes(range(length))
    message = b"IncrementMessage\n" + msgspec.json.encode(INCREMENT, order="sorted")
    assert sign(INCREMENT, key).signature == hmac.new(key, message, "sha256").hexdigest()


def test_without_a_key_nothing_is_signed() -> None:
    assert sign(INCREMENT, b"").signature == ""
    assert not is_signed(sign(INCREMENT, b""), b"")


def test_a_signature_survives_the_wire() -> None:
    wire = msgspec.json.encode(sign(INCREMENT, KEY))
    assert is_signed(msgspec.json.decode(wire, type=IncrementMessage), KEY)
