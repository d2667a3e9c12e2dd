"""Coups about whose result people disagree, and who decides them."""

from sabot_sim.scenarios.catalogue import scenario
from sabot_sim.scenarios.hands import BANKER, FIVE, FOUR, PLAYER, SIX
from sabot_sim.scenarios.script import Script


def _disputed(s: Script, cards: str, button: str) -> None:
    """The dealer enters another result than the shoe's: an irregularity, which the discrepancy tells."""
    s.coup(cards)
    s.think(0.5, 1.5)
    s.press(button)
    s.truth.irregularities.append("scan_discrepancy")
    s.alarms("discrepancy")


@scenario(
    "disputes/confirmed",
    "The dealer presses Banker where the cards say Player: a supervisor confirms the coup at the gateway (12.13).",
    "result_differs",
    "wrong_button",
)
def confirmed(s: Script) -> None:
    """The shoe's fault is cleared by key."""
    s.open()
    _disputed(s, FOUR, "banker")
    s.say("confirm", "12.13")
    s.key()
    s.confirm()
    s.coups(FIVE)


@scenario(
    "disputes/confirmed-otherwise",
    "The supervisor has seen what the shoe did not: he confirms the coup with another winner (12.13).",
    "result_differs",
)
def otherwise(s: Script) -> None:
    """Cards and points stay as they were read."""
    s.open()
    _disputed(s, FOUR, "banker")
    s.say("confirm", "12.13", winner="banker")
    s.key()
    s.confirm()
    s.coups(PLAYER)


@scenario(
    "disputes/void",
    "The outcome cannot be confirmed: the supervisor voids the coup at the gateway and clears the fault by key.",
    "result_differs",
)
def void(s: Script) -> None:
    """Stakes are returned."""
    s.open()
    _disputed(s, SIX, "tie")
    s.say("void", "12.13")
    s.key()
    s.confirm()
    s.coups(BANKER)


@scenario(
    "disputes/settled-at-the-shoe",
    "The supervisor turns the key at the shoe and the dealer confirms: the shoe's result stands (Rapid 11.8.11).",
    "result_differs",
    rulebook="star-rapid",
)
def at_the_shoe(s: Script) -> None:
    """Nobody goes to the gateway."""
    s.open()
    _disputed(s, BANKER, "player")
    s.key()
    s.confirm()
    s.coup(PLAYER)
    s.press("player")
    s.confirm()


@scenario(
    "disputes/clause-missing",
    "A dispute is decided under a clause or not at all; an unknown winner and an unknown verb are refused.",
    "result_differs",
)
def refused(s: Script) -> None:
    """What people say wrong changes nothing."""
    s.open()
    _disputed(s, FIVE, "player")
    s.say("confirm")
    s.say("confirm", "12.13", winner="house")
    s.say("burn-the-shoe")
    s.say("confirm", "12.13")
    s.key()
    s.confirm()
    s.say("void", "12.13", reason="misdeal", then="go_on")
    s.say("ack-alarm", alarm="all")
    s.say("ack-alarm", alarm="all")
