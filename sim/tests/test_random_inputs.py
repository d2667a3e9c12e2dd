"""The shoe under random inputs: it always goes on, and a power cut after any event leads to the same state.

SABOT_STEPS sets how many inputs each table gets.
"""

import os
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from log_witness import NAMES, Witness, bodies, event
from random_table import COMMANDS, RandomTable, states
from sabot_protocol import fields, messages, rulebooks
from sabot_sim.rigs import firmware

panel = firmware.module("sabot.panel")
wire = firmware.module("sabot.wire")

STEPS = int(os.environ.get("SABOT_STEPS", "300"))
BURN = fields.Burn.encmapping

# Fields of the state that a restart need not bring back. Alarms are counted only for the buzzer.
NEVER = {"profile", "coup", "surplus_coup", "alarms"}
WHEN_FIRST_COUP_OVER = {
    *("burn_mode", "burnt", "burn_missed", "burn_by_value", "first_cards", "first_count", "ordered_set_logged"),
}
WHEN_NOT_PENDING = {
    "pending_open": {"open_decks", "open_burn"},
    "pending_keyed": {"keyed_card", "keyed_flags"},
    "pending_void": {"void_then"},
}
WHEN_CLOSED = {
    *("shoe_no", "closed_no", "phase", "fault", "pending_fault", "pending_clear", "key_on", "lid_open", "locked"),
    *("lock_logged", "journal_full_logged", "last_command_id", "pending_open", "check_next", "replay_from"),
    *("authorisations", "awaiting_authorisation", "pending_close", "pending_void", "pending_keyed", "pending_export"),
    *("pending_import", "case_count", "coups_left", "coup_no"),
}


def known(state: Any) -> dict[str, Any]:
    """Return every field of a state that counts for what comes next."""
    found = {name: value for name, value in vars(state).items() if name not in NEVER}
    found["first_cards"] = bytes(state.first_cards[: state.first_count])
    found["surplus"] = bytes(state.surplus[: state.surplus_count])
    found["_cases"] = bytes(state._cases[: state.case_count])
    found["_facts"] = bytes(state._facts[: 2 * state.case_count])
    for pending, names in WHEN_NOT_PENDING.items():
        if not found[pending]:
            found = {name: value for name, value in found.items() if name not in names}
    if state.check_next == wire.NO_CARD and state.phase != states.CHECKING:
        found.pop("check_differences")
    if state.phase == states.CLOSED:
        return {name: found[name] for name in WHEN_CLOSED}
    if state.first_coup_over:
        found = {name: value for name, value in found.items() if name not in WHEN_FIRST_COUP_OVER}
    coup = state.coup
    return found | {"coup": (bytes(coup.cards[1:]), coup.due, coup.player_points, coup.banker_points)}


class CheckedTable(RandomTable):
    """A table that is checked after every input."""

    def __init__(self, seed: str, profile: bytes) -> None:
        super().__init__(seed, profile)
        self.lamps = panel.Lamps(self.shoe)
        self.witness = Witness()
        self.seen: Counter[str] = Counter()

    def step_twice(self) -> None:
        """Do the same step here and after a restart: both log the same events."""
        before_no, live = self.log.next_no, (self.shoe, self.log)
        dice, now_ms, stock = self.rng.getstate(), self.now_ms, [*self.stock]
        twin = self.restored(before_no)
        twin._noise_ms = self.shoe._noise_ms
        self.step()
        self.rng.setstate(dice)
        self.now_ms, self.stock = now_ms, stock
        self.shoe, self.log = twin, twin.journal
        self.step()
        self.shoe, self.log = live
        assert bodies(twin.journal, before_no) == bodies(self.log, before_no)

    def check_witness(self, before_no: int) -> None:
        """Compare the shoe with what its log implies."""
        state = self.shoe.state
        for record in self.log.records[before_no - 1 :]:
            kind, data = event(record)
            self.seen[data.case if kind == "irregularity" else kind] += 1
            self.witness.see(kind, data)
        held = state.fault or (state.locked and state.phase != states.CHECKING)
        held = held or state.lid_open or state.awaiting_authorisation or self.log.full()
        assert self.shoe.locked() == bool(held or not state.card_due())
        assert state.shoe_no == self.witness.shoe_no
        assert not self.witness.check_due
        assert (state.phase not in (states.CLOSED, states.CHECKING)) == self.witness.open
        if self.witness.open and not self.profile.on(128):
            assert {NAMES[i]: count for i, count in enumerate(state.counts) if count} == {
                card: min(15, count) for card, count in self.witness.out.items() if count
            }
        self.shoe.log_consequences(self.now_ms)
        self.lamps.outputs(self.shoe, self.now_ms)

    def check_restart(self) -> None:
        """A restart restores the state, and logs nothing more."""
        again = self.restored(self.log.next_no)
        assert known(again.state) == known(self.shoe.state)
        again.journal.acked = self.log.acked
        assert again.locked() == self.shoe.locked()
        assert again.idle() == self.shoe.idle()
        next_no = again.journal.next_no
        again.log_consequences(self.now_ms)
        assert again.journal.next_no == next_no, "a restart logged something more"

    def check_cuts(self, before_no: int) -> None:
        """A power cut between the events of one input changes nothing."""
        cuts = range(before_no + 1, self.log.next_no)
        for cut_no in self.rng.sample(cuts, min(len(cuts), 5)):
            again = self.restored(cut_no)
            again.log_consequences(self.now_ms)
            assert bodies(again.journal, before_no) == bodies(self.log, before_no)
            assert known(again.state) == known(self.shoe.state)

    def check_way_out(self) -> None:
        """A supervisor can open a new shoe in any state, in nine steps."""
        shoe, now_ms = self.restored(self.log.next_no), self.now_ms
        number = shoe.state.shoe_no

        def send(name: str, *data: int) -> None:
            shoe.command(now_ms, 1, COMMANDS[name], bytes(data), 0, len(data))

        shoe.lid(now_ms, False)
        shoe.key(now_ms, False)
        shoe.key(now_ms, True)
        send("clear_fault", shoe.state.fault)
        send("unlock")
        send("deck_check", 0, 0)
        send("void_coup", 1, 2)
        send("close_shoe")
        send("open_shoe", 8, BURN["none"])
        shoe.journal.acked = shoe.journal.next_no - 1
        assert shoe.state.phase == states.DEALING
        assert shoe.state.shoe_no == number + 1
        assert not shoe.locked()


def buffer(rulebook: str, choices: dict[str, str]) -> bytes:
    """Return the body of a set_profile frame."""
    profile = rulebooks.load(rulebook).profile(None, 1, choices)
    return messages.profile_hash(profile) + bytes(messages.Profile.build(profile))


def tables() -> Iterator[Any]:
    """Yield every book with every choice that a table has."""
    for rulebook in rulebooks.ids():
        choice = rulebooks.load(rulebook).shoe.choice
        for values in product(*(choice[name].values for name in choice)):
            chosen = dict(zip(choice, values, strict=True))
            yield pytest.param(rulebook, chosen, id="-".join((rulebook, *values)))


def walk(table: CheckedTable, steps: int) -> None:
    """Do some steps, each with all checks."""
    for number in range(steps):
        before_no = table.log.next_no
        table.step_twice()
        table.check_witness(before_no)
        table.check_restart()
        table.check_cuts(before_no)
        table.log.keep_no = table.shoe.state.replay_from
        if number % 5 == 0:
            table.check_way_out()
        if table.rng.random() < 0.5:
            table.log.acked = table.log.next_no - 1


@pytest.mark.parametrize(("rulebook", "choices"), list(tables()))
def test_any_input(rulebook: str, choices: dict[str, str]) -> None:
    table = CheckedTable(f"{rulebook} {choices}", buffer(rulebook, choices))
    walk(table, STEPS)
    assert table.seen["coup"] > STEPS / 100
    assert table.seen["shoe_opened"]
    assert table.seen["checkpoint"]
