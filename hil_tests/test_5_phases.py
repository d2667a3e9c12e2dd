"""Then: no recording that CI replays on the chip depends on the phase of the chip's clock of samples."""

from pathlib import Path
from typing import Final

import pytest
from sabot_protocol.recording import Edge
from sabot_sim.rigs.reader import Answer, VmReader
from sabot_tools.replay.recording_file import LoadedRecording, load
from support.chip_recordings import ON_AN_EDGE, SHORT

FOLDER = Path(__file__).with_name("recordings")
TICK_US: Final = 8  # firmware/sabot/boards/rp2.py looks at the sensors so often

Read = list[tuple[int, int]]
Result = tuple[str | None, str | None, int, int]


def _edges(recording: LoadedRecording) -> Read:
    return [(record.t_us, record.levels) for record in recording.records if isinstance(record, Edge)]


def _sampled(edges: Read, phase_us: int) -> Read:
    """Return the edges as a board sees them whose samples are at this phase: each at the next sample."""
    return [(phase_us - (phase_us - t_us) // TICK_US * TICK_US, levels) for t_us, levels in edges]


def _compared(answers: list[Answer]) -> list[Result]:
    """Return what a sidecar has of an answer on every bench."""
    return [(one.card, one.reason, 0 if one.card else one.columns, one.doubtful) for one in answers]


def _phases_that_differ(name: str, reader: VmReader) -> list[int]:
    """Return the phases at which the reader answers otherwise than to the edges as they are recorded."""
    recording = load(FOLDER / f"{name}.shoe")
    edges, card_set = _edges(recording), recording.table_setup().card_set
    exact, *found = reader.read(card_set, [edges, *(_sampled(edges, phase_us) for phase_us in range(TICK_US))])
    assert exact, name
    return [phase_us for phase_us, answers in enumerate(found) if _compared(answers) != _compared(exact)]


@pytest.mark.parametrize("name", SHORT)
def test_a_recording_of_the_chip_is_read_alike_at_every_phase(name: str) -> None:
    with VmReader() as reader:
        assert not _phases_that_differ(name, reader)


@pytest.mark.parametrize("name", ON_AN_EDGE)
def test_a_recording_on_an_edge_is_not(name: str) -> None:
    with VmReader() as reader:
        assert _phases_that_differ(name, reader)
