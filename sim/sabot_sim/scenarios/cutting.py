"""Where the cutting card comes, and how cards are burnt."""

from sabot_sim.scenarios.catalogue import scenario
from sabot_sim.scenarios.example_coups import BANKER, FIVE, FOUR, PLAYER, SIX, STANDS
from sabot_sim.scenarios.script import Script


@scenario(
    "cutting/first-card-star",
    "The cutting card comes before the first card of a coup: this coup is the last (The Star 4.10).",
    "cutting_card",
)
def first_star(s: Script) -> None:
    s.open()
    s.coups(FIVE, f"CUT {FOUR}")


@scenario(
    "cutting/first-card-crown",
    "The same at Crown, whose book has no such exception: one more coup follows (A-17).",
    "cutting_card",
    rulebook="crown-baccarat",
)
def first_crown(s: Script) -> None:
    s.open()
    s.coups(FIVE, f"CUT {FOUR}", SIX)


@scenario(
    "cutting/mid-coup-rapid",
    "The cutting card comes in mid-coup: the coup is finished, and one more is dealt (Rapid 3.13).",
    "cutting_card",
    rulebook="star-rapid",
)
def mid_coup(s: Script) -> None:
    """Between the Banker's first and the Player's second card."""
    s.open()
    s.coups("2S KH CUT 2D 3C 5S 4H", STANDS)


@scenario(
    "cutting/before-third-card-nz",
    "The cutting card comes before the Banker's third card: one more hand is dealt (New Zealand 11.2(b)).",
    "cutting_card",
    rulebook="nz-baccarat",
)
def before_third(s: Script) -> None:
    s.open()
    s.coups("6S KH KD 3C CUT 4S", FOUR)


@scenario(
    "cutting/behind-a-coup",
    "The cutting card is drawn after a complete coup, before it is confirmed: the next coup is the last.",
    "cutting_card",
    rulebook="star-premium",
)
def behind_a_coup(s: Script) -> None:
    s.open()
    s.coup(FIVE)
    s.pull("CUT")
    s.confirm()
    s.coups(PLAYER)


@scenario(
    "cutting/very-first-card",
    "The cutting card is on top of the shoe and comes before the burn card: the first coup is the last.",
    "cutting_card",
)
def very_first(s: Script) -> None:
    s.open("CUT KS")
    s.coups(FOUR)


@scenario(
    "cutting/dummy-coups-after-the-last",
    "After the last coup two Dummy Coups are dealt, each authorised by a supervisor (Crown 7.3.4(d)).",
    "cutting_card",
    rulebook="crown-baccarat",
)
def dummy_coups(s: Script) -> None:
    """Each is authorised before the coup before it is confirmed."""
    s.open()
    s.coups("9S CUT 2H KD 5C")
    s.coup(SIX)
    for cards in (PLAYER, BANKER):
        s.command("authorise", "10.8.2", times=1)
        s.command("no-bet", "7.3.4(d)", kind="dummy")
        s.confirm()
        s.coup(cards, kind="dummy")
    s.confirm()


@scenario(
    "cutting/not-cut",
    "The cards were not cut. A supervisor reports it in mid-coup: the coup is finished and is the last (12.7).",
)
def not_cut(s: Script) -> None:
    s.open()
    s.pull("9S 2H KD")
    s.report("cut_missed", "12.7")
    s.coup("5C", after="9S 2H KD")
    s.confirm()


@scenario(
    "cutting/burn-face-up",
    "The first card is turned up and as many as its value are burnt: five, then ten for a king (New Zealand 7.7).",
    rulebook="nz-baccarat",
)
def burn_face_up(s: Script) -> None:
    for burn in ("5D 2C JD 7H AS 3C", "KD 4C 9D 4H 5S 6C QD 6H 7S 8C TD"):
        s.command("open-shoe", "7.7", decks=8, burn="face_up")
        s.pull(burn)
        s.coups(f"9S CUT {FOUR[3:]}", PLAYER)


@scenario(
    "cutting/burn-shown-and-none",
    "One card is burnt and shown on request (4.7); the next shoe is opened without a burn.",
)
def burn_shown(s: Script) -> None:
    s.command("open-shoe", "4.7", decks=8, burn="shown")
    s.pull("8C")
    s.coups(f"CUT {FOUR}")
    s.command("open-shoe", "4.7", decks=8, burn="none")
    s.coups(f"CUT {STANDS}")


@scenario(
    "cutting/burn-before-a-coup",
    "A card is burnt before a coup in the middle of the shoe and is not dealt into it (Crown 7.2.2(b)).",
    rulebook="crown-baccarat",
)
def burn_mid_shoe(s: Script) -> None:
    s.open()
    s.coups(FOUR)
    s.command("burn-card", "7.2.2(b)")
    s.pull("TC")
    s.coups(SIX)


@scenario(
    "cutting/continuous-shuffler",
    "A continuous shuffler returns cards and has no cutting card: nine aces of spades raise no alarm.",
    rulebook="crown-baccarat",
    options={"shuffler": "continuous"},
)
def continuous(s: Script) -> None:
    s.open("4D")
    s.coups(*(f"AS {rank}H 8{suit} K{suit}" for rank, suit in zip("234567TJQ", "CDHSCDHSC", strict=True)))


@scenario(
    "cutting/behind-an-overdrawn-card",
    "The cutting card comes right after a surplus card that began the next coup: that coup and one more (4.9).",
    "cutting_card",
    "overdraw",
)
def behind_overdrawn(s: Script) -> None:
    """In mid-coup, by 12.2 and A-55."""
    s.open()
    s.coup(FOUR)
    s.pull("8D")
    s.irregular("player_overdraw")
    s.pull("CUT")
    s.confirm()
    s.coup("KH AC 9H", after="8D")
    s.confirm()
    s.coups(SIX)


@scenario(
    "cutting/burn-shown-nz",
    "The first card is discarded, and a player views it on request (New Zealand 7.7(b)).",
    rulebook="nz-baccarat",
)
def burn_shown_nz(s: Script) -> None:
    s.command("open-shoe", "7.7(b)", decks=8, burn="shown")
    s.pull("8C")
    s.coups(f"CUT {FOUR}")
