"""A table whose shoe gets random inputs."""

import random
from collections.abc import Callable
from typing import Any

from log_witness import Log
from sabot_protocol import fields, messages
from sabot_sim.rigs import firmware

states = firmware.module("sabot.dealing.state")
shoes = firmware.module("sabot.dealing.shoe")
profiles = firmware.module("sabot.profile")
wire = firmware.module("sabot.wire")

COMMANDS = messages.CommandKind.encmapping
SIZES = {name: definition.sizeof() for name, definition in messages.COMMANDS.items()}
OFTEN = ("irregularity",) * 6 + ("card_returned", "burn_card", "deck_check", "no_bet", "export_coup") * 2


class RandomTable:
    """A shoe, its log, and random inputs: mostly those of a dealer, at times any other."""

    def __init__(self, seed: str, profile: bytes) -> None:
        self.rng = random.Random(seed)
        self.log = Log()
        self.profile = profiles.Profile(6)
        assert self.profile.load(profile, 0)
        self.shoe = shoes.Shoe(self.log, self.profile)
        self.stock: list[int] = []
        self.now_ms = 0

    def card(self) -> None:
        if not self.stock or self.rng.random() < 0.01:
            self.stock = self.rng.sample([*range(52)] * self.rng.choice((1, 6, 8)), 52)
        flags = 2 if self.rng.random() < 0.05 else 0
        self.shoe.card(self.now_ms, self.stock.pop(), 1000, 80, flags, self.rng.choice((-1, -1, 0, 1)))

    def cut(self) -> None:
        self.shoe.cutting_card(self.now_ms, 1000, 80)

    def reject(self) -> None:
        reason = self.rng.choice([*fields.RejectReason.encmapping.values()])
        self.shoe.reject(self.now_ms, reason, 9, 0, 70000, 3)

    def noise(self) -> None:
        self.shoe.noise(self.now_ms, 3)

    def press(self) -> None:
        self.shoe.press(self.now_ms, self.rng.randint(1, 5))

    def confirm(self) -> None:
        """Press Confirm; first the result that the cards give, where the rulebook asks for it."""
        state = self.shoe.state
        ahead = state.coup.player_points - state.coup.banker_points
        asked = self.profile.on(wire.SWITCH_RESULT_BEFORE_CONFIRM) and not state.dealer_result
        self.shoe.press(self.now_ms, (1 if ahead > 0 else 2 if ahead else 3) if asked else 4)

    def new_shoe(self) -> None:
        self.shoe.press(self.now_ms, 5)

    def clear_fault(self) -> None:
        self.send("clear_fault", bytes([self.shoe.state.fault]))

    def key(self) -> None:
        self.shoe.key(self.now_ms, self.rng.random() < 0.3)

    def lid(self) -> None:
        self.shoe.lid(self.now_ms, self.rng.random() < 0.2)

    def command(self) -> None:
        name = self.rng.choice([*COMMANDS, *OFTEN])
        sense = self.rng.random() < 0.9 or name == "set_time"
        self.send(name, self.data(name) if sense else self.rng.randbytes(SIZES[name]))

    def send(self, name: str, data: bytes) -> int:
        command_id = self.shoe.state.last_command_id + 1
        outcome: int = self.shoe.command(self.now_ms, command_id, COMMANDS[name], b"?" + data, 1, len(data))
        return outcome

    def data(self, name: str) -> bytes:
        """Return values that make sense, now or at some other time."""
        rng, state = self.rng, self.shoe.state
        made: dict[str, Callable[[], list[int]]] = {
            "open_shoe": lambda: [rng.choice((1, 1, 2, 8)), rng.choice((0, 0, 1, 2, 3))],
            "clear_fault": lambda: [state.fault],
            "void_coup": lambda: [rng.randint(1, 8), rng.choice((1, 1, 2))],
            "no_bet": lambda: [rng.choice((1, self.profile.unwagered, rng.randint(1, 5)))],
            "key_card": lambda: [rng.randrange(52), rng.choice((0, 2, 4, 6))],
            "authorise": lambda: [rng.choice((1, 1, 2, 255))],
            "irregularity": lambda: [rng.randint(1, 21), rng.randrange(256), rng.randrange(2)],
            "import_coup": lambda: [7, 0, rng.choice((1, self.profile.unwagered)), *self.hand(), *self.place()],
            "deck_check": lambda: [rng.randint(0, 1), rng.choice((1, 8))],
            "set_time": lambda: [1, 2, 3, 4, 5, 0],
        }
        return bytes(made[name]()) if name in made else b""

    def hand(self) -> list[int]:
        count = self.rng.randint(0, 5)
        return [self.rng.randrange(52) if place < count else 255 for place in range(6)]

    def place(self) -> list[int]:
        """Decks, cards out, coups left, and whether authorisation is awaited."""
        return [self.rng.choice((1, 8)), self.rng.randrange(60), 0, self.rng.randint(0, 2), self.rng.randint(0, 1)]

    def step(self) -> None:
        """Do one input, mostly what a dealer would do."""
        self.now_ms += self.rng.choice((10, 1000, 70_000))
        if self.rng.random() < 0.75:
            self.sensible()
        elif self.rng.random() < 0.3:
            self.tempting()
        else:
            weighted = [self.cut, self.reject, self.noise, self.key, self.key, self.lid, self.press, self.card]
            self.rng.choice([*weighted, *[self.command] * 12])()

    def tempting(self) -> None:
        """Send a command that is seldom possible, now that it is."""
        state = self.shoe.state
        if state.phase == states.COMPLETE:
            self.send("card_returned", b"") if state.surplus_count and self.rng.random() < 0.6 else self.card()
        elif state.phase == states.CLOSED or state.phase == states.CHECKING:
            self.send("deck_check", bytes([state.phase == states.CLOSED, 1]))
        elif state.phase == states.BURNING or (
            state.phase == states.DEALING and state.coup_no == 1 and not state.coup_cards()
        ):
            self.send("import_coup", self.data("import_coup"))
        elif state.phase == states.DEALING and not state.coup_cards():
            self.send("burn_card", b"")
        else:
            self.send("irregularity", self.data("irregularity"))

    def sensible(self) -> None:
        """Do what lets the game go on."""
        state = self.shoe.state
        if state.lid_open:
            self.shoe.lid(self.now_ms, False)
        elif state.fault:
            self.rng.choice((self.key, lambda: self.send("key_card", self.data("key_card")), self.clear_fault))()
        elif state.phase == states.CLOSED:
            self.rng.choice((lambda: self.send("open_shoe", self.data("open_shoe")), self.new_shoe))()
        elif state.awaiting_authorisation:
            self.send("authorise", b"\1")
        elif state.locked:
            self.send("unlock", b"")
        elif state.phase == states.COMPLETE:
            self.confirm()
        else:
            self.card()

    def restored(self, next_no: int) -> Any:
        """Return a shoe that starts with the log before this event."""
        return shoes.Shoe(self.log.until(next_no), self.profile)
