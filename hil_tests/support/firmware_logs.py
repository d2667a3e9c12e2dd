"""Logs of whole shoes, dealt by the real firmware, and what the gateway's verifier makes of them."""

import os
import random
from copy import deepcopy
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace
from sabot_gateway.shoe import parse
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import Source, Verifier
from sabot_gateway.verify.alarms.catalogue import FOREIGN, MISSING, SHOE_VOID
from sabot_protocol import rulebooks
from sabot_protocol.fields import Button
from sabot_protocol.topics import AlarmMessage, CoupMessage
from sabot_sim.dealing.careless_dealer import (
    CLOSED,
    COMPLETE,
    CUT,
    POWER_CYCLE,
    CarelessDealer,
    profile_bytes,
    random_profile,
)
from sabot_sim.dealing.random_commands import command
from sabot_sim.rigs.play import StepAnswer, VmPlay
from sabot_sim.stack import CUT_FROM_BACK

SHOES = int(os.environ.get("SABOT_SHOES", "20"))
BOOKS = sorted(rulebooks.ids())
UNIT = "5ab0000000000001"
START_S = 1_800_000_000
CONFIRM = 4  # of the buttons
IN_DOUBT = (FOREIGN, MISSING, SHOE_VOID)
Log = list[Event]


class Recorder:
    """Turns the shoe's log into events, as the gateway parses them."""

    def __init__(self) -> None:
        self.log: Log = []

    def take(self, answer: StepAnswer) -> StepAnswer:
        """Add the records of a step to the log; return the step's answer."""
        for event_no, kind, body in answer.records:
            head = bytes((2, 0, 0, 0)) + bytes(4) + event_no.to_bytes(4, "little") + bytes((kind,))
            self.log.append(parse.event(UNIT, parse.frame(head + bytes.fromhex(body))))
        return answer


def careless_log(book: str, part: int, shoes: int) -> tuple[dict[str, Any], Log]:
    """Return the table's profile and the log of so many shoes with a careless dealer; some end early."""
    rng = random.Random(f"{book} {part} verify")
    profile = random_profile(rng, book)
    dealer = CarelessDealer(rng, profile, rng.choice((0.02, 0.05, 0.12)), power=part % 2 == 1)
    recorder = Recorder()
    with VmPlay(profile_bytes(profile)) as vm:
        answer = recorder.take(vm.step("state"))
        while sum(event.kind == "shoe_closed" for event in recorder.log) < shoes:
            step = dealer.next(answer)
            if step == POWER_CYCLE:
                vm.power_cycle()
                step = ("state",)
            answer = recorder.take(vm.step(*step))
            if answer.state == CLOSED:
                dealer.shoe_is_closed()
    return profile, recorder.log


def _winner(recorder: Recorder) -> int:
    """Return the number of the button of the newest coup's winner."""
    newest = next(event for event in reversed(recorder.log) if event.kind == "coup")
    return int(Button.encmapping[newest.data["winner"]])


@cache
def clean_log(book: str) -> tuple[dict[str, Any], Log]:
    """Return the profile and the log of two shoes of eight decks without a mistake."""
    rng, recorder = random.Random(book), Recorder()
    profile = rulebooks.load(book).profile(8, 1)
    with VmPlay(profile_bytes(profile)) as vm:
        for _ in range(2):
            stock = rng.sample([*range(52)] * 8, 52 * 8)
            stock.insert(CUT_FROM_BACK, CUT)
            answer = recorder.take(vm.step(*command("open_shoe", 8, 1)))
            while answer.state != CLOSED:
                if answer.state == COMPLETE:
                    if profile["switches"]["result_before_confirm"]:
                        recorder.take(vm.step("button", _winner(recorder)))
                    answer = recorder.take(vm.step("button", CONFIRM))
                else:
                    card = stock.pop()
                    answer = recorder.take(vm.step("cut") if card == CUT else vm.step("card", card, 0, -1))
    return profile, recorder.log


def verify(book: str, profile: dict[str, Any], log: Log) -> tuple[list[AlarmMessage], list[CoupMessage]]:
    """Return the alarms raised and all coup messages; the events get numbers and times as from a shoe.

    A person records that cards in doubt were replaced before the next shoe is opened.
    """
    verifier, messages = Verifier("bac-01", rulebooks.load(book), profile), []
    for place, event in enumerate(log):
        time = datetime.fromtimestamp(START_S + place / 2, UTC).isoformat()
        numbered = replace(event, event_no=place + 1, time_ms=500 * place)
        if event.kind == "shoe_opened":
            verifier.cards_settled(IN_DOUBT, "A. Smith", Source("6a7e", place + 1, time))
        messages += [record.message for record in verifier.take(numbered, time)]
    alarms = [message for message in messages if isinstance(message, AlarmMessage) and message.state == "raised"]
    return alarms, [message for message in messages if isinstance(message, CoupMessage)]


every_book = pytest.mark.parametrize("book", BOOKS)


def at(log: Log, kind: str, number: int = 0, **data: Any) -> int:
    """Return the index of the event of this kind with these values; `number` counts from 0."""
    places = [i for i, event in enumerate(log) if event.kind == kind and data.items() <= event.data.items()]
    return places[number]


def change(log: Log, place: int, **data: Any) -> None:
    """Change values of this event."""
    event = log[place]
    log[place] = replace(event, data={**deepcopy(event.data), **data})


def flag(log: Log, place: int, name: str, on: bool) -> None:
    change(log, place, flags={**log[place].data["flags"], name: on})
