"""The whole shoe on the emulated chip: main.py, a gateway's link at its UART, hands at its pins, power that is cut.

A start from nothing takes a chip 0.7 s until it first looks at its journal, and the emulator half a minute. So a
`spare` chip is brought to that point once; each life is a fork of it that gets the flash of the life before.
"""

import os
import pickle
import random
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sabot_gateway.link import ShoeLink
from sabot_gateway.parse import Event, Frame, Parser
from sabot_protocol import fields, messages, rulebooks
from sabot_protocol.cardcode import set_words
from sabot_sim import firmware
from sabot_sim.bench import BenchError, firmware_dir
from sabot_sim.chip import DECODED_GPIO, OUTPUT_GPIOS, RESERVED_BLOCKS, Chip, firmware_image
from sabot_sim.flash import Flash
from sabot_sim.optics import Edge, card_edges, cutting_card_edges

GATEWAY: Final = bytes.fromhex("6a7e000000000001")
BOOK: Final = "star-baccarat"
PROFILE: Final = rulebooks.load(BOOK).profile(8, 1, {})
SPEED: Final = 1500  # mm/s
STEP_US: Final = 4_000
PRESS_US: Final = 60_000
GAP_US: Final = 40_000  # between two steps of the dealer
OFF_S: Final = 0.2  # how long the power stays away

BUTTONS: Final = {name: 1 << bit for bit, name in enumerate(("player", "banker", "tie", "confirm", "new_shoe"), 4)}
KEY, LID = 1 << 9, 1 << 10
LOCK, PLAYER, BANKER, TIE, PLAYER_PAIR, BANKER_PAIR, FAULT, LAST_COUP, WAITING, BUZZER = (1 << bit for bit in range(10))
RESULTS: Final = PLAYER | BANKER | TIE | PLAYER_PAIR | BANKER_PAIR

_FLASH_BYTES, _SECTOR = 2 << 20, 4096
_REGION: Final = _FLASH_BYTES - RESERVED_BLOCKS * _SECTOR
_KEYED: Final = "keyed"

Step = tuple[str, Any]


class PowerCut(Exception):  # noqa: N818
    """The power is gone."""


@dataclass
class Gateway:
    """The gateway's link with a list for its ledger; a life can be ended and the next begun, for it goes by pickle."""

    key: bytes | None = None
    events: list[Event] = field(default_factory=list)
    hellos: list[dict[str, Any]] = field(default_factory=list)
    parser: Parser = field(default_factory=Parser)
    now_s: float = 0.0

    def __post_init__(self) -> None:
        """As after a start."""
        self._rng = random.Random(1)
        self.link = ShoeLink(PROFILE, self._durable, GATEWAY, self._keys, self._nonce)
        self.link.opened()

    def _durable(self, _unit: str) -> int:
        return len(self.events)

    def _keys(self, _unit: str) -> tuple[bytes, ...]:
        return (self.key,) if self.key else ()

    def _nonce(self) -> bytes:
        return self._rng.randbytes(8)

    def exchange(self, data: bytes, now_s: float) -> bytes:
        """One turn: bytes in, bytes out; what has come is durable at once."""
        self.now_s = now_s
        self.hellos += [frame.body for frame in self._frames(data) if frame.type == "hello"]
        self.link.tick(now_s)
        new = self.link.receive(data, now_s)
        self.events += new
        if new:
            self.link.acknowledge(new[-1].event_no, now_s)
        out = self.link.output()
        self.link.written(len(out))
        return out

    def _frames(self, data: bytes) -> list[Frame]:
        return self.parser.feed(data)

    def of(self, *kinds: str) -> list[Event]:
        """Events of these kinds."""
        return [event for event in self.events if event.kind in kinds]


class Table:
    """A chip that runs main.py, from its start or from a spare; `cut_ns` is when its power goes."""

    def __init__(self, chip: Chip, gateway: Gateway, cut_ns: int | None = None) -> None:
        self.chip, self.gateway, self.cut_ns = chip, gateway, cut_ns
        self.outputs = self._seen = self._heard = self._levels = 0
        self._start_s = gateway.now_s + OFF_S - chip.now_ns / 1e9
        self._hellos = len(gateway.hellos)

    def step(self) -> None:
        """A little time passes; the gateway hears and answers, unless the power goes."""
        chip = self.chip
        end_ns = chip.now_ns + STEP_US * 1000
        chip.run_to(min(end_ns, self.cut_ns or end_ns))
        if self.cut_ns is not None and chip.now_ns >= self.cut_ns:
            raise PowerCut
        self._look()
        data = bytes(byte for _, byte in chip.received[self._heard :])
        self._heard += len(data)
        chip.send(self.gateway.exchange(data, self._start_s + chip.now_ns / 1e9))

    def _look(self) -> None:
        """Follow lock and lamps."""
        for change in self.chip.changes[self._seen :]:
            if change.gpio in OUTPUT_GPIOS:
                bit = 1 << OUTPUT_GPIOS.index(change.gpio)
                self.outputs = self.outputs | bit if change.level else self.outputs & ~bit
        self._seen = len(self.chip.changes)

    def run_for(self, us: int) -> None:
        """Let so much time pass."""
        end_ns = self.chip.now_ns + us * 1000
        while self.chip.now_ns < end_ns:
            self.step()

    def run_until(self, condition: Callable[[], bool], most_us: int = 4_000_000) -> None:
        """Let time pass until the condition holds."""
        end_ns = self.chip.now_ns + most_us * 1000
        while not condition():
            if self.chip.now_ns >= end_ns:
                last = [(event.kind, event.data) for event in self.gateway.events[-5:]]
                raise BenchError(f"the shoe did not get there in {most_us} us; {self.gateway.link.problem}; {last}")
            self.step()

    def caught_up(self) -> bool:
        """The shoe has said in this life what its log holds, and the gateway has all of it and the profile is set."""
        hellos = self.gateway.hellos[self._hellos :]
        events = self.gateway.events
        return bool(
            hellos
            and hellos[-1]["next_event_no"] <= len(events) + 1
            and (any(hellos[-1]["profile_hash"]) or self.gateway.of("profile_set"))
        )

    def start(self) -> None:
        """Wait until the shoe is up and the gateway has its log."""
        self.run_until(self.caught_up)
        self.run_for(GAP_US)

    # Hands

    def play(self, edges: Iterable[Edge]) -> None:
        """Move the inputs, and let it settle."""
        edges = list(edges)
        self.chip.pins([(t_us, pins | self._levels) for t_us, pins in edges])
        self.run_for(edges[-1][0] + GAP_US)

    def card(self, name: str, card_set: int = 1) -> None:
        """Pull a card; `CUT` is the cutting card, `blank` one without a code."""
        if name == "CUT":
            return self.play(cutting_card_edges(SPEED))
        return self.play(card_edges("" if name == "blank" else set_words(card_set)[name], SPEED))

    def press(self, button: str) -> None:
        """Press a button and let it go."""
        self.play([(0, BUTTONS[button]), (PRESS_US, 0)])

    def turn(self, level: int, on: bool) -> None:
        """Key or lid."""
        self._levels = self._levels | level if on else self._levels & ~level
        self.play([(0, 0), (PRESS_US, 0)])

    def command(self, kind: str, **data: Any) -> None:
        """Have the gateway say this, unless it already does."""
        if not self.gateway.link.commands.waiting:
            self.gateway.link.command(kind, **data)

    def do(self, step: Step) -> Event:
        """One step of a script: the event that says it was taken."""
        before = len(self.inputs())
        what, value = step
        acts: dict[str, Callable[[Any], None]] = {
            "card": self.card,
            "foreign": lambda name: self.card(name, 2),
            "press": self.press,
            "lid": lambda on: self.turn(LID, on),
            "key": lambda on: self.turn(KEY, on),
            "command": lambda said: self.command(said[0], **said[1]),
        }
        acts[what](value)
        self.run_until(lambda: len(self.inputs()) > before)
        self.run_for(GAP_US)
        return self.inputs()[before]

    def inputs(self) -> list[Event]:
        """What people did, as the gateway knows it: one event a step of a script."""
        kinds = ("card", "cutting_card", "button", "reject", "lid", "key", "command_done", "command_refused")
        return [event for event in self.gateway.of(*kinds) if not event.data.get("flags", {}).get(_KEYED)]


# Chips


def shoe_image(key: bytes | None = None) -> dict[str, bytes]:
    """The files of a shoe."""
    return firmware_image(firmware_dir() / "main.py") | ({"key.bin": key} if key else {})


def spare(uf2: Path, files: dict[str, bytes]) -> Chip:
    """A chip that has just been switched on, and has not yet looked at journal and store."""
    chip = Chip(uf2, files)
    chip.run_until(lambda: any(change.gpio == DECODED_GPIO for change in chip.changes), most_us=3_000_000)
    return chip


def kept(chip: Chip) -> bytes:
    """What journal and store have in flash."""
    return bytes(chip.mcu.flash[_REGION:_FLASH_BYTES])


def give(chip: Chip, flash: bytes) -> None:
    """Let a spare find this in its flash."""
    chip.mcu.flash[_REGION:_FLASH_BYTES] = flash


Record = tuple[str, bytes]  # kind and body of an event


def _shoe_on(flash: bytes | None = None) -> tuple[Any, Any]:
    """The firmware's journal and shoe in this interpreter, on a copy of what a chip has kept."""
    journal, profile = firmware.module("sabot.journal"), firmware.module("sabot.profile").Profile(4)
    profile.load(messages.profile_hash(PROFILE) + messages.Profile.build(PROFILE), 0)
    medium = Flash(journal.SECTORS)
    if flash is not None:
        medium.data[:] = flash[: len(medium.data)]
    log = journal.Journal(medium)
    return log, firmware.module("sabot.shoe").Shoe(log, profile)


def _records(log: Any) -> list[Record]:
    assert log.oldest() == 1
    record, found = bytearray(32), []
    for event_no in range(1, log.next_no):
        assert log.read(event_no, record)
        found.append((str(messages.EventKind.decmapping[record[8]]), bytes(record[10 : 10 + record[9]])))
    return found


def _state(shoe: Any) -> dict[str, Any]:
    """By field, without where the log begins, and without what New shoe asked for once that is done."""
    left_out = ("profile", "base_no", *(() if shoe.it.open_due else ("open_decks", "open_burn")))
    fields_of = vars(shoe.it).items()
    found = {name: value for name, value in fields_of if not name.startswith("_") and name not in left_out}
    return found | {"coup": vars(shoe.it.coup)}


def log_in(flash: bytes) -> list[Record]:
    """Every event that the flash holds, from the first on."""
    return _records(_shoe_on(flash)[0])


def state_in(flash: bytes) -> dict[str, Any]:
    """What the firmware's own state is after this log, by field."""
    return _state(_shoe_on(flash)[1])


def uninterrupted(script: list[Step]) -> tuple[list[Record], dict[str, Any]]:
    """What a shoe logs for this script and where it stands, without sensors, line, chip or cuts."""
    log, shoe = _shoe_on()
    for step in script:
        _do(shoe, *step)
    return _records(log), _state(shoe)


def _do(shoe: Any, what: str, value: Any) -> None:
    if what == "press":
        shoe.press(0, list(BUTTONS).index(value) + 1)
    elif what == "command":
        data = messages.COMMANDS[value[0]].build(value[1])
        shoe.obey(0, shoe.it.last_command_id + 1, messages.CommandKind.encmapping[value[0]], data, 0, len(data))
    elif value == "blank":
        shoe.reject(0, fields.RejectReason.encmapping["blank"], 0, 0, 0, 0)
    else:
        shoe.card(0, list(set_words(1)).index(value), 0, 0)


# Lives


@dataclass
class Kept:
    """What outlives a power cut: the flash, and a gateway that was never switched off."""

    flash: bytes
    gateway: Gateway = field(default_factory=Gateway)
    outputs: int = 0
    drops: int = 0  # of PIO steps in the emulator: anything but 0 spoils the test
    step: int = 0


def live(chip: Chip, before: Kept, script: list[Step], cut_us: int | None) -> Kept:
    """One life from a spare: the dealer goes on from what the gateway knows, until the script or the power ends."""
    give(chip, before.flash)
    table = Table(chip, before.gateway, None if cut_us is None else chip.now_ns + cut_us * 1000)
    try:
        table.start()
        while len(table.inputs()) < len(script):
            table.do(script[len(table.inputs())])
        table.run_for(4 * GAP_US)
    except PowerCut:
        pass
    return Kept(kept(chip), before.gateway, table.outputs, chip.backlog_drops, len(table.inputs()))


def in_fork(act: Callable[..., Any], *args: Any) -> Any:
    """What this returns in a process of its own, which has a copy of everything; nothing changes here."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            answer = (act(*args), "")
        except BaseException:
            answer = (None, traceback.format_exc())
        with os.fdopen(write, "wb") as out:
            pickle.dump(answer, out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as back:
        result, error = pickle.load(back)
    os.waitpid(child, 0)
    if error:
        raise BenchError(error)
    return result
