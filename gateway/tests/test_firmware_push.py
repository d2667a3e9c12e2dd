"""Firmware over the wire: a daemon pushes images to the firmware on the VM, whose state directory has the slots."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sabot_gateway.app import App
from sabot_gateway.config import Config, Table
from sabot_gateway.operator.requests import TableRequest, parse
from sabot_gateway.shoe.firmware_push import RESTART_WITHIN_S
from sabot_protocol import firmware
from sabot_protocol.firmware import SignedImage
from sabot_service.messages import Answer, Request
from sabot_sim.rigs import build
from sabot_sim.rigs.signed_image import signed_image
from sabot_sim.rigs.slot_shoe import TendedShoe
from support.patience import PATIENCE_S

UNIT = "5ab0000000000001"


class Site:
    """A publisher, a shoe and the daemon that serves it."""

    def __init__(self, folder: Path, *, with_key: bool = True) -> None:
        self.folder, self.files = folder, build.slot_image()
        self.key = firmware.make_keys(folder)
        self.shoe = TendedShoe(UNIT, folder, self.key.raw if with_key else None)
        tables = (Table("bac-01", self.shoe.port, "star-baccarat"),)
        config = Config("test", str(folder / "ledger.db"), "mqtt://127.0.0.1:9", tables)
        self.ahead_s = 0.0  # of the gateway's clock
        self.app = App(
            msgspec.structs.replace(config, firmware_key=str(folder / "firmware.pub")),
            monotonic=lambda: time.monotonic() + self.ahead_s,
        )
        self.until(lambda: self.push["running"] is not None)

    def until(self, done: Callable[[], object]) -> None:
        give_up_s = time.monotonic() + PATIENCE_S
        while not done():
            self.shoe.tend()
            self.app.step(0.02)
            assert time.monotonic() < give_up_s, (self.push, self.shoe.slot())

    @property
    def push(self) -> dict[str, Any]:
        found = self.app._tables["bac-01"].link.firmware
        assert found is not None
        return found.status()

    def image(self, note: bytes = b"", version: bytes | None = None, **changed: bytes) -> SignedImage:
        """Return another image: the same program with a note, or with other files."""
        files = {
            **self.files,
            "note.py": b"# " + note + b"\n",
            **{f"{name}.mpy": data for name, data in changed.items()},
        }
        files["image.bin"] = build.image_digest(files)
        return signed_image(self.folder / "firmware.key", files, version)

    def ask(self, image: SignedImage, **flags: bool) -> Answer:
        """Request a push as `sabot firmware push` does."""
        path = self.folder / "shoe.img"
        path.write_bytes(image.file_bytes())
        args = {"image": str(path), "sha256": image.sha256.hex(), **flags}
        return self.request("push-firmware", **args)

    def request(self, verb: str, **args: Any) -> Answer:
        answers: list[Answer] = []
        request = parse(msgspec.json.encode(Request(verb, "bac-01", "A. Smith", "", args)))
        assert isinstance(request, TableRequest)
        self.app._desk.take(request, "root", self.app._tables["bac-01"], answers.append, self.app._at())
        self.until(lambda: answers)
        return answers[0]

    def entries(self, topic: str) -> list[dict[str, Any]]:
        rows = self.app._ledger.query("SELECT payload FROM entries WHERE topic = ? ORDER BY seq", topic)
        return [msgspec.json.decode(payload) for (payload,) in rows]

    def close(self) -> None:
        self.app.close()
        self.shoe.close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path)
    yield found
    found.close()


def test_an_image_is_pushed_and_runs_and_the_ledger_has_it(site: Site) -> None:
    before, image = site.push["running"], site.image(b"new")
    assert before["image"] == site.files["image.bin"].hex()
    answer = site.ask(image)
    assert answer.ok, answer.say
    site.until(lambda: site.push["phase"] in ("running", "failed"))
    assert site.push["phase"] == "running", site.push
    assert site.push["running"]["image"] == image.image_hash.hex() != before["image"]
    site.until(lambda: site.shoe.slot() == "b=")
    site.until(lambda: site.entries("firmware"))
    (stored,) = site.entries("firmware")
    assert (stored["ok"], stored["unit"], stored["image"]) == (True, UNIT, image.image_hash.hex())
    (attempt,) = (one for one in site.entries("attempt") if one["verb"] == "push-firmware")
    assert (stored["attempt"], attempt["by"]) == (attempt["id"], "A. Smith")
    assert attempt["args"]["sha256"] == image.sha256.hex()
    assert site.shoe.restarted == 1


def test_a_bad_image_is_given_up_and_the_old_one_runs_again(site: Site) -> None:
    """Its program cannot be imported."""
    before, crash = site.push["running"]["image"], build.compiled("program.py", "import no_such_module\n")
    image = site.image(b"bad", program=crash)
    assert site.ask(image).ok
    site.until(lambda: site.push["phase"] in ("running", "failed"))
    assert site.push["running"] == {"version": "0.1.0", "image": before, "cause": "reverted"}
    assert "did not confirm itself" in site.push["say"]
    site.until(lambda: site.shoe.slot() == "a=" and site.entries("firmware"))
    assert [entry["ok"] for entry in site.entries("firmware")] == [False]
    assert site.shoe.restarted == 4  # the switch, and three starts of the new image
    site.until(lambda: site.entries("alarm"))
    assert site.ask(site.image(b"corrected")).ok
    site.until(lambda: len(site.entries("alarm")) > 1 and site.shoe.slot() == "b=")
    alarms = [(alarm["name"], alarm["state"]) for alarm in site.entries("alarm")]
    assert alarms == [("firmware_reverted", "raised"), ("firmware_reverted", "cleared")]


def test_a_shoe_without_power_after_the_switch_ends_the_push_and_is_recognised_when_it_is_back(site: Site) -> None:
    image = site.image(b"new")
    assert site.ask(image).ok
    site.until(lambda: site.push["phase"] == "restarting")
    site.shoe.power_off()
    while site.push["phase"] == "restarting":
        site.ahead_s += 0.1
        site.app.step(0)
    assert abs(site.ahead_s - RESTART_WITHIN_S) < 30
    assert "has not come back within 10 minutes" in site.push["say"]
    site.until(lambda: site.entries("firmware"))
    site.shoe.power_on()
    site.until(lambda: len(site.entries("firmware")) > 1)
    assert [(one["ok"], one["unit"]) for one in site.entries("firmware")] == [(False, UNIT), (True, UNIT)]
    assert site.push["running"]["image"] == image.image_hash.hex()
    site.until(lambda: site.shoe.slot() == "b=")
    assert site.ask(site.image(b"newer")).ok


def test_it_is_refused_in_mid_shoe_and_with_a_wrong_signature(site: Site) -> None:
    image = site.image(b"new")
    forged = SignedImage(image.version, image.image_hash, image.archive, bytes(64))
    refused = site.ask(forged)
    assert not refused.ok
    assert "is not signed with key" in refused.say
    # Past the gateway's check the shoe refuses it itself.
    site.app._tables["bac-01"].link.firmware._image = None  # type: ignore[union-attr]
    push_unchecked(site, forged)
    site.until(lambda: site.push["phase"] == "failed")
    assert "not signed with the publisher's key that is in the shoe" in site.push["say"]
    assert not (site.shoe.flash / "update").exists(), "nothing is written before the signature is checked"
    opened = site.request("open-shoe")
    assert opened.ok, opened.say
    refused = site.ask(image)
    assert not refused.ok
    assert "a shoe is open at bac-01" in refused.say
    push_unchecked(site, image)
    site.until(lambda: site.push["phase"] == "failed")
    assert "a shoe is open" in site.push["say"]


def push_unchecked(site: Site, image: SignedImage) -> None:
    """Begin a push as a gateway would that checks nothing."""
    push = site.app._tables["bac-01"].link.firmware
    assert push is not None
    push._image, push.phase, push._state = image, "sending", ""
    push._fresh = push._accepted = False
    push._heard_s = None


def test_a_push_waits_while_a_shoe_is_dealt_and_goes_on_where_it_was(site: Site) -> None:
    image = site.image(b"new")
    assert site.ask(image).ok
    site.until(lambda: site.push["received"] > 10_000)
    assert site.request("open-shoe").ok
    site.until(lambda: site.push["state"] == "shoe_open")
    assert (site.shoe.flash / "update" / "image").stat().st_size > 10_000
    assert site.request("close-shoe").ok
    site.until(lambda: site.push["state"] == "receiving")
    assert site.push["received"] > 10_000
    site.until(lambda: site.push["phase"] in ("running", "failed"))
    assert site.push["phase"] == "running", site.push


def test_an_older_image_and_one_of_another_protocol_need_a_flag(site: Site) -> None:
    assert site.ask(site.image(b"old", version=b"\0\0\x09")).ok
    site.until(lambda: site.push["phase"] == "failed")
    assert "push again with --allow-older" in site.push["say"]
    other = signed_image(site.folder / "firmware.key", site.files | {"note.py": b""}, protocol=bytes(8))
    refused = site.ask(other)
    assert not refused.ok
    assert "--other-protocol" in refused.say


def test_a_shoe_without_the_publishers_key_takes_no_image(tmp_path: Path) -> None:
    site = Site(tmp_path, with_key=False)
    try:
        assert site.ask(site.image(b"new")).ok
        site.until(lambda: site.push["phase"] == "failed")
        assert "--firmware-key" in site.push["say"]
    finally:
        site.close()
