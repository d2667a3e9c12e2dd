"""The rules about parameters of a jackpot, each by its number: New Zealand section 18 (NJ), Crown section 13 (CJ)."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jackpot_parameters import OPTION_1, OPTION_2, OPTION_3, crown, new_zealand
from sabot_protocol import rulebooks
from sabot_protocol.jackpots import loading
from sabot_protocol.jackpots.checking import parameter_problems
from sabot_protocol.jackpots.contributions import contribution
from sabot_protocol.jackpots.parameters import LuckyTie, Parameters, Random
from sabot_protocol.jackpots.shares import prize
from sabot_protocol.jackpots.triggers import recognise
from sabot_protocol.wagers.facts import coup_facts
from sabot_protocol.wagers.table import Settings, Table

CROWN_EQUIPMENT = ("console", "display", "handset")
NZ_EQUIPMENT = ("console", "display")


def sound_crown(**changes: Any) -> Parameters:
    return crown(**({"equipment": CROWN_EQUIPMENT, "in_force": "2026-11-01"} | changes))


def sound_nz(**changes: Any) -> Parameters:
    return new_zealand(**({"equipment": NZ_EQUIPMENT} | changes))


def wrong(parameters: Parameters) -> list[str]:
    return list(parameter_problems(parameters))


def test_what_is_sound_has_no_problem() -> None:
    assert wrong(sound_crown()) == wrong(sound_nz()) == []


@pytest.mark.parametrize("missing", NZ_EQUIPMENT)
def test_nj_01_no_jackpot_without_its_equipment(missing: str) -> None:
    (problem,) = wrong(sound_nz(equipment=tuple(item for item in NZ_EQUIPMENT if item != missing)))
    assert problem.startswith(f"equipment: no {missing}; nz-baccarat offers a jackpot only with one (3.5, 18.")


@pytest.mark.parametrize("missing", CROWN_EQUIPMENT)
def test_cj_03_no_jackpot_without_its_equipment(missing: str) -> None:
    (problem,) = wrong(sound_crown(equipment=tuple(item for item in CROWN_EQUIPMENT if item != missing)))
    assert problem.startswith(f"equipment: no {missing}; crown-baccarat offers a jackpot only with one (2.4.")


def test_cj_03_a_handset_only_if_needed() -> None:
    """No dealer records a hand for a draw (2.4.1)."""
    mystery = Random(("table",))
    assert wrong(sound_crown(equipment=NZ_EQUIPMENT, trigger=mystery, qualifying=())) == []


def test_nj_02_the_variations_rules_apply_and_section_18_prevails() -> None:
    """A pair is the variation's, at its price; the value is rounded up (18.17), though 5.13 voids what chips lack."""
    parameters = sound_nz(game="ez")
    player, banker = ["KS", "KS", "9C"], ["3S", "4H"]
    assert recognise(parameters, "live", player, banker, "player") == ("perfect", 100)
    book = rulebooks.load("nz-baccarat")
    settled = Table(book, Settings.of(book, {"game": "ez"})).settle(coup_facts(player, banker))
    assert settled["perfect_pair_player"].odds == Fraction(30)  # beside the jackpot, as without one: 11A.7, scale one
    assert book.money.rounding == "void_excess"
    assert prize(10_001, 500, 100) == 10_500


def test_cj_01_the_jackpot_rules_prevail_over_the_variations() -> None:
    """Tie wins at the variation's price; the meter is rounded (13.4.7), not the payment as in 6.3.3."""
    book = rulebooks.load("crown-baccarat")
    eights = ["8S", "8S"]
    for game in ("traditional", "crown", "two_to_one", "tie"):
        assert recognise(sound_crown(game=game), "live", eights, eights, "tie") == ("suited", 100)
        tie = Table(book, Settings.of(book, {"game": game})).settle(coup_facts(eights, eights))["tie"]
        assert tie.odds == 8
    assert book.money.rounding == "next_highest"
    assert prize(10_001, 500, 8) == 840  # 8 % of 10,500; a payment by 6.3.3 would be 1,000


@pytest.mark.parametrize(
    ("changes", "amount"),
    [
        ({"funding": "operator", "wager_increment": {}}, 10),
        ({"funding": "wager", "increment": 0}, 15),  # 1.5 % of 1000
        ({"funding": "both"}, 25),
    ],
)
def test_nj_03_funding_by_operator_by_wager_or_by_both(changes: dict[str, Any], amount: int) -> None:
    parameters = sound_nz(**changes)
    assert wrong(parameters) == []
    assert contribution(parameters, "live", {"perfect_pair_player": [1000]}, Fraction(0)).amount == amount


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"funding": "operator"}, "wager_increment"),
        ({"funding": "operator", "increment": 0, "wager_increment": {}}, "increment"),
        ({"funding": "wager"}, "increment"),
        ({"funding": "wager", "increment": 0, "wager_increment": {}}, "wager_increment"),
        ({"funding": "both", "increment": 0}, "increment"),
        ({"funding": "both", "wager_increment": {}}, "wager_increment"),
    ],
)
def test_nj_03_amounts_fit_the_funding(changes: dict[str, Any], key: str) -> None:
    (problem,) = wrong(sound_nz(**changes))
    assert problem.startswith(key)


def test_nj_06_several_tiers_at_once() -> None:
    example = Path(__file__).parents[2] / "gateway/examples/jackpots.toml"
    tiers = [one for one in loading.load(example) if one.tier]
    assert [(one.id, one.tier) for one in tiers] == [("pairs-minor", "minor"), ("pairs-major", "major")]
    perfect, coloured = ["KS", "KS", "9C"], ["KS", "KC", "9C"]
    found = [[recognise(one, "live", hand, ["3S", "4H"], "player") for one in tiers] for hand in (perfect, coloured)]
    assert found == [[None, ("perfect", 100)], [("coloured", 10), None]]
    assert len({one.digest for one in tiers}) == 2


@pytest.mark.parametrize("funding", ["wager", "both"])
def test_cj_06_only_crown_funds_the_jackpot(funding: str) -> None:
    increment = {"wager": 0, "both": 25}[funding]
    (problem,) = wrong(sound_crown(funding=funding, increment=increment, wager_increment={"tie": "1%"}))
    assert problem == (f"funding = {funding}: crown-baccarat allows operator (13.4.1); write funding = 'operator'")


def test_cj_06_parameters_are_notified_so_they_have_version_and_date() -> None:
    (problem,) = wrong(sound_crown(in_force=""))
    assert problem.startswith("in_force is missing: the parameters are notified before the jackpot begins (13.4.1(a))")
    first, second = sound_crown(), sound_crown(version=2, in_force="2026-12-01")
    assert first.digest != second.digest
    assert wrong(sound_nz(in_force="")) == []


# Table 20: option, outcome, least and most per cent.
RANGES = [
    (OPTION_1, "non_coloured", 1, 10),
    (OPTION_1, "coloured", 5, 20),
    (OPTION_1, "suited", 100, 100),
    (OPTION_2, "non_suited", 1, 20),
    (OPTION_2, "suited", 100, 100),
    (OPTION_3, "lucky_tie", 100, 100),
]


def with_percent(option: LuckyTie, outcome: str, percent: int) -> list[str]:
    trigger = msgspec.structs.replace(option, percent={**option.percent, outcome: percent})
    return wrong(sound_crown(trigger=trigger))


def range_is_kept(option: LuckyTie, outcome: str, least: int, most: int) -> bool:
    inside = [with_percent(option, outcome, percent) for percent in (least, most)]
    for percent in (least - 1, most + 1, 0, -1):
        (problem,) = with_percent(option, outcome, percent)
        allowed = f"{least} to {most}" if least < most else f"{most}"
        assert problem == (
            f"trigger.percent.{outcome} = {percent}: crown-baccarat allows {allowed} per cent (13.4.3 T20); "
            f"write {allowed}"
        )
    return inside == [[], []]


@pytest.mark.parametrize(("option", "outcome", "least", "most"), RANGES[:3])
def test_cj_09_option_1_inside_its_ranges(option: LuckyTie, outcome: str, least: int, most: int) -> None:
    assert range_is_kept(option, outcome, least, most)


@pytest.mark.parametrize(("option", "outcome", "least", "most"), RANGES[3:5])
def test_cj_10_option_2_inside_its_ranges(option: LuckyTie, outcome: str, least: int, most: int) -> None:
    assert range_is_kept(option, outcome, least, most)


@pytest.mark.parametrize(("option", "outcome", "least", "most"), RANGES[5:])
def test_cj_11_option_3_pays_all(option: LuckyTie, outcome: str, least: int, most: int) -> None:
    assert range_is_kept(option, outcome, least, most)


@pytest.mark.parametrize("option", [OPTION_1, OPTION_2, OPTION_3])
def test_cj_09_cj_10_cj_11_every_outcome_of_the_option_and_no_other(option: LuckyTie) -> None:
    for outcome in option.percent:
        rest = {name: percent for name, percent in option.percent.items() if name != outcome}
        (missing,) = wrong(sound_crown(trigger=LuckyTie(option.option, rest)))
        assert missing.startswith(f"trigger.percent: {outcome} is missing from the outcomes of {option.option}")
    (more,) = wrong(sound_crown(trigger=LuckyTie(option.option, {**option.percent, "golden": 5})))
    assert more.startswith(f"trigger.percent: no outcome golden in the outcomes of {option.option}")


@pytest.mark.parametrize("book", ["star-baccarat", "star-premium", "star-rapid"])
def test_the_star_has_no_jackpot(book: str) -> None:
    (problem,) = wrong(sound_crown(rulebook=book))
    assert problem == (
        f"rulebook = {book}: this book has no jackpot; choose one of crown-baccarat, nz-baccarat, "
        "or run the table without a jackpot"
    )


def test_a_lucky_tie_is_crowns() -> None:
    (problem,) = wrong(sound_nz(trigger=OPTION_3, qualifying=("tie",)))
    assert problem == "trigger.kind = lucky_tie: nz-baccarat has none; choose 'outcome' or 'random'"
