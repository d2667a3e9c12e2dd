"""Turns: what the loop does while an image is received, and until a new one has confirmed itself."""

import gc
import sys
from struct import pack

import slots
from micropython import const

import sabot
from sabot import wire
from sabot.link.frame import number
from sabot.link.link import FIRMWARE_VERSION

_GIVE_UP_MS = const(60_000)  # a gateway asks once a second
_NO_HASH = bytes(wire.UPDATE_STATE_IMAGE_HASH_BYTES)


def turn(main):
    """Watch a new image; take the update frame that has come, go on with an update, and report it."""
    if main.on_trial:
        _watch(main)
    if main.receiver and not _idle(main):  # dealing comes first
        _end(main)
        _report(main, wire.UP_SHOE_OPEN)
    if main.link.update:
        _frame(main)
    if main.receiver:
        before = main.receiver.state
        main.receiver.step()
        if main.receiver.state != before:
            _report(main, 0)
    elif not main.on_trial:
        _unload()


def _watch(main):
    """Confirm the new image once it has passed its self-test and a gateway has asked, or start again."""
    if main.passed and main.link.heard:
        slots.confirm()
        main.on_trial = False
    elif not main.passed or (main.shoe.idle() and main.board.line_ms() > _GIVE_UP_MS):
        main.board.reboot()


def _idle(main):
    return main.shoe.idle() and main.reader.clear()


def _frame(main):
    frame, main.link.update = main.link.update, None
    refusal = wire.UP_IDLE
    if frame[wire.FRAME_TYPE] == wire.TYPE_UPDATE:
        if len(frame) == wire.UPDATE_SIZE:
            refusal = _begin(main, frame)
    elif main.receiver and len(frame) == wire.UPDATE_DATA_SIZE:
        main.receiver.take(number(frame, wire.UPDATE_DATA_OFFSET), frame[wire.UPDATE_DATA_PART :])
    _report(main, refusal)


def _begin(main, frame):
    """Load the receiver of this image; return why not."""
    receiver = main.receiver
    if receiver and receiver.is_of(frame) and receiver.state <= wire.UP_READY:
        return 0
    _end(main)
    if not _idle(main):
        return wire.UP_SHOE_OPEN
    if slots.root is None:
        return wire.UP_NO_SLOTS
    key = main.board.firmware_key()
    if key is None:
        return wire.UP_NO_KEY
    if main.on_trial:
        return wire.UP_ON_TRIAL
    if bytes(frame[wire.UPDATE_VERSION : wire.UPDATE_LENGTH]) < FIRMWARE_VERSION and not frame[wire.UPDATE_ALLOW_OLDER]:
        return wire.UP_OLDER
    from sabot.update.receiver import Receiver

    main.receiver = Receiver(key, frame)
    return 0


def _report(main, refusal):
    """Send how far the update is; the newest report replaces one that is not sent."""
    receiver = main.receiver
    values = (receiver.image_hash, receiver.state, receiver.received) if receiver else (_NO_HASH, refusal, 0)
    main.link.update_state = pack(wire.UPDATE_STATE_FORMAT, *values)


def _end(main):
    if main.receiver:
        main.receiver.close()
        main.receiver = None


def _unload():
    """Have the memory of these modules collected."""
    for name in list(sys.modules):
        if name.startswith("sabot.update"):
            del sys.modules[name]
    del sabot.update  # type: ignore[attr-defined]
    gc.collect()
