"""The identities that a hostile shoe claims."""

from contextlib import suppress

from independent.shoe import Identity

from siege import control
from siege.stage import Role, Stage


def _identity(stage: Stage, unit: bytes, key: bytes | None = None) -> Identity:
    return Identity(unit, bytes.fromhex(stage.spec.protocol_hash), key, boot_count=stage.connections & 0xFFFF)


def stranger(stage: Stage) -> Identity:
    """An unknown unit without a key."""
    return _identity(stage, b"\xbad" + stage.rng.randbytes(6))


def keyed(stage: Stage) -> Identity:
    """A hostile unit of the house with the right key."""
    units = sorted(stage.spec.units)
    unit = units[stage.rng.randrange(len(units))] if units else "bad0" * 4
    return _identity(stage, bytes.fromhex(unit), bytes.fromhex(stage.spec.units.get(unit, "00" * 32)))


def wrong_key(stage: Stage) -> Identity:
    """A unit of the house with a wrong key."""
    units = sorted(stage.spec.units)
    return _identity(stage, bytes.fromhex(stage.rng.choice(units)), stage.rng.randbytes(32))


def clone(stage: Stage) -> Identity:
    """An honest unit's id without its key, and a log that continues where the honest one is."""
    stage.history = stage.rng.choice((0, 100, 5000, 30_000))
    keyless = [honest for honest in stage.spec.honest if not honest.key]
    return _identity(stage, bytes.fromhex(stage.rng.choice((*stage.spec.honest, *keyless * 3)).unit))


def clone_of_keyed(stage: Stage) -> Identity:
    """An honest unit that has a key, without it or with a wrong one."""
    units = [honest.unit for honest in stage.spec.honest if honest.key]
    return _identity(stage, bytes.fromhex(stage.rng.choice(units)), stage.rng.choice((None, stage.rng.randbytes(32))))


def gateway_itself(stage: Stage) -> Identity:
    """The gateway's own id, from WHO or from its status."""
    stage.history = stage.rng.choice((0, 100))
    if not any(stage.gateway):
        with suppress(OSError, ValueError, KeyError):
            stage.gateway = bytes.fromhex(control.status(stage.spec, 1.0)["gateway"])
    return _identity(stage, stage.gateway)


def zeros(stage: Stage) -> Identity:
    """A unit id of zeros, or of ones."""
    return _identity(stage, stage.rng.choice((bytes(8), b"\xff" * 8)))


ROLES: dict[str, Role] = {
    "stranger": stranger,
    "keyed": keyed,
    "wrong_key": wrong_key,
    "clone": clone,
    "clone_of_keyed": clone_of_keyed,
    "gateway_itself": gateway_itself,
    "zeros": zeros,
}
