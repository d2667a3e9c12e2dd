"""Tracker of an Angel Eye shoe: each rule in each state, by hand. The words of a script: angel_eye_script.py."""

from typing import Any

import pytest
from angel_eye_script import coups, final

FOUR = "P1:8S B1:6C P2:AH B2:2D"  # Player 9, Banker 8
COUP = f"{FOUR} G:player"
CLEAN = "1: 8S AH / 6C 2D player complete"
NEXT = "P1:7D B1:9C P2:AC B2:KH G:banker"  # Player 8, Banker 9
NEXT_CLEAN = "1: 7D AC / 9C KH banker complete"

CARDS = {
    # A hand is listed up to its last card.
    "P1:8S": ["1: 8S /  None open"],
    "P1:8S B2:2D": ["1: 8S / -- 2D None open"],
    # Player 1 again.
    "P1:8S P1:8S B1:6C P2:AH B2:2D G:player": [CLEAN],
    "P1:8S P1:9S": ["1: 8S /  None incomplete", "1: 9S /  None open"],
    "P1:8S B1:6C P1:8S": ["1: 8S / 6C None incomplete", "1: 8S /  None open"],
    "B1:6C P1:8S": ["1:  / 6C None incomplete first_card_missing", "1: 8S /  None open"],
    f"{FOUR} {NEXT}": ["1: 8S AH / 6C 2D None incomplete", NEXT_CLEAN],
    # Another place again.
    "P1:8S B1:6C B1:6C P2:AH B2:2D B2:2D G:player": [CLEAN],
    "P1:8S B1:7C B1:6C P2:AH B2:2D G:player": ["1: 8S AH / 7C 2D player disputed conflict,result_mismatch"],
    "P1:8S B1:6C B1:7C B1:6C P2:AH B2:2D G:player": ["1: 8S AH / 6C 2D player disputed conflict"],
    "P1:8S B1:6C B1:7C P2:AH G:player": ["1: 8S AH / 6C player partial conflict"],
    "P1:8S B1:6C B1:7C G:end": ["1: 8S / 6C forced_end forced_end conflict"],
    "P1:8S B1:6C B1:7C P1:9S": ["1: 8S / 6C None incomplete conflict", "1: 9S /  None open"],
    # The place counts, not the order of the messages.
    "P1:2S B2:TD P2:3H B1:2C B3:4S P3:TS G:banker": ["1: 2S 3H TS / 2C TD 4S banker complete"],
    # No card of a hand.
    f"F:4H N:4 U1:9C U2: {COUP}": [CLEAN],
    "P1:8S N:4 U1:9C X1:7S B1:6C P2:AH d:lock1:3H d:error2: B2:2D P M Z G:player": [CLEAN],
    "F:4H N:4 U1:9C X1:7S d:lock1:3H P M Z e:2 L:1": [],
}  # fmt: skip
RESULTS = {
    "P1:8S B1:6C P2:AH B2:2D G:banker": ["1: 8S AH / 6C 2D banker disputed result_mismatch"],
    "P1:8S B1:6C P2:AH B2:2D G:tie": ["1: 8S AH / 6C 2D tie disputed result_mismatch"],
    "P1:8S B1:6C P2:AH B2:2D G:player+p": ["1: 8S AH / 6C 2D player+p disputed pair_mismatch"],
    "P1:8S B1:6C P2:AH B2:2D G:player+b": ["1: 8S AH / 6C 2D player+b disputed pair_mismatch"],
    "P1:4S B1:6C P2:4H B2:6D G:player+b": ["1: 4S 4H / 6C 6D player+b disputed pair_mismatch"],
    "P1:4S B1:6C P2:4H B2:6D G:player+p": ["1: 4S 4H / 6C 6D player+p disputed pair_mismatch"],
    "P1:4S B1:6C P2:4H B2:6D G:player+pb": ["1: 4S 4H / 6C 6D player+pb complete"],
    "P1:8S B1:6C P2:AH B2:2D G:tie+b": ["1: 8S AH / 6C 2D tie+b disputed result_mismatch,pair_mismatch"],
    # Third cards: one is missing, one is too many, the wrong one.
    "P1:2S B1:6C P2:3H B2:TD G:banker": ["1: 2S 3H / 6C TD banker disputed third_card_wrong"],
    "P1:2S B1:6C P2:3H B2:TD G:player": ["1: 2S 3H / 6C TD player disputed result_mismatch,third_card_wrong"],
    "P1:2S B1:6C P2:3H B2:TD G:player+b": [
        "1: 2S 3H / 6C TD player+b disputed result_mismatch,pair_mismatch,third_card_wrong"
    ],
    f"{FOUR} P3:TS G:player": ["1: 8S AH TS / 6C 2D player disputed third_card_wrong"],
    f"{FOUR} B3:TS G:player": ["1: 8S AH / 6C 2D TS player disputed third_card_wrong"],
    "P1:2S B1:2C P2:3H B2:TD P3:TS G:player": ["1: 2S 3H TS / 2C TD player disputed third_card_wrong"],
    "P1:2S B1:2C P2:3H B2:TD B3:TS G:player": ["1: 2S 3H / 2C TD TS player disputed third_card_wrong"],
    "P1:6S B1:2C P2:TH B2:TD P3:TS G:player": ["1: 6S TH TS / 2C TD player disputed third_card_wrong"],
    "P1:6S B1:2C P2:TH B2:TD B3:TS G:player": ["1: 6S TH / 2C TD TS player complete"],
    "P1:6S B1:2C P2:TH B2:TD P3:TS B3:TC G:player": ["1: 6S TH TS / 2C TD TC player disputed third_card_wrong"],
    "P1:2S B1:6C P2:3H B2:TD P3:6S B3:TC G:banker": ["1: 2S 3H 6S / 6C TD TC banker complete"],
    "P1:2S B1:6C P2:3H B2:TD P3:5S B3:TC G:banker": ["1: 2S 3H 5S / 6C TD TC banker disputed third_card_wrong"],
    # Cards of the first four are missing: nothing is compared.
    "P1:8S B1:6C P2:AH G:tie+pb": ["1: 8S AH / 6C tie+pb partial"],
    "P1:8S P2:AH B2:2D G:tie": ["1: 8S AH / -- 2D tie partial"],
    "P1:8S B1:6C B2:2D P3:4S B3:5S G:tie": ["1: 8S -- 4S / 6C 2D 5S tie partial"],
    "P1:8S B1:6C P2:AH P3:2D G:player": ["1: 8S AH 2D / 6C player partial"],
    "B1:6C P2:AH B2:2D G:player": ["1: -- AH / 6C 2D player partial first_card_missing"],
    "B3:4S G:banker": ["1:  / -- -- 4S banker partial first_card_missing"],
    "P1:8S G:player": ["1: 8S /  player partial"],
    # Forced end.
    f"{FOUR} G:end": ["1: 8S AH / 6C 2D forced_end forced_end"],
    f"P1:8S G:end+pb {NEXT}": ["1: 8S /  forced_end+pb forced_end", NEXT_CLEAN],
    "B1:6C G:end": ["1:  / 6C forced_end forced_end first_card_missing"],
    # An undefined result agrees with no cards.
    f"{FOUR} G:? G:player {NEXT}": ["1: 8S AH / 6C 2D unknown disputed result_mismatch", NEXT_CLEAN],
    f"P1:8S G:?+b {NEXT}": ["1: 8S /  unknown+b partial", NEXT_CLEAN],
    # No coup is open.
    "G:player": [],
    "G:end G:? G:tie": [],
    f"{COUP} G:player {NEXT} G:player": [CLEAN, NEXT_CLEAN],
}
AGAIN = {
    # Held: nothing, also when all cards are dealt.
    f"P1:8S R.P1:8S B1:6C R.B1:6C P2:AH B2:2D R.P1:8S R.B2:2D G:player {NEXT}": [CLEAN, NEXT_CLEAN],
    # Kept: the next coup begins with Banker 1.
    f"{FOUR} R.P1:5H G:player B1:9C P2:3C B2:KH G:banker": [
        CLEAN,
        "1: 5H 3C / 9C KH banker complete carried_first_card",
    ],
    f"{COUP} R.P1:5H B1:9C P2:3C B2:KH G:banker": [CLEAN, "1: 5H 3C / 9C KH banker complete carried_first_card"],
    "R.P1:5H B1:9C": ["1: 5H / 9C None open carried_first_card"],
    "R.P1:5H R.P1:5H B1:9C R.P1:5H R.B1:9C": ["1: 5H / 9C None open carried_first_card"],
    "R.P1:5H R.P1:6H B1:9C": ["1: 6H / 9C None open carried_first_card"],
    "R.P1:5H B1:9C P1:7D": ["1: 5H / 9C None incomplete carried_first_card", "1: 7D /  None open"],
    # Dealt with third cards.
    "P1:2S B1:2C P2:3H B2:TD P3:TS B3:4S R.P1:5H G:banker B1:9C": [
        "1: 2S 3H TS / 2C TD 4S banker complete",
        "1: 5H / 9C None open carried_first_card",
    ],
    # Kept and not used: only for the next coup.
    f"R.P1:5H {COUP} B1:9C": [CLEAN, "1:  / 9C None open first_card_missing"],
    "R.P1:5H P2:9C": ["1: -- 9C /  None open first_card_missing"],
    "R.P1:5H B2:9C B1:4C": ["1:  / 4C 9C None open first_card_missing"],
    "R.P1:5H connect B1:9C": ["1:  / 9C None open first_card_missing"],
    "R.P1:5H S B1:9C": ["1: 5H / 9C None open carried_first_card"],
    "R.P1:5H P d:error2:5H E:2 e:2 F:4H M B1:9C": ["1: 5H / 9C None open carried_first_card"],
    "C R.P1:5H S B1:9C": ["2:  / 9C None open first_card_missing"],
    f"{COUP} R.P1:5H F:4H B1:9C": [CLEAN, "2:  / 9C None open first_card_missing"],
    # Cards are due, or there are too many: unclear.
    "P1:8S R.P1:5H B1:6C P2:AH B2:2D G:player": ["1: 8S AH / 6C 2D player disputed again_unclear"],
    "P1:8S B1:6C P2:AH R.P1:5H B2:2D G:player": ["1: 8S AH / 6C 2D player disputed again_unclear"],
    "P1:2S B1:6C P2:3H B2:TD R.P1:5H": ["1: 2S 3H / 6C TD None open again_unclear"],
    f"{FOUR} P3:TS R.P1:5H": ["1: 8S AH TS / 6C 2D None open again_unclear"],
    "B1:6C R.P1:5H": ["1:  / 6C None open first_card_missing,again_unclear"],
    f"{FOUR} R.P1:5H P3:TS R.P1:5H": ["1: 8S AH TS / 6C 2D None open again_unclear"],
    # Another place: unclear, dealt or not.
    "P1:8S R.B1:6C B1:6C P2:AH B2:2D G:player": ["1: 8S AH / 6C 2D player disputed again_unclear"],
    f"{FOUR} R.B1:5H G:player": ["1: 8S AH / 6C 2D player disputed again_unclear"],
    f"{FOUR} R.P3:5H R.P2:4H G:player": ["1: 8S AH / 6C 2D player disputed again_unclear"],
    "P1:8S R.F:8S": ["1: 8S /  None open again_unclear"],
    "P1:8S R.U1:8S": ["1: 8S /  None open again_unclear"],
    "P1:8S R.N:1": ["1: 8S /  None open again_unclear"],
    "P1:8S R.X1:8S": ["1: 8S /  None open again_unclear"],
    "P1:8S R.B1:6C G:player": ["1: 8S /  player partial again_unclear"],
    f"R.B1:6C R.P2:5H R.F:8S {COUP}": [CLEAN],
}
SHOES = {
    # The cutting card.
    f"C {COUP}": [CLEAN],
    f"P1:8S C B1:6C C P2:AH B2:2D G:player {NEXT}": [f"{CLEAN} cutting_card_inside", NEXT_CLEAN],
    f"{FOUR} C G:player P1:7D": [f"{CLEAN} cutting_card_inside", "1: 7D /  None open"],
    # Start between coups.
    f"{COUP} S {NEXT}": [CLEAN, NEXT_CLEAN],
    f"{COUP} C S S {NEXT}": [CLEAN, "2: 7D AC / 9C KH banker complete"],
    f"{COUP} C S F:4H N:4 U1:9C {NEXT}": [CLEAN, "2: 7D AC / 9C KH banker complete"],
    "C S C S P1:7D": ["3: 7D /  None open"],
    # Start in a coup.
    f"P1:8S S B1:6C S P2:AH B2:2D G:player S {NEXT}": [f"{CLEAN} restart_inside", NEXT_CLEAN],
    "P1:8S C S P1:7D": ["1: 8S /  None incomplete cutting_card_inside,restart_inside", "2: 7D /  None open"],
    "P1:8S C S P1:8S B1:6C": ["1: 8S / 6C None open cutting_card_inside,restart_inside"],
    "P1:8S B1:6C C S P1:8S": ["1: 8S / 6C None incomplete cutting_card_inside,restart_inside", "2: 8S /  None open"],
    "P1:8S C S F:4H F:4H P1:7D": ["1: 8S /  None incomplete cutting_card_inside,restart_inside", "2: 7D /  None open"],
    "P1:8S C S N:4 U1:9C P1:7D": ["1: 8S /  None incomplete cutting_card_inside,restart_inside", "2: 7D /  None open"],
    "P1:8S C S U1:9C U2:9C P1:7D": [
        "1: 8S /  None incomplete cutting_card_inside,restart_inside",
        "2: 7D /  None open",
    ],
    f"{FOUR} C S G:player {NEXT}": [f"{CLEAN} cutting_card_inside,restart_inside", "2: 7D AC / 9C KH banker complete"],
    f"{FOUR} C S G:player S S {NEXT}": [
        f"{CLEAN} cutting_card_inside,restart_inside",
        "2: 7D AC / 9C KH banker complete",
    ],
    "P1:8S C S S B1:6C P2:AH B2:2D G:player B1:9C P1:7D": [
        f"{CLEAN} cutting_card_inside,restart_inside",
        "1:  / 9C None incomplete first_card_missing",
        "2: 7D /  None open",
    ],
    "P1:8S C S connect P1:7D P1:8D": [
        "1: 8S /  None incomplete cutting_card_inside,restart_inside,link_lost_inside",
        "2: 7D /  None incomplete",
        "2: 8D /  None open",
    ],
    "P1:8S S C P1:7D": ["1: 8S /  None incomplete restart_inside,cutting_card_inside", "1: 7D /  None open"],
    # First burn card.
    f"F:4H F:5H {COUP}": [CLEAN],
    f"{COUP} F:4H F:5H {NEXT}": [CLEAN, "2: 7D AC / 9C KH banker complete"],
    f"{COUP} N:4 U1:5H {NEXT}": [CLEAN, NEXT_CLEAN],
    "P1:8S F:4H B1:6C": ["1: 8S /  None incomplete", "2:  / 6C None open first_card_missing"],
    f"{COUP} C F:4H S {NEXT}": [CLEAN, "2: 7D AC / 9C KH banker complete"],
    # New cards reported by a person.
    f"{COUP} C open_shoe/done S P1:7D open_shoe/done": [CLEAN, "2: 7D /  None incomplete"],
}
OTHERS = {
    # Errors.
    f"E:1 e:1 {COUP} E:2": [CLEAN],
    "P1:8S E:1 e:1 B1:6C E:3- E:1 P2:AH B2:2D G:player": [f"{CLEAN} error_inside"],
    "P1:8S E:1- B1:6C P2:AH B2:2D e:1 G:player": [f"{CLEAN} error_inside"],
    # Connect.
    f"connect {COUP} connect connect {NEXT}": [CLEAN, NEXT_CLEAN],
    "P1:8S E:1 connect B1:6C": [
        "1: 8S /  None incomplete error_inside,link_lost_inside", "1:  / 6C None open first_card_missing",
    ],
    f"{FOUR} connect G:player": ["1: 8S AH / 6C 2D None incomplete link_lost_inside"],
    "P1:8S connect P1:8S": ["1: 8S /  None incomplete link_lost_inside", "1: 8S /  None open"],
    # Flags in the order in which they came.
    "B1:6C E:1 S C B1:7C R.B2:4S P1:8S": [
        "1:  / 6C None incomplete "
        "first_card_missing,error_inside,restart_inside,cutting_card_inside,conflict,again_unclear",
        "1: 8S /  None open",
    ],
    "P1:8S B1:6C B1:7C P2:AH B2:2D E:1 G:tie": ["1: 8S AH / 6C 2D tie disputed conflict,error_inside,result_mismatch"],
}  # fmt: skip
ALL = CARDS | RESULTS | AGAIN | SHOES | OTHERS


@pytest.mark.parametrize("script", ALL)
def test_coups(script: str) -> None:
    assert coups(script) == ALL[script]


SHOE: dict[str, Any] = {"shoe": 1, "shoe_ending": False, "locked": None, "error": None}
FINAL: dict[str, dict[str, Any]] = {
    "": {},
    COUP: {},
    "C": {"shoe_ending": True},
    f"{FOUR} C G:player": {"shoe_ending": True},
    "C S": {"shoe": 2},
    "C S S": {"shoe": 2},
    "C C S C": {"shoe": 2, "shoe_ending": True},
    "C connect": {"shoe_ending": True},
    "P1:8S C S": {"shoe_ending": True},
    "P1:8S C S B1:6C": {"shoe_ending": True},
    "P1:8S C S P1:7D": {"shoe": 2},
    "P1:8S C S U1:7D": {"shoe": 2},
    "P1:8S G:end S": {},
    "P1:8S G:end F:4H": {"shoe": 2},
    "P1:8S C G:end F:4H": {"shoe": 2},
    "P1:8S connect F:4H": {"shoe": 2},
    "F:4H F:4H": {},
    "C open_shoe/done": {"shoe": 2},
    "open_shoe/nak": {},
    "L:1": {"locked": True},
    "L:1 L:0": {"locked": False},
    "L:1 S": {},
    "L:0 connect": {},
    "lock/ack": {"locked": True},
    "lock/ack unlock/ack": {"locked": False},
    "L:0 lock/nak": {"locked": False},
    "E:2": {"error": "overdraw"},
    "E:2 E:1": {"error": "cannot_read"},
    "E:2-": {},
    "E:2 E:1-": {"error": "overdraw"},
    "E:2 e:2": {},
    "E:2 e:1": {},
    "E:2 S": {},
    "E:2 connect": {},
    "P1:8S E:2 G:end": {"error": "overdraw"},
    "L:1 E:7 P1:8S G:player P M C": {"locked": True, "error": "draw_timeout", "shoe_ending": True},
}


@pytest.mark.parametrize("script", FINAL)
def test_final_state(script: str) -> None:
    assert final(script) == SHOE | FINAL[script]
