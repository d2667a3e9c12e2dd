"""What dealers and supervisors forget, do in the wrong order, notice late, or must key in."""

from sabot_sim.scenarios.catalogue import scenario
from sabot_sim.scenarios.example_coups import BANKER, FIVE, FOUR, PLAYER, SIX
from sabot_sim.scenarios.script import Script


@scenario(
    "irregularities/burn-forgotten",
    "The burn was forgotten: play continues with those cards (The Star 12.8).",
    "burn_forgotten",
)
def burn_forgotten(s: Script) -> None:
    """Noticed before the first card."""
    s.press("new_shoe")
    s.report("burn_missed", "12.8")
    s.coups(FOUR, FIVE)


@scenario(
    "irregularities/burn-forgotten-crown",
    "The burn was forgotten and the first coup is not complete: a supervisor has it dealt again (Crown 10.1.1).",
    "burn_forgotten",
    rulebook="crown-baccarat",
)
def burn_forgotten_crown(s: Script) -> None:
    """Two cards are out: they go back to the front of the shoe, and the first of them is burnt."""
    s.command("open-shoe", decks=8, burn="none")
    s.pull("9S 2H")
    s.report("burn_missed", "10.1.1")
    s.alarms("fault_decision")
    s.command("burn-card", "10.1.1")
    s.pull("9S")
    s.coups("2H KH 2D 3C 5S 4H")


@scenario(
    "irregularities/wrong-shoe",
    "One dealer serves two games and draws from the wrong shoe: the coup is void (Rapid 11.8.2).",
    "wrong_shoe",
    rulebook="star-rapid",
)
def wrong_shoe(s: Script) -> None:
    """Noticed at the third card."""
    s.open()
    s.pull("9S 2H KD")
    s.report("wrong_shoe", "11.8.2")
    s.void("9S KD", "2H")
    s.coups(FIVE)


@scenario(
    "irregularities/wrong-side",
    "Cards are laid on the wrong side: they are put in order, play continues, players may withdraw (The Star 12.1.1).",
    "wrong_side",
)
def wrong_side(s: Script) -> None:
    s.open()
    s.pull("2S KH 2D")
    s.report("wrong_area", "12.1")
    s.coup("3C 5S 4H", after="2S KH 2D")
    s.confirm()
    s.pull("6S KH KD 3C")
    s.report("banker_got_players_card", "12.1.1", reconstructible=True, notified_before_next=True)
    s.coup("4S", after="6S KH KD 3C")
    s.confirm()


@scenario(
    "irregularities/wrong-side-rapid",
    "The same at the Rapid, where a doubtful order always voids the coup (11.8.1.3).",
    "wrong_side",
    rulebook="star-rapid",
)
def wrong_side_rapid(s: Script) -> None:
    s.open()
    s.pull("2S KH 2D")
    s.report("wrong_area", "11.8.1")
    s.void("2S 2D", "KH")
    s.coups(FOUR)


@scenario(
    "irregularities/keyed-in",
    "A card cannot be read; it is keyed in once a supervisor has authorised it (Rapid 11.8.12).",
    "keyed_in",
    "unreadable",
    rulebook="star-rapid",
    quick=True,
)
def keyed_in(s: Script) -> None:
    """The first try, without authorisation, is refused."""
    s.open()
    s.pull("9S 2H KD")
    s.unread("blank", "5C", "blank")
    s.command("key-card", "11.8.12", card="5C", flags={})
    s.command("authorise", "11.8.12", times=1)
    s.key_in("5C", "11.8.12")
    s.complete(FOUR)
    s.confirm()


@scenario(
    "irregularities/misread-noticed-late",
    "A card is not read and the dealer draws the next one before noticing: the coup is void (The Star 12.1.2).",
    "misread_late",
    "drawn_while_held",
)
def misread_late(s: Script) -> None:
    """The second card comes out while the shoe shows its fault, and begins the next coup."""
    s.open()
    s.pull("9S 2H")
    s.unread("blank", "KD", "blank")
    s.pull("5C")
    s.irregular("excess_card")
    s.command("void", "12.1.2", reason="misdeal", then="go_on")
    s.void("9S", "2H")
    s.coup("7H TD KD 2C", after="5C")
    s.confirm()


@scenario(
    "irregularities/before-betting-closed",
    "The exit is locked for betting and a card is drawn by force: the card counts and closes the betting (5.4).",
    "before_betting_closed",
    "drawn_while_held",
)
def before_betting_closed(s: Script) -> None:
    s.open()
    s.coups(FOUR)
    s.command("lock")
    s.alarms("exit_locked")
    s.pull("3H")
    s.alarms("drawn_while_locked")
    s.command("unlock")
    s.coup("9C 4D KS", after="3H")
    s.confirm()


@scenario(
    "irregularities/no-shoe-open",
    "Cards are drawn though no shoe is open: each is rejected as not due.",
    "drawn_while_held",
)
def no_shoe_open(s: Script) -> None:
    """Before the first shoe, and after the last coup."""
    s.pull_while_closed("8D")
    s.open()
    s.coups(f"CUT {PLAYER}")
    s.pull_while_closed("CUT")


@scenario(
    "irregularities/wrong-buttons",
    "Result buttons and New shoe in mid-coup have no effect; Confirm without an entered result is accepted.",
    "wrong_button",
)
def wrong_buttons(s: Script) -> None:
    s.press("confirm")
    s.open()
    s.pull("3H 9C")
    for button in ("tie", "confirm", "new_shoe"):
        s.press(button)
    s.coup("4D KS", after="3H 9C")
    s.press("banker")
    s.press("banker")
    s.confirm()
    s.press("player")
    s.coups(PLAYER)


@scenario(
    "irregularities/shoe-dies",
    "The shoe stops reading in mid-coup: another one takes its place, and the coup continues (Rapid 11.8.15).",
    "shoe_dies",
    rulebook="star-rapid",
)
def shoe_dies(s: Script) -> None:
    """Exported from one, imported at the other: the same coup, no second burn, one result."""
    s.open()
    s.coups(BANKER)
    s.pull("9S 2H KD")
    s.report("shoe_not_reading", "11.8.15", disadvantage=False)
    s.command("export-coup", "11.8.15")
    s.alarms("handed_over")
    s.act("power", state="off")
    s.act("shoe", number=2)
    s.act("power", state="on")
    s.press("new_shoe")
    s.command("import-coup", "11.8.15", coup_no=2, cards={"player_1": "9S", "banker_1": "2H", "player_2": "KD"})
    s.alarms("coup_came")
    s.coup("5C", after="9S 2H KD")
    s.confirm()
    s.coups(SIX)


@scenario(
    "irregularities/all-wagers-withdrawn",
    "Cards are put in order again and all players withdraw: the coup becomes a no bet coup (The Star 12.1.1).",
    "wrong_side",
)
def all_withdrawn(s: Script) -> None:
    s.open()
    s.pull("9S 2H")
    s.report("bad_order", "12.1.1", reconstructible=True, notified_before_next=True)
    s.command("this-no-bet", "12.1.1", coup="1/1")
    s.coup("KD 5C", "no_bet", after="9S 2H")
    s.confirm()
    s.coups(SIX)
