"""Profile update: load the stored profile at the start, and a new one when the gateway has sent it."""

from sabot import wire
from sabot.link.link import same
from sabot.storage.store import PROFILE


def restore(main):
    """Load the profile that is in flash, if there is one."""
    stored = bytearray(wire.SET_PROFILE_BODY_SIZE)
    if main.store.get(PROFILE, stored) == wire.SET_PROFILE_BODY_SIZE:
        _load(main, stored, 0)


def apply_received(main):
    """Load, store and log the profile that the gateway sent, between shoes or where it was lost in mid-shoe.

    One that makes no sense is dropped without an event; so is one that the open shoe was not dealt by.
    """
    link, shoe = main.link, main.shoe
    lost = shoe.profile_lost()
    if not link.new_profile or not (shoe.idle() or lost):
        return
    link.new_profile = False
    at = wire.SET_PROFILE_PROFILE_HASH
    last_hash = shoe.state.profile_hash
    if lost and any(last_hash) and not same(link.profile, at, last_hash):
        return
    if not _load(main, link.profile, at):
        return
    main.store.put(PROFILE, memoryview(link.profile)[at:], wire.SET_PROFILE_BODY_SIZE)
    record = main.journal.record
    record[wire.RECORD_DATA : wire.RECORD_DATA + wire.EVENT_PROFILE_SET_SIZE] = main.profile.digest
    shoe.log(main.sampler.now_ms, wire.EV_PROFILE_SET, wire.EVENT_PROFILE_SET_SIZE)
    if lost:
        shoe.restore()
        shoe.log_consequences(main.sampler.now_ms)


def _load(main, buf, at):
    """Take the profile into use; return False, and change nothing, if it makes no sense."""
    loaded = main.profile.load(buf, at)
    if loaded:
        main.reader.set_no = main.profile.card_set
    return loaded
