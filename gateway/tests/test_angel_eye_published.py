"""What is published of an Angel Eye's coups, by the slow reference: only complete ones are verified and confirmed."""

from typing import Any

import pytest
from angel_eye_cases import random_case
from angel_eye_log import TIME, AngelEyeLog
from angel_eye_reference import decode, session
from sabot_gateway.angel_eye.events import stored_event
from test_angel_eye_path import ledger_of, without_commands

Report = dict[str, Any]
BOOKS = ("star-baccarat", "crown-baccarat", "nz-baccarat", "star-rapid", "star-premium")


def by_number(coups: list[Report]) -> dict[tuple[int, int], Report]:
    """The reference's coups by shoe and by number in the shoe."""
    answer: dict[tuple[int, int], Report] = {}
    for coup in coups:
        number = sum(shoe == coup["shoe"] for shoe, _ in answer) + 1
        answer[coup["shoe"], number] = coup
    return answer


def check(seed: int, number: int, book: str) -> None:
    case = without_commands(random_case(seed, number))
    expected = by_number((decode(case.vector) if case.vector else session(case.events))["coups"])
    log = AngelEyeLog(book, words="")
    for event_no, frame in enumerate(ledger_of(case), 1):
        log.records += log.verifier.take(stored_event("ae-0000000000001", event_no, frame), TIME)
    verified = {(coup.shoe, coup.coup): coup for coup in log.coups() if coup.status == "verified"}
    for key, coup in verified.items():
        own = expected[key]
        assert own["status"] == "complete", (case.name, key)
        assert ([*coup.player], [*coup.banker], coup.winner) == (own["player"], own["banker"], own["result"])
    assert {(coup.shoe, coup.coup) for coup in log.confirmed()} <= verified.keys(), case.name
    closed = {key for key, own in expected.items() if own["status"] != "open"}
    assert closed <= {(coup.shoe, coup.coup) for coup in log.coups()}, case.name
    ids = [record.message.id for record in log.records if record.message]
    assert len(ids) == len({*ids}), case.name


@pytest.mark.parametrize("book", BOOKS)
def test_only_complete_coups_are_verified_and_none_is_left_out(book: str) -> None:
    for number in range(25):
        check(5, number, book)
