"""History of random shoes: as an independent, slow reading of the whole ledger, and the same after a restart."""

import random
from pathlib import Path
from typing import Any

import pytest
from sabot_gateway import rules
from sabot_protocol.cards import DECK
from screen_log import ScreenLog
from shoe_events import UNIT

OTHER = "5ab0000000000002"
LETTERS = {"banker": "B", "player": "P", "tie": "T"}
Message = dict[str, Any]


def slow_history(stored: list[tuple[str, Message]]) -> tuple[str, list[int], list[int]]:
    """Results, their coups and the undecided coups, looked up message by message in the whole ledger."""
    begun = max(place for place, (topic, one) in enumerate(stored) if topic == "shoe" and one["state"] == "open")
    unit, shoe, since = stored[begun][1]["unit"], stored[begun][1]["shoe"], stored[begun + 1 :]
    closed = any(topic == "shoe" and one["state"] == "closed" for topic, one in since)
    coups = [one for topic, one in since if topic == "coup"]
    firsts = [one for one in coups if not one.get("corrects") and (one["unit"], one["shoe"]) == (unit, shoe)]
    newest = {first["coup"]: corrected(first, coups) for first in firsts}
    confirmed = {one["coup_id"] for topic, one in since if topic == "confirmed"}
    begun_coups = {
        one["coup"]
        for topic, one in since
        if topic == "cards" and one["slot"] not in ("burn", "unused") and "surplus" not in one["notes"]
    }
    texts, numbers = [], []
    for number in sorted(newest):
        one = newest[number]
        out = closed or one["id"] in confirmed or any(later > number for later in begun_coups)
        if one["kind"] != "void" and one["status"] != "disputed" and out:
            texts.append(text(one))
            numbers.append(number)
    undecided = [number for number in sorted(newest) if newest[number]["status"] == "disputed"]
    return " ".join(texts), numbers, undecided


def corrected(message: Message, coups: list[Message]) -> Message:
    """Return the last message of the chain that begins with this one."""
    for one in coups:
        if one.get("corrects") == message["id"]:
            return corrected(one, coups)
    return message


def text(coup: Message) -> str:
    if coup["kind"] in ("no_bet", "dummy", "void_hand"):
        return "X"
    marks = (("b", "banker_pair"), ("p", "player_pair"), ("n", "natural"))
    return LETTERS[coup["winner"]] + "".join(mark for mark, name in marks if coup[name])


class Dealer:
    """Deals at random, and makes every kind of mistake."""

    def __init__(self, log: ScreenLog, chance: random.Random) -> None:
        self.log, self.chance, self.unit, self.shoe = log, chance, UNIT, 1

    def step(self) -> None:
        acts = (self.coup, self.coup, self.coup, self.void, self.dispute, self.forget, self.decide, self.gap, self.open)
        self.chance.choices(acts, weights=(8, 4, 4, 2, 3, 2, 4, 1, 1))[0]()

    def cards(self) -> str:
        drawn: list[str] = []
        while rules.due(drawn) is not None:
            drawn.append(self.chance.choice(DECK))
        return " ".join(drawn)

    def coup(self) -> None:
        if self.chance.random() < 0.15:
            self.log("coup_kind", shoe_no=self.shoe, coup_no=self.log.coup_no, kind="no_bet")
            self.play(kind="no_bet")
        else:
            self.play()
        self.confirm()

    def play(self, **more: Any) -> None:
        """Deal to the result, sometimes with a look at the table before it."""
        self.log.play(self.cards(), **more)

    def confirm(self) -> None:
        self.log.confirm()

    def void(self) -> None:
        """Void a coup: in the middle, after its result, or after Confirm."""
        when, number = self.chance.randrange(3), self.log.coup_no
        if when:
            self.play()
        else:
            self.log.card("9S", "player_1")
        if when == 2:
            self.log.button()
        self.log("coup_void", shoe_no=self.shoe, coup_no=number, reason="misdeal", then="go_on", cards=1)
        self.log.coup_no = number + 1

    def dispute(self) -> None:
        """The shoe reports another winner than the cards; or the dealer's entry is another."""
        if self.chance.random() < 0.5:
            self.play(winner=self.chance.choice(["player", "banker", "tie"]))
        else:
            self.play()
            self.log.button(self.chance.choice(["player", "banker", "tie"]))
        self.confirm()

    def forget(self) -> None:
        """Nobody confirms; the next coup begins."""
        self.play()
        self.log.coup_no += 1

    def decide(self) -> None:
        here = [one for one in self.log.verifier.disputed() if one.shoe == self.shoe]
        if here:
            verdict = self.chance.choice(["confirmed", "void"])
            winner = self.chance.choice(["player", "banker", "tie"]) if verdict == "confirmed" else None
            self.log.decide(self.chance.choice(here).coup, verdict, winner)  # type: ignore[arg-type]

    def gap(self) -> None:
        self.log("damaged")
        self.log.coup_no += self.chance.randrange(2)

    def open(self) -> None:
        self.log("shoe_closed", shoe_no=self.shoe, coups=self.log.coup_no, reason="last_coup")
        self.check()
        self.shoe += 1
        self.log("shoe_opened", shoe_no=self.shoe, card_set=1, decks=8, burn="none")
        self.log.shoe_no, self.log.coup_no = self.shoe, 1

    def check(self) -> None:
        """Compare with the whole ledger; after a restart everything is as before."""
        self.log.commit()
        assert self.log.shown() == slow_history(self.log.stored())
        history, hand = self.log.history(), self.log.hand()
        self.log.restart()
        assert self.log.history() == history
        assert self.log.hand() == hand


@pytest.mark.parametrize("seed", range(8))
def test_random_shoes(tmp_path: Path, seed: int) -> None:
    log = ScreenLog(tmp_path)
    dealer = Dealer(log, random.Random(seed))
    for _ in range(25):
        dealer.step()
        dealer.check()
