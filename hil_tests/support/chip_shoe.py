"""Lives of the whole shoe on the emulated chip, from power on to power off, and its flash after them.

Each life is a fork of a spare chip (`sabot_sim.chip.rp2040`) that gets the flash of the previous life.
"""

from dataclasses import dataclass, field
from typing import Any

from sabot_protocol import fields, messages
from sabot_protocol.cardcode import set_words
from sabot_sim.chip.chip import FLASH_BYTES, Chip
from sabot_sim.chip.rp2040 import REGION
from sabot_sim.rigs import firmware
from sabot_sim.rigs.flash import Flash
from sabot_tools.bench.chip_table import BUTTONS, GAP_US, ChipTable, PowerCut, Step
from sabot_tools.stand.minimal_gateway import PROFILE, MinimalGateway

# Chips


def kept(chip: Chip) -> bytes:
    """Return the flash of journal and store."""
    return chip.read_flash(REGION, FLASH_BYTES - REGION)


def give(chip: Chip, flash: bytes) -> None:
    """Put this into the flash of a spare."""
    chip.write_flash(REGION, flash)


Record = tuple[str, bytes]  # kind and body of an event


def _shoe_on(flash: bytes | None = None) -> tuple[Any, Any]:
    """Return the firmware's journal and shoe in this interpreter, on a copy of a chip's flash."""
    journal, profile = firmware.module("sabot.storage.journal"), firmware.module("sabot.profile").Profile(4)
    profile.load(messages.profile_hash(PROFILE) + messages.Profile.build(PROFILE), 0)
    medium = Flash(journal.SECTORS)
    if flash is not None:
        medium.data[:] = flash[: len(medium.data)]
    log = journal.Journal(medium)
    return log, firmware.module("sabot.dealing.shoe").Shoe(log, profile)


def _records(log: Any) -> list[Record]:
    assert log.oldest() == 1
    record, found = bytearray(32), []
    for event_no in range(1, log.next_no):
        assert log.read(event_no, record)
        found.append((str(messages.EventKind.decmapping[record[8]]), bytes(record[10 : 10 + record[9]])))
    return found


def _state(shoe: Any) -> dict[str, Any]:
    """Return the fields of the state, without those that only a start or a gateway sets."""
    left_out = ("profile", "replay_from", "boots", "profile_hash")
    fields_of = vars(shoe.state).items()
    found = {name: value for name, value in fields_of if not name.startswith("_") and name not in left_out}
    return found | {"coup": vars(shoe.state.coup)}


def log_in(flash: bytes) -> list[Record]:
    """Return every event that the flash holds, from the first on."""
    return _records(_shoe_on(flash)[0])


def state_in(flash: bytes) -> dict[str, Any]:
    """Return the fields of the firmware's own state after this log."""
    return _state(_shoe_on(flash)[1])


def uninterrupted(script: list[Step]) -> tuple[list[Record], dict[str, Any]]:
    """Return what a shoe logs for this script and its state, without sensors, line, chip or power cuts."""
    log, shoe = _shoe_on()
    for step in script:
        _do(shoe, *step)
    return _records(log), _state(shoe)


def _do(shoe: Any, what: str, value: Any) -> None:
    if what == "press":
        shoe.press(0, list(BUTTONS).index(value) + 1)
    elif what == "command":
        data = messages.COMMANDS[value[0]].build(value[1])
        shoe.command(0, shoe.state.last_command_id + 1, messages.CommandKind.encmapping[value[0]], data, 0, len(data))
    elif value == "blank":
        shoe.reject(0, fields.RejectReason.encmapping["blank"], 0, 0, 0, 0)
    else:
        shoe.card(0, list(set_words(1)).index(value), 0, 0)


# Lives


@dataclass
class Kept:
    """What remains after a power cut: the flash, and a gateway that was never switched off."""

    flash: bytes
    gateway: MinimalGateway = field(default_factory=MinimalGateway)
    outputs: int = 0
    drops: int = 0  # of PIO steps in the emulator: anything but 0 spoils the test
    step: int = 0


def live(chip: Chip, before: Kept, script: list[Step], cut_us: int | None) -> Kept:
    """Run one life from a spare: the dealer goes on from what the gateway has, until the script or the power ends."""
    give(chip, before.flash)
    table = ChipTable(chip, before.gateway, None if cut_us is None else chip.now_ns + cut_us * 1000)
    try:
        table.start()
        while len(table.inputs()) < len(script):
            table.do(script[len(table.inputs())])
        table.run_for(4 * GAP_US)
    except PowerCut:
        pass
    return Kept(kept(chip), before.gateway, table.outputs, chip.backlog_drops, len(table.inputs()))
