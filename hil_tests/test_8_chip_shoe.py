"""The whole shoe on the emulated chip: cards and buttons on its pins, lock and lamps, events at a gateway's link.

SABOT_CUTS=200 .venv/bin/pytest hil_tests/test_8_chip_shoe.py -m chip_full -k cuts -n 2 cuts the power 200 times;
SABOT_CUT_SEED=n plays one seed again.
"""

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sabot_gateway import rules
from sabot_protocol import rulebooks
from sabot_sim.chip.chip import Chip
from sabot_sim.chip.rp2040 import in_fork, shoe_files, switched_on_chip
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_tools.actions.play import Play, bench_of, profile_of
from sabot_tools.bench.chip_table import BANKER, FAULT, LOCK, PLAYER, PLAYER_PAIR, RESULTS, TIE, ChipTable, Step
from sabot_tools.stand.minimal_gateway import MinimalGateway
from support.chip_shoe import (
    Kept,
    Record,
    give,
    kept,
    live,
    log_in,
    state_in,
    uninterrupted,
)

UF2 = find_uf2()
pytestmark = pytest.mark.skipif(UF2 is None, reason=HOW_TO_GET_UF2)
CUTS = int(os.environ.get("SABOT_CUTS", "1"))
CUTS_A_SEED = 5
SEEDS = [int(seed) for seed in os.environ.get("SABOT_CUT_SEED", "").split()] or range(-(-CUTS // CUTS_A_SEED))
LONGEST_US = 1_700_000 if CUTS > 1 else 900_000  # of a life; the shoe is up after 500,000

FOUR = ["9S", "2H", "KD", "5C"]
FIVE = ["2S", "KH", "2D", "7C", "3S"]
SIX = ["2S", "KH", "2D", "3C", "5S", "4H"]
LAMPS = {"player": PLAYER, "banker": BANKER, "tie": TIE}
NOT_PLAYED = ("boot", "self_test", "profile_set", "health", "time_set")  # of a start, or by the clock
STARTED_NS = 1_500_000_000
KEY = bytes(range(32))


@pytest.fixture(scope="module")
def chip() -> Chip:
    """A spare: tests run forks of it."""
    assert UF2 is not None
    return switched_on_chip(Path(UF2), shoe_files())


def on_table(chip: Chip, act: Callable[[ChipTable], Any]) -> Any:
    """What this answers at a table whose shoe has just been switched on for the first time."""

    def run() -> Any:
        table = ChipTable(chip, MinimalGateway())
        table.start()
        answer = act(table)
        assert chip.backlog_drops == chip.lost == 0
        assert not any(table.gateway.link.line_counters().values())
        return answer

    return in_fork(run)


def opened(table: ChipTable) -> None:
    """A new shoe, and its burn."""
    assert table.outputs & LOCK
    assert table.do(("press", "new_shoe")).data["button"] == "new_shoe"
    assert not table.outputs & LOCK
    assert table.do(("card", "2C")).data["slot"] == "burn"
    assert table.gateway.events[-1].kind == "burn"


def deal(table: ChipTable, cards: list[str]) -> dict[str, Any]:
    """One coup by the gateway's rules: each card where it is due, lock and lamps as they should be; its event."""
    by_rules = rules.play(cards)
    for card, slot in zip(cards, by_rules.slots, strict=True):
        assert not table.outputs & (LOCK | RESULTS)
        data = table.do(("card", card)).data
        assert (data["card"], data["slot"], any(data["flags"].values())) == (card, slot, False)
    event = table.gateway.events[-1]
    assert event.kind == "coup"
    for name in ("winner", "player_points", "banker_points"):
        assert event.data[name] == getattr(by_rules, name)
    for name in ("player_pair", "banker_pair", "natural"):
        assert event.data["flags"][name] == getattr(by_rules, name)
    assert table.outputs & LOCK
    pair = PLAYER_PAIR if by_rules.player_pair else 0
    assert table.outputs & RESULTS == LAMPS[by_rules.winner] | pair
    return event.data


def confirm(table: ChipTable) -> None:
    table.do(("press", "confirm"))
    assert not table.outputs & (LOCK | RESULTS)


def new_events(table: ChipTable, step: Step) -> list[tuple[str, dict[str, Any]]]:
    """What one step makes the shoe log."""
    before = len(table.gateway.events)
    table.do(step)
    return [(event.kind, event.data) for event in table.gateway.events[before:]]


def one(events: list[tuple[str, dict[str, Any]]], kind: str) -> dict[str, Any]:
    (found,) = [data for name, data in events if name == kind]
    return found


# Coups and irregularities


def overdraw(table: ChipTable) -> None:
    """A card too many behind a complete coup."""
    events = new_events(table, ("card", "8D"))
    assert one(events, "card")["flags"]["surplus"]
    assert (one(events, "irregularity")["case"], table.outputs & LOCK) == ("player_overdraw", LOCK)


@pytest.mark.chip_full
def test_a_coup_of_four_and_a_card_too_many(chip: Chip) -> None:
    def act(table: ChipTable) -> None:
        assert table.hellos[-1]["cause"] == "power"
        opened(table)
        deal(table, FOUR)
        overdraw(table)

    on_table(chip, act)


@pytest.mark.chip_full
def test_coups_of_four_five_and_six(chip: Chip) -> None:
    def act(table: ChipTable) -> None:
        opened(table)
        for cards in (FOUR, FIVE, SIX):
            deal(table, cards)
            confirm(table)

    on_table(chip, act)


@pytest.mark.chip_full
def test_irregularities(chip: Chip) -> None:
    """Unreadable, foreign, a wrong result, the lid, the cutting card, and a card too many: each from pins to UART."""

    def act(table: ChipTable) -> None:
        opened(table)
        unreadable(table)
        for card in FOUR[1:]:
            table.do(("card", card))
        wrong_result(table)
        overdraw(table)
        confirm(table)
        lid(table)
        cutting_card(table)
        foreign(table)

    on_table(chip, act)


def unreadable(table: ChipTable) -> None:
    """A blank card is held until somebody keys it in."""
    events = new_events(table, ("card", "blank"))
    assert one(events, "reject")["reason"] == "blank"
    assert (one(events, "fault")["fault"], one(events, "irregularity")["case"]) == ("card", "misread_card")
    assert table.outputs & (LOCK | FAULT) == LOCK | FAULT
    events = new_events(table, ("command", ("key_card", {"card": FOUR[0], "flags": {}})))
    assert one(events, "command_done")["outcome"] == "done"
    assert one(events, "card")["flags"]["keyed"]
    assert one(events, "fault_cleared")["by"] == "command"
    assert not table.outputs & (LOCK | FAULT)


def wrong_result(table: ChipTable) -> None:
    """The dealer presses Banker though the Player has won: a supervisor decides."""
    events = new_events(table, ("press", "banker"))
    assert one(events, "irregularity")["case"] == "scan_discrepancy"
    assert (one(events, "fault")["fault"], table.outputs & FAULT) == ("decision", FAULT)
    one(new_events(table, ("command", ("clear_fault", {"fault": "decision"}))), "fault_cleared")
    assert not table.outputs & FAULT


def lid(table: ChipTable) -> None:
    """Nothing leaves an open shoe; the supervisor's key ends the fault once it is shut."""
    assert one(new_events(table, ("lid", True)), "fault")["fault"] == "lid"
    assert table.outputs & (LOCK | FAULT) == LOCK | FAULT
    table.do(("lid", False))
    assert one(new_events(table, ("key", True)), "fault_cleared")["by"] == "key"
    table.do(("key", False))
    assert not table.outputs & (LOCK | FAULT)


def cutting_card(table: ChipTable) -> None:
    one(new_events(table, ("card", "CUT")), "cutting_card")


def foreign(table: ChipTable) -> None:
    """A card of another set."""
    events = new_events(table, ("foreign", "8H"))
    assert one(events, "reject")["reason"] == "foreign"
    assert one(events, "irregularity")["case"] == "missing_or_foreign_card"
    assert table.outputs & LOCK


@pytest.mark.chip_full
def test_a_shoe_with_a_key() -> None:
    assert UF2 is not None
    chip = switched_on_chip(Path(UF2), shoe_files(KEY))
    table = ChipTable(chip, MinimalGateway(KEY))
    table.start()
    opened(table)
    deal(table, FOUR)
    assert table.gateway.link.authenticated
    assert not any(table.gateway.link.line_counters().values())


# Play

LINES: list[dict[str, Any]] = [
    {"command": "open_shoe", "burn": "face_up"},
    {"card": "2C"},
    *({"card": card} for card in ("5D", "QH", *FOUR)),
    {"card": "8D", "exposed": True},
    {"power": "cycle"},
    {"button": "confirm"},
    {"card": "KH", "face_up": True},
    {"unreadable": True},
    {"command": "key_card", "card": "KC"},
    {"cut": True},
    {"command": "lock"},
    {"command": "confirm"},
    {"lid": "open"},
]


@pytest.mark.chip_full
def test_steps_of_sabot_play_have_the_answers_of_the_vm() -> None:
    """`sabot play`: the same script on the chip and on the VM, a power cycle in it."""
    profile = profile_of(rulebooks.load("star-baccarat"), {})

    def answers(bench: str) -> list[dict[str, Any]]:
        with bench_of(bench, profile) as shoe:
            table = Play(shoe, "star-baccarat", profile)
            return [table.reply(line) for line in LINES]

    on_chip = answers("rp2040")
    assert on_chip == answers("unix")
    assert sum(len(answer["events"]) for answer in on_chip) > len(LINES)
    assert [answer["outcome"] for answer in on_chip if "outcome" in answer][-1] == "not_now"


# Restarts


@pytest.mark.chip_full
def test_the_watchdog_ends_a_loop_that_hangs(chip: Chip) -> None:
    def act(table: ChipTable) -> dict[str, Any]:
        hellos = len(table.hellos)
        table.run_for(9_000_000)  # a healthy loop feeds it
        assert len(table.hellos) == hellos
        chip.hang()
        table.run_until(lambda: len(table.hellos) > hellos, most_us=12_000_000)
        return table.hellos[-1]

    assert on_table(chip, act)["cause"] == "watchdog"


@pytest.mark.chip_full
def test_a_reboot_by_command_is_logged_as_such(chip: Chip) -> None:
    def act(table: ChipTable) -> dict[str, Any]:
        hellos = len(table.hellos)
        table.command("reboot")
        table.run_until(lambda: len(table.hellos) > hellos)
        return table.hellos[-1]

    assert on_table(chip, act)["cause"] == "command"


# Power cuts

SCRIPT: list[Step] = [
    ("press", "new_shoe"),
    ("card", "2C"),
    *(("card", card) for card in FOUR),
    ("card", "8D"),  # one too many: it begins the next coup
    ("press", "confirm"),
    ("card", "KH"),
    ("card", "blank"),
    ("command", ("key_card", {"card": "KC", "flags": {}})),
    ("card", "9H"),
    ("press", "confirm"),
]


def played(records: list[Record]) -> list[Record]:
    """The log without what a start adds to it and without what is measured."""
    return [(kind, _bare(kind, body)) for kind, body in records if kind not in NOT_PLAYED]


def _bare(kind: str, body: bytes) -> bytes:
    """Without speed and margin."""
    return body[:6] + body[9:] if kind == "card" else body[:6] if kind == "reject" else body


def of_gateway(gateway: MinimalGateway) -> list[Record]:
    return [(event.kind, event.raw[13:]) for event in gateway.events]


@pytest.mark.chip_full
@pytest.mark.parametrize("seed", SEEDS)
def test_cuts_at_any_cycle(chip: Chip, seed: int) -> None:
    """A step whose event is not in the log after a cut is done again: the card is put back and pulled once more."""
    rng, cuts = random.Random(seed), min(CUTS_A_SEED, CUTS)
    saved, script, steps = Kept(kept(chip)), SCRIPT if CUTS > 1 else SCRIPT[:4], 0
    for cut in range(cuts + 1):
        cut_us = rng.randint(1, LONGEST_US) if cut < cuts else None
        before, saved = log_in(saved.flash), in_fork(live, chip, saved, script, cut_us)
        logged, got = log_in(saved.flash), of_gateway(saved.gateway)
        print(
            f"seed {seed} life {cut}: {cut_us} us, {saved.step} steps, {len(logged)} events, {len(got)} at the gateway"
        )
        assert logged[: len(before)] == before, "an event that was in flash is gone"
        assert logged[: len(got)] == got, "the gateway has another log than the shoe"
        assert saved.drops == 0
        assert saved.step >= steps
        steps = saved.step
    assert [event.event_no for event in saved.gateway.events] == list(range(1, len(logged) + 1))
    records, state = uninterrupted(script)
    assert played(got) == played(records)
    assert state_in(saved.flash) == state


@pytest.mark.chip_full
def test_a_start_from_a_spare_is_a_cold_start(chip: Chip) -> None:
    """The spare spares time and nothing else: a chip that is really switched off and on does the same to the cycle."""
    first: Kept = in_fork(live, chip, Kept(kept(chip)), SCRIPT[:2], None)

    def started(cold: bool) -> tuple[list[tuple[int, int]], bytes]:
        give(chip, first.flash)
        if cold:
            chip.power_cycle()
        chip.run_to(STARTED_NS)
        return chip.received, kept(chip)

    assert in_fork(started, True) == in_fork(started, False)
