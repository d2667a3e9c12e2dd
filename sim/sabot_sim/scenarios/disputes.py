"""Coups about whose result people disagree, and who decides them."""

from sabot_sim.scenarios.catalogue import scenario
from sabot_sim.scenarios.example_coups import BANKER, FIVE, FOUR, PLAYER, SIX
from sabot_sim.scenarios.script import Script

FIRST = "1/1"  # shoe and coup, as a person reads them


def _disputed(s: Script, cards: str, button: str) -> None:
    """The dealer enters another result than the shoe's: an irregularity, which the discrepancy tells, and a fault."""
    s.coup(cards)
    s.think(0.5, 1.5)
    s.press(button)
    s.truth.irregularities.append("scan_discrepancy")
    s.alarms("discrepancy", "fault_decision")


@scenario(
    "disputes/confirmed",
    "The dealer presses Banker where the cards say Player: a supervisor confirms the coup at the gateway (12.13).",
    "result_differs",
    "wrong_button",
)
def confirmed(s: Script) -> None:
    """That ends the shoe's fault, and it goes on."""
    s.open()
    _disputed(s, FOUR, "banker")
    s.command("decide", "12.13", coup=FIRST, verdict="confirmed")
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
    s.command("decide", "12.13", coup=FIRST, verdict="confirmed", winner="banker")
    s.coups(PLAYER)


@scenario(
    "disputes/void",
    "The outcome cannot be confirmed: the supervisor voids the coup at the gateway, and the shoe goes on.",
    "result_differs",
)
def void(s: Script) -> None:
    """Stakes are returned."""
    s.open()
    _disputed(s, SIX, "tie")
    s.command("decide", "12.13", coup=FIRST, verdict="void")
    s.coups(BANKER)


@scenario(
    "disputes/void-on-the-table",
    "The supervisor voids the coup on the table, which is disputed: the shoe's void says who decided, and why.",
    "result_differs",
)
def void_on_the_table(s: Script) -> None:
    """No second word at the gateway is wanted."""
    s.open()
    _disputed(s, SIX, "tie")
    s.command("void", "12.13", coup=FIRST, reason="discrepancy", then="go_on")
    s.alarms("coup_void")
    s.coups(BANKER)


@scenario(
    "disputes/decided-while-the-shoe-is-off",
    "The shoe has no power when the coup is voided: it comes back with its fault, and a supervisor ends that.",
    "result_differs",
    "power_lost",
)
def shoe_off(s: Script) -> None:
    """The decision stands; what is still to be done is said until it is done."""
    s.open()
    _disputed(s, SIX, "tie")
    s.act("power", state="off")
    s.act("wait", says="offline")
    s.command("decide", "12.13", coup=FIRST, verdict="void")
    s.command("ack-alarm", alarm="all")
    s.act("power", state="on")
    s.alarms("shoe_restarted")
    s.command("ack-alarm", alarm="all")
    s.command("void", "12.13", coup=FIRST, reason="discrepancy", then="go_on")
    s.coups(BANKER)


@scenario(
    "disputes/gateway-restarted",
    "The gateway is killed while a coup is disputed and its fault holds the shoe: it starts, and the coup is decided.",
    "result_differs",
)
def gateway_restarted(s: Script) -> None:
    """Who decides twice is told of the first decision."""
    s.open()
    _disputed(s, SIX, "tie")
    s.command("ack-alarm", alarm="all")
    s.act("gateway", state="kill")
    s.act("gateway", state="start")
    s.command("decide", "12.13", coup=FIRST, verdict="confirmed")
    s.act("gateway", state="kill")
    s.act("gateway", state="start")
    s.command("decide", "12.13", coup=FIRST, verdict="void")
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
    "A dispute is decided under a clause of the book or not at all; an unknown winner and an unknown verb are refused.",
    "result_differs",
)
def refused(s: Script) -> None:
    """What people ask wrong changes nothing; the second who decides is told of the first."""
    s.open()
    _disputed(s, FIVE, "player")
    s.command("decide", coup=FIRST, verdict="confirmed")
    s.command("decide", "12.99", coup=FIRST, verdict="confirmed")
    s.command("decide", "12.13", coup=FIRST, verdict="confirmed", winner="house")
    s.command("burn-the-shoe")
    s.command("void", "12.13", coup="1/2", reason="misdeal", then="go_on")
    s.command("decide", "12.13", coup=FIRST, verdict="confirmed")
    s.command("decide", "12.13", coup=FIRST, verdict="void")
    s.command("void", "12.13", coup=FIRST, reason="misdeal", then="go_on")
    s.command("void", "12.13", reason="misdeal", then="go_on")
    s.command("ack-alarm", alarm="all")
