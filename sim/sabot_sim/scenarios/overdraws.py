"""Cards too many: third cards that are not allowed, surplus cards, and what each book makes of them."""

from sabot_sim.scenarios.catalogue import scenario
from sabot_sim.scenarios.example_coups import FIVE, FOUR, SIX, STANDS
from sabot_sim.scenarios.script import Script

_NATURAL = "KH KC 9H"  # behind a first card of 8: Banker 9


@scenario(
    "irregularities/third-card-to-player",
    "Nobody draws on a natural, and a fifth card is taken: it begins the next live coup (The Star 12.2).",
    "overdraw",
    "third_card_player",
    quick=True,
)
def player(s: Script) -> None:
    """Not exposed."""
    s.open()
    s.coup(FOUR)
    s.pull("8D")
    s.irregular("player_overdraw")
    s.confirm()
    s.coup(_NATURAL, after="8D")
    s.confirm()


@scenario(
    "irregularities/third-card-to-player-bankers",
    "The Player must stand and a card is taken for him: it is the Banker's third, who must draw (12.2).",
    "third_card_player",
)
def bankers_third(s: Script) -> None:
    """The shoe deals it to the Banker by itself; the dealer reports what he did."""
    s.open()
    s.coup(STANDS)
    s.report("player_overdraw", "12.2", banker_draws=True)
    s.confirm()
    s.coups(FOUR)


@scenario(
    "irregularities/third-card-to-banker",
    "The Banker must stand and a sixth card is taken: it begins a No Bet Coup, seen or not (The Star 12.3).",
    "overdraw",
    "third_card_banker",
)
def banker(s: Script) -> None:
    """A coup without wagers."""
    s.open()
    s.coup(FIVE)
    s.pull("8D")
    s.irregular("banker_overdraw")
    s.confirm()
    s.coup(_NATURAL, "no_bet", after="8D")
    s.confirm()


@scenario(
    "irregularities/third-card-to-banker-nz",
    "The same in New Zealand, cards dealt face up: a Void Hand begins with it (12.2(b)).",
    "overdraw",
    "third_card_banker",
    rulebook="nz-baccarat",
    options={"dealing": "face_up"},
)
def banker_nz(s: Script) -> None:
    """A card that everybody has seen."""
    s.open()
    s.coup(FIVE)
    s.pull("8D")
    s.irregular("banker_overdraw")
    s.confirm()
    s.coup(_NATURAL, "void_hand", after="8D")
    s.confirm()


@scenario(
    "irregularities/three-too-many",
    "Three cards are drawn behind a natural; in New Zealand all of them begin the next live hand (12.1(b), 12.2(a)).",
    "overdraw",
    rulebook="nz-baccarat",
)
def three(s: Script) -> None:
    """One of each case."""
    s.open()
    s.coup(FOUR)
    s.pull("8D 7D 6D")
    s.irregular("player_overdraw", "banker_overdraw", "excess_card")
    s.confirm()
    s.coup("2H", after="8D 7D 6D")
    s.confirm()


@scenario(
    "irregularities/excess-card-rapid",
    "A seventh card at the Rapid: a dummy hand begins with it, once a supervisor has approved (11.8.13).",
    "overdraw",
    rulebook="star-rapid",
)
def excess_rapid(s: Script) -> None:
    """The exit is held until then."""
    s.open()
    s.coup(SIX)
    s.pull("8D")
    s.irregular("excess_card")
    s.confirm()
    s.command("authorise", "11.8.13", times=1)
    s.coup(_NATURAL, "dummy", after="8D")
    s.confirm()


@scenario(
    "irregularities/overdraw-behind-the-last-coup",
    "A card too many behind the last coup of a shoe is not used.",
    "overdraw",
)
def last(s: Script) -> None:
    """There is no coup that it could begin."""
    s.open()
    s.coup(f"CUT {FOUR}")
    s.pull("8D")
    s.irregular("player_overdraw")
    s.confirm()


@scenario(
    "irregularities/card-back-into-the-shoe",
    "Crown 7.1.5(a): a surplus card is put back at the front of the shoe, comes out again and begins a Dummy Coup.",
    "overdraw",
    rulebook="crown-baccarat",
)
def returned(s: Script) -> None:
    """The shoe reads the same card twice and counts it once."""
    s.open()
    s.coup(FOUR)
    s.pull("8D")
    s.irregular("player_overdraw")
    s.command("card-returned", "7.1.5(a)")
    s.confirm()
    s.coup(f"8D {_NATURAL}", "dummy")
    s.confirm()


@scenario(
    "irregularities/dummy-hand-not-authorised",
    "A dummy hand at the Rapid is dealt though nobody has authorised it (11.8.14): told once, then a supervisor does.",
    "overdraw",
    "drawn_while_held",
    rulebook="star-rapid",
)
def not_authorised(s: Script) -> None:
    """The cards are on the table and stay where they were due."""
    s.open()
    s.coup(SIX)
    s.pull("8D")
    s.irregular("excess_card")
    s.confirm()
    first, second, third = _NATURAL.split()
    s.pull(first)
    s.irregular("unauthorised_coup")
    s.pull(second)
    s.command("authorise", "11.8.14", times=1)
    s.coup(third, "dummy", after=f"8D {first} {second}")
    s.confirm()
