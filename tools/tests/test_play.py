"""sabot play, as outside programs call it."""

import json
import subprocess
import sys
from typing import Any

import forked_sabot
import pytest
from sabot_protocol.messages import COMMANDS

Answer = dict[str, Any]
BENCHES = ("unix", "cpython")
FOUR = [{"card": card} for card in ("9S", "2H", "KD", "5C")]
OPEN = {"command": "open_shoe", "decks": 8, "burn": "none"}

# Every kind of step, every command, every kind of coup.
EVERYTHING: list[Answer] = [
    {"state": True},
    {"command": "set_time", "utc_s": 1, "utc_ms": 2},
    {"command": "self_test"},
    {"command": "deck_check"},
    {"card": "8H"},
    {"command": "deck_check", "on": False},
    {"command": "open_shoe"},
    {"card": "3C"},
    {"card": "9S", "face_up": True},
    {"command": "authorise", "times": 2},
    *FOUR[1:],
    {"card": "8D", "exposed": True},
    {"command": "card_returned"},
    {"card": "8D", "exposed": False},
    {"button": "player"},
    {"button": "confirm"},
    {"command": "authorise"},
    {"unreadable": True},
    {"command": "key_card", "card": "7D", "exposed": True},
    {"command": "void_coup"},
    {"command": "burn_card"},
    {"card": "4S"},
    {"command": "import_coup", "player": ["9C", "KC"], "banker": ["2C"]},
    {"card": "6C"},
    {"button": "banker"},
    {"command": "irregularity", "case": "scan_discrepancy", "facts": {"confirmed": True}},
    {"command": "confirm"},
    {"command": "lock"},
    {"command": "unlock"},
    {"key": True},
    {"lid": "open"},
    {"lid": "shut"},
    {"command": "clear_fault"},
    {"command": "no_bet"},
    {"key": False},
    *FOUR[:2],
    {"command": "this_no_bet"},
    {"command": "export_coup"},
    {"command": "open_shoe", "burn": "none"},
    {"unreadable": "foreign"},
    {"command": "clear_fault"},
    {"cut": True},
    *FOUR,
    {"button": "confirm"},
    *FOUR[:3],
    {"command": "irregularity", "case": "bad_order", "context": {"reconstructible": False}},
    {"command": "close_shoe"},
    {"button": "new_shoe"},
    {"command": "reboot"},
    {"power": "cycle"},
]


def sabot(*args: str, lines: str = "") -> subprocess.CompletedProcess[str]:
    return forked_sabot.sabot(*args, lines=lines)


def play(
    *steps: Any, book: str = "star-baccarat", bench: str = "cpython", status: int = 0, sets: tuple[str, ...] = ()
) -> list[Answer]:
    """Return the replies of `sabot play` to these steps; a step that is not text is sent as JSON."""
    text = "".join((step if isinstance(step, str) else json.dumps(step)) + "\n" for step in steps)
    settings = [part for pair in sets for part in ("--set", pair)]
    ran = sabot("play", "--rulebook", book, "--bench", bench, *settings, lines=text)
    assert ran.returncode == status, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("bench", BENCHES)
def test_a_coup_has_the_fields_of_the_contract(bench: str) -> None:
    replies = play(OPEN, *FOUR, {"card": "3S"}, {"button": "confirm"}, bench=bench)
    assert replies[1]["events"] == [
        {"event_no": 3, "type": "card", "shoe": 1, "coup": 1, "slot": "player_1", "card": "9S"}
    ]
    assert (replies[1]["locked"], replies[1]["due"], replies[1]["state"]) == (False, "banker_1", "dealing")
    card, coup = replies[4]["events"]
    assert (card["slot"], coup["type"], coup["coup"], coup["kind"]) == ("banker_2", "coup", 1, "live")
    assert (coup["winner"], coup["player"], coup["banker"]) == ("player", ["9S", "KD"], ["2H", "5C"])
    assert (coup["player_points"], coup["banker_points"], coup["natural"]) == (9, 7, True)
    assert (coup["player_pair"], coup["banker_pair"], coup["last_coup"]) == (False, False, False)
    assert (replies[4]["locked"], replies[4]["due"], replies[4]["last_coup"]) == (True, None, False)
    card, case = replies[5]["events"]
    assert (card["slot"], card["coup"], card["surplus"]) == ("player_1", 2, True)
    assert (case["type"], case["case"], case["code"], case["rule"]) == (
        "irregularity",
        "player_overdraw",
        "NEXT_LIVE",
        "12.2",
    )
    assert case["say"]
    assert (replies[6]["outcome"], replies[6]["due"]) == ("done", "banker_1")


def test_a_void_coup_has_cards_and_no_winner() -> None:
    void = play(OPEN, *FOUR[:3], {"command": "void_coup", "reason": "misdeal"})[-1]["events"][-1]
    assert (void["type"], void["kind"], void["coup"], void["winner"]) == ("coup", "void", 1, None)
    assert (void["player"], void["banker"], void["reason"], void["then"]) == (["9S", "KD"], ["2H"], "misdeal", "go_on")


def test_a_card_of_a_closed_shoe_is_not_an_error() -> None:
    (reply,) = play({"id": 1, "card": "8H"})
    assert (reply["id"], reply["state"], reply["events"][0]["reason"]) == (1, "closed", "not_due")


def test_arguments_left_out_are_as_in_the_rulebook() -> None:
    replies = play(
        {"command": "open_shoe"}, {"card": "8H"}, {"command": "no_bet"}, book="nz-baccarat", sets=("decks=6",)
    )
    assert replies[0]["events"][0]["data"] == {"decks": 6, "burn": "one"}
    assert (replies[2]["kind"], replies[2]["named"]) == ("no_bet", "void_hand")


SIX = [{"card": card} for card in ("TS", "KH", "JD", "QC", "3C", "4D")]
DISCLOSED, UNSEEN = {"card": "3S", "exposed": True}, {"card": "8C", "exposed": False}


@pytest.mark.parametrize("book", ["star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat"])
def test_a_card_that_joins_a_coup_without_wagers_is_said_to(book: str) -> None:
    """12.3 and 12.4, 14.3 and 14.4, 12.2(b), 10.8: no wagers are taken on the coup that the first of them begins."""

    def say(*steps: Answer) -> str:
        return str(play(OPEN, *steps, book=book)[-1]["events"][-1]["say"])

    taken = "on which wagers are taken as usual"
    assert taken in say(*SIX, UNSEEN)
    assert "which is dealt without wagers" in say(*SIX, DISCLOSED, UNSEEN)
    order = [{"command": "authorise"}, {"command": "no_bet"}]
    assert "which is dealt without wagers" in say(*SIX, *order, UNSEEN)
    full = [{"card": card, "exposed": False} for card in ("9S", "2H", "TD", "2D")]
    assert taken in say(*SIX, *order, *full, UNSEEN)
    assert "which is dealt without wagers" in say(*SIX, *full, DISCLOSED, UNSEEN)
    assert taken in say(*SIX, DISCLOSED, {"button": "confirm"}, {"command": "void_coup"}, *SIX, UNSEEN)


def test_an_unused_card_goes_back_once_the_last_coup_is_complete() -> None:
    """Crown 10.2: a card that came before the last coup was complete begins no other; 7.1.5 has it returned."""
    over = [{"command": "key_card", "card": "KD"}, {"command": "clear_fault"}]
    last = [{"cut": True}, *FOUR, {"button": "confirm"}, *FOUR[:2], {"unreadable": "columns"}, {"card": "7D"}]
    replies = play(OPEN, *last, *over, *FOUR[3:], {"command": "card_returned"}, book="crown-baccarat")
    (unused,) = [event for reply in replies for event in reply["events"] if event.get("slot") == "unused"]
    assert (unused["card"], replies[-1]["state"], replies[-1]["outcome"]) == ("7D", "complete", "done")


@pytest.mark.parametrize("bench", BENCHES)
def test_after_a_foreign_card_new_shoe_does_nothing_and_open_shoe_is_for_other_cards(bench: str) -> None:
    """The Star 12.11.3: the rest is removed, and the decks are checked."""
    found = {"unreadable": "foreign"}
    replies = play(OPEN, *FOUR[:2], found, {"button": "new_shoe"}, {"power": "cycle"}, OPEN, *FOUR[:1], bench=bench)
    assert [event["type"] for event in replies[3]["events"]].count("lock") == 1
    assert [reply["outcome"] for reply in replies if "outcome" in reply] == ["done", "not_now", "done"]
    assert [reply["locked"] for reply in replies[3:]] == [True, True, True, False, False]


def test_facts_that_the_shoe_knows() -> None:
    case = {"command": "irregularity", "case": "burn_missed"}
    replies = play(OPEN, case, *FOUR, case, {"button": "confirm"}, {"cut": True}, {**case, "case": "excess_card"})
    facts = [event["facts"] for reply in replies for event in reply["events"] if event["type"] == "irregularity"]
    assert facts == [
        {"first_coup_complete": False},
        {"first_coup_complete": True},
        {"exposed": False, "last_coup": True},
    ]
    case = {"command": "irregularity", "case": "wrong_area"}
    (*_, told_last) = play(OPEN, case, book="nz-baccarat", sets=("style=international",))
    assert told_last["events"][-1]["facts"] == {"international": True}


def test_a_refused_command_has_an_outcome_and_a_reason() -> None:
    replies = play({"button": "confirm"}, OPEN, {"command": "burn_card"})
    assert (replies[0]["outcome"], replies[0]["why"]) == ("not_now", "not allowed in this state of the shoe")
    assert replies[2]["outcome"] == "not_permitted"


BAD: list[tuple[Any, str]] = [
    ({"card": "8X"}, "'8X' is not one of the 52 cards"),
    ({"card": "8H", "faceup": True}, "faceup: card has no such field; it has card, face_up, exposed"),
    ({"card": "8H", "face_up": "yes"}, "face_up: 'yes' is not true or false"),
    ({"card": "8H", "cut": True}, "expected one step per line"),
    ({"cut": False}, "cut: False is not allowed: expected true"),
    ({"button": "red"}, "button: 'red' is not one of player, banker, tie, confirm, new_shoe"),
    ({"unreadable": "upside_down"}, "unreadable: 'upside_down' is not one of blank"),
    ({"lid": True}, "lid: True is not one of shut, open"),
    ({"power": "off"}, "power: 'off' is not one of cycle"),
    ({}, "expected one step per line: command, card"),
    ({"command": "dance"}, "command: 'dance' is not one of set_time"),
    ({"command": "open_shoe", "burn": "two"}, "burn: 'two' is not one of none, one, shown, face_up"),
    ({"command": "open_shoe", "decks": 9}, "decks: 9 is not a whole number from 0 to 8"),
    ({"command": "open_shoe", "decks": True}, "decks: True is not a whole number"),
    ({"command": "lock", "for": 3}, "for: lock has no such field"),
    ({"command": "key_card"}, "card: missing"),
    ({"command": "irregularity", "case": "rain"}, "case: 'rain' is not one of player_overdraw"),
    ({"command": "irregularity", "case": "wrong_shoe", "facts": {"wet": True}}, "facts: 'wet' is not one of"),
    ({"command": "irregularity", "case": "bad_order", "facts": {"reconstructible": 1}}, "reconstructible: 1 is"),
    ({"command": "irregularity", "case": "bad_order", "facts": ["reconstructible"]}, "facts: expected an object"),
    ({"command": "import_coup", "player": "9S"}, "player: expected a list of at most three cards"),
    ({"command": "import_coup", "player": ["9Z"], "banker": []}, "player_1: '9Z' is not one of the 52 cards"),
    ("no JSON", "malformed"),
    ("[1]", "not an object"),
    ("", "empty"),
]


def test_bad_lines_are_answered_with_an_error_and_the_others_are_unaffected() -> None:
    steps = [
        part
        for number, (bad, _) in enumerate(BAD)
        for part in ({**bad, "id": number} if isinstance(bad, dict) else bad, {"state": True})
    ]
    replies = play(OPEN, *steps, FOUR[0], status=1)
    assert (replies[0]["outcome"], replies[-1]["due"], len(replies)) == ("done", "banker_1", 2 + 2 * len(BAD))
    for number, (bad, error) in enumerate(BAD):
        answer = replies[1 + 2 * number]
        assert error in answer["error"]
        assert f"line {2 + 2 * number}:" in answer["error"]
        assert answer["id"] == (number if isinstance(bad, dict) else None)
        assert (replies[2 + 2 * number]["due"], replies[2 + 2 * number]["events"]) == ("player_1", [])


def test_every_command_is_among_everything() -> None:
    tried = {step["command"] for step in EVERYTHING if "command" in step}
    assert tried == set(COMMANDS) - {"switch_image"}, "an image must have been pushed before"


@pytest.mark.parametrize("book", ["crown-baccarat", "star-rapid", "nz-baccarat"])
def test_both_benches_agree(book: str) -> None:
    assert play(*EVERYTHING, book=book, bench="unix") == play(*EVERYTHING, book=book)


def cycled(steps: list[Answer]) -> list[Answer]:
    return [part for step in steps for part in (step, {"power": "cycle"})]


@pytest.mark.parametrize("bench", BENCHES)
def test_a_power_cycle_between_any_two_steps_changes_nothing(bench: str) -> None:
    replies = play(*EVERYTHING, book="crown-baccarat", bench=bench)
    again = play(*cycled(EVERYTHING), book="crown-baccarat", bench=bench)
    assert again[::2] == replies
    for answer, restarted in zip(replies, again[1::2], strict=True):
        wanted = {name: value for name, value in answer.items() if name not in ("events", "outcome", "why")}
        assert restarted == {"events": [], **wanted}


# What outlives a shoe outlives the power too.
OUTLIVES: dict[str, list[Answer]] = {
    "lock": [{"command": "lock"}, OPEN],
    "key": [{"key": True}, OPEN],
    "lid": [{"lid": "open"}, OPEN],
    "word": [{"command": "authorise"}, OPEN, {"command": "no_bet"}],
    "fault": [{"command": "open_shoe"}, {"unreadable": True}, {"command": "close_shoe"}],
}


@pytest.mark.parametrize("name", OUTLIVES)
def test_settings_made_before_a_shoe_is_opened_survive_a_power_cycle(name: str) -> None:
    steps = [*OUTLIVES[name], {"state": True}]
    assert play(*cycled(steps), book="crown-baccarat")[::2] == play(*steps, book="crown-baccarat")


def test_a_continuous_shoe_has_no_end() -> None:
    steps = [OPEN, *[*FOUR, {"button": "confirm"}] * 600]
    replies = play(*steps, {"power": "cycle"}, FOUR[0], sets=("shuffler=continuous",), bench="unix")
    assert len([event for reply in replies for event in reply["events"] if event["type"] == "coup"]) == 600
    assert not any(reply["locked"] for reply in replies if reply["state"] == "dealing")
    (card,) = replies[-1]["events"]
    assert (card["coup"], card["slot"]) == (601, "player_1")


@pytest.mark.parametrize(
    ("pair", "error"),
    [
        ("colour=red", "unknown option 'colour': star-baccarat has dealing, shuffler, decks, card_set"),
        ("dealing=sideways", "dealing = sideways: star-baccarat allows face_down, face_up (clause 8.6.1, 8.12)"),
        ("decks=5", "decks = 5: star-baccarat allows"),
        ("decks=many", "decks=many: expected a number from 1 to 8"),
        ("card_set=9", "card_set=9: expected a number from 1 to 4"),
    ],
)
def test_an_unknown_setting(pair: str, error: str) -> None:
    ran = sabot("play", "--rulebook", "star-baccarat", "--set", pair)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert error in ran.stderr


def test_unknown_benches() -> None:
    ran = sabot("play", "--rulebook", "star-baccarat", "--bench", "rp2350")
    assert ran.returncode == 2
    assert "unix, cpython, rp2040" in ran.stderr


def test_without_an_image_the_chip_is_an_error_that_says_where_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SABOT_UF2", "/nowhere/RPI_PICO.uf2")
    ran = sabot("play", "--rulebook", "star-baccarat", "--bench", "rp2040")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "no file /nowhere/RPI_PICO.uf2: give the path of a MicroPython .uf2 for the Raspberry Pi Pico" in ran.stderr


def test_the_examples_of_the_help_work() -> None:
    shown = sabot("play", "--help").stdout.splitlines()
    examples = [line.partition("Example: ")[2] for line in shown if "Example: " in line]
    for example, state in zip(examples, ("burning", "dealing"), strict=True):
        command = example.replace("sabot play", f"'{sys.executable}' -m sabot_tools play")
        ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        assert json.loads(ran.stdout.splitlines()[-1])["state"] == state


def test_a_report_without_the_deciding_fact_is_refused() -> None:
    report = {"command": "irregularity", "case": "bad_order"}
    steps = [OPEN, *FOUR, {"button": "confirm"}, report, {**report, "facts": {"reconstructible": True}}]
    *_, refused, reply = play(*steps, status=1)
    asked = "context.reconstructible: missing; the answer of star-baccarat to bad_order depends on it"
    assert refused["error"] == f"line 7: {asked}"
    (case,) = [event for event in reply["events"] if event["type"] == "irregularity"]
    assert (case["coup"], case["code"], case["rule"]) == (1, "RECON_WITHDRAW", "12.1.1")
