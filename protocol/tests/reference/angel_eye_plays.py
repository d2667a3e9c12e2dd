"""What an Angel Eye may send at a table, in order: right and wrong coups, burns, errors, restarts, as random steps."""

import random
from collections.abc import Callable
from typing import NamedTuple

from angel_eye_coups import FIRST_FOUR, Coup

Place = tuple[str, int]
RANKS, SUITS = "A23456789TJQK", "DCSH"
TARGETS = {"player": 0, "banker": 1, "burn": 2, "burn_first": 4, "burn_count": 5}
RESULTS = {"player": 1, "tie": 2, "banker": 4}
ERROR_CODES = (1, 2, 3, 4, 5, 6, 7)
NAK_CODES = (0x01, 0x02, 0x03, 0x11, 0x12, 0x13, 0x14, 0x21, 0x22, 0xFF, 0x05, 0x06, 0x15, 0x00)
COMMANDS = ("LK01", "LK02", "EC00", "EC01", "EC02", "GP00")


class Step(NamedTuple):
    """One thing on the line.

    `what` is `send` (type and data of a frame), `lost` (all copies of a frame are lost), `raw` (bytes, once),
    `tx` (a command of the host) or `cut` (the link is lost and opened again; one byte: how many it loses).
    """

    what: str
    data: bytes = b""


def send(kind: str, *data: int) -> Step:
    return Step("send", kind.encode() + bytes(0x80 | byte for byte in data))


def card_byte(card: str) -> int:
    return (SUITS.index(card[1]) + 1) << 4 | RANKS.index(card[0]) + 1


def at_place(kind: str, target: str, index: int, card: str | None) -> Step:
    return send(kind, TARGETS[target] << 4 | index, card_byte(card) if card else 0)


class Dealer:
    """Draws cards and plays coups; a short pack makes equal cards likely."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.pack = [rank + suit for rank in RANKS for suit in SUITS]
        if chance.random() < 0.4:
            self.pack = chance.sample(self.pack, chance.choice([1, 2, 4, 8]))

    def card(self) -> str:
        return self.chance.choice(self.pack)

    def hands(self) -> Coup:
        """Deal one coup by the rules."""
        coup = Coup(0, 0)
        for place in FIRST_FOUR:
            coup.cards[place] = self.card()
        for player, banker in ((0, 0), (1, 0), (0, 1), (1, 1)):
            trial = Coup(0, 0)
            trial.cards = dict(coup.cards)
            if player:
                trial.cards["player", 3] = self.card()
            if banker:
                trial.cards["banker", 3] = self.card()
            if trial.thirds_fit():
                return trial
        return self.hands()  # The Banker's draw depends on the Player's third card: deal again.

    def coup(self, first: str | None = None) -> list[Step]:
        """A right coup: its cards and its result. With `first` the coup begins with Banker 1: that card was kept."""
        coup = self.hands()
        while first and coup.cards["player", 1] != first:
            coup.cards["player", 1] = first
            if not coup.thirds_fit():
                coup = self.hands()
        order = [place for place in (*FIRST_FOUR, ("player", 3), ("banker", 3)) if place in coup.cards]
        steps = [at_place("D", *place, coup.cards[place]) for place in order]
        return [*steps[1 if first else 0 :], right_result(coup)]

    def burn(self) -> list[Step]:
        """The burn at the start of a shoe: all of it, or some of it, or none."""
        count = self.chance.randint(1, 10)
        first = at_place("D", "burn_first", 0, self.chance.choice([self.card(), None]))
        steps = [first, at_place("D", "burn_count", count, None)]
        steps += [at_place("D", "burn", index + 1, self.chance.choice([self.card(), None])) for index in range(count)]
        return self.chance.choice([steps, steps, steps[:1], steps[:2], steps[1:], steps[2:], []])

    def overdraw(self, keep: bool) -> list[Step]:
        """A card too many after a coup: kept for the next one, or discarded."""
        coup, card = self.coup(), self.card()
        error = [send("E", 0x42), send("d", 0x12, card_byte(card)), send("e", 2)]
        if not keep:
            return self.chance.choice([coup[:-1] + error + coup[-1:], coup + error])
        again = at_place("R", "player", 1, card)
        steps = self.chance.choice([[*coup[:-1], *error, again, coup[-1]], [*coup, *error, again]])
        return steps + self.coup(first=card)

    def change_of_shoe(self) -> list[Step]:
        """The cutting card, some coups more, a restart or several, a burn."""
        steps = self.coup()
        steps.insert(self.chance.randint(0, len(steps)), send("C"))
        for _ in range(self.chance.randint(0, 2)):
            steps += self.coup()
        start = [send("S"), send("P")] * self.chance.randint(0, 2)
        return steps[: self.chance.choice([len(steps), len(steps) - 1])] + start + self.burn()


def right_result(coup: Coup) -> Step:
    pairs = coup.pair("player") | coup.pair("banker") << 1
    return send("G", RESULTS[coup.winner()] << 4 | pairs)


def any_error(chance: random.Random) -> Step:
    return send(chance.choice("Ee"), chance.choice([*ERROR_CODES, 0, 8, 63]) | 0x40 * chance.randint(0, 1))


def answer(chance: random.Random) -> Step:
    return Step("raw", chance.choice([b"\x06", bytes([0x15, chance.choice(NAK_CODES)])]))


def bcc(data: bytes) -> bytes:
    total = 0
    for byte in data:
        total ^= byte
    return b"%02X" % total


def command(text: str, with_stx: bool) -> bytes:
    body = b"\x02OP" + text.encode() + b"\x03"
    return body + bcc(body if with_stx else body[1:])


def reply(chance: random.Random) -> Step:
    """A frame with STX from the shoe, or a command of another client."""
    return Step("raw", command(chance.choice(COMMANDS), chance.random() < 0.5))


def undefined(chance: random.Random) -> Step:
    """A frame with a right BCC and any values."""
    kind = chance.choice("SPDDDdRGCEeLMMZz0")
    length = chance.choice([0, 1, 2, 2, 3, 6, 7, 24, 25, 26, 27, 28])
    data = bytes(chance.randrange(256) if chance.random() < 0.1 else chance.randrange(128, 256) for _ in range(length))
    if kind == "M" and chance.random() < 0.8:
        data = bytes(chance.randrange(0x30, 0x5B) for _ in range(length))
    return Step("send", kind.encode() + bytes(byte for byte in data if byte not in b"\x02\x03\x05\x06\x15"))


def preset(chance: random.Random) -> Step:
    return Step("send", b"M%02d%04d" % (chance.randrange(100), chance.randrange(10000)))


def any_place(kind: str, targets: list[str], chance: random.Random, dealer: Dealer) -> Step:
    target = chance.choice(targets)
    index = chance.randint(1, 3) if target in ("player", "banker") else chance.randint(0, 11)
    return at_place(kind, target, index, dealer.card())


HANDS = ["player", "banker"]
Single = Callable[[random.Random, Dealer], Step]
# Every single thing that may come at any moment.
SINGLES: dict[str, Single] = {
    "stand by": lambda chance, dealer: send("P"),
    "start": lambda chance, dealer: send("S"),
    "cutting card": lambda chance, dealer: send("C"),
    "error": lambda chance, dealer: any_error(chance),
    "lock": lambda chance, dealer: send("L", chance.randrange(4)),
    "preset": lambda chance, dealer: preset(chance),
    "outside": lambda chance, dealer: send("d", chance.randrange(128), chance.choice([0, card_byte(dealer.card())])),
    "again": lambda chance, dealer: any_place("R", HANDS, chance, dealer),
    "again first": lambda chance, dealer: at_place("R", "player", 1, dealer.card()),
    "again elsewhere": lambda chance, dealer: any_place("R", [*TARGETS], chance, dealer),
    "card": lambda chance, dealer: any_place("D", HANDS, chance, dealer),
    "first card": lambda chance, dealer: at_place("D", "player", 1, dealer.card()),
    "banker first": lambda chance, dealer: at_place("D", "banker", 1, dealer.card()),
    "burn": lambda chance, dealer: any_place("D", ["burn", "burn_first", "burn_count"], chance, dealer),
    "first of the shoe": lambda chance, dealer: at_place("D", "burn_first", 0, dealer.card()),
    "result": lambda chance, dealer: send("G", chance.randrange(128)),
    "forced end": lambda chance, dealer: send("G", 0x70),
    "undefined": lambda chance, dealer: undefined(chance),
    "answer": lambda chance, dealer: answer(chance),
    "reply": lambda chance, dealer: reply(chance),
    "command": lambda chance, dealer: Step("tx", command(chance.choice(COMMANDS), chance.random() < 0.5)),
    "link lost": lambda chance, dealer: Step("cut", bytes([chance.choice([0, 0, 1, 5, 9, 30])])),
    "lost": lambda chance, dealer: Step("lost"),
}


def spoilt(chance: random.Random, dealer: Dealer, steps: list[Step]) -> list[Step]:
    """Some steps with one fault: lost, doubled, another result, or something else in between."""
    at = chance.randrange(len(steps))
    fault = chance.choice(["lost", "twice", "result", "insert", "insert", "insert", "end"])
    if fault == "lost":
        return [*steps[:at], Step("lost"), *steps[at + 1 :]]
    if fault == "twice":
        return [*steps[: at + 1], steps[chance.randint(0, at)], *steps[at + 1 :]]
    if fault == "result":
        return [*steps[:-1], SINGLES["result"](chance, dealer)]
    if fault == "end":
        return steps[:at]
    return [*steps[:at], chance.choice([*SINGLES.values()])(chance, dealer), *steps[at:]]


def play(chance: random.Random) -> list[Step]:
    """A stretch of play with a chosen share of faults."""
    dealer, faults = Dealer(chance), chance.choice([0.0, 0.3, 0.9])
    steps: list[Step] = [] if chance.random() < 0.5 else [send("S"), send("P"), *dealer.burn()]
    for _ in range(chance.randint(1, 6)):
        scene = chance.choice(["coup"] * 5 + ["keep", "discard", "change"])
        part = dealer.coup() if scene == "coup" else dealer.overdraw(scene == "keep")
        if scene == "change":
            part = dealer.change_of_shoe()
        while part and chance.random() < faults:
            part = spoilt(chance, dealer, part)
        steps += [*part, send("P")] if chance.random() < 0.7 else part
    return steps[chance.randrange(8) if chance.random() < 0.2 else 0 :]


def soup(chance: random.Random) -> list[Step]:
    """Single things in any order."""
    dealer = Dealer(chance)
    names = [*chance.sample([*SINGLES], chance.randint(3, len(SINGLES))), "card", "result"]
    return [SINGLES[chance.choice(names)](chance, dealer) for _ in range(chance.randint(1, 40))]
