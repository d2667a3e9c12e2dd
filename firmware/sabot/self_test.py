"""Start and self-test: log why the shoe starts and what works, before the line is used."""

from struct import pack_into

import slots
from micropython import const

from sabot import wire
from sabot.storage.store import BOOTS, CAUSE, Count

_SENSOR_PINS = const(15)


def start_cause(main):
    """Return why the shoe starts: a way back, the cause that was stored before the restart, or else the board's."""
    stored = main.store.get_number(CAUSE)
    if slots.state == slots.REVERTED:
        slots.confirm()
        return wire.CAUSE_REVERTED
    if stored:
        main.store.put_number(CAUSE, 0)
    return stored or main.board.cause()


def on_trial():
    """Return True if the image is new and must confirm itself."""
    return slots.state.isdigit()


def count_boot(main):
    """Count this start; return the new count."""
    store, logged = main.store, main.shoe.state.boots
    if 0 < (logged - store.get_number(BOOTS) & 0xFFFF) < 0x8000:  # the store has lost its count, the log has it
        store.put_number(BOOTS, logged)
    return Count(store, BOOTS).bump()


def log_boot(main):
    """Log this start; a program that failed before it is reported as a fault."""
    shoe = main.shoe
    pack_into(wire.EVENT_BOOT_FORMAT, main.journal.record, wire.RECORD_DATA, main.boots, main.cause)
    shoe.log(0, wire.EV_BOOT, wire.EVENT_BOOT_SIZE)
    shoe.log_consequences(0)
    if main.cause == wire.CAUSE_ERROR:
        shoe.fail(0, wire.FAULT_PROGRAM)


def run(main):
    """Test and log image, journal, flash and sensors; return True if the line may be used.

    A damaged journal forbids dealing, not the line: the gateway must get what is left of the log.
    """
    shoe, record = main.shoe, main.journal.record
    image = main.image_hash = main.board.image_hash()
    passed = _passed(main, image)
    record[wire.EVENT_SELF_TEST_PASSED] = passed
    record[
        wire.EVENT_SELF_TEST_IMAGE_HASH : wire.EVENT_SELF_TEST_IMAGE_HASH + wire.EVENT_SELF_TEST_IMAGE_HASH_BYTES
    ] = image
    now_ms = main.sampler.now_ms
    shoe.log(now_ms, wire.EV_SELF_TEST, wire.EVENT_SELF_TEST_SIZE)
    line_allowed = passed & wire.TEST_IMAGE and passed & wire.TEST_FLASH
    if not line_allowed or not passed & wire.TEST_JOURNAL:
        shoe.fail(now_ms, wire.FAULT_JOURNAL if passed & wire.TEST_IMAGE else wire.FAULT_IMAGE)
    elif shoe.state.log_unsound():
        shoe.log_cleared(now_ms, wire.FAULT_JOURNAL, wire.BY_ITSELF)
    return line_allowed != 0


def _passed(main, image):
    """Return a bit for each test that passed."""
    journal, store = main.journal, main.store
    passed = wire.TEST_IMAGE if main.board.image_sound(image) else 0
    if not (journal.lost or journal.worn or main.shoe.damaged or store.damaged):
        passed |= wire.TEST_JOURNAL
    if store.get_number(BOOTS) == main.boots:
        passed |= wire.TEST_FLASH
    if not main.sampler.pins & _SENSOR_PINS:
        passed |= wire.TEST_SENSORS
    return passed
