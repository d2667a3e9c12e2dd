"""The sign of a table for each of the five books; expected values are written by hand from the texts."""

from typing import Any

import msgspec
import pytest
from sabot_floor.gaming_day import Calendar
from sabot_floor.signs.limits import TableLimits
from sabot_floor.signs.odds import words
from sabot_floor.signs.sign import Context, Sign, scale_problems, sign
from sabot_protocol import rulebooks
from sabot_protocol.jackpots.parameters import LuckyTie, Parameters
from sabot_protocol.topics import TableSetup

NOW = "2026-11-17T10:00:00.000Z"


def sign_of(rulebook: str, game: str, wagers: str = "", options: dict[str, str] | None = None, **limits: Any) -> Sign:
    setup = TableSetup(game=game, options=options or {}, wagers=wagers.split(), decks=8)
    table = msgspec.convert({"name": "t", "minimum": "25", "maximum": "5,000", **limits}, TableLimits)
    return sign(
        Context(table="t", rulebook=rulebook, setup=setup, limits=table, calendar=Calendar("06:00", "UTC")), NOW
    )


def odds(found: Sign) -> dict[str, list[str]]:
    return {one.title: [pays.odds for pays in one.pays] for one in found.wagers}


def said(found: Sign) -> list[str]:
    return [notice.say for notice in found.notices]


def test_star_baccarat_pays_19_to_20_on_the_banker() -> None:
    found = sign_of("star-baccarat", "baccarat", "player banker tie pair_player tiger tiger_pair big_tiger")
    assert found.game == "Baccarat"
    assert odds(found) == {
        "Player": ["1 to 1", "standoff"],  # 11.1.2, 5.1.1.3
        "Banker": ["19 to 20", "standoff"],  # 11.1.3
        "Tie": ["8 to 1"],  # 11.1.5
        "Pairs Player": ["11 to 1"],  # 11.1.4
        "Tiger Pair": ["4 to 1", "25 to 1", "100 to 1"],  # 11.1.8
        "Tiger": ["12 to 1", "22 to 1"],  # 11.1.9
        "Big Tiger": ["55 to 1"],  # 11.1.10
    }
    assert said(found) == []


def test_even_money_odds_are_on_the_sign() -> None:
    """D-37: 000 2.5, 001 2.5; 004 8.8."""
    for rulebook, game, clause in (
        ("star-baccarat", "even_money", "2.5"),
        ("star-premium", "premium_even_money", "2.5"),
        ("star-rapid", "even_money", "8.8"),
    ):
        found = sign_of(rulebook, game, "player banker tie")
        assert odds(found)["Banker"] == ["1 to 1", "1 to 2", "standoff"]
        assert found.wagers[1].pays[1].when == "Banker wins with 6"
        assert [notice.clause for notice in found.notices] == [clause]
        assert "1 to 2 if Banker wins with 6" in said(found)[0]


def test_tie_premium_has_its_percentage_on_the_sign() -> None:
    """D-38: 001 2.6, 13.3.1."""
    found = sign_of("star-premium", "tie_premium", "player banker tie", {"tie_percent": "7"})
    assert odds(found) == {
        "Player": ["1 to 1", "7% of the wager"],
        "Banker": ["19 to 20", "7% of the wager"],
        "Tie": ["8 to 1"],
    }
    assert said(found) == ["Tie: 7% of each wager on Player or Banker is paid"]


def test_crown_has_commission_in_its_own_words() -> None:
    """T3, T4, T8, T12, T5."""
    found = sign_of("crown-baccarat", "traditional", "player banker tie shield_player crown_pair_banker run_tie")
    assert odds(found) == {
        "Player": ["1 to 1", "stand-off"],
        "Banker": ["1 to 1 less 5% commission", "stand-off"],
        "Tie": ["8 to 1"],
        "Shield on Player": ["5 to 2", "9 to 2", "stand-off"],
        "Crown Pairs Banker": ["6 to 1", "12 to 1", "25 to 1"],
        "Tie Run": ["1,000 to 1", "10,000 to 1"],
    }
    crown = sign_of("crown-baccarat", "crown", "player banker tie insurance_no_6")
    assert odds(crown)["Banker"] == ["1 to 1", "1 to 1 less 50% commission", "stand-off"]
    assert odds(crown)["Insurance/No 6"] == ["2 to 1"]


def test_tie_baccarat_has_both_percentages() -> None:
    """D-39: 003 T11."""
    options = {"tie_percent_player": "3", "tie_percent_banker": "10"}
    found = sign_of("crown-baccarat", "tie", "player banker tie", options)
    assert odds(found)["Player"] == ["1 to 1", "3% of the wager"]
    assert odds(found)["Banker"] == ["1 to 1 less 5% commission", "10% of the wager"]
    assert said(found) == [
        "Tie: 3% of each wager on Player is paid",
        "Tie: 10% of each wager on Banker is paid",
    ]


def test_crown_options_are_named_with_their_odds() -> None:
    """D-51: T15 to T17."""
    options = {"super6_option": "2", "tiger_option": "3", "dragon_tiger_option": "5"}
    found = sign_of("crown-baccarat", "traditional", "super_6 tiger tiger_pair big_dragon dt_tiger_tie", options)
    assert odds(found) == {
        "Super 6": ["16 to 1"],
        "Tiger Pair": ["4 to 1", "25 to 1", "150 to 1"],
        "Tiger": ["12 to 1", "25 to 1"],
        "Big Dragon": ["29 to 1"],
        "Tiger Tie (Dragon Tiger Baccarat)": ["35 to 1"],
    }
    assert said(found) == ["Super 6: Option 2", "Tiger Baccarat: Option 3", "Dragon Tiger Baccarat: Option 5"]


def test_a_single_run_can_be_offered() -> None:
    found = sign_of("crown-baccarat", "traditional", "run_player_2 run_player_6 dragon_tail_banker_late")
    assert odds(found) == {
        "Player Run": ["3 to 1", "100 to 1"],
        "Banker Dragon Tail (Late)": ["1 to 1", "3 to 1", "7 to 1", "11 to 1", "30 to 1"],
    }


def test_two_to_one_loses_on_a_tie() -> None:
    """T10; 002 13.2, 13.3."""
    for rulebook in ("crown-baccarat", "nz-baccarat"):
        found = sign_of(rulebook, "two_to_one", "player banker tie")
        assert [(pays.when, pays.odds) for pays in found.wagers[0].pays] == [
            ("Player wins otherwise", "1 to 1"),
            ("Player wins with three cards totalling 8 or 9", "2 to 1"),
            ("Tie", "loses"),
        ]


def test_nz_standard_game_with_a_tie_at_nine() -> None:
    """D-43: 002 5.10."""
    found = sign_of("nz-baccarat", "standard", "player banker tie", {"tie_odds": "9"})
    assert odds(found) == {
        "Player": ["1 to 1", "stand-off"],
        "Banker": ["1 to 1 less 5% commission", "stand-off"],
        "Tie": ["9 to 1"],
    }


@pytest.mark.parametrize(
    ("game", "shoe", "wagers", "wanted"),
    [
        ("standard", {}, "player banker tie", []),
        ("banker6_half", {}, "player banker tie", ["5.11"]),  # D-44
        ("two_to_one", {}, "player banker tie", ["13.5"]),  # D-45
        ("two_to_one_b6", {}, "player banker tie", ["13.5", "13.6"]),
        ("ez", {}, "player banker tie", ["16.2"]),
        ("standard", {"style": "international"}, "player banker tie", ["15.2"]),
        ("standard", {}, "player banker tie tiger_tie", ["17.3"]),
    ],
)
def test_nz_notices_of_versions(game: str, shoe: dict[str, str], wagers: str, wanted: list[str]) -> None:
    setup = TableSetup(game=game, wagers=wagers.split(), decks=8, shoe=shoe)
    limits = TableLimits("t", minimum="25", maximum="100")
    found = sign(Context(table="t", rulebook="nz-baccarat", setup=setup, limits=limits, calendar=Calendar()), NOW)
    assert [notice.clause for notice in found.notices] == wanted


def test_nz_scales_are_displayed() -> None:
    """D-46, D-47, and the reading about Super 6: 11A.8, 11B.9, 11C.9, 11D.10, 11I.7."""
    options = {
        "perfect_pair_scale": "2",
        "dragon_bonus_table": "3",
        "lucky_match_scale": "2",
        "any_pair_scale": "2",
        "super6_scale": "b",
    }
    found = sign_of("nz-baccarat", "standard", "perfect_pair_player dragon_bonus_banker super_6", options)
    assert said(found) == ["Perfect Pair: Pay Scale Two", "Dragon Bonus: Pay Table 3", "Super 6: pay scale (b)"]
    assert odds(found) == {
        "Perfect Pair Player": ["6 to 1", "12 to 1", "25 to 1"],
        "Dragon Bonus Banker": ["1 to 1", "2 to 1", "2 to 1", "4 to 1", "4 to 1", "10 to 1", "30 to 1", "push"],
        "Super 6": ["15 to 1"],
    }
    assert said(sign_of("nz-baccarat", "standard", "any_pair_player", options)) == ["Any Pair: Pay Scale Two"]
    lucky = sign_of("nz-baccarat", "standard", "lucky_match_player", options)
    assert odds(lucky)["Lucky Match Player"] == ["5 to 1", "10 to 1", "20 to 1", "500 to 1"]


def test_nz_scales_must_be_the_same_at_all_tables() -> None:
    """D-46: only of Perfect Pair and Dragon Bonus, and only where they are offered."""

    def at(scale: str, wagers: str) -> tuple[str, TableSetup]:
        options = {"perfect_pair_scale": scale, "any_pair_scale": scale}
        return "nz-baccarat", TableSetup(game="standard", options=options, wagers=wagers.split(), decks=8)

    assert list(scale_problems({"a": at("1", "perfect_pair_player"), "b": at("2", "tie")})) == []
    assert list(scale_problems({"a": at("1", "any_pair_player"), "b": at("2", "any_pair_player")})) == []
    assert list(scale_problems({"a": at("1", "perfect_pair_player"), "b": at("2", "perfect_pair_player")})) == [
        "perfect_pair_scale must be the same at all tables (11A.7): a has 1, b has 2"
    ]


def test_nz_insurance_shows_pay_tables_choice_and_limit() -> None:
    """D-48: 11H.4, 11H.5."""
    options = {"ins2_four": "2", "ins1_nine": "9"}
    found = sign_of("nz-baccarat", "standard", "insurance1_player insurance2_banker", options, insurance_capped=True)
    assert odds(found) == {
        "Player Insurance, Bet 1": ["2 to 1", "7 to 1", "9 to 1", "stand-off"],
        "Banker Insurance, Bet 2": ["2 to 1", "2 to 1", "3 to 1", "4 to 1", "stand-off"],
    }
    assert said(found) == [
        "Insurance Wagers offered: Player Insurance, Bet 1, Banker Insurance, Bet 2.",
        "An Insurance Wager pays at most the corresponding initial wager.",
    ]
    assert odds(sign_of("nz-baccarat", "standard", "insurance2_banker"))["Banker Insurance, Bet 2"][0] == "1.5 to 1"


def test_nz_pay_out_limit_and_ante() -> None:
    """D-49: 17.7, 17.8; D-50: 14.3, 14.4."""
    wager = {"tiger": {"minimum": "5", "maximum": "200", "payout": "50,000"}}
    found = sign_of("nz-baccarat", "standard", "tiger", ante="2.50", ante_waived_from="500", wager=wager)
    assert [(one.title, one.minimum, one.maximum, one.payout) for one in found.wagers] == [
        ("Tiger", "5", "200", "50,000")
    ]
    assert said(found)[0] == "Ante Up Baccarat: the Ante is 2.50. It is waived for a wager of 500 or more."
    assert found.problems == ()
    too_much = sign_of("nz-baccarat", "standard", "tiger", ante="4")  # above 1/8 of 25
    assert too_much.problems == ("ante: at most 1/8 of the minimum (1.1)",)


def test_limits_differential_unit_and_multiples() -> None:
    """D-26 to D-29."""
    found = sign_of(
        "star-baccarat", "baccarat", "player pair_player pair_banker super_six",
        per="area", area_maximum="20,000", differential="10,000", unit="5", multiple_of="5",
        wager={"pair": {"minimum": "5", "maximum": "300"}, "super_six": {"maximum": "1,000"}},
    )  # fmt: skip
    assert found.limits is not None
    assert (found.limits.minimum, found.limits.maximum, found.per) == ("25", "5,000", "area")
    assert found.more == {"area_maximum": "20,000", "differential": "10,000"}
    assert {one.title: (one.minimum, one.maximum) for one in found.wagers} == {
        "Player": ("25", "5,000"),
        "Pairs Player": ("5", "300"),
        "Pairs Banker": ("5", "300"),
        "Super Six": ("25", "1,000"),
    }
    assert said(found) == [
        "Above the minimum, wagers are made in units of 5.",
        "Wagers are made in multiples of 5.",
    ]


def test_a_restriction_is_on_the_sign() -> None:
    """D-36."""
    found = sign_of("star-premium", "premium", "player pair_player pair_banker tiger", restricted=["pair"])
    assert said(found) == [
        "Only players who also wager on Player, Banker or Tie may wager on: Pairs Player, Pairs Banker."
    ]
    assert [one.restricted for one in found.wagers] == [False, True, True, False]


def test_jackpots_of_the_table_are_on_the_sign() -> None:
    """D-59, D-60."""
    jackpot = Parameters(
        id="lucky-tie", title="Lucky Tie", rulebook="crown-baccarat", currency="AUD", tables=("t",), increment=100,
        unreasonable=1000, rounding=500, trigger=LuckyTie("option_3", {"lucky_tie": 100}),
    )  # fmt: skip
    other = msgspec.structs.replace(jackpot, id="other", tables=("u",))
    context = Context(
        table="t",
        rulebook="crown-baccarat",
        setup=TableSetup(game="traditional", decks=8),
        limits=TableLimits("t"),
        calendar=Calendar(),
        jackpots=(jackpot, other),
    )
    found = sign(context, NOW)
    assert [one.title for one in found.jackpots] == ["Lucky Tie"]
    text = "\n".join(line.say for line in found.jackpots[0].lines)
    assert "The casino contributes AUD 1.00 for each completed coup" in text
    assert "Lucky Tie: four eights of any suits: 100% of the rounded jackpot." in text
    assert "If several wagers win, each of them is paid the same part." in text


def test_what_is_wrong_with_the_config_is_named() -> None:
    found = sign_of(
        "star-baccarat", "baccarat", "player tiger", wager={"tiger": {"payout": "100"}, "pair": {}}, ante="1",
        restricted=["lucky_6"], insurance_capped=True,
    )  # fmt: skip
    assert [problem.split(":")[0] for problem in found.problems] == [
        "wager lucky_6",
        "wager pair",
        "wager tiger",
        "ante",
        "insurance_capped",
    ]
    assert found.wagers[1].payout == ""
    assert said(found) == []


def test_every_wager_of_every_book_has_words() -> None:
    for rulebook in rulebooks.ids():
        book = rulebooks.load(rulebook)
        for wager in book.wager:
            outcomes = words()["outcome"].get(wager.bet, {})
            assert wager.parts or wager.win.keys() | wager.push.keys() <= outcomes.keys() or wager.sides, wager.id
        for game in book.game:
            for one in sign_of(rulebook, game).wagers:
                assert "{" not in one.title
                assert "_" not in one.title
                assert all("{" not in pays.when and "_" not in pays.when for pays in one.pays), one.id
                assert one.pays or one.note


def test_without_a_setup_the_limits_are_there_and_the_reason() -> None:
    context = Context(
        table="t", rulebook="", setup=None, limits=TableLimits("t", minimum="5", maximum="10"), calendar=Calendar()
    )
    found = sign(context, NOW)
    assert found.limits is not None
    assert found.limits.maximum == "10"
    assert found.problems
    assert not found.wagers
