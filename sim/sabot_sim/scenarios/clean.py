"""Whole shoes in which nothing goes wrong: every book with every number of decks, and long streaks."""

from itertools import cycle
from typing import Final

from sabot_protocol import rulebooks

from sabot_sim.scenarios.catalogue import scenario
from sabot_sim.scenarios.script import Script
from sabot_sim.scenarios.whole_shoes import arranged, recut, whole_shoe
from sabot_sim.stack import CUT_FROM_BACK, shuffled

_FULL_DEPTH: Final = {"star-baccarat-8": CUT_FROM_BACK, "star-rapid-8": CUT_FROM_BACK, "crown-baccarat-8": 13}
_CARD_SETS: Final = {"crown-baccarat": 2, "nz-baccarat": 3, "star-premium": 4}  # elsewhere the first
_DEEP: Final = (78, 130)  # cards behind the cutting card elsewhere: the books require at least 20


def _depth(s: Script, name: str, decks: int) -> int:
    """Return how many cards are behind the cutting card: never more than half of the shoe."""
    return _FULL_DEPTH.get(name) or min(s.rng.randint(*_DEEP), 26 * decks)


def _clean(book: rulebooks.Rulebook, decks: int, seed: int) -> None:
    name = f"{book.id}-{decks}"

    @scenario(
        f"clean/{name}",
        f"A whole shoe of {decks} decks by {book.id}, shuffled and cut by the book; nothing goes wrong.",
        rulebook=book.id,
        decks=decks,
        card_set=_CARD_SETS.get(book.id, 1),
        seed=seed,
    )
    def play(s: Script) -> None:
        last = book.shoe.cut_first_card_is_last_coup.value
        stack = recut(shuffled(decks, s.rng), _depth(s, name, decks))
        whole_shoe(s, stack, cut_may_be_last=last)


for _number, _id in enumerate(rulebooks.ids(), 1):
    for _decks in rulebooks.load(_id).decks.allowed:
        _clean(rulebooks.load(_id), _decks, 30 * _number + _decks)


@scenario(
    "streaks/banker-player", "Twelve Banker wins, twelve Player wins, and again, to the end of the shoe.", decks=3
)
def streaks(s: Script) -> None:
    """Dragon tails on every road."""
    whole_shoe(s, arranged(3, s.rng, cycle(["banker"] * 12 + ["player"] * 12)))


@scenario("streaks/ties", "Ties before the first result, and up to nine in a row after it.", decks=3)
def ties(s: Script) -> None:
    """A tie neither begins nor breaks a streak."""
    whole_shoe(s, arranged(3, s.rng, ["tie"] * 3 + ["banker"] + ["tie"] * 9 + ["player", "tie"] * 4 + ["banker"] * 3))


@scenario("streaks/chop", "Player and Banker win in turn, to the end of the shoe.", rulebook="nz-baccarat", decks=4)
def chop(s: Script) -> None:
    """Every column of the big road has one result."""
    whole_shoe(s, arranged(4, s.rng, cycle(["player", "banker"])))
