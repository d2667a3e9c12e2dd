"""Power and electronics fail."""

from sabot_sim.scenarios.catalogue import scenario
from sabot_sim.scenarios.example_coups import BANKER, FIVE, FOUR, PLAYER, SIX
from sabot_sim.scenarios.script import Script

_EXIT = 8  # among the sensors


@scenario(
    "power/mid-coup",
    "The power fails between two cards of a coup, and again before its last card: the coup continues.",
    "power_lost",
    "sequence_reused",
)
def mid_coup(s: Script) -> None:
    """Numbers of events and commands continue too."""
    s.open()
    s.pull("2S KH")
    s.power_cycle()
    s.alarms("shoe_restarted")
    s.pull("2D 3C 5S")
    s.power_cycle()
    s.alarms("shoe_restarted")
    s.coup("4H", after="2S KH 2D 3C 5S")
    s.confirm()


@scenario(
    "power/mid-draw",
    "The power fails while a card is half out: the shoe did not see it leave, so it goes back and is drawn again.",
    "power_lost",
)
def mid_draw(s: Script) -> None:
    """The sensors have seen half of it when the power fails, and nothing when it is back."""
    s.open()
    s.pull("9S 2H")
    s.power_lost_drawing("KD")
    s.alarms("shoe_restarted")
    s.coup("KD 5C", after="9S 2H")
    s.confirm()


@scenario(
    "power/in-a-fault",
    "The power fails while the shoe shows a fault: the fault comes back and is cleared by key.",
    "power_lost",
)
def in_a_fault(s: Script) -> None:
    s.open()
    s.pull("9S 2H")
    s.unread("short_pull", "KD", "short_pull")
    s.power_cycle()
    s.alarms("shoe_restarted")
    s.key()
    s.coup("KD 5C", after="9S 2H")
    s.confirm()


@scenario(
    "power/between-coups",
    "A reset before a result is confirmed, and power cuts between two coups and two shoes.",
    "power_lost",
)
def between(s: Script) -> None:
    s.power_cycle()
    s.open()
    s.coup(FIVE)
    s.act("reset")
    s.alarms("shoe_restarted")
    s.confirm()
    s.power_cycle()
    s.alarms("shoe_restarted")
    s.coups(f"CUT {BANKER}")
    s.power_cycle()
    s.open("4C")
    s.coups(PLAYER)


@scenario(
    "power/last-coup",
    "The power fails in the last coup, after the cutting card: it is still the last.",
    "power_lost",
    "cutting_card",
    rulebook="nz-baccarat",
)
def last_coup(s: Script) -> None:
    s.open()
    s.coups("9S CUT 2H KD 5C")
    s.pull("2S KH 2D")
    s.power_cycle()
    s.alarms("shoe_restarted")
    s.coup("3C 5S 4H", after="2S KH 2D")
    s.confirm()


@scenario(
    "power/long-log",
    "The power fails when the log fills its third flash sector: event numbers continue.",
    "power_lost",
    "sequence_reused",
)
def long_log(s: Script) -> None:
    """A sector holds 111 events; turning the key there and back makes two."""
    s.open()
    s.coups(FOUR)
    for _ in range(110):
        s.key()
    s.power_cycle()
    s.alarms("shoe_restarted")
    s.coups(PLAYER)


@scenario(
    "electronics/journal-damaged",
    "The shoe's log is damaged while it is off: it starts with a fault that no key clears, and deals no more.",
    "memory_corrupt",
)
def journal_damaged(s: Script) -> None:
    """What is sound of the log is still sent."""
    s.open()
    s.coups(FOUR)
    s.act("power", state="off")
    s.act("flash", damage="journal", seed=5)
    s.act("power", state="on")
    s.alarms("shoe_restarted", "fault_journal")
    s.key()
    s.press("new_shoe")
    s.pull_while_closed("3H")


@scenario(
    "electronics/sensor-stuck",
    "The exit sensor sees a card that is not there: the exit stays locked until the sensor is clean.",
    "half_drawn",
)
def sensor_stuck(s: Script) -> None:
    """The fault clears by itself when the sensor is free."""
    s.open()
    s.pull("9S 2H")
    s.stick(_EXIT)
    s.wait(6.0)
    s.rejected("half_drawn")
    s.alarms("fault_card")
    s.command("clear-fault", fault="card")
    s.alarms("fault_sensor")
    s.stick(_EXIT)
    s.coup("KD 5C", after="9S 2H")
    s.confirm()


@scenario(
    "electronics/store-damaged",
    "The shoe's start counter is damaged while it is off: it reports that and restores the count from its log.",
    "memory_corrupt",
)
def store_damaged(s: Script) -> None:
    """Locked until a start finds everything sound."""
    s.open()
    s.coups(SIX)
    _store_damaged(s, seed=2)
    s.coups(PLAYER)


@scenario(
    "electronics/profile-lost",
    "The shoe's profile is damaged while it is off: the gateway sends it again, and a surplus card follows its rules.",
    "memory_corrupt",
    "overdraw",
)
def profile_lost(s: Script) -> None:
    """The Star 12.2: a fifth card after a natural begins the next live coup."""
    s.open()
    s.coups(SIX)
    s.pull("9S 2H")
    _store_damaged(s, seed=1)
    s.coup("KD 5C", after="9S 2H")
    s.pull("8D")
    s.irregular("player_overdraw")
    s.confirm()
    s.coup("KH KC 9H", after="8D")
    s.confirm()


def _store_damaged(s: Script, seed: int) -> None:
    """Flip a bit; the shoe reports it when it starts, and a second start finds everything sound."""
    s.act("power", state="off")
    s.act("flash", damage="store", seed=seed)
    s.act("power", state="on")
    s.alarms("shoe_restarted", "fault_journal")
    s.power_cycle()
    s.alarms("shoe_restarted")


@scenario(
    "electronics/image-damaged",
    "A bit of the program is flipped while the shoe is off: its check fails, and it sends nothing.",
    "image_fails",
    "silent_before_self_test",
)
def image_damaged(s: Script) -> None:
    s.open()
    s.coups(FOUR)
    s.act("power", state="off")
    s.act("flash", damage="image", seed=1)
    s.act("power", state="on", greeted=False)
    s.act("wait", says="offline")


@scenario(
    "electronics/buttons-together",
    "Two buttons at the same moment have no effect, and one that bounces counts once.",
    "buttons_together",
)
def buttons_together(s: Script) -> None:
    s.open()
    s.coup(FOUR)
    s.press("player", "banker")
    s.press("confirm", "new_shoe")
    s.press("player", "banker", "tie", "confirm", "new_shoe")
    s.bounce("confirm")
    s.coups(FIVE)
