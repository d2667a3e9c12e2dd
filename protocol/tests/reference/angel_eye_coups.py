"""A slow book of coups from an Angel Eye's messages, written from the published facts alone."""

from typing import Any

Report = dict[str, Any]
Place = tuple[str, int]

FIRST_FOUR: list[Place] = [("player", 1), ("banker", 1), ("player", 2), ("banker", 2)]
BURNS = ("burn", "burn_first", "burn_count")
# Banker's two cards count 3 to 6: values of Player's third card on which Banker draws.
BANKER_DRAWS = {3: (0, 1, 2, 3, 4, 5, 6, 7, 9), 4: (2, 3, 4, 5, 6, 7), 5: (4, 5, 6, 7), 6: (6, 7)}


class Coup:
    """One coup as it grows."""

    def __init__(self, number: int, shoe: int) -> None:
        self.number = number
        self.shoe = shoe
        self.cards: dict[Place, str] = {}
        self.flags: list[str] = []
        self.result: Report = {"result": None, "player_pair": False, "banker_pair": False}
        self.status = "open"

    def flag(self, name: str) -> None:
        if name not in self.flags:
            self.flags.append(name)

    def hand(self, side: str) -> list[str | None]:
        """The cards of a side up to the last one held; None where one is missing."""
        last = max((index for held, index in self.cards if held == side), default=0)
        return [self.cards.get((side, index)) for index in range(1, last + 1)]

    def total(self, side: str, count: int) -> int:
        return sum(value(card) for (held, index), card in self.cards.items() if held == side and index <= count) % 10

    def has_first_four(self) -> bool:
        return all(place in self.cards for place in FIRST_FOUR)

    def thirds_fit(self) -> bool:
        """Return True if exactly those third cards are there that the rules ask for."""
        player, banker = self.total("player", 2), self.total("banker", 2)
        third = self.cards.get(("player", 3))
        player_draws = player < 6 and banker < 8
        if player >= 8 or banker >= 8:
            banker_draws = False
        elif not player_draws:
            banker_draws = banker < 6
        else:
            banker_draws = banker < 3 or (third is not None and value(third) in BANKER_DRAWS.get(banker, ()))
        return (third is not None) == player_draws and (("banker", 3) in self.cards) == banker_draws

    def is_dealt(self) -> bool:
        """Return True if the hands are complete by the rules."""
        return self.has_first_four() and self.thirds_fit()

    def pair(self, side: str) -> bool:
        return self.cards[side, 1][0] == self.cards[side, 2][0]

    def winner(self) -> str:
        player, banker = self.total("player", 3), self.total("banker", 3)
        return "player" if player > banker else "banker" if banker > player else "tie"

    def settle(self, result: Report) -> None:
        """Close with the shoe's result."""
        self.result = {key: result[key] for key in self.result}
        if result["result"] == "forced_end":
            self.status = "forced_end"
        elif not self.has_first_four():
            self.status = "partial"
        else:
            self.compare(result)

    def compare(self, result: Report) -> None:
        if result["result"] != self.winner():
            self.flag("result_mismatch")
        if result["player_pair"] != self.pair("player") or result["banker_pair"] != self.pair("banker"):
            self.flag("pair_mismatch")
        if not self.thirds_fit():
            self.flag("third_card_wrong")
        doubts = {"result_mismatch", "pair_mismatch", "third_card_wrong", "conflict", "again_unclear"}
        self.status = "disputed" if doubts & set(self.flags) else "complete"

    def report(self) -> Report:
        head = {"n": self.number, "shoe": self.shoe, "player": self.hand("player"), "banker": self.hand("banker")}
        return head | self.result | {"status": self.status, "flags": self.flags}


def value(card: str) -> int:
    return "TA23456789".find(card[0]) if card[0] not in "JQK" else 0


class Book:
    """All coups of a recording."""

    def __init__(self) -> None:
        self.coups: list[Coup] = []
        self.shoe = 1
        self.ending = False
        self.change_waits = False
        self.locked: bool | None = None
        self.error: str | None = None
        self.kept: str | None = None

    def open_coup(self) -> Coup | None:
        return self.coups[-1] if self.coups and self.coups[-1].status == "open" else None

    def begin(self) -> Coup:
        self.kept = None
        self.coups.append(Coup(len(self.coups) + 1, self.shoe))
        return self.coups[-1]

    def give_up(self, *flags: str) -> None:
        """Close the open coup, if there is one, without a result."""
        coup = self.open_coup()
        if coup:
            coup.status = "incomplete"
            for flag in flags:
                coup.flag(flag)

    def new_shoe(self) -> None:
        self.give_up()
        self.shoe += 1
        self.ending = self.change_waits = False
        self.kept = None

    def connect(self) -> None:
        self.locked = self.error = self.kept = None
        self.give_up("link_lost_inside")

    def take(self, message: Report) -> None:
        acts = {
            "S": self.start,
            "D": self.drawn,
            "R": self.again,
            "G": self.result,
            "C": self.cutting_card,
            "E": self.error_raised,
            "e": self.error_cleared,
            "L": self.lock,
        }
        act = acts.get(message["t"])
        if act:
            act(message)

    def start(self, message: Report) -> None:
        self.locked = self.error = None
        coup = self.open_coup()
        if coup:
            coup.flag("restart_inside")
            self.change_waits = self.change_waits or self.ending
        elif self.ending:
            self.new_shoe()

    def drawn(self, message: Report) -> None:
        target = message["target"]
        if target in BURNS:
            used = target == "burn_first" and any(coup.shoe == self.shoe for coup in self.coups)
            if used or self.change_waits:
                self.new_shoe()
        elif target in ("player", "banker"):
            place = (target, message["index"])
            if place == ("player", 1):
                self.first_card(message["card"])
            else:
                self.other_card(place, message["card"])

    def first_card(self, card: str) -> None:
        coup = self.open_coup()
        if coup and coup.cards == {("player", 1): card}:
            return
        if self.change_waits:
            self.new_shoe()
        self.give_up()
        self.begin().cards["player", 1] = card

    def other_card(self, place: Place, card: str) -> None:
        coup = self.open_coup()
        if coup is None:
            kept = self.kept
            coup = self.begin()
            if kept and place == ("banker", 1):
                coup.cards["player", 1] = kept
                coup.flag("carried_first_card")
            else:
                coup.flag("first_card_missing")
        if coup.cards.setdefault(place, card) != card:
            coup.flag("conflict")

    def again(self, message: Report) -> None:
        coup = self.open_coup()
        place: Place = (message["target"], message.get("index", 0))
        if coup and coup.cards.get(place) == message["card"] is not None:
            return
        if place == ("player", 1) and (coup is None or coup.is_dealt()):
            self.kept = message["card"]
        elif coup:
            coup.flag("again_unclear")

    def result(self, message: Report) -> None:
        coup = self.open_coup()
        if coup:
            coup.settle(message)

    def cutting_card(self, message: Report) -> None:
        self.ending = True
        coup = self.open_coup()
        if coup:
            coup.flag("cutting_card_inside")

    def error_raised(self, message: Report) -> None:
        coup = self.open_coup()
        if coup:
            coup.flag("error_inside")
        if message["in_error_mode"]:
            self.error = message["error"]

    def error_cleared(self, message: Report) -> None:
        self.error = None

    def lock(self, message: Report) -> None:
        self.locked = message["locked"]

    def report(self) -> list[Report]:
        return [coup.report() for coup in self.coups]

    def final(self) -> Report:
        return {"shoe": self.shoe, "shoe_ending": self.ending, "locked": self.locked, "error": self.error}
