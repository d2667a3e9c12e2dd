"""Then: every recording, through firmware, link, gateway, ledger and broker, brings what its sidecar expects."""

import os
from pathlib import Path

import pytest
from sabot_protocol import rulebooks
from sabot_sim.rigs.rig import BenchError
from sabot_tools.replay.files import differences_from_sidecar
from sabot_tools.replay.on_bench import BENCHES, started_chip
from sabot_tools.replay.recording_file import load
from sabot_tools.stand.broker import LocalBroker

FOLDER = Path(__file__).with_name("recordings")
RECORDINGS = sorted(FOLDER.glob("*/*.shoe"))
ALL = bool(os.environ.get("SABOT_ALL_RECORDINGS"))
# Clean shoes of a rulebook that differ only in the number of decks, between its fewest and its most.
BETWEEN = {f"{book}-{decks}" for book in rulebooks.ids() for decks in sorted(rulebooks.load(book).decks.allowed)[1:-1]}


def test_there_are_recordings() -> None:
    assert RECORDINGS


@pytest.mark.benches(*BENCHES)
@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_recording_brings_what_its_sidecar_expects(path: Path, bench: str, server: LocalBroker) -> None:
    if bench == "rp2040":
        _or_skip(path)
    elif not ALL and path.stem in BETWEEN:
        pytest.skip("the fewest and the most decks are replayed; `make replay-vm` replays every recording")
    differences = differences_from_sidecar(path, bench, server)
    assert not differences, "\n".join([str(path), *differences])


def _or_skip(path: Path) -> None:
    if not ALL and not load(path).metadata.get("quick"):
        pytest.skip("not of the quick set; SABOT_ALL_RECORDINGS=1 replays all on the emulated chip")
    try:
        started_chip()
    except BenchError as error:
        pytest.skip(str(error))
