"""Firmware push: sends a signed image to a shoe part by part, has it switch, and waits until the new image answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from sabot_protocol import messages
from sabot_protocol.firmware import ImageError, PublisherKey, SignedImage
from sabot_protocol.messages.frames import DATA_BYTES

Phase = Literal["none", "sending", "switching", "restarting", "running", "failed"]
Frame = tuple[str, dict[str, Any]]

_ASK_EVERY_S: Final = 1.0
_MOST_SWITCHES: Final = 3
_ANSWER_WITHIN_S: Final = 300.0  # without a word of the shoe; while a shoe is open the push waits for ever
RESTART_WITHIN_S: Final = 600.0  # three starts of an image that fails take four minutes, then the old one answers
_BACK: Final = ("idle", "shoe_open")  # states in which the shoe must get `update` again
_REFUSALS: Final = {
    "no_slots": "its board has no slots; flash it once with `sabot flash`",
    "no_key": "it has no public key of a publisher; flash it once with `sabot flash PORT --firmware-key firmware.pub`",
    "on_trial": "its running image has not confirmed itself yet; wait a minute, then push again",
    "older": "the image is older than the one it runs; push again with --allow-older",
    "bad_signature": "the image is not signed with the publisher's key that is in the shoe; compare the keys",
    "bad_image": "what it received is not what was signed; push again",
    "no_room": "its flash cannot be written, or is full; flash it with `sabot flash PORT --erase`",
}
_NOT_BACK: Final = (
    f"the shoe has not come back within {RESTART_WITHIN_S / 60:.0f} minutes of its restart with the new image; check "
    "its power and cable. When it is back, `sabot firmware status` shows which image it runs: push again if it is the "
    "old one. If it stays away, flash it with `sabot flash`"
)


@dataclass(frozen=True)
class PushEnd:
    """How a push has ended, for the ledger."""

    attempt: str  # the id of the request
    unit: str
    image: SignedImage
    ok: bool
    say: str


@dataclass
class FirmwarePush:
    """Sans-I/O: what the shoe says in, frames out, time as an argument; one push at a time, none after a restart."""

    key: Callable[[], PublisherKey | None]
    running: dict[str, str] = field(default_factory=dict)  # version, image and cause of the start, by the last HELLO
    ended: list[PushEnd] = field(default_factory=list)  # to be stored
    phase: Phase = "none"
    say: str = ""
    _image: SignedImage | None = None
    _attempt: str = ""
    _unit: str = ""  # by the last HELLO
    _allow_older: bool = False
    _state: str = ""  # of the last update_state
    _received: int = 0
    _fresh: bool = False  # it is not answered yet
    _accepted: bool = False  # the shoe has begun to receive
    _boots: int = -1
    _switches: int = 0
    _sent_s: float = 0.0
    _heard_s: float | None = None  # since when the shoe is waited for; None: from the next tick on
    _given_up: bool = False  # the shoe did not come back from its restart; it may still do so

    def begin(self, image: SignedImage, attempt: str, *, allow_older: bool, other_protocol: bool) -> None:
        """Push this image; ImageError if the publisher has not signed it, or if it may not be pushed like this."""
        key = self.key()
        if key is None:
            raise ImageError("the gateway has no key of a publisher: set `firmware_key` in its config")
        image.check(key)
        if image.protocol_hash != messages.protocol_hash() and not other_protocol:
            raise ImageError(
                f"the image uses protocol {image.protocol_hash.hex()}, this gateway {messages.protocol_hash().hex()}: "
                "afterwards this gateway cannot serve the shoe until it is updated too. To push it all the same, add "
                "--other-protocol"
            )
        if image.image_hash.hex() == self.running.get("image"):
            raise ImageError(f"the shoe runs this image already: {image.image_hash.hex()}")
        self._image, self._attempt, self._allow_older = image, attempt, allow_older
        self.phase, self.say, self._state, self._received, self._switches = "sending", "", "", 0, 0
        self._fresh, self._accepted, self._sent_s, self._heard_s = False, False, 0.0, None
        self._given_up = False

    def active(self) -> bool:
        """Return True while a push is in progress."""
        return self.phase in ("sending", "switching", "restarting")

    def tick(self, now_s: float) -> None:
        """End a push whose shoe does not answer or does not come back; call it also while no shoe is served."""
        if not self.active():
            return
        if self._heard_s is None:
            self._heard_s = now_s
        silent_s = now_s - self._heard_s
        if self.phase == "sending" and silent_s > _ANSWER_WITHIN_S:
            self._end("failed", "the shoe does not answer; check its cable and power, then push again")
        elif self.phase != "sending" and silent_s > RESTART_WITHIN_S:
            self._end("failed", _NOT_BACK)
            self._given_up = True

    def read_late(self, since_s: float, now_s: float) -> None:
        """Do not count a time in which the line was not read."""
        if self._heard_s is not None:
            self._heard_s += now_s - since_s

    def due(self, now_s: float) -> Frame | None:
        """Return the frame to send now; a part goes at once when the one before was answered."""
        if self.phase != "sending" or self._image is None:
            return None
        if not self._fresh and now_s - self._sent_s < _ASK_EVERY_S:
            return None
        self._fresh, self._sent_s = False, now_s
        if self._state != "receiving":
            return "update", self._image.update(allow_older=self._allow_older)
        part = self._image.archive[self._received : self._received + DATA_BYTES]
        return "update_data", {"offset": self._received, "part": part.ljust(DATA_BYTES, b"\0")}

    def take(self, body: Mapping[str, Any], now_s: float) -> None:
        """Take an update_state of the shoe."""
        if self.phase != "sending" or self._image is None:
            return
        state, mine = body["state"], body["image_hash"] == self._image.image_hash
        self._heard_s = now_s
        if state in _REFUSALS:
            self._end("failed", f"the shoe refuses: {_REFUSALS[state]}")
        elif state == "shoe_open" and not self._accepted:
            self._end("failed", "the shoe refuses: a shoe is open. Push between two shoes")
        else:
            self._accepted = self._accepted or mine
            self._state, self._received = (state, body["received"]) if mine else ("idle", 0)
            if state == "shoe_open":
                self._state = state
            self._fresh = state == "receiving"

    def switch_due(self) -> dict[str, Any] | None:
        """Return the values of the command that starts the image, once, when the shoe is ready for it."""
        if self.phase != "sending" or self._state != "ready" or self._image is None:
            return None
        self.phase, self._switches, self._heard_s = "switching", self._switches + 1, None
        return {"image_hash": self._image.image_hash}

    def outcome(self, data: Mapping[str, Any]) -> None:
        """Take the outcome of the command: a shoe that was opened meanwhile is dealt first."""
        if self.phase == "switching" and data["command"] == "switch_image":
            done = data["outcome"] == "done"
            self.phase, self._state = ("restarting", "") if done else ("sending", "shoe_open")
            self._heard_s = None

    def hello(self, body: Mapping[str, Any]) -> None:
        """Take a HELLO of the shoe that is served: the new image answers, or the old one again."""
        image, cause, boots = body["image_hash"].hex(), body["cause"], body["boot_count"]
        started, self._boots, self._unit = boots != self._boots, boots, body["unit"].hex()
        version = ".".join(map(str, body["firmware_version"]))
        self.running = {"version": version, "image": image, "cause": cause}
        if self._image is None or not (self.active() or self._given_up):
            return
        if image == self._image.image_hash.hex():
            self._end("running", f"the shoe runs version {version}, image {image}")
        elif started and cause == "reverted":
            self._end("failed", f"the new image did not confirm itself: the shoe runs image {image} again")
        elif started and self.phase in ("switching", "restarting"):
            self._again()

    def _again(self) -> None:
        """Go on after a restart with the old image: the power was cut before the switch."""
        if self._switches >= _MOST_SWITCHES:
            self._end("failed", "the shoe has restarted with its old image; report this with its log")
        else:
            self.phase, self._state, self._heard_s = "sending", "idle", None

    def other_release(self, protocol: str) -> None:
        """Take the protocol of a shoe that this gateway cannot serve: it may be the one that was pushed."""
        waited_for = self.active() or self._given_up
        if waited_for and self._image is not None and protocol == self._image.protocol_hash.hex():
            self._end("running", f"the shoe uses protocol {protocol} now; update this gateway to its release")

    def _end(self, phase: Phase, say: str) -> None:
        assert self._image is not None
        self.phase, self.say, self._given_up = phase, say, False
        self.ended.append(PushEnd(self._attempt, self._unit, self._image, phase == "running", say))

    def status(self) -> dict[str, Any]:
        """Return what `sabot firmware status` shows."""
        image = self._image
        found: dict[str, Any] = {"running": self.running or None, "phase": self.phase, "say": self.say}
        if image is not None:
            found |= {
                "image": image.image_hash.hex(),
                "version": image.version_text,
                "state": self._state,
                "received": len(image.archive) if self._state in ("unpacking", "ready") else self._received,
                "length": len(image.archive),
            }
        return found
