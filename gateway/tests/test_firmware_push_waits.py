"""A push of firmware that waits: how long, how it ends, and what a shoe that comes back later changes."""

from pathlib import Path
from typing import Any

import pytest
from sabot_gateway.shoe.firmware_push import RESTART_WITHIN_S, FirmwarePush
from sabot_protocol import firmware
from sabot_protocol.firmware import SignedImage, packed, sign

UNIT = bytes.fromhex("5ab0000000000001")
OLD, NEW = b"\1" * 8, b"\2" * 8
RESTARTS_S = 4 * 60.0  # three starts of a minute each, as firmware/README.md has it, and the start of the old image


class Shoe:
    """What a shoe says to a push, and when."""

    def __init__(self, folder: Path) -> None:
        key = firmware.make_keys(folder)
        self.image = sign(SignedImage(b"\0\2\0", NEW, packed({"program.mpy": b"new"})), folder / "firmware.key")
        self.push, self.now_s = FirmwarePush(lambda: key), 1000.0
        self.hello(OLD, 1)

    def hello(self, image: bytes, boots: int, cause: str = "power") -> None:
        body = {"unit": UNIT, "image_hash": image, "cause": cause, "boot_count": boots, "firmware_version": b"\0\2\0"}
        self.push.hello(body)

    def begin(self) -> None:
        self.push.begin(self.image, "attempt-1", allow_older=False, other_protocol=False)

    def ready(self) -> None:
        """Get to where the image is received and the command to switch is due."""
        self.begin()
        self.push.tick(self.now_s)
        assert self.push.due(self.now_s) is not None
        state = {"state": "ready", "image_hash": NEW, "received": len(self.image.archive)}
        self.push.take(state, self.now_s)
        assert self.push.switch_due() == {"image_hash": NEW}

    def restarting(self) -> None:
        self.ready()
        self.push.outcome({"command": "switch_image", "outcome": "done"})

    def wait(self, seconds: float) -> None:
        """Let time pass, as the daemon does, also without a shoe."""
        end_s = self.now_s + seconds
        while self.now_s < end_s:
            self.push.tick(self.now_s)
            self.now_s = min(self.now_s + 1.0, end_s)
        self.push.tick(self.now_s)

    def ended(self) -> list[tuple[bool, str, str]]:
        """Take what is to be stored."""
        found = [(end.ok, end.attempt, end.unit) for end in self.push.ended]
        self.push.ended.clear()
        return found


@pytest.fixture
def shoe(tmp_path: Path) -> Shoe:
    return Shoe(tmp_path)


def status(shoe: Shoe) -> dict[str, Any]:
    found = shoe.push.status()
    return {name: found[name] for name in ("phase", "say")}


def test_a_shoe_that_does_not_come_back_ends_the_push_and_another_is_accepted(shoe: Shoe) -> None:
    shoe.restarting()
    shoe.wait(RESTART_WITHIN_S)
    assert (shoe.push.phase, shoe.push.active(), shoe.ended()) == ("restarting", True, [])
    shoe.wait(2.0)
    assert not shoe.push.active()
    assert shoe.ended() == [(False, "attempt-1", UNIT.hex())]
    assert status(shoe)["phase"] == "failed"
    for words in ("has not come back within 10 minutes", "check its power and cable", "`sabot firmware status`"):
        assert words in status(shoe)["say"]
    shoe.hello(OLD, 2)
    assert shoe.push.phase == "failed"
    shoe.begin()
    assert shoe.push.active()
    assert shoe.push.due(shoe.now_s) is not None


def test_it_waits_for_all_starts_of_an_image_that_fails(shoe: Shoe) -> None:
    assert RESTARTS_S < RESTART_WITHIN_S
    shoe.restarting()
    shoe.wait(RESTARTS_S)
    shoe.hello(OLD, 5, "reverted")
    assert "did not confirm itself" in status(shoe)["say"]
    assert shoe.ended() == [(False, "attempt-1", UNIT.hex())]


@pytest.mark.parametrize(("image", "cause", "ok"), [(NEW, "command", True), (OLD, "reverted", False)])
def test_a_shoe_that_comes_back_late_is_recognised_once(shoe: Shoe, image: bytes, cause: str, ok: bool) -> None:
    shoe.restarting()
    shoe.wait(RESTART_WITHIN_S + 1)
    shoe.ended()
    shoe.wait(3600.0)
    shoe.hello(image, 3, cause)
    assert shoe.ended() == [(ok, "attempt-1", UNIT.hex())]
    assert status(shoe)["phase"] == ("running" if ok else "failed")
    shoe.hello(image, 4, cause)
    assert shoe.ended() == []


def test_a_shoe_that_is_lost_before_it_switches_is_waited_for_as_long(shoe: Shoe) -> None:
    shoe.ready()
    shoe.wait(RESTART_WITHIN_S + 1)
    assert shoe.ended() == [(False, "attempt-1", UNIT.hex())]


def test_a_shoe_that_is_unplugged_while_it_receives_ends_the_push(shoe: Shoe) -> None:
    shoe.begin()
    shoe.wait(299.0)
    assert shoe.push.active()
    shoe.wait(3.0)
    assert shoe.ended() == [(False, "attempt-1", UNIT.hex())]
    assert "does not answer" in status(shoe)["say"]


def test_a_time_in_which_the_line_was_not_read_does_not_count(shoe: Shoe) -> None:
    shoe.restarting()
    shoe.wait(RESTART_WITHIN_S - 10)
    late_s = shoe.now_s + 3600.0
    shoe.push.read_late(shoe.now_s, late_s)
    shoe.now_s = late_s
    shoe.wait(9.0)
    assert shoe.push.active()
    shoe.wait(3.0)
    assert not shoe.push.active()
