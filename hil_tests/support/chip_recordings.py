"""Which recordings `make test` replays on the emulated chip, and which no chip can replay."""

from itertools import pairwise
from typing import Final

from sabot_protocol.recording import Act
from sabot_sim.chip.emulators import JS, Emulator
from sabot_tools.replay.recording_file import LoadedRecording

# Short ones of every topic that are as expected on the chip; hil_tests/README.md lists those that are not.
# A few seconds each in rp2040js. In rp2040py only those that are marked `quick`.
SHORT: Final = (
    "by_hand/one-coup",
    "cutting/burn-shown-nz",
    "cutting/mid-coup-rapid",
    "cutting/not-cut",
    "cutting/very-first-card",
    "disputes/clause-missing",
    "disputes/confirmed-otherwise",
    "electronics/buttons-together",
    "electronics/sensor-stuck",
    "electronics/store-damaged",
    "irregularities/face-up-later",
    "irregularities/face-up-later-international",
    "irregularities/foreign-card",
    "irregularities/foreign-card-crown",
    "irregularities/keyed-in",
    "irregularities/misread-noticed-late",
    "irregularities/no-shoe-open",
    "irregularities/overdraw-behind-the-last-coup",
    "irregularities/third-card-to-player",
    "irregularities/wrong-side-rapid",
    "link/forged",
    "optics/back-and-forth",
    "optics/doubtful",
    "optics/lid-open",
    "optics/pushed-back",
    "optics/stop-and-go",
    "optics/unreadable",
    "power/in-a-fault",
    "power/mid-coup",
    "power/mid-draw",
)
# Read otherwise at one phase of the chip's clock of samples: hil_tests/README.md.
ON_AN_EDGE: Final = ("optics/half-drawn",)
# rp2040js takes 9 s of CPU time for a minute in which nothing happens.
_LONGEST_PAUSE_S: Final = 600


def beyond_the_chip(recording: LoadedRecording) -> str:
    """Return why the emulated chip cannot replay it, an empty text if it can."""
    acts = [record.act for record in recording.records if isinstance(record, Act)]
    if any(act["do"] == "shoe" for act in acts):
        return "a second controller needs the unix bench: the emulated chip has one unit number"
    if any(act.get("damage") == "image" for act in acts):
        return "damage to the program needs the unix bench"
    times_us = [record.t_us for record in recording.records]
    pause_s = max(later - earlier for earlier, later in pairwise([0, *times_us])) // 1_000_000
    if pause_s > _LONGEST_PAUSE_S:
        return f"a pause of {pause_s // 60} minutes needs the unix bench: the chip's loop runs through all of it"
    return ""


def is_short(name: str, recording: LoadedRecording, emulator: Emulator) -> bool:
    """Return True if `make test` replays it on the chip in this emulator."""
    return name in SHORT if emulator.name == JS else bool(recording.metadata.get("quick"))
