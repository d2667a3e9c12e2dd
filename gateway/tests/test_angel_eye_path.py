"""The gateway's path of an Angel Eye against the slow reference: driver, frames as the ledger keeps them, tracker."""

from typing import Any

from angel_eye_cases import Case, random_case
from angel_eye_reference import decode, session
from sabot_gateway.angel_eye.driver import AngelEyeDriver
from sabot_gateway.angel_eye.steps import CoupClosed
from sabot_gateway.angel_eye.tracker import Tracker
from sabot_protocol.angel_eye.messages import report, stored

Report = dict[str, Any]


def without_commands(case: Case) -> Case:
    """The case on a line to which nobody sends: its answers are other clients'."""
    return case._replace(events=[event for event in case.events if event["ev"] != "tx"])


def events_of(case: Case) -> list[Report]:
    """The case as a session."""
    if case.vector is None:
        return case.events
    chunks = case.vector.get("chunks", [case.vector["hex"]])
    times = case.vector.get("at", [0.0] * len(chunks))
    received = [{"ev": "rx", "hex": chunk, "t": at} for chunk, at in zip(chunks, times, strict=True)]
    return [{"ev": "connect", "t": 0.0}, *received]


def ledger_of(case: Case, restart_every: int = 0) -> list[bytes]:
    """The frames that the ledger keeps; the driver may begin again behind it, as after a reload of the config."""
    driver, frames = AngelEyeDriver("ae-0000000000001", 0, baud=4800), list[bytes]()
    for number, event in enumerate(events_of(case), 1):
        if event["ev"] == "disconnect":
            driver.port_lost()
            continue
        if event["ev"] == "connect":
            driver.reset()
        events = driver.receive(bytes.fromhex(event.get("hex", "")), event["t"])
        assert [one.event_no for one in events] == [*range(len(frames) + 1, len(frames) + len(events) + 1)]
        frames += [one.raw for one in events]
        driver.acknowledge(len(frames), event["t"])
        if restart_every and number % restart_every == 0:
            driver = AngelEyeDriver("ae-0000000000001", len(frames), baud=4800)
            driver.reset()
    return frames


def tracked(frames: list[bytes]) -> Report:
    """What the tracker makes of the ledger."""
    tracker, messages, coups = Tracker(), list[Report](), list[Report]()
    for frame in frames:
        message = stored(frame)
        if message.t != "SYN":
            messages.append(report(message))
        coups += [step.coup.report() for step in tracker.take(message) if isinstance(step, CoupClosed)]
    still_open = tracker.open_coup()
    coups += [still_open.report()] if still_open else []
    return {"messages": messages, "coups": coups, "final": tracker.final()}


def cards(answer: Report) -> set[str | None]:
    return {message.get("card") for message in answer["messages"]}


def test_the_ledger_gives_the_same_coups_as_the_reference() -> None:
    for number in range(150):
        case = without_commands(random_case(2, number))
        expected = decode(case.vector) if case.vector else session(case.events)
        for part, value in tracked(ledger_of(case)).items():
            assert value == expected[part], (case.name, part)


def test_a_restart_of_the_gateway_is_a_loss_of_the_link() -> None:
    """Whatever is lost by it, numbers go on, and no coup is complete that a connect cut."""
    for number in range(60):
        case = without_commands(random_case(3, number))
        frames = ledger_of(case, restart_every=5)
        whole = decode(case.vector) if case.vector else session(case.events)
        found = tracked(frames)
        assert cards(found) <= cards(whole)
        assert [coup["n"] for coup in found["coups"]] == [*range(1, len(found["coups"]) + 1)]
        assert all(coup["status"] == "incomplete" for coup in found["coups"] if "link_lost_inside" in coup["flags"])
