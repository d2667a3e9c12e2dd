"""And recordings can fail: firmware that is broken on purpose is found, and the event that differs is named.

Two of the changes; `make broken` tries all of them.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from sabot_sim.rigs.vm import firmware_dir
from sabot_tools.stand.broker import LocalBroker
from support import broken
from support.broken_lines import CHANGES, Change

ONE_COUP = broken.FOLDER / "by_hand" / "one-coup.shoe"
TIE = "            return WINNER_TIE"
HARMLESS = Change("dealing/coup", TIE, f"{TIE}  # neither", "a comment")


def change_to(new: str) -> Change:
    (found,) = [change for change in CHANGES if change.new.strip() == new]
    return found


def test_swapped_sides_are_named_by_the_event_of_the_coup(server: LocalBroker) -> None:
    swapped = change_to("return WINNER_BANKER if self.player_points > self.banker_points else WINNER_PLAYER")
    found = broken.tried(swapped, [ONE_COUP], server)
    assert (found.recording, found.event) == (
        "by_hand/one-coup",
        "14 coup: winner: 'player' expected, 'banker' found",
    )


def test_a_shoe_whose_program_ends_stopped_before_an_event(server: LocalBroker) -> None:
    found = broken.tried(change_to("self._slot = 0"), [ONE_COUP], server)
    assert found.event == "the shoe stopped before its first event; the next event should be 1 (boot)"


def test_a_change_that_changes_nothing_survives(server: LocalBroker) -> None:
    found = broken.tried(HARMLESS, [ONE_COUP], server)
    assert (found.recording, found.event, found.unnamed) == ("", "", ())


@pytest.mark.parametrize("old", ["            return WINNER_NONE", "        self.start()\n", f"{TIE} "])
def test_a_line_that_is_not_there_cannot_be_changed(old: str) -> None:
    with pytest.raises(broken.BrokenError, match="has 0 lines"):
        broken.changed((firmware_dir() / "sabot" / "dealing" / "coup.py").read_text(), replace(HARMLESS, old=old))


def test_a_line_that_is_there_twice_cannot_be_changed() -> None:
    with pytest.raises(broken.BrokenError, match="has 2 lines 'a', not one"):
        broken.changed("a\nb\na", replace(HARMLESS, old="a"))


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change.module}: {change.old.strip()}")
def test_every_change_can_be_made_and_its_recording_exists(change: Change) -> None:
    text = (firmware_dir() / "sabot" / f"{change.module}.py").read_text()
    assert broken.changed(text, change) != text
    assert not change.shown_by or Path(broken.FOLDER / f"{change.shown_by}.shoe").exists()


def test_every_file_of_the_card_path_is_broken_at_least_twice() -> None:
    count = Counter(change.module for change in CHANGES)
    assert set(count) == {"dealing/coup", "reading/marks", "reading/reader", "storage/journal", "link/frame"}
    assert min(count.values()) >= 2
