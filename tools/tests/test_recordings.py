"""sabot record --scenario: one by name, the list, all again; nothing is overwritten, nothing of a run is lost."""

import json
from pathlib import Path

import pytest
from sabot_sim.scenarios import SCENARIOS
from sabot_tools.actions import record
from sabot_tools.replay import scenario_recordings
from typer.testing import CliRunner, Result

NAME = "irregularities/third-card-to-player"
RUN = {"counters": {"gaps": 1}, "events": [{"no": 1}], "published": [], "said": []}


def call(*args: object) -> Result:
    return CliRunner().invoke(record.app, [str(arg) for arg in args])


def test_the_list_has_every_scenario_and_its_description() -> None:
    lines = call("--scenario", "list").stdout.splitlines()
    assert lines == [f"{name}: {one.about}" for name, one in SCENARIOS.items()]


def test_a_scenario_is_written_with_its_truth_and_the_same_again(tmp_path: Path) -> None:
    first, second = tmp_path / "first.shoe", tmp_path / "second.shoe"
    for out in (first, second):
        assert call(out, "--scenario", NAME).exit_code == 0
    assert first.read_bytes() == second.read_bytes()
    sidecar = json.loads(first.with_suffix(".json").read_text())
    assert sidecar["truth"]["irregularities"] == ["player_overdraw"]
    assert "events" not in sidecar


def test_another_seed_is_another_recording(tmp_path: Path) -> None:
    first, second = tmp_path / "first.shoe", tmp_path / "second.shoe"
    call(first, "--scenario", NAME)
    call(second, "--scenario", NAME, "--seed", 2)
    assert first.read_bytes() != second.read_bytes()


def test_an_existing_recording_is_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "there.shoe"
    out.write_bytes(b"precious")
    result = call(out, "--scenario", NAME)
    assert (result.exit_code, out.read_bytes()) == (1, b"precious")
    assert "exists and is not overwritten; choose another name" in result.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("x.shoe", "--scenario", "irregularities/none"), "unknown scenario 'irregularities/none'"),
        (("--scenario", NAME), "give the file to write"),
        (("x.shoe",), "choose one of --scenario"),
        (("x.shoe", "--scenario", NAME, "--profile", "normal"), "choose one of --scenario"),
    ],
)
def test_what_cannot_be_recorded_is_an_error(args: tuple[str, ...], message: str) -> None:
    result = call(*args)
    assert result.exit_code != 0
    assert message in result.stderr


def test_results_of_a_replay_stay_while_the_recording_is_the_same(tmp_path: Path) -> None:
    out = tmp_path / "kept.shoe"
    assert scenario_recordings.write(SCENARIOS[NAME], out)
    sidecar_file = out.with_suffix(".json")
    sidecar_file.write_text(json.dumps({**json.loads(sidecar_file.read_text()), **RUN}))
    scenario_recordings.write(SCENARIOS[NAME], out)
    assert not scenario_recordings.write(SCENARIOS[NAME], out)
    assert json.loads(sidecar_file.read_text())["events"] == RUN["events"]
    assert scenario_recordings.write(SCENARIOS[NAME], out, seed=2)
    assert "events" not in json.loads(sidecar_file.read_text())
