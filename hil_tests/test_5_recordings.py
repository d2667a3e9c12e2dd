"""Then: every recording, through firmware, link, gateway, ledger and broker, brings what its sidecar expects."""

import os
from pathlib import Path

import pytest
from sabot_protocol import rulebooks
from sabot_sim.chip.emulators import chosen
from sabot_sim.rigs.rig import BenchError
from sabot_tools.replay.files import differences_from_sidecar
from sabot_tools.replay.on_bench import BENCHES, started_chip
from sabot_tools.replay.recording_file import load
from sabot_tools.stand.broker import LocalBroker
from support.chip_recordings import SHORT, beyond_the_chip, is_short

FOLDER = Path(__file__).with_name("recordings")
RECORDINGS = sorted(FOLDER.glob("*/*.shoe"))
ALL = bool(os.environ.get("SABOT_ALL_RECORDINGS"))
# Clean shoes of a rulebook that differ only in the number of decks, between its fewest and its most.
BETWEEN = {f"{book}-{decks}" for book in rulebooks.ids() for decks in sorted(rulebooks.load(book).decks.allowed)[1:-1]}


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def test_there_are_recordings() -> None:
    assert set(SHORT) <= set(map(_name, RECORDINGS))


def test_what_no_chip_can_replay_has_a_reason() -> None:
    reasons = {_name(path): reason for path in RECORDINGS if (reason := beyond_the_chip(load(path)))}
    assert set(reasons) == {
        "electronics/image-damaged",
        "irregularities/deck-check",
        "irregularities/shoe-dies",
        "link/broker-away",
    }
    assert "300 minutes" in reasons["irregularities/deck-check"]
    assert "180 minutes" in reasons["link/broker-away"]


@pytest.mark.benches(*BENCHES)
@pytest.mark.parametrize("path", RECORDINGS, ids=_name)
def test_a_recording_brings_what_its_sidecar_expects(path: Path, bench: str, server: LocalBroker) -> None:
    if bench == "rp2040":
        _or_skip(path)
    elif not ALL and path.stem in BETWEEN:
        pytest.skip("the fewest and the most decks are replayed; `make replay-vm` replays every recording")
    differences = differences_from_sidecar(path, bench, server)
    assert not differences, "\n".join([str(path), *differences])


def _or_skip(path: Path) -> None:
    recording = load(path)
    if reason := beyond_the_chip(recording):
        pytest.skip(reason)
    try:
        if not ALL and not is_short(_name(path), recording, chosen()):
            pytest.skip("not of the short set; SABOT_ALL_RECORDINGS=1 replays all on the emulated chip")
        started_chip(recording.table_setup().key)
    except BenchError as error:
        pytest.skip(str(error))
