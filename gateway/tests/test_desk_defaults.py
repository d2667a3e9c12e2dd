"""Arguments that are left out are filled in from the table; what the table cannot have is refused."""

import re
from typing import Any

import pytest
from desk_bench import TIME, DeskBench
from sabot_gateway.shoe.fault import next_step
from sabot_protocol import fields
from sabot_service.messages import RequestError
from sabot_service.moment import Moment
from shoe_events import cards


@pytest.fixture
def bench() -> DeskBench:
    made = DeskBench()
    made.table.serve()
    return made


def command_data(bench: DeskBench, verb: str, **args: Any) -> dict[str, Any]:
    """Return the fields of the command that the shoe gets."""
    bench.send(verb, clause="", args=args)
    ((_, _, data),) = bench.commands_sent(0.0)
    return data


# Open shoe: The Star 3.1 has 3, 4, 6 or 8 decks, and this table's config 8; 4.3 burns one card


@pytest.mark.parametrize("given", [{}, {"decks": 8}, {"burn": "none"}])
def test_decks_and_burn_default_to_the_tables(bench: DeskBench, given: dict[str, Any]) -> None:
    sent = command_data(bench, "open-shoe", **given)
    assert (sent["decks"], sent["burn"]) == (8, given.get("burn", "one"))


@pytest.mark.parametrize("decks", [3, 5, 6])
def test_other_decks_than_in_the_config_are_refused(bench: DeskBench, decks: int) -> None:
    answer = bench.answer_to("open-shoe", clause="", args={"decks": decks})
    assert answer.startswith(f"Open shoe refused: bac-01 plays with 8 decks by the gateway's config, not {decks}. ")
    assert bench.commands_sent(0.0) == []


def test_the_decks_of_a_deck_check_default_to_the_tables(bench: DeskBench) -> None:
    assert command_data(bench, "deck-check", on=1)["decks"] == 8


# Report: The Star 12.1


@pytest.mark.parametrize("given", [{"reconstructible": True}, {"reconstructible": True, "notified_before_next": True}])
def test_a_misdeal_counts_as_notified_in_time_by_default(bench: DeskBench, given: dict[str, bool]) -> None:
    facts = command_data(bench, "irregularity", case="bad_order", facts=given)["facts"]
    assert (facts["reconstructible"], facts["notified_before_next"]) == (True, True)


def test_a_given_fact_is_not_replaced(bench: DeskBench) -> None:
    facts = command_data(bench, "irregularity", case="bad_order", facts={"notified_before_next": False})["facts"]
    assert not facts["notified_before_next"]


@pytest.mark.parametrize(
    ("case", "wanted"),
    [("bad_order", "reconstructible"), ("scan_discrepancy", "confirmed"), ("excess_card", "exposed")],
)
def test_a_missing_fact_on_which_the_answer_depends_is_refused(bench: DeskBench, case: str, wanted: str) -> None:
    answer = bench.answer_to("irregularity", clause="", args={"case": case})
    assert f"context.{wanted}: missing; the answer of star-baccarat to {case} depends on it" in answer
    assert bench.commands_sent(0.0) == []


def reported(bench: DeskBench, coup_no: int = 1) -> int:
    """A misdeal is reported; the id of the command."""
    bench.request("irregularity", clause="12.1", args={"case": "bad_order", "facts": {"reconstructible": True}})
    bench.commit()
    bench.commit()
    ((command_id, _, data),) = bench.commands_sent(0.0)
    bench.shoe_logs("command_done", command_id=command_id, command="irregularity", outcome="done", data=data)
    bench.commit()
    return coup_no


def test_the_answer_to_a_report_is_what_the_rulebook_says(bench: DeskBench) -> None:
    coup_no = reported(bench)
    assert bench.answers == []
    facts = dict.fromkeys(fields.FACTS, False) | {"reconstructible": True, "notified_before_next": True}
    case = {"case": "bad_order", "facts": facts, "code": "RECON_WITHDRAW"}
    bench.shoe_logs("irregularity", shoe_no=1, coup_no=coup_no, **case)
    bench.commit()
    (answer,) = bench.answers
    assert answer.ok
    assert answer.say.startswith(
        "Done. Cards were dealt in the wrong order. Put the cards back into their proper order"
    )
    assert answer.say.endswith("(rule 12.1.1).")


def test_a_report_is_answered_even_if_the_irregularity_does_not_come(bench: DeskBench) -> None:
    reported(bench)
    bench.desk.expire(Moment(60.0, TIME))
    bench.commit()
    assert [(answer.ok, answer.say) for answer in bench.answers] == [(True, "Done.")]


# A fault that a person decides about: Crown 10.1.1 while the first coup is dealt, a wrong result after it


def test_a_missed_burn_is_named_only_while_a_coup_is_dealt() -> None:
    dealing, complete = (next_step("bac-02", "decision", dealing=dealing) for dealing in (True, False))
    assert ("`sabot table bac-02 tell burn-card --by NAME`" in dealing, "void" in dealing) == (True, False)
    assert ("burn" in complete, "`sabot table bac-02 decide --coup " in complete) == (False, True)
    assert "if it is decided already, run `sabot table bac-02 confirm --by NAME`" in complete


# What was done, and what follows


def answer_of(bench: DeskBench, verb: str, command: str, **args: Any) -> str:
    """Give a command that the shoe carries out; return the answer."""
    bench.send(verb, args=args)
    ((command_id, _, data),) = bench.commands_sent(0.0)
    bench.shoe_logs("command_done", command_id=command_id, command=command, outcome="done", data=data)
    bench.commit()
    return bench.answers.pop().say


def test_open_shoe_names_decks_and_burn_and_what_locks_the_exit(bench: DeskBench) -> None:
    opened = "Done. A shoe of 8 decks is open. Draw one card and burn it face down."
    assert answer_of(bench, "open-shoe", "open_shoe") == opened
    bench.shoe_logs("lock", on=1)
    assert "tell unlock --by NAME" in answer_of(bench, "open-shoe", "open_shoe").removeprefix(opened)


def test_unlock_names_what_still_locks_the_exit(bench: DeskBench) -> None:
    bench.shoe_logs("lock", on=1)
    free = "Done. The exit is no longer locked by command."
    assert answer_of(bench, "unlock", "unlock") == free
    bench.table.fault = "lid"
    assert answer_of(bench, "unlock", "unlock").startswith(f"{free} The shoe locks its exit (fault lid): ")


def test_void_names_the_coup_and_the_cards(bench: DeskBench) -> None:
    bench.table.open()
    bench.table.follow(*cards(2, "9S 2H"))
    say = answer_of(bench, "void", "void_coup", then="new_cards")
    assert say == "Done. Coup 1/1 is void: return all stakes. Replace the cards, then open a new shoe."


@pytest.mark.parametrize(("kind", "sent"), [(None, "no_bet"), ("dummy", "dummy")])
def test_the_kind_of_a_coup_without_wagers_defaults_to_the_books(bench: DeskBench, kind: str, sent: str) -> None:
    assert command_data(bench, "no-bet", kind=kind)["kind"] == sent


@pytest.mark.parametrize(
    ("verb", "args", "wrong"),
    [
        ("no-bet", {"kind": "live"}, "unknown kind 'live': expected no_bet, void_hand, free_hand or dummy"),
        ("void", {"coup": "nonsense"}, "'nonsense' names no coup: expected shoe and coup as 3/17"),
        ("decide", {"coup": "3/x", "verdict": "void"}, "'3/x' names no coup: expected shoe and coup as 3/17"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_once(bench: DeskBench, verb: str, args: dict[str, Any], wrong: str) -> None:
    with pytest.raises(RequestError, match=re.escape(wrong)):
        bench.send(verb, args=args)
