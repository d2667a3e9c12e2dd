"""Surplus cards: third cards that are not allowed, cards too many, and what each rulebook does with them."""

from sabot_sim.scenarios.catalogue import scenario
from sabot_sim.scenarios.example_coups import FIVE, FOUR, SIX, STANDS
from sabot_sim.scenarios.script import Script

_NATURAL = "KH KC 9H"  # after a first card of 8: Banker 9


@scenario(
    "irregularities/third-card-to-player",
    "A fifth card is drawn after a natural: it begins the next live coup (The Star 12.2).",
    "overdraw",
    "third_card_player",
    quick=True,
)
def player(s: Script) -> None:
    """The card is not exposed."""
    s.open()
    s.coup(FOUR)
    s.pull("8D")
    s.irregular("player_overdraw")
    s.confirm()
    s.coup(_NATURAL, after="8D")
    s.confirm()


@scenario(
    "irregularities/third-card-to-player-bankers",
    "The Player must stand and is given a card: it is the third card of the Banker, who must draw (12.2).",
    "third_card_player",
)
def bankers_third(s: Script) -> None:
    """The shoe deals it to the Banker by itself; the dealer reports the mistake."""
    s.open()
    s.coup(STANDS)
    s.report("player_overdraw", "12.2", banker_draws=True)
    s.confirm()
    s.coups(FOUR)


@scenario(
    "irregularities/third-card-to-banker",
    "The Banker must stand and a sixth card is drawn: it begins a No Bet Coup (The Star 12.3).",
    "overdraw",
    "third_card_banker",
)
def banker(s: Script) -> None:
    s.open()
    s.coup(FIVE)
    s.pull("8D")
    s.irregular("banker_overdraw")
    s.confirm()
    s.coup(_NATURAL, "no_bet", after="8D")
    s.confirm()


@scenario(
    "irregularities/third-card-to-banker-nz",
    "The same in New Zealand, with cards dealt face up: a Void Hand begins with it (12.2(b)).",
    "overdraw",
    "third_card_banker",
    rulebook="nz-baccarat",
    options={"dealing": "face_up"},
)
def banker_nz(s: Script) -> None:
    s.open()
    s.coup(FIVE)
    s.pull("8D")
    s.irregular("banker_overdraw")
    s.confirm()
    s.coup(_NATURAL, "void_hand", after="8D")
    s.confirm()


@scenario(
    "irregularities/three-too-many",
    "Three cards are drawn after a natural: all begin the next live hand (New Zealand 12.1(b), 12.2(a)).",
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
    "A seventh card is drawn: it begins a dummy hand once a supervisor has authorised it (Rapid 11.8.13).",
    "overdraw",
    rulebook="star-rapid",
)
def excess_rapid(s: Script) -> None:
    """The exit is locked until then."""
    s.open()
    s.coup(SIX)
    s.pull("8D")
    s.irregular("excess_card")
    s.confirm()
    s.alarms("awaiting_authorisation")
    s.command("authorise", "11.8.13", times=1)
    s.coup(_NATURAL, "dummy", after="8D")
    s.confirm()


@scenario(
    "irregularities/overdraw-behind-the-last-coup",
    "A surplus card after the last coup of a shoe is not used.",
    "overdraw",
)
def last(s: Script) -> None:
    s.open()
    s.coup(f"CUT {FOUR}")
    s.pull("8D")
    s.irregular("player_overdraw")
    s.confirm()


@scenario(
    "irregularities/card-back-into-the-shoe",
    "A surplus card goes back to the front of the shoe and begins a Dummy Coup (Crown 7.1.5(a)).",
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
    "A dummy hand is dealt without authorisation: one alarm, then a supervisor authorises it (Rapid 11.8.14).",
    "overdraw",
    "drawn_while_held",
    rulebook="star-rapid",
)
def not_authorised(s: Script) -> None:
    """The cards are on the table and stay in their positions."""
    s.open()
    s.coup(SIX)
    s.pull("8D")
    s.irregular("excess_card")
    s.confirm()
    s.alarms("awaiting_authorisation")
    first, second, third = _NATURAL.split()
    s.pull(first)
    s.irregular("unauthorised_coup")
    s.pull(second)
    s.command("authorise", "11.8.14", times=1)
    s.coup(third, "dummy", after=f"8D {first} {second}")
    s.confirm()
