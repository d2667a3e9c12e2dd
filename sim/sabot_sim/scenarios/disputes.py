"""Coups with a disputed result, and how they are decided."""

from sabot_sim.scenarios.catalogue import scenario
from sabot_sim.scenarios.example_coups import BANKER, FIVE, FOUR, PLAYER, SIX
from sabot_sim.scenarios.script import Script

FIRST = "1/1"  # shoe and coup, as a person reads them


def _disputed(s: Script, cards: str, button: str) -> None:
    """Enter another result than the shoe's: an irregularity, a discrepancy alarm and a decision fault."""
    s.coup(cards)
    s.think(0.5, 1.5)
    s.press(button)
    if s.enters_result:
        s.press("confirm")  # the result counts with it
    s.truth.irregularities.append("scan_discrepancy")
    s.alarms("discrepancy", "fault_decision")


@scenario(
    "disputes/confirmed",
    "The dealer presses Banker where the cards give Player: a supervisor confirms the coup at the gateway (12.13).",
    "result_differs",
    "wrong_button",
)
def confirmed(s: Script) -> None:
    """The decision at the gateway clears the fault of the shoe."""
    s.open()
    _disputed(s, FOUR, "banker")
    s.command("decide", "12.13", coup=FIRST, verdict="confirmed")
    s.coups(FIVE)


@scenario(
    "disputes/confirmed-otherwise",
    "The supervisor has seen what the shoe did not and confirms the coup with another winner (12.13).",
    "result_differs",
)
def otherwise(s: Script) -> None:
    """Cards and points stay as they were read."""
    s.open()
    _disputed(s, FOUR, "banker")
    s.command("decide", "12.13", coup=FIRST, verdict="confirmed", winner="banker")  # refused: the cards say Player
    s.command("decide", "12.13", coup=FIRST, verdict="confirmed", winner="banker", reason="The KD is a 4D, seen by two")
    s.alarms("decided_by_word")
    s.coups(PLAYER)


@scenario(
    "disputes/void",
    "The result cannot be confirmed: the supervisor voids the coup at the gateway, and the shoe continues.",
    "result_differs",
)
def void(s: Script) -> None:
    s.open()
    _disputed(s, SIX, "tie")
    s.command("decide", "12.13", coup=FIRST, verdict="void")
    s.coups(BANKER)


@scenario(
    "disputes/void-on-the-table",
    "The supervisor voids the disputed coup on the table: the shoe's void event records who decided, and why.",
    "result_differs",
)
def void_on_the_table(s: Script) -> None:
    """No second decision at the gateway is needed."""
    s.open()
    _disputed(s, SIX, "tie")
    s.command("void", "12.13", coup=FIRST, reason="discrepancy", then="go_on")
    s.alarms("coup_void")
    s.coups(BANKER)


@scenario(
    "disputes/decided-while-the-shoe-is-off",
    "The coup is voided while the shoe has no power: it comes back with its fault, and a supervisor clears that.",
    "result_differs",
    "power_lost",
)
def shoe_off(s: Script) -> None:
    """The decision counts; the gateway shows what is still to do until it is done."""
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
    "The gateway is killed while a coup is disputed and the shoe is locked: it starts, and the coup is decided.",
    "result_differs",
)
def gateway_restarted(s: Script) -> None:
    """A second decision is refused and names the first."""
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
    "The supervisor turns the key at the shoe and the dealer confirms: the shoe's result counts (Rapid 11.8.11).",
    "result_differs",
    rulebook="star-rapid",
)
def at_the_shoe(s: Script) -> None:
    s.open()
    _disputed(s, BANKER, "player")
    s.key()
    s.confirm()
    s.coup(PLAYER)
    s.confirm()


@scenario(
    "disputes/clause-missing",
    "A dispute is decided under a clause of the book or not at all; unknown winners and verbs are refused.",
    "result_differs",
)
def refused(s: Script) -> None:
    """Wrong commands change nothing; a second decision is refused and names the first."""
    s.open()
    _disputed(s, FIVE, "player")
    s.command("decide", coup=FIRST, verdict="confirmed")
    s.command("decide", "12.99", coup=FIRST, verdict="confirmed")
    s.command("decide", "12.13", coup=FIRST, verdict="confirmed", winner="house")
    s.command("burn-the-shoe")
    s.command("void", "12.13", coup="1/2", reason="misdeal", then="go_on")
    s.command("void", "12.1.2", coup="1/2", reason="misdeal", then="go_on")
    s.command("decide", "12.13", coup=FIRST, verdict="confirmed")
    s.command("decide", "12.13", coup=FIRST, verdict="void")
    s.command("void", "12.1.2", coup=FIRST, reason="misdeal", then="go_on")
    s.command("void", "12.1.2", reason="misdeal", then="go_on")
    s.command("ack-alarm", alarm="all")
