"""`sabot table TABLE capture` against a running daemon: `sabot inspect` shows the same as the ledger."""

import json
import os
import resource
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cobs import cobs
from sabot_gateway.ledger import Reader
from sabot_protocol import recording
from support.site_watcher import SiteWatcher, WatchSite, sabot

WINDOW = 24  # events that a shoe sends ahead of their acknowledgement


class Capturing:
    """`sabot table bac-01 capture` as a process, while the shoe continues."""

    def __init__(self, watcher: SiteWatcher, *options: str, **more: Any) -> None:
        self._watcher = watcher
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sabot_tools", "table", "bac-01", "capture", *options],
            env={**os.environ, "SABOT_CONTROL": str(watcher.site.plan.work_dir / "control.sock")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )

    def ended(self) -> tuple[int, str, str]:
        """Status, stdout and stderr."""
        self._watcher.run_until(lambda _: self.process.poll() is not None)
        out, err = self.process.communicate()
        return self.process.returncode, out, err

    def has_bytes(self, path: Path) -> None:
        """Wait until the file holds something of the line."""
        self._watcher.run_until(lambda _: path.exists() and held(path).counts.line_bytes > 0)


def held(path: Path) -> recording.Reader:
    """A recording as far as it is written."""
    reader = recording.Reader()
    for _ in reader.feed(path.read_bytes()):
        pass
    return reader


def inspected(path: Path) -> list[dict[str, Any]]:
    """The frames, all of them sound."""
    ran = sabot("inspect", str(path))
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def sound_frames(path: Path) -> list[dict[str, Any]]:
    """The frames without damage, as far as the file is written."""
    frames = [json.loads(line) for line in sabot("inspect", str(path)).stdout.splitlines()]
    return [frame for frame in frames if "error" not in frame]


def bodies(frames: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [frame["body"] for frame in frames if frame["type"] == kind]


def test_what_inspect_shows_is_what_the_ledger_holds(watch_site: WatchSite, tmp_path: Path) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    out = tmp_path / "evening.shoe"
    status, stdout, stderr = Capturing(watcher, "--seconds", "2.5", "--out", str(out)).ended()
    assert (status, stdout) == (0, "")
    assert " bytes from the shoe, " in stderr
    watcher.site.power_off("bac-01")
    watcher.run_until_received()
    frames = inspected(out)
    events = bodies(frames, "event")
    numbers = [event["event_no"] for event in events]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    with closing(Reader(watcher.site.ledger_path)) as ledger:
        stored = {entry.event_no: entry.frame for entry in ledger.entries() if entry.frame}
    raws = [bytes.fromhex(frame["hex"]) for frame in frames if frame["type"] == "event"]
    assert all(stored[number] in framed(raw) for number, raw in zip(numbers, raws, strict=True))
    coups = {(coup["shoe"], coup["coup"]): coup["winner"] for coup in watcher.messages("coup")}
    shown = {(one["data"]["shoe_no"], one["data"]["coup_no"]): one["data"]["winner"] for one in of_kind(events, "coup")}
    assert len(shown) > 1
    assert shown.items() <= coups.items()
    acknowledged = [ack["event_no"] for ack in bodies(frames, "ack")]
    assert acknowledged == sorted(acknowledged)
    assert acknowledged[-1] >= numbers[-1] - WINDOW
    assert {frame["from"] for frame in frames} == {"shoe", "gateway"}
    assert sabot("inspect", str(out), "--pcapng", str(tmp_path / "evening.pcapng")).returncode == 0


def framed(wire: bytes) -> bytes:
    """The body of a frame as it went over the line."""
    return bytes(cobs.decode(wire.removesuffix(b"\0")))


def of_kind(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["kind"] == kind]


def test_a_restart_of_the_shoe_shows_its_hello(watch_site: WatchSite, tmp_path: Path) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    out = tmp_path / "restart.shoe"
    capturing = Capturing(watcher, "--seconds", "600", "--out", str(out))
    capturing.has_bytes(out)
    watcher.site.power_cycle("bac-01")
    watcher.run_until(lambda _: bool(of_kind(bodies(sound_frames(out), "event"), "boot")))
    capturing.process.send_signal(signal.SIGINT)
    status, _, _ = capturing.ended()
    assert status == 0
    sound = sound_frames(out)
    assert [hello["boot_count"] for hello in bodies(sound, "hello")][-1] == 2
    assert {"who", "welcome"} <= {frame["type"] for frame in sound if frame["from"] == "gateway"}
    assert of_kind(bodies(sound, "event"), "boot")


def test_the_default_file_is_named_on_stdout(watch_site: WatchSite, tmp_path: Path) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    here = tmp_path / "here"
    here.mkdir()
    status, stdout, _ = Capturing(watcher, "--seconds", "0.5", cwd=here).ended()
    assert status == 0
    assert [path.name for path in here.iterdir()] == [stdout.strip()]
    assert stdout.startswith("bac-01-")


def test_a_killed_client_ends_its_capture(watch_site: WatchSite, tmp_path: Path) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    first, out = tmp_path / "first.shoe", tmp_path / "second.shoe"
    killed = Capturing(watcher, "--seconds", "600", "--out", str(first))
    killed.has_bytes(first)
    status, _, stderr = Capturing(watcher, "--seconds", "1", "--out", str(out)).ended()
    assert status == 1
    assert "one capture a table at a time" in stderr
    assert not out.exists()
    killed.process.kill()
    killed.ended()
    assert Capturing(watcher, "--seconds", "1", "--out", str(out)).ended()[0] == 0
    watcher.run_for_coups(1)


def test_a_full_disk_is_reported_and_the_daemon_continues(watch_site: WatchSite, tmp_path: Path) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    out = tmp_path / "small.shoe"

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))

    status, _, stderr = Capturing(watcher, "--seconds", "600", "--out", str(out), preexec_fn=little_room).ended()
    assert status == 1
    assert "the capture cannot be written: File too large; what is in the file can be read" in stderr
    assert "Traceback" not in stderr
    watcher.run_for_coups(1)
    assert Capturing(watcher, "--seconds", "0.5", "--out", str(tmp_path / "again.shoe")).ended()[0] == 0


@pytest.mark.parametrize("where", ["nowhere/x.shoe", "there.shoe"])
def test_an_unwritable_path_is_reported_before_anything_is_captured(
    watch_site: WatchSite, tmp_path: Path, where: str
) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    (tmp_path / "there.shoe").write_text("mine")
    status, _, stderr = Capturing(watcher, "--out", str(tmp_path / where)).ended()
    assert status == 1
    assert (
        "exists, and is not overwritten; give another name" in stderr
        or "No such file or directory; give a path" in stderr
    )
    assert (tmp_path / "there.shoe").read_text() == "mine"
    assert "captured" not in (watcher.site.plan.work_dir / "gateway.log").read_text()


def test_a_daemon_that_stops_ends_the_file_properly(watch_site: WatchSite, tmp_path: Path) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    out = tmp_path / "stopped.shoe"
    capturing = Capturing(watcher, "--seconds", "600", "--out", str(out))
    capturing.has_bytes(out)
    watcher.site.children.release(watcher.site.gateway)
    watcher.site.gateway.terminate()
    assert capturing.ended()[0] == 0
    assert inspected(out)


def test_a_daemon_that_is_killed_leaves_a_whole_file_and_status_one(watch_site: WatchSite, tmp_path: Path) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    out = tmp_path / "killed.shoe"
    capturing = Capturing(watcher, "--seconds", "600", "--out", str(out))
    capturing.has_bytes(out)
    watcher.site.kill_gateway()
    status, _, stderr = capturing.ended()
    assert status == 1
    assert "the gateway ended the capture early" in stderr
    assert inspected(out)
