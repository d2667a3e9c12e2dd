"""A table with the whole shoe on the emulated chip: main.py, a gateway at its UART, a dealer at its pins."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from sabot_gateway.shoe.parse import Event, Parser
from sabot_protocol.cardcode import set_words
from sabot_sim.chip.chip import OUTPUT_GPIOS, Chip
from sabot_sim.optics.signals import Edge, card_edges, cutting_card_edges
from sabot_sim.rigs.rig import BenchError

from sabot_tools.stand.minimal_gateway import MinimalGateway

SPEED: Final = 1500  # mm/s
STEP_US: Final = 4_000
PRESS_US: Final = 60_000
GAP_US: Final = 40_000  # between two steps of the dealer
OFF_S: Final = 0.2  # how long the power is off

BUTTONS: Final = {name: 1 << bit for bit, name in enumerate(("player", "banker", "tie", "confirm", "new_shoe"), 4)}
KEY, LID = 1 << 9, 1 << 10
LOCK, PLAYER, BANKER, TIE, PLAYER_PAIR, BANKER_PAIR, FAULT, LAST_COUP, WAITING, BUZZER = (1 << bit for bit in range(10))
RESULTS: Final = PLAYER | BANKER | TIE | PLAYER_PAIR | BANKER_PAIR

_KEYED: Final = "keyed"

Step = tuple[str, Any]


class PowerCut(Exception):  # noqa: N818
    """The power was cut at the planned time."""


class ChipTable:
    """A chip that runs main.py, just booted or forked from a booted one; `cut_ns` is when its power is cut."""

    def __init__(self, chip: Chip, gateway: MinimalGateway, cut_ns: int | None = None) -> None:
        self.chip, self.gateway, self.cut_ns = chip, gateway, cut_ns
        self.outputs = self._seen = self._heard = self._levels = 0
        self._start_s = gateway.now_s + OFF_S - chip.now_ns / 1e9
        self._parser = Parser()
        self.hellos: list[dict[str, Any]] = []  # since the last power-on

    def step(self) -> None:
        """Let a few milliseconds pass and the gateway exchange bytes; PowerCut if the power is cut."""
        chip = self.chip
        end_ns = chip.now_ns + STEP_US * 1000
        chip.run_to(min(end_ns, self.cut_ns or end_ns))
        if self.cut_ns is not None and chip.now_ns >= self.cut_ns:
            raise PowerCut
        self._follow_outputs()
        data = self.received()
        self.hellos += [frame.body for frame in self._parser.feed(data) if frame.type == "hello"]
        self.send(self.gateway.exchange(data, self._start_s + chip.now_ns / 1e9))

    def received(self) -> bytes:
        """Return the bytes that the shoe has sent since the last call."""
        data = bytes(byte for _, byte in self.chip.received[self._heard :])
        self._heard += len(data)
        return data

    def send(self, data: bytes) -> None:
        """Send bytes to the shoe."""
        self.chip.send(data)

    def _follow_outputs(self) -> None:
        """Update `outputs`: lock and lamps."""
        for change in self.chip.changes[self._seen :]:
            if change.gpio in OUTPUT_GPIOS:
                bit = 1 << OUTPUT_GPIOS.index(change.gpio)
                self.outputs = self.outputs | bit if change.level else self.outputs & ~bit
        self._seen = len(self.chip.changes)

    def run_for(self, us: int) -> None:
        """Let this much time pass."""
        end_ns = self.chip.now_ns + us * 1000
        while self.chip.now_ns < end_ns:
            self.step()

    def run_until(self, condition: Callable[[], bool], most_us: int = 4_000_000) -> None:
        """Let time pass until the condition holds; BenchError if it does not in `most_us`."""
        end_ns = self.chip.now_ns + most_us * 1000
        while not condition():
            if self.chip.now_ns >= end_ns:
                last = [(event.kind, event.data) for event in self.gateway.events[-5:]]
                raise BenchError(
                    f"not reached in {most_us} us; problem: {self.gateway.link.problem}; last events: {last}"
                )
            self.step()

    def caught_up(self) -> bool:
        """Return True if the gateway has the whole log since the last power-on, and the shoe has a profile."""
        return bool(
            self.hellos
            and self.hellos[-1]["next_event_no"] <= len(self.gateway.events) + 1
            and (any(self.hellos[-1]["profile_hash"]) or self.gateway.of("profile_set"))
        )

    def start(self) -> None:
        """Wait until the shoe runs and the gateway has its log."""
        self.run_until(self.caught_up)
        self.run_for(GAP_US)

    # What a dealer does

    def play(self, edges: Iterable[Edge]) -> None:
        """Move the inputs, and wait a moment."""
        edges = list(edges)
        self.chip.pins([(t_us, pins | self._levels) for t_us, pins in edges])
        self.run_for(edges[-1][0] + GAP_US)

    def card(self, name: str, card_set: int = 1) -> None:
        """Pull a card; `CUT` is the cutting card, `blank` a card without a code."""
        if name == "CUT":
            return self.play(cutting_card_edges(SPEED))
        return self.play(card_edges("" if name == "blank" else set_words(card_set)[name], SPEED))

    def press(self, button: str) -> None:
        """Press and release a button."""
        self.play([(0, BUTTONS[button]), (PRESS_US, 0)])

    def turn(self, level: int, on: bool) -> None:
        """Turn the key, or open or close the lid."""
        self._levels = self._levels | level if on else self._levels & ~level
        self.play([(0, 0), (PRESS_US, 0)])

    def command(self, kind: str, **data: Any) -> None:
        """Have the gateway send a command, unless one is already waiting."""
        if not self.gateway.link.commands.waiting:
            self.gateway.link.command(kind, data)

    def do(self, step: Step) -> Event:
        """Do one step of a script; return the event that the shoe logs for it."""
        before = len(self.inputs())
        what, value = step
        acts: dict[str, Callable[[Any], None]] = {
            "card": self.card,
            "foreign": lambda name: self.card(name, 2),
            "press": self.press,
            "lid": lambda on: self.turn(LID, on),
            "key": lambda on: self.turn(KEY, on),
            "command": lambda command: self.command(command[0], **command[1]),
        }
        acts[what](value)
        self.run_until(lambda: len(self.inputs()) > before)
        self.run_for(GAP_US)
        return self.inputs()[before]

    def inputs(self) -> list[Event]:
        """Return the events that people caused: one for each step of a script."""
        kinds = ("card", "cutting_card", "button", "reject", "lid", "key", "command_done", "command_refused")
        return [event for event in self.gateway.of(*kinds) if not event.data.get("flags", {}).get(_KEYED)]
