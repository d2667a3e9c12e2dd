"""Steps of an incident: done, late, refused; and what a rulebook's file may not have."""

from importlib.resources import files
from typing import Any

import pytest
from msgspec.structs import replace
from sabot_protocol import incidents, rulebooks
from sabot_protocol.documents import incidents_page
from sabot_protocol.incidents import Done, Opener
from sabot_protocol.rulebooks import RulebookError
from sabot_protocol.rulebooks import incidents as shape
from sabot_protocol.topics import IncidentMessage

STAR, NOON, LATER = "star-baccarat", "2026-01-31T12:00:00.000Z", "2026-01-31T13:00:00.000Z"
SMITH, JONES = Done(NOON, "A. Smith"), Done(LATER, "B. Jones", "casino_supervisor", "seen", "gw-7")


def opened(kind: str, opener: Opener, book: str = STAR, **facts: Any) -> IncidentMessage:
    where: dict[str, Any] = {"id": "u-1", "unit": "u", "event_no": 1, "table": "bac-01", "shoe": 3, "coup": 17}
    what: dict[str, Any] = {"incident": "u-1", "kind": kind, "say": "", "clause": "", "opened": NOON, "facts": facts}
    steps = incidents.steps(book, kind, opener, facts, NOON)
    return IncidentMessage(**where, time=NOON, rulebook="", **what, state="open", steps=steps)


def dispute() -> IncidentMessage:
    return opened("player_dispute", Opener(verb="dispute"))


def test_it_is_closed_with_its_last_step() -> None:
    incident = opened("shoe_void", Opener(act="void_shoe"))
    incident = incidents.complete(incident, "notify_inspector", SMITH)
    assert (incident.state, [step.done for step in incident.steps]) == ("open", ["", NOON])
    incident = incidents.complete(incident, "close_shoe", JONES)
    assert incident.state == "closed"
    step = incident.steps[0]
    assert (step.done, step.by, step.by_role, step.note, step.attempt, step.late) == (
        LATER, "B. Jones", "casino_supervisor", "seen", "gw-7", False,
    )  # fmt: skip


@pytest.mark.parametrize(("done", "late"), [("2026-02-02T12:00:00.000Z", False), ("2026-02-02T12:00:00.001Z", True)])
def test_a_step_after_its_time_is_late(done: str, late: bool) -> None:
    incident = opened("promotion", Opener(report="promotion_compromised"))
    assert incidents.next_until(incident) == "2026-02-02T12:00:00.000Z"
    assert incidents.complete(incident, "report_compromise", Done(done, "A. Smith")).steps[0].late is late
    marked = incidents.mark_late(incident, done)
    assert marked.steps[0].late is late
    assert incidents.next_until(marked) == ("" if late else "2026-02-02T12:00:00.000Z")


def test_surveillance_must_be_notified_before_and_not_after() -> None:
    incident = opened("no_bet", Opener(act="deal_unwagered"))
    assert not incidents.complete(incident, "notify_surveillance", SMITH, opening=True).steps[0].late
    assert incidents.complete(incident, "notify_surveillance", SMITH).steps[0].late


def test_a_step_that_is_due_before_the_next_coup_is_late_when_that_has_begun() -> None:
    incident = opened("misdeal", Opener(alarm="bad_order"), reconstructible=True)
    marked = incidents.mark_late(incident, NOON, "before_next_coup")
    assert [(step.name, step.late) for step in marked.steps] == [("notice", True), ("reconstruct", False)]
    assert incidents.complete(marked, "notice", SMITH).steps[0].late
    assert (
        incidents.mark_late(incidents.complete(incident, "notice", SMITH), NOON, "before_next_coup").steps[0]
        == (incidents.complete(incident, "notice", SMITH).steps[0])
    )


def test_a_dispute_ends_when_the_patron_is_satisfied() -> None:
    incident = incidents.drop_rest(incidents.complete(dispute(), "first", SMITH), JONES)
    assert incident.state == "closed"
    assert [(step.name, step.note) for step in incident.steps] == [
        ("first", ""), ("review", "not needed: seen"), ("final", "not needed: seen"),
        ("advise_inspector", "not needed: seen"),
    ]  # fmt: skip


def refusal(incident: IncidentMessage, name: str, by: str = "B. Jones", role: str = "", book: str = STAR) -> str:
    return incidents.refusal(book, incident, name, by, role)


def test_the_instances_of_a_dispute_come_in_order_and_are_not_one_person() -> None:
    assert refusal(dispute(), "review") == "step review comes after step first, which is open"
    decided = incidents.complete(dispute(), "first", SMITH)
    assert refusal(decided, "first") == f"step first was done at {NOON} by A. Smith"
    assert "A. smith decided first and cannot review" in refusal(decided, "review", by="A. smith")
    assert refusal(decided, "review") == ""


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("dealer", False),
        ("gaming_supervisor", True),
        ("casino_supervisor", True),
        ("gm", True),
        ("surveillance", False),
    ],
)
def test_a_lower_role_is_refused(role: str, allowed: bool) -> None:
    assert (refusal(dispute(), "first", role=role) == "") is allowed


def test_refusals_name_what_there_is() -> None:
    assert refusal(dispute(), "pay") == (
        "incident u-1 has no step 'pay'; open steps: first, review, final, advise_inspector"
    )
    assert refusal(dispute(), "first", role="dealer") == (
        "the role dealer may not do this; the lowest role that may is Gaming Supervisor (14.14)"
    )
    assert "star-baccarat has no role 'king'" in refusal(dispute(), "first", role="king")


def test_other_steps_come_in_any_order() -> None:
    incident = opened("side_wagers", Opener(act="restrict_side_wagers"))  # 10.4.1, 10.4.2
    assert [refusal(incident, step.name) for step in incident.steps] == ["", ""]


def test_cards_are_taken_out_after_the_coup_is_void_and_checked_then() -> None:
    incident = opened("foreign_card", Opener(alarm="missing_or_foreign_card"))  # 12.11.2, 12.11.3
    assert [refusal(incident, step.name) for step in incident.steps] == [
        "", "step close_shoe comes after step void, which is open",
        "step check_cards comes after step void, which is open", "", "",
    ]  # fmt: skip


def test_every_kind_and_step_of_the_catalogue_is_used() -> None:
    books = [rulebooks.load(book) for book in rulebooks.ids()]
    kinds = {kind for book in books for kind in book.incident}
    steps = {step.name for book in books for incident in book.incident.values() for step in incident.step}
    assert kinds | {incidents.RECORDED} == set(shape.catalogue().kind)
    assert steps == set(shape.catalogue().step)


def test_the_page_has_every_step_of_a_book() -> None:
    page = incidents_page.document()
    assert "| The shoe is void<br>`shoe_void` (P-11, P-74) | act `void_shoe` | Take the remaining cards out" in page
    assert {row.count("|") for row in page.splitlines() if row.startswith("|")} == {9}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"acts": ("no_such",)}, "shoe_void: acts: no act 'no_such'"),
        ({"acts": ("key_in_card",)}, "shoe_void: acts: no act 'key_in_card'"),  # silent in this book
        ({"reports": ("x",)}, "shoe_void: reports: no report 'x'"),
        ({"acts": ()}, "shoe_void: nothing opens it"),
        ({"step": ()}, "shoe_void: it has no step"),
        ({"step": (shape.StepRule("dance"),)}, "step dance: unknown step"),
        ({"step": (shape.StepRule("void"),) * 2}, "step void is there twice"),
        ({"step": (shape.StepRule("void", act="x"),)}, "step void: no act 'x'"),
        ({"step": (shape.StepRule("void", report="x"),)}, "step void: no report 'x'"),
        ({"step": (shape.StepRule("sign", report="shoe_void", to="nicc"),)}, "does not go to 'nicc'"),
        ({"step": (shape.StepRule("sign", to="nicc"),)}, "does not go to 'nicc'"),
        (
            {"step": (shape.StepRule("void", after=("sign",)), shape.StepRule("sign"))},
            "after: no step 'sign' stands before",
        ),
        ({"step": (shape.StepRule("void", when={"rain": True}),)}, "when: unknown fact 'rain'"),
        ({"acts": ("void_misdeal",)}, "'void_misdeal' opens two kinds"),
    ],
)
def test_a_wrong_file_is_refused(change: dict[str, Any], problem: str) -> None:
    book = rulebooks.load(STAR)
    changed = book.incident | {"shoe_void": replace(book.incident["shoe_void"], **change)}
    assert any(problem in found for found in shape.problems(changed, book.authority))
    assert list(shape.problems(book.incident, book.authority)) == []


def test_a_file_with_an_unknown_kind_is_refused() -> None:
    text = (files("sabot_protocol.rulebooks") / "star-rapid.toml").read_text(encoding="utf-8")
    with pytest.raises(RulebookError, match=r"incident\.riot: unknown kind"):
        rulebooks.parse("star-rapid.toml", text.replace("[incident.promotion]", "[incident.riot]"))
