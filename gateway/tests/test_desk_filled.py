"""The desk fills in what a person leaves out as the table has it, and refuses what cannot be so there."""

from typing import Any

import pytest
from sabot_gateway.ops.moment import Moment
from sabot_gateway.shoe.fault import next_step
from sabot_protocol import fields
from test_desk import TIME, Office


@pytest.fixture
def office() -> Office:
    made = Office()
    made.table.serve()
    return made


def commanded(office: Office, verb: str, **args: Any) -> dict[str, Any]:
    """What the shoe is sent for this."""
    office.ask(verb, clause="", args=args)
    office.commit()
    office.commit()
    ((_, _, data),) = office.commanded(0.0)
    return data


# Open a shoe: The Star 3.1 has 3, 4, 6 or 8 decks, and this table's config 8; 4.3 burns one card


@pytest.mark.parametrize("given", [{}, {"decks": 8}, {"burn": "none"}])
def test_a_shoe_is_opened_as_the_table_has_it(office: Office, given: dict[str, Any]) -> None:
    sent = commanded(office, "open-shoe", **given)
    assert (sent["decks"], sent["burn"]) == (8, given.get("burn", "one"))


@pytest.mark.parametrize("decks", [3, 5, 6])
def test_other_decks_than_the_config_has_are_refused(office: Office, decks: int) -> None:
    said = office.asked("open-shoe", clause="", args={"decks": decks})
    assert said.startswith(f"bac-01 plays with 8 decks by the gateway's config, not {decks}: ")
    assert office.commanded(0.0) == []


def test_the_decks_of_a_check_are_those_of_the_table(office: Office) -> None:
    assert commanded(office, "deck-check", on=1)["decks"] == 8


# Report: The Star 12.1


@pytest.mark.parametrize("given", [{"reconstructible": True}, {"reconstructible": True, "notified_before_next": True}])
def test_a_misdeal_is_in_time_unless_somebody_says_otherwise(office: Office, given: dict[str, bool]) -> None:
    facts = commanded(office, "irregularity", case="bad_order", facts=given)["facts"]
    assert (facts["reconstructible"], facts["notified_before_next"]) == (True, True)


def test_what_somebody_says_stands(office: Office) -> None:
    facts = commanded(office, "irregularity", case="bad_order", facts={"notified_before_next": False})["facts"]
    assert not facts["notified_before_next"]


@pytest.mark.parametrize(
    ("case", "wanted"),
    [("bad_order", "reconstructible"), ("scan_discrepancy", "confirmed"), ("excess_card", "exposed")],
)
def test_a_fact_on_which_the_answer_depends_must_be_said(office: Office, case: str, wanted: str) -> None:
    said = office.asked("irregularity", clause="", args={"case": case})
    assert f"context.{wanted}: missing, and the answer of star-baccarat to {case} depends on it" in said
    assert office.commanded(0.0) == []


def reported(office: Office, coup_no: int = 1) -> int:
    """A misdeal is reported; the id of the command."""
    office.ask("irregularity", clause="12.1", args={"case": "bad_order", "facts": {"reconstructible": True}})
    office.commit()
    office.commit()
    ((command_id, _, data),) = office.commanded(0.0)
    office.shoe_says("command_done", command_id=command_id, command="irregularity", outcome="done", data=data)
    office.commit()
    return coup_no


def test_who_reports_is_told_what_follows_by_the_book(office: Office) -> None:
    coup_no = reported(office)
    assert office.answers == []
    facts = dict.fromkeys(fields.FACTS, False) | {"reconstructible": True, "notified_before_next": True}
    case = {"case": "bad_order", "facts": facts, "code": "RECON_WITHDRAW"}
    office.shoe_says("irregularity", shoe_no=1, coup_no=coup_no, **case)
    office.commit()
    (answer,) = office.answers
    assert answer.ok
    assert answer.say.startswith("Done. 12.1.1: Put the cards back into their proper order")


def test_nobody_waits_for_ever_for_what_follows(office: Office) -> None:
    reported(office)
    office.desk.expire(Moment(60.0, TIME))
    office.commit()
    assert [(answer.ok, answer.say) for answer in office.answers] == [(True, "Done.")]


# A fault that a person decides about: Crown 10.1.1 while the first coup is dealt, a wrong result after it


def test_a_missed_burn_is_named_only_where_a_coup_is_dealt() -> None:
    dealing, complete = (next_step("bac-02", "decision", dealing=dealing) for dealing in (True, False))
    assert ("`sabot table bac-02 tell burn-card`" in dealing, "void" in dealing) == (True, False)
    assert ("burn" in complete, "`sabot table bac-02 confirm`" in complete) == (False, True)
