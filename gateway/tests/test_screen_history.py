"""History: what everybody sees of the shoe on the table, from hand-written logs (displays.md D-01 to D-18)."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from sabot_protocol.topics import CoupKind
from screen_log import ScreenLog
from shoe_events import FLAGS, SLOTS
from verified_log import FOUR

OTHER = "5ab0000000000002"


@pytest.fixture
def log(tmp_path: Path) -> ScreenLog:
    return ScreenLog(tmp_path)


def test_a_result_is_out_when_it_is_confirmed_and_not_before(log: ScreenLog) -> None:
    assert (log.history().state, log.history().phase, log.history().coup) == ("open", "bets", 1)
    log.deal()
    assert (log.history().phase, log.shown()) == ("no_more_bets", ("", [], []))
    log.result()
    assert log.history().last is None
    assert (log.history().phase, log.history().coup, log.shown()) == ("no_more_bets", 1, ("", [], []))
    log.confirm()
    assert (log.history().phase, log.history().coup, log.shown()) == ("bets", 2, ("Pn", [1], []))
    last = log.history().last
    assert last is not None
    assert (last.coup, last.winner, last.player, last.banker) == (1, "player", ["9S", "TD"], ["2H", "3C"])
    assert (last.player_points, last.banker_points, last.natural, last.player_pair) == (9, 5, True, False)


def test_no_card_is_shown_before_its_result_is_out_and_the_burn_card_never(tmp_path: Path) -> None:
    log = ScreenLog(tmp_path, burn="shown")

    def seen() -> set[str]:
        return {card for card in ("7C", *FOUR.split()) if card in msgspec.json.encode(log.history()).decode()}

    assert (log.history().phase, log.hand().phase, log.hand().due) == ("none", "burning", "burn")
    log.card("7C", "burn", coup_no=0)
    log("burn", shoe_no=1, mode="shown", cards=1, missed=0)
    assert log.history().phase == "bets"
    for card, slot in zip(FOUR.split(), SLOTS, strict=False):
        assert seen() == set()
        log.card(card, slot)
    log.result()
    assert seen() == set()
    log.confirm()
    assert seen() == set(FOUR.split())
    assert "7C" not in msgspec.json.encode(log.hand()).decode()


def test_pairs_ties_and_naturals_as_the_roads_take_them(log: ScreenLog) -> None:
    for cards in ("9S 9H TD TC", "2S 2H 5S 2C 3D", "8S 2H 8D 5C", "KS 4H 9D 4C"):
        log.play(cards)
        log.confirm()
    # 9:9, naturals; 7:7 after a third card, Banker pair; 6:7, Player pair; 9:8, natural, Banker pair
    assert log.shown() == ("Tn Tb Bp Pbn", [1, 2, 3, 4], [])


def test_a_void_coup_has_no_result_and_a_correction_takes_one_back(log: ScreenLog) -> None:
    log.play(FOUR)
    log.confirm()
    log.card("9S", "player_1")
    log("coup_void", shoe_no=1, coup_no=2, reason="misdeal", then="go_on", cards=1)
    log.coup_no = 3
    assert (log.shown(), log.history().coup, log.history().phase) == (("Pn", [1], []), 3, "bets")
    log.play("2S 9H 3D TC")
    log.confirm()
    assert log.shown() == ("Pn Bn", [1, 3], [])


def test_a_disputed_coup_is_undecided_until_a_supervisor_decides(log: ScreenLog) -> None:
    for winner in ("banker", "player", "banker"):
        log.play(FOUR, winner=winner)
        log.confirm()
    assert log.shown() == ("Pn", [2], [1, 3])
    log.decide(1, "confirmed", "banker")
    log.decide(3, "void")
    assert log.shown() == ("Bn Pn", [1, 2], [])
    assert getattr(log.history().last, "coup", None) == 2


def test_a_coup_that_was_out_is_corrected(log: ScreenLog) -> None:
    log.play(FOUR)
    log.confirm()
    assert log.shown() == ("Pn", [1], [])
    log("coup_void", shoe_no=1, coup_no=1, reason="discrepancy", then="go_on", cards=4)
    assert log.shown() == ("", [], [])
    assert log.history().last is None


def test_a_coup_that_nobody_confirmed_is_undecided(log: ScreenLog) -> None:
    log.play(FOUR)
    log.coup_no = 2
    log.card("9S", "player_1")
    assert (log.shown(), log.history().coup) == (("", [], [1]), 2)
    log.decide(1, "confirmed")
    assert log.shown() == ("Pn", [1], [])


def test_a_surplus_card_is_no_first_card_of_the_next_coup(log: ScreenLog) -> None:
    log.play(FOUR)
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True})
    assert (log.shown(), log.history().phase, log.history().coup) == (("", [], []), "no_more_bets", 1)
    log.irregularity("player_overdraw", "NEXT_LIVE")
    log.confirm()
    assert (log.history().phase, log.history().coup) == ("bets", 2)


def test_a_closed_shoe_keeps_its_results_until_the_next_is_opened(log: ScreenLog) -> None:
    log.play(FOUR)
    log.confirm()
    log("shoe_closed", shoe_no=1, coups=1, reason="last_coup")
    history = log.history()
    assert (history.state, history.phase, history.coup, log.shown()) == ("closed", "none", 0, ("Pn", [1], []))
    log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")
    history = log.history()
    assert (history.state, history.phase, history.shoe, log.shown()) == ("open", "bets", 2, ("", [], []))
    assert history.last is None


def test_part_of_the_log_is_missing(log: ScreenLog) -> None:
    log.play(FOUR)
    log.confirm()
    log.deal()
    log("damaged")
    history = log.history()
    assert (history.state, history.gap, history.phase, history.coup) == ("unknown", True, "none", 0)
    assert log.shown() == ("Pn", [1], [])
    log.coup_no = 3
    log.card("9S", "player_1")
    assert (log.history().state, log.history().gap, log.history().phase) == ("open", True, "no_more_bets")
    assert log.history().undecided == [2]  # its result is in the missing part


def test_another_shoe_on_the_table(log: ScreenLog) -> None:
    log.play(FOUR)
    log.confirm()
    log.no = 0
    log("boot", unit=OTHER, boot_count=1, cause="power")
    history = log.history()
    assert (history.unit, history.shoe, history.state, history.results) == (OTHER, 0, "unknown", "")
    log("shoe_opened", unit=OTHER, shoe_no=9, card_set=1, decks=8, burn="none")
    assert (log.history().unit, log.history().shoe, log.history().state) == (OTHER, 9, "open")


def test_a_coup_that_came_from_another_shoe(log: ScreenLog) -> None:
    cards = dict.fromkeys(SLOTS, "--") | {"player_1": "9S", "banker_1": "2H"}
    moved: dict[str, Any] = {"decks": 8, "cards_out": 2, "coups_left": 0, "awaiting": 0, "import": 1}
    log("handed_over", shoe_no=1, coup_no=1, kind="live", cards=cards, **moved)
    assert (log.history().phase, log.hand().due, [one.card for one in log.hand().cards]) == (
        "no_more_bets",
        "player_2",
        ["9S", "2H"],
    )
    for card, slot in (("TD", "player_2"), ("3C", "banker_2")):
        log.card(card, slot)
    log.result()
    log.confirm()
    assert log.shown() == ("Pn", [1], [])


def test_a_shoe_whose_opening_is_missing_is_restored_from_its_coups(log: ScreenLog) -> None:
    log.play(FOUR)
    log.confirm()
    log.no, log.shoe_no = 0, 9
    place: dict[str, Any] = {"unit": OTHER, "shoe_no": 9, "coup_no": 4}
    for card, slot in zip(FOUR.split(), SLOTS, strict=False):
        log.card(card, slot, **place)
    flags = {**FLAGS, "natural": True}
    log("coup", **place, winner="player", player_points=9, banker_points=5, flags=flags, kind="live")
    log("button", **place, button="confirm")
    history = log.history()
    assert (history.unit, history.shoe, history.results, history.gap) == (OTHER, 9, "Pn", True)
    log.commit()
    log.restart()
    log("lid", unit=OTHER, open=0)
    history = log.history()
    assert (history.unit, history.shoe, history.results, history.coups) == (OTHER, 9, "Pn", [4])


# Kinds of coups: at once (D-14 to D-18)


@pytest.mark.parametrize(
    ("book", "kind"),
    [("star-baccarat", "no_bet"), ("nz-baccarat", "void_hand"), ("crown-baccarat", "dummy"), ("star-rapid", "dummy")],
)
def test_a_coup_without_wagers_is_shown_as_soon_as_it_is_announced(tmp_path: Path, book: str, kind: CoupKind) -> None:
    log = ScreenLog(tmp_path, book)
    log("coup_kind", shoe_no=1, coup_no=1, kind=kind)
    assert (log.history().kind, log.history().phase) == (kind, "no_more_bets")
    assert log.hand().authorisation_needed == (kind == "dummy")  # Crown 10.8.2, Rapid 11.8.14
    log.command("authorise", times=1)
    assert not log.hand().authorisation_needed
    log.play(FOUR, kind=kind)
    assert log.history().kind == kind
    log.confirm()
    assert (log.history().kind, log.history().phase, log.history().results) == ("live", "bets", "X")


def test_the_next_coup_is_without_wagers_from_the_moment_that_the_card_comes(tmp_path: Path) -> None:
    log = ScreenLog(tmp_path, "crown-baccarat")  # 10.8.3: immediately
    log.play(FOUR)
    log.card("8D", "player_1", coup_no=2, flags={"surplus": True, "exposed": True})
    log.irregularity("excess_card", "NEXT_NO_BET", exposed=True)
    assert (log.history().coup, log.history().kind, log.history().next_kind) == (1, "live", "dummy")
    log.confirm()
    assert (log.history().coup, log.history().kind, log.history().next_kind) == (2, "dummy", "live")


def test_a_coup_in_progress_becomes_one_without_wagers(log: ScreenLog) -> None:
    log.card("9S", "player_1")
    log.irregularity("first_card_face_up", "THIS_NO_BET")
    assert (log.history().kind, log.history().phase) == ("no_bet", "no_more_bets")


def test_a_command_for_the_next_coup(log: ScreenLog) -> None:
    log.card("9S", "player_1")
    log.command("no_bet", kind="no_bet")
    assert (log.history().kind, log.history().next_kind) == ("live", "no_bet")


def test_a_free_hand_has_wagers(tmp_path: Path) -> None:
    log = ScreenLog(tmp_path, "nz-baccarat")  # 15.4(b): shown before it is dealt
    log("coup_kind", shoe_no=1, coup_no=1, kind="free_hand")
    assert (log.history().kind, log.history().phase) == ("free_hand", "bets")


# The last coup (D-13)


@pytest.mark.parametrize(
    ("book", "at_once"), [("star-baccarat", True), ("nz-baccarat", True), ("crown-baccarat", False)]
)
def test_the_last_coup_after_a_cutting_card_that_came_first(tmp_path: Path, book: str, at_once: bool) -> None:
    log = ScreenLog(tmp_path, book)
    log("cutting_card", shoe_no=1, coup_no=1, before_first_card=1)
    assert log.history().last_coup is at_once
    log.play(FOUR, last_coup=at_once)
    log.confirm()
    assert log.history().last_coup


def test_the_last_coup_after_a_cutting_card_in_mid_coup(log: ScreenLog) -> None:
    log.card("9S", "player_1")
    log("cutting_card", shoe_no=1, coup_no=1, before_first_card=0)
    assert not log.history().last_coup
    for card, slot in zip(FOUR.split()[1:], SLOTS[1:], strict=False):
        log.card(card, slot)
    log.result()
    log.confirm()
    assert (log.history().coup, log.history().last_coup) == (2, True)


def test_a_first_card_that_was_not_read_closes_wagers(log: ScreenLog) -> None:
    log("reject", shoe_no=1, coup_no=1, reason="blank", columns=0, doubtful=0, speed_mm_s=900, margin_pct=0)
    assert log.history().phase == "no_more_bets"
