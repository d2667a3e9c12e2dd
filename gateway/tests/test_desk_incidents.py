"""Requests about incidents: steps, disputes, payments and recorded acts, by the desk."""

from typing import Any

import pytest
from desk_bench import DISPUTED, GATEWAY, TIME, DeskBench
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.operator import command_acts
from sabot_gateway.operator.local_roles import Granted
from sabot_gateway.operator.requests import TableRequest, parse
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Source, Verifier
from sabot_protocol import rulebooks
from sabot_protocol.topics import IncidentMessage
from sabot_service.messages import RequestError
from shoe_events import cards, result
from shoe_events import event as shoe_event
from test_requests import line, refusal

STAR, PREMIUM, NZ, CROWN, RAPID = "star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid"


def bench(book: str = STAR) -> DeskBench:
    made, rules = DeskBench(), rulebooks.load(book)
    made.table.verifier = Verifier("bac-01", rules, rules.profile(8, 1), made.desk.attempts.decider_of)
    made.table.incidents = IncidentBook("bac-01", rules, made.desk.attempts.decider_of)
    made.table.open()
    return made


def ask(made: DeskBench, verb: str, by: str = "A. Smith", **args: Any) -> str:
    return made.answer_to(verb, by=by, clause="", args=args)


def one(made: DeskBench) -> IncidentMessage:
    (incident,) = made.table.incidents.open()
    return incident


def with_incidents(made: DeskBench, *events: Event) -> None:
    """Let verifier and incidents follow events."""
    for event in events:
        records = made.table.verifier.take(event, TIME)
        source = Source(event.unit, event.event_no, TIME)
        made.table.incidents.follow(records, source, made.table.verifier.state, event)


def test_a_decision_closes_its_incident_in_the_same_commit() -> None:
    made = bench()
    with_incidents(made, *DISPUTED)
    refused = ask(made, "step", incident="discrepancy", step="decide")
    assert refused.startswith("Step refused: coup 1/1 is still disputed: run `sabot table bac-01 decide --coup 1/1 ")
    made.request("decide", args={"coup": "1/1", "verdict": "confirmed"})
    made.commit()
    stored = [(topic, payload.get("state")) for _, topic, payload in made.commit()]
    assert [topic for topic, _ in stored] == ["coup", "confirmed", "alarm", "incident", "outcome"]
    assert ("incident", "closed") in stored
    assert made.table.incidents.open() == []


def test_a_dispute_that_the_book_has_decided_is_not_merely_released() -> None:
    made = bench()
    made.table.serve()
    with_incidents(made, *DISPUTED)
    refused = ask(made, "clear-fault", fault="decision")  # Star 12.13
    assert refused.startswith("Clear fault refused: coup 1/1 is disputed: decide it with `sabot table bac-01 decide ")


def test_a_coup_that_is_on_the_table_is_voided_and_not_only_recorded_as_void() -> None:
    made = bench(RAPID)
    with_incidents(made, *cards(2, "9S 2H"))
    ask(made, "record", act="void_misdeal")
    refused = ask(made, "step", incident="misdeal", step="void")
    assert refused.startswith("Step refused: coup 1/1 is on the table and not void: run `sabot table bac-01 void ")
    with_incidents(made, shoe_event(4, "coup_void", shoe_no=1, coup_no=1, reason="misdeal", then="go_on", cards=2))
    assert [step.name for step in one(made).steps if not step.done] == ["void"]  # 11.8.1.3: a manager's, not the shoe's
    ask(made, "step", incident="misdeal", step="void")
    assert made.table.incidents.open() == []


def test_a_shoe_that_is_open_is_closed_and_not_only_recorded_as_closed() -> None:
    made = bench()
    ask(made, "record", act="void_shoe", note="sequence seen")
    refused = ask(made, "step", incident="shoe_void", step="close_shoe")
    assert "shoe 1 is still open: run `sabot table bac-01 tell close-shoe --by NAME`" in refused
    with_incidents(made, shoe_event(2, "shoe_closed", shoe_no=1, coups=0, reason="command"))
    assert [step.name for step in one(made).steps if not step.done] == ["notify_inspector"]


# Disputes of players (P-62, P-89)


def test_a_dispute_goes_through_its_instances_to_the_advice_of_the_inspector() -> None:
    made = bench()
    opened = ask(made, "dispute", patron="B. Lee", note="says the Banker won", coup="1/1")
    assert "Open steps: first, review, final, advise_inspector." in opened
    incident = one(made)
    assert (incident.by, incident.shoe, incident.coup, incident.clause) == ("A. Smith", 1, 1, "14.14")
    assert incident.facts == {"patron": "B. Lee", "note": "says the Banker won"}
    assert incident.say == "Dispute of a player: says the Banker won."
    out_of_order = ask(made, "step", incident=incident.incident, step="final")
    assert out_of_order.startswith("Step refused: step final comes after step first, which is open.")
    assert "Open steps: review" in ask(made, "step", incident="player_dispute", step="first", note="stands")
    same = ask(made, "step", incident="player_dispute", step="review")
    assert same.startswith("Step refused: A. Smith decided first and cannot review that decision")
    typed = ask(made, "step", by="C. Ng", incident="player_dispute", step="review")
    assert typed.startswith("Step refused: nobody is identified here, and a name that is typed is no other person")
    made.granted = Granted("casino_supervisor")
    ask(made, "step", by="C. Ng", incident="player_dispute", step="review")
    made.granted = Granted("operator")
    ask(made, "step", by="D. Roy", incident="player_dispute", step="final")
    closed = ask(made, "step", by="D. Roy", incident="player_dispute", step="advise_inspector")
    assert closed == "Step advise_inspector of player_dispute is done. Nothing is left to do."
    assert made.table.incidents.open() == []


def test_a_patron_who_is_satisfied_ends_the_dispute() -> None:
    made = bench(CROWN)
    ask(made, "dispute", patron="B. Lee")
    assert ask(made, "step", incident="player_dispute", step="final", settled=True).endswith("Nothing is left to do.")
    made.request("decide", args={"coup": "9/9", "verdict": "void"})
    assert made.table.incidents.open() == []


def test_two_patrons_dispute_the_same_coup() -> None:
    made = bench()
    ask(made, "dispute", patron="B. Lee", coup="1/1")
    ask(made, "dispute", patron="C. Lee", coup="1/1")
    refused = ask(made, "step", incident="player_dispute", step="first")
    assert refused.startswith("Step refused: 2 incidents player_dispute are open: use the id:")


def test_a_book_without_a_rule_refuses() -> None:
    assert ask(bench(NZ), "dispute", patron="B. Lee") == (
        "Dispute refused: nz-baccarat has no rule about disputes of players. Follow the procedures of the house."
    )
    assert "has no rule about wrong payments" in ask(bench(RAPID), "payment", direction="over", amount_cents=1)


# Payments (P-79, P-80)


def test_a_case_file_has_its_dates_and_a_large_one_is_reported() -> None:
    made = bench()
    said = ask(made, "payment", direction="under", amount_cents=100_001, date="2025-12-31", patron="B. Lee")
    assert said.endswith("Open steps: enquire, rectify, notify_nicc. See `sabot table bac-01 open`.")
    assert one(made).facts == {
        "direction": "under", "amount_cents": 100_001, "date": "2025-12-31", "patron": "B. Lee", "intentional": False,
    }  # fmt: skip
    assert (one(made).opened, one(made).say) == (TIME, "Underpayment.")


def test_an_intentional_error_needs_the_patron() -> None:
    made = bench(PREMIUM)
    assert "enquire, rectify, identify_patron." in ask(
        made, "payment", direction="over", amount_cents=5, intentional=True
    )
    made = bench(PREMIUM)
    said = ask(made, "payment", direction="over", amount_cents=5, intentional=True, patron="B. Lee")
    assert "Open steps: enquire, rectify." in said
    assert one(made).facts["date"] == TIME[:10]


# Recorded acts


def test_a_closure_needs_its_sign_twenty_minutes_before() -> None:
    made = bench()
    ask(made, "record", act="close_table", at="2026-01-02T14:30+11:00")
    step, closing = one(made).steps
    assert (closing.name, closing.role) == ("close_table", "casino_supervisor")
    assert (step.name, step.until) == ("sign_closure", "2026-01-02T03:10:00.000Z")
    made.table.incidents.overdue(made.own.new_source("2026-01-02T03:11:00.000Z"))
    assert one(made).steps[0].late


def test_an_act_that_asks_for_nothing_is_recorded_and_closed() -> None:
    made = bench()
    made.request("record", clause="", args={"act": "bar_from_game", "patron": "B. Lee", "note": "past posting"})
    made.commit()
    stored = [(topic, payload.get("kind"), payload.get("state")) for _, topic, payload in made.commit()]
    assert ("incident", "recorded", "closed") in stored
    assert made.answers[-1].say.endswith("Nothing is left to do.")
    assert made.table.incidents.open() == []


def test_surveillance_that_was_notified_before_no_bet_coups() -> None:
    made = bench()
    assert ask(made, "record", act="deal_unwagered", done=["notify_surveillance"]).endswith("Nothing is left to do.")
    made = bench()
    assert ask(made, "record", act="deal_unwagered", facts={"marker": True}).endswith("Nothing is left to do.")
    made = bench()
    ask(made, "record", act="deal_unwagered")
    ask(made, "step", incident="no_bet", step="notify_surveillance")
    assert made.table.incidents.open() == []


def no_bet_by_command(*more: Event) -> DeskBench:
    """The Star, where a command has made the next coup one without wagers, and what came since."""
    made = bench()
    done = shoe_event(2, "command_done", command_id=1, command="no_bet", outcome="done", data={"kind": "no_bet"})
    with_incidents(made, done, *more)
    assert [step.name for step in one(made).steps] == ["notify_surveillance"]
    return made


def notified(made: DeskBench) -> bool:
    """Record that Surveillance is notified; return whether that was late."""
    (incident,) = made.table.incidents.open()
    made.request("step", clause="", args={"incident": incident.incident, "step": "notify_surveillance"})
    made.commit()
    (payload,) = (payload for _, topic, payload in made.commit() if topic == "incident")
    assert payload["state"] == "closed"
    late: bool = payload["steps"][0].get("late", False)
    return late


def test_surveillance_that_is_notified_before_the_first_card_is_in_time() -> None:
    """7.4: notified prior to the dealing of the coup, not prior to the order."""
    assert not notified(no_bet_by_command())
    kind = shoe_event(3, "coup_kind", shoe_no=1, coup_no=1, kind="no_bet")
    assert not notified(no_bet_by_command(kind))
    assert notified(no_bet_by_command(kind, *cards(4, "9S")))


def test_surveillance_that_is_notified_after_a_coup_that_a_person_records_is_late() -> None:
    made = bench()
    with_incidents(made, *cards(2, "9S 2H TD 3C"), result(6, "player", 9, 5, natural=True))
    ask(made, "record", act="deal_unwagered", coup="1/1")
    assert notified(made)
    ask(made, "record", act="deal_unwagered", coup="1/2")
    assert not notified(made)


@pytest.mark.parametrize("dealt", ["", "9S"])
def test_a_marker_is_recorded_on_the_incident_that_the_shoe_opened(dealt: str) -> None:
    """7.4: a marker, or Surveillance; with a marker the step was never due."""
    made = no_bet_by_command(*(cards(3, dealt) if dealt else ()))
    opened = one(made)
    made.request("record", clause="", args={"act": "deal_unwagered", "coup": "1/1", "facts": {"marker": True}})
    made.commit()
    (payload,) = (payload for _, topic, payload in made.commit() if topic == "incident")
    (step,) = payload["steps"]
    assert (payload["incident"], payload["state"], payload["facts"]) == (opened.incident, "closed", {"marker": True})
    assert (step["by"], step.get("late", False)) == ("A. Smith", False)
    assert step["note"] == "not needed: a marker shows that a no bet coup is under way"


def test_a_fact_that_changes_nothing_leaves_the_step_as_late_as_it_was() -> None:
    made = no_bet_by_command(*cards(3, "9S"))
    assert "Open steps: notify_surveillance" in ask(
        made, "record", act="deal_unwagered", coup="1/1", facts={"marker": False}
    )
    assert one(made).steps[0].late
    refused = ask(made, "record", act="deal_unwagered", coup="1/1", facts={"marker": True})
    assert "is open for this" in refused


@pytest.mark.parametrize(
    ("book", "act", "steps"),
    [
        (STAR, "close_table", ["sign_closure", "close_table"]),
        (PREMIUM, "close_table", ["sign_closure", "close_table"]),
        (RAPID, "close_table", ["sign_closure", "close_table"]),
        (CROWN, "close_table", ["give_notice", "close_table"]),
        (CROWN, "raise_minimum", ["sign_raised_minimum", "raise_minimum"]),
        (STAR, "raise_minimum", ["raise_minimum"]),  # 6.7.1: without a notice only for players who come later
    ],
)
def test_an_act_that_needs_a_notice_stays_a_step_while_none_is_given(book: str, act: str, steps: list[str]) -> None:
    made = bench(book)
    ask(made, "record", act=act, facts={"notice_given": False})
    assert [step.name for step in one(made).steps] == steps
    last = one(made).steps[-1]
    assert (last.role, last.clause) != ("", "")


def test_a_misdeal_of_an_earlier_coup_is_late_and_its_result_stands() -> None:
    made = bench()
    made.request("record", clause="", args={"act": "void_misdeal", "coup": "1/9"})
    made.commit()
    (payload,) = (payload for _, topic, payload in made.commit() if topic == "incident")
    assert (payload["state"], [(step["name"], step["late"]) for step in payload["steps"]]) == (
        "closed", [("notice", True)],
    )  # fmt: skip


def test_what_is_open_is_not_opened_again() -> None:
    made = bench()
    ask(made, "record", act="void_shoe")
    assert ask(made, "record", act="void_shoe") == (
        f"Record refused: {one(made).incident} is open for this. Record its steps with `step`; or, if it was opened by "
        f"mistake: `sabot table bac-01 withdraw --incident {one(made).incident} --by NAME --reason TEXT`."
    )
    assert one(made).incident == f"{GATEWAY}-8-incident"


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({"act": "key_in_card"}, "star-baccarat has no rule for key_in_card"),
        ({"report": "tournament_change"}, "star-baccarat has no report tournament_change"),
        ({"act": "void_shoe", "done": ["dance"]}, "no step dance follows from this: close_shoe, notify_inspector"),
    ],
)
def test_refusals_open_nothing(args: dict[str, Any], why: str) -> None:
    made = bench()
    assert why in ask(made, "record", **args)
    assert made.table.incidents.open() == []


@pytest.mark.parametrize(
    ("verb", "args", "why"),
    [
        ("record", {}, "give an act or a report, and not both"),
        ("record", {"act": "void_shoe", "report": "shoe_void"}, "give an act or a report, and not both"),
        ("record", {"act": "dance"}, "unknown act 'dance'"),
        ("record", {"report": "dance"}, "unknown report 'dance'"),
        ("record", {"act": "void_shoe", "facts": {"rain": True}}, "unknown fact 'rain'"),
        ("record", {"act": "void_shoe", "at": "soon"}, "soon"),
        ("record", {"act": "void_shoe", "coup": "17"}, "coup"),
        ("payment", {"direction": "sideways", "amount_cents": 5}, "unknown direction 'sideways'"),
        ("payment", {"direction": "over", "amount_cents": 0}, "amount_cents"),
        ("payment", {"direction": "over", "amount_cents": 5, "date": "yesterday"}, "yesterday"),
        ("dispute", {"patron": ""}, "patron"),
        ("step", {"incident": "x", "step": "y", "note": "z" * 501}, "note"),
    ],
)
def test_wrong_arguments(verb: str, args: dict[str, Any], why: str) -> None:
    assert why in refusal(line(verb, args))


def test_only_a_dispute_is_settled_early() -> None:
    made = bench()
    ask(made, "record", act="void_shoe")
    refused = ask(made, "step", incident="shoe_void", step="notify_inspector", settled=True)
    assert "only a dispute of a player can be settled before its last step" in refused
    assert [step.done for step in one(made).steps] == ["", ""]


def test_a_step_that_is_not_open() -> None:
    made = bench()
    assert ask(made, "step", incident="shoe_void", step="x") == (
        "Step refused: no incident shoe_void is open; open: none"
    )
    ask(made, "record", act="void_shoe")
    assert "has no step 'x'; open steps: close_shoe, notify_inspector. See `sabot table bac-01 open`." in ask(
        made, "step", incident="shoe_void", step="x"
    )


# Roles


@pytest.mark.parametrize(
    ("verb", "args", "act"),
    [
        ("step", {"incident": "shoe_void", "step": "close_shoe"}, "void_shoe"),
        ("step", {"incident": "shoe_void", "step": "notify_inspector"}, ""),
        ("step", {"incident": "misdeal", "step": "void"}, ""),
        ("record", {"act": "bar_from_game"}, "bar_from_game"),
        ("record", {"report": "promotion_terms"}, ""),
        ("dispute", {"patron": "B. Lee"}, ""),
    ],
)
def test_which_act_a_request_is(verb: str, args: dict[str, Any], act: str) -> None:
    made = bench()
    ask(made, "record", act="void_shoe")
    request = parse(line(verb, args))
    assert isinstance(request, TableRequest)
    assert command_acts.act_of(request, made.table) == act


def test_a_request_that_is_none_is_refused_before_the_desk() -> None:
    with pytest.raises(RequestError):
        parse(line("step", {"incident": "no blanks allowed", "step": "x"}))
