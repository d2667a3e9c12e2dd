"""The emulated shoe: cards, buttons, key, power and commands in; frames out. Sans-I/O, time is an argument."""

import random
from dataclasses import dataclass, field
from typing import Final, Literal

from sabot_protocol.angel_eye import build
from sabot_protocol.angel_eye.messages import WITH_STX, WITHOUT_STX
from sabot_protocol.cards import POINTS

from sabot_sim.angel_eye import drawing
from sabot_sim.angel_eye.copies import Transmitter
from sabot_sim.angel_eye.host_commands import OTHER, refusal
from sabot_sim.angel_eye.settings import Settings
from sabot_sim.angel_eye.truth import Answer, DealtCoup, Truth
from sabot_sim.stack import CUT

CANNOT_READ, OVERDRAW, WRONG_BUTTON, REVERSE_EXIT, REVERSE_MIDWAY, CARD_CODE, TIME_OUT = range(1, 8)
_MOST_INDEX: Final = 10  # of a card outside the game
_FACE_BURNS: Final = 10
_NOT_READY: Final = ("off", "starting", "waking")
Phase = Literal["off", "starting", "waking", "burn", "stand_by", "coup", "complete", "over"]


@dataclass
class AngelEyeShoe:
    """One shoe; every act has its time, output(now_s) returns what it sends.

    One class because card path, result, errors, lock and power share one state, as in the real shoe.
    """

    settings: Settings = field(default_factory=Settings)
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    truth: Truth = field(default_factory=Truth)
    phase: Phase = "off"
    error: int | None = None  # in error mode because of this
    key_locked: bool = False
    in_setting: bool = False  # somebody changes its presets
    host_locked: bool = False
    coup: DealtCoup | None = None
    overdrawn: str | None = None  # a card too many, until the error is cleared
    kept: str | None = None  # an overdrawn card that begins the next coup
    _seq_at: int = 0
    _to_burn: int | None = None  # cards; None: the first card decides
    _burnt: int = 0
    _outside: int = 0  # cards drawn outside the game since it was locked or failed
    _due_s: float | None = None  # when the start, or the stand-by, is over

    def __post_init__(self) -> None:
        """Set up the line."""
        self._line = Transmitter(self.settings, self.rng)
        self._commands = build.CommandReader()

    # Power and time

    def power_on(self, now_s: float, *, new_cards: bool = False) -> None:
        """Switch on, after a change of cards or with those that are in."""
        if new_cards:
            self._drop_coup()
            self.truth.new_shoe()
            self.kept, self._burnt = None, 0
            self._to_burn = {"first_card": None, "one": 1, "none": 0}[self.settings.burn]
        self.phase, self._due_s, self._seq_at = "starting", now_s + self.settings.boot_s, 0
        self.error, self.host_locked, self.overdrawn, self.in_setting = None, False, None, False
        self._commands = build.CommandReader()

    def power_off(self) -> None:
        """Switch off: what is not out on the line is lost; the key stays where it is."""
        self.phase, self._due_s = "off", None
        self._line.cut()
        if not self.settings.keeps_hand:
            self._drop_coup()
            self.kept = None

    def _drop_coup(self) -> None:
        if self.coup is not None:
            self.truth.abandoned.append(self.coup)
            self.coup = None

    def output(self, now_s: float) -> bytes:
        """Return the bytes that are out by now."""
        self.advance(now_s)
        return self._line.take(now_s)

    def next_s(self) -> float | None:
        """Return when more bytes are out, or the state changes by itself; None if nothing is under way."""
        state_s = self._due_s if self.error is None else None
        return min((due_s for due_s in (state_s, self._line.next_s()) if due_s is not None), default=None)

    def ready(self) -> bool:
        """Return True if the shoe is on and has started."""
        return self.phase not in _NOT_READY

    def advance(self, now_s: float) -> None:
        """Do what is due by time alone: communication start, stand-by."""
        while self._due_s is not None and now_s >= self._due_s and self.error is None:
            due_s, self._due_s = self._due_s, None
            if self.phase == "starting":
                self._send(build.frame(self._seq(), "S"), due_s)
                self.phase, self._due_s = "waking", due_s + self.settings.after(self.settings.wake_s)
            elif self.coup is not None:
                self.coup.flags.add("restart_inside")
                self._resume()
            else:
                self.phase = "burn" if self._to_burn != self._burnt else "stand_by"
                self._send(build.frame(self._next_seq(), "P"), due_s)

    def _resume(self) -> None:
        """Go on with the cards on the table."""
        assert self.coup is not None
        self.phase = "coup" if self.coup.next_place() else "complete"

    # Cards

    def pull(self, card: str, now_s: float, *, read_as: str | None = None) -> None:
        """Draw a card; `read_as` is what a shoe that misreads reports instead."""
        self.advance(now_s)
        read = read_as or card
        if not self.ready():
            return
        if card == CUT:
            self._cutting_card(now_s)
        elif self.error is not None:
            self._outside_game("error", self.error, read, now_s)
        elif self.in_setting or self.locked():
            self._outside += 1
            mode = "setting" if self.in_setting else "lock"
            self._outside_game(mode, min(self._outside, _MOST_INDEX), read, now_s)
        elif self.phase == "burn":
            self._burn(read, now_s)
        elif self.phase in ("stand_by", "coup"):
            self._deal(read, now_s)
        else:
            self._overdraw(read, now_s)

    def pull_unreadable(self, now_s: float) -> None:
        """Draw a card that the shoe cannot read."""
        self.fail(CANNOT_READ, now_s)
        self._outside_game("error", CANNOT_READ, None, now_s)

    def locked(self) -> bool:
        """Return True if no card may be drawn."""
        return self.key_locked or self.host_locked

    def _cutting_card(self, now_s: float) -> None:
        self._send(build.frame(self._next_seq(), "C"), now_s)
        if self.coup is not None and self.coup.result is None:
            self.coup.flags.add("cutting_card_inside")

    def _outside_game(self, mode: str, low: int, card: str | None, now_s: float) -> None:
        self.truth.outside.append(card)
        self._send(build.card_outside(self._next_seq(), mode, low, card), now_s)

    def _burn(self, card: str, now_s: float) -> None:
        """Burn a card; the first one may decide how many follow."""
        self.truth.burnt.append(card)
        if self._to_burn is None:
            self._to_burn = POINTS[card] or _FACE_BURNS
            self._send(build.card(self._next_seq(), "burn_first", 0, card), now_s)
            self._send(build.card(self._next_seq(), "burn_count", self._to_burn, None), now_s)
            return
        self._burnt += 1
        if self.settings.burn_cards_sent:
            self._send(build.card(self._next_seq(), "burn", self._burnt, card), now_s)
        if self._burnt == self._to_burn:
            self.phase = "stand_by"

    def _deal(self, card: str, now_s: float) -> None:
        """Take a card of the game; a kept card is Player's first."""
        if self.coup is None:
            self.coup = self.truth.new_coup()
            if self.kept is not None:
                self.coup.lay(drawing.Place("player", 1), self.kept)
                self.coup.flags.add("carried_first_card")
                self.kept = None
        place = self.coup.next_place()
        assert place is not None
        self.coup.lay(place, card)
        self._send(build.card(self._next_seq(), place.target, place.number, card), now_s)
        self._resume()

    def _overdraw(self, card: str, now_s: float) -> None:
        self.overdrawn = card
        self.fail(OVERDRAW, now_s)
        self._outside_game("error", OVERDRAW, card, now_s)

    # Buttons and key

    def press_result(self, now_s: float, *, reported: str | None = None) -> None:
        """Press the result button: the shoe gives its result, or `reported` if it errs."""
        self.advance(now_s)
        if self.phase != "complete" or self.error is not None or self.coup is None:
            return
        coup = self.coup
        coup.result = reported or coup.winner()
        if coup.result != coup.winner():
            coup.flags.add("result_mismatch")
        coup.player_pair, coup.banker_pair = drawing.is_pair(coup.player), drawing.is_pair(coup.banker)
        self._give_result(coup, now_s)

    def force_end(self, now_s: float) -> None:
        """End the coup without a result."""
        self.advance(now_s)
        if self.phase in ("coup", "complete") and self.error is None and self.coup is not None:
            self.coup.result = "forced_end"
            self._give_result(self.coup, now_s)

    def _give_result(self, coup: DealtCoup, now_s: float) -> None:
        assert coup.result is not None
        coup.over_s = now_s
        self._send(build.result(self._next_seq(), coup.result, **coup.pairs()), now_s)
        self.truth.end_coup(coup)
        self.coup, self.phase = None, "over"
        self._due_s = now_s + self.settings.after(self.settings.stand_by_s)

    def fail(self, code: int, now_s: float, *, error_mode: bool = True) -> None:
        """Report an error of this code; in error mode nothing goes on before it is cleared."""
        self.advance(now_s)
        if self.error is not None or not self.ready():
            return
        if error_mode:
            self.error, self._outside = code, 0
        if self.coup is not None:
            self.coup.flags.add("error_inside")
        self._send(build.error(self._next_seq(), code, in_error_mode=error_mode), now_s)

    def clear(self, now_s: float, *, keep: bool | None = None) -> bool:
        """Clear the error; return False if none stands. An overdraw needs `keep`, any other error forbids it."""
        code, card = self.error, self.overdrawn
        if code is None or (code == OVERDRAW) != (keep is not None) or (keep and self.kept is not None):
            return False
        self.error = self.overdrawn = None
        self._send(build.error_cancelled(self._next_seq(), code), now_s)
        if keep and card is not None:
            self.kept = card
            self._send(build.card(self._next_seq(), "player", 1, card, "R"), now_s)
        if self.phase == "over":
            self._due_s = now_s + self.settings.after(self.settings.stand_by_s)
        return True

    def turn_key(self, locked: bool, now_s: float) -> None:
        """Lock or unlock by the key: reported, unlike a lock by the host."""
        self.advance(now_s)
        if self.key_locked != locked:
            self.key_locked, self._outside = locked, 0
            if self.ready():
                self._send(build.lock(self._next_seq(), locked=locked), now_s)

    def turn_to_setting(self, on: bool) -> None:
        """Begin or end the setting of presets; neither is reported."""
        self.in_setting, self._outside = on, 0

    def change_preset(self, address: str, value: str, now_s: float) -> None:
        """Change a preset at the shoe: two and four characters."""
        self.advance(now_s)
        self._send(build.preset(self._next_seq(), address, value), now_s)

    # The host

    def receive(self, data: bytes, now_s: float) -> None:
        """Take bytes of the host, and answer the commands in them."""
        self.advance(now_s)
        if not self.ready():
            return
        for command in self._commands.feed(data):
            self._line.answer(self._answer(command, now_s), now_s)

    def _answer(self, command: build.Command, now_s: float) -> bytes:
        code = self._refusal(command, now_s)
        self.truth.answers.append(Answer(command.text, code))
        return build.ack() if code is None else build.nak(code)

    def _refusal(self, command: build.Command, now_s: float) -> int | None:
        """Carry out a command; return the code of its NAK if that is not possible."""
        faults = self.settings.faults
        if self.rng.random() < faults.refused:
            return self.rng.choice(faults.naks)
        code = refusal(command, WITH_STX if self.settings.bcc_with_stx else WITHOUT_STX)
        if code is None and not self._carry_out(command.text[2:], now_s):
            return OTHER
        return code

    def _carry_out(self, name: str, now_s: float) -> bool:
        """Carry out a command such as LK02; return False if it does not fit now."""
        later_s = now_s + self.settings.after(self.settings.answer_s)
        match name:
            case "LK01" | "LK02":
                self.host_locked, self._outside = name == "LK02", 0
            case "EC00" | "EC01" | "EC02":
                return self.clear(later_s, keep={"EC00": None, "EC01": True, "EC02": False}[name])
            case "GP00":
                self._send_hand_again(later_s)
        return True

    def _send_hand_again(self, now_s: float) -> None:
        if self.coup is None or not self.settings.answers_gp:
            return
        for target, hand in (("player", self.coup.player), ("banker", self.coup.banker)):
            for index, card in enumerate(hand, 1):
                self._send(build.card(self._next_seq(), target, index, card, "R"), now_s)

    # Frames

    def _seq(self) -> str:
        return self.settings.cycle[self._seq_at]

    def _next_seq(self) -> str:
        """Return the sequence character of this message, and advance."""
        seq = self._seq()
        self._seq_at = (self._seq_at + 1) % len(self.settings.cycle)
        return seq

    def _send(self, frame: bytes, now_s: float) -> None:
        self.truth.frames += 1
        self.truth.sent.append(self._line.send(frame, now_s))
