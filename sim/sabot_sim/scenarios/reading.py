"""How cards pass the sensors: worn and dirty optics, quick and slow hands, and moves that are not a draw."""

from dataclasses import replace

from sabot_sim.optics.profiles import PROFILES, Profile
from sabot_sim.scenarios.catalogue import scenario
from sabot_sim.scenarios.example_coups import BANKER, FIVE, FOUR, PLAYER, SIX, STANDS
from sabot_sim.scenarios.script import Script
from sabot_sim.scenarios.whole_shoes import whole_shoe
from sabot_sim.stack import shuffled


@scenario(
    "optics/worn",
    "A whole shoe with worn optics: lamps at 60 to 90 %, pale marks, drifting thresholds; every card is read.",
    decks=3,
    hands=replace(PROFILES["worn"], speed_m_s=(0.3, 2.0)),
)
def worn(s: Script) -> None:
    whole_shoe(s, shuffled(3, s.rng))


@scenario(
    "optics/dirty",
    "A whole shoe with dirty optics: specks, scratches, smears, a dull window, chatter; every card is read.",
    decks=3,
    hands=replace(PROFILES["dirty"], speed_m_s=(0.3, 2.0)),
)
def dirty(s: Script) -> None:
    whole_shoe(s, shuffled(3, s.rng))


@scenario(
    "optics/quick-dealer",
    "A whole shoe in quick hands: cards at 2 to 3 m/s, close together, results confirmed at once.",
    rulebook="star-premium",
    decks=3,
    hands=PROFILES["fast"],
    pause_factor=0.3,
)
def quick(s: Script) -> None:
    whole_shoe(s, shuffled(3, s.rng))


@scenario(
    "optics/slow-dealer",
    "A whole shoe in slow hands: cards at 0.1 to 0.2 m/s, edges that chatter, long pauses.",
    rulebook="nz-baccarat",
    decks=4,
    hands=PROFILES["slow"],
    pause_factor=4.0,
)
def slow(s: Script) -> None:
    whole_shoe(s, shuffled(4, s.rng))


@scenario(
    "optics/stop-and-go",
    "Cards stop one to three times on their way, for up to three seconds, and are still read.",
    seed=18,
)
def stop_and_go(s: Script) -> None:
    s.open()
    for card in FIVE.split():
        s.mishap("pauses", card)
        s.truth.cards.append(card)
    s.complete(FIVE)
    s.confirm()


@scenario(
    "optics/every-speed",
    "Cards from 0.1 to 3 m/s, tilted by up to 0.3 mm, drawn from rest, evenly or wavering.",
    hands=replace(PROFILES["skewed"], speed_m_s=(0.1, 3.0)),
)
def every_speed(s: Script) -> None:
    s.open()
    s.coups(SIX, FIVE, STANDS, BANKER, PLAYER, FOUR)


def _comes_again(s: Script, mishap: str, card: str, reason: str) -> None:
    """Push a card back with a mishap; the supervisor clears the fault, and the card is drawn again."""
    s.unread(mishap, card, reason)
    s.key()
    s.pull(card)


@scenario(
    "optics/pushed-back",
    "One card is pushed back at the exit, one before it, one is drawn a little and let go: each is drawn again.",
    "pushed_back",
    "pushed_back_midway",
    "short_pull",
    seed=2,
)
def pushed_back(s: Script) -> None:
    """Three faults that the key clears."""
    s.open()
    _comes_again(s, "pushed_back", "9S", "pushed_back")
    _comes_again(s, "pushed_back_midway", "2H", "short_pull")
    _comes_again(s, "short_pull", "KD", "short_pull")
    s.coup("5C", after="9S 2H KD")
    s.confirm()


@scenario(
    "optics/back-and-forth",
    "A card goes back midway and out again, so its columns pass the sensors twice: unread, and keyed in.",
    "pushed_back_midway",
    "keyed_in",
    seed=6,
)
def back_and_forth(s: Script) -> None:
    s.open()
    s.pull("9S 2H KD")
    s.unread("jerk_back", "5C", "pushed_back_midway")
    s.key_in("5C")
    s.complete(FOUR)
    s.confirm()


@scenario(
    "optics/half-drawn",
    "A card is left half drawn; after five seconds the shoe reports it; it is taken out and drawn again.",
    "half_drawn",
)
def half_drawn(s: Script) -> None:
    """The path must be clear first."""
    s.open()
    s.pull("9S 2H")
    _comes_again(s, "half_drawn", "KD", "half_drawn")
    s.coup("5C", after="9S 2H KD")
    s.confirm()


@scenario(
    "optics/two-together",
    "Two cards overlap, then two follow each other without a gap: both times a supervisor voids the coup.",
    "two_together",
    seed=2,
)
def two_together(s: Script) -> None:
    """It is unknown which card the sensors saw."""
    s.open()
    for mishap in ("double", "following"):
        s.pull("9S 2H")
        s.unread(mishap, "KD", "double")
        s.command("void", "12.1.2", reason="misdeal", then="go_on")
        s.void("9S", "2H")
    s.coups(FIVE)


@scenario(
    "optics/unreadable",
    "A mark is missing on one card, a code sensor fails for another: both are rejected, and keyed in.",
    "unreadable",
    "keyed_in",
    seed=3,
)
def unreadable(s: Script) -> None:
    """Code words differ in four columns, so one wrong column never makes another card."""
    s.open()
    s.pull("9S 2H")
    s.unread("missing_mark", "KD", "columns")
    s.key_in("KD")
    s.unread("lost_track", "5C", "columns")
    s.key_in("5C")
    s.complete(FOUR)
    s.confirm()


def _keyed_in(s: Script, seen: Profile, mishap: str, reason: str) -> None:
    """Deal a coup whose third card passes the sensors like this, is rejected and keyed in."""
    s.open()
    s.pull("9S 2H")
    hands, s.hands = s.hands, seen
    s.unread(mishap, "KD", reason)
    s.hands = hands
    s.key_in("KD")
    s.coup("5C", after="9S 2H KD")
    s.confirm()


@scenario(
    "optics/doubtful",
    "Specks as large as marks: a column that may be marked or not makes the card a reject.",
    "unreadable",
    "keyed_in",
    seed=19,
)
def doubtful(s: Script) -> None:
    """Ten columns, and one of them is uncertain."""
    _keyed_in(s, replace(s.hands, specks=(4, 8), speck_um=(300, 900)), "extra_mark", "doubtful")


@scenario(
    "optics/flicker",
    "A lamp flickers hundreds of times while a card passes: more changes than the shoe keeps; a reject.",
    "unreadable",
    "keyed_in",
    seed=72,
)
def flicker(s: Script) -> None:
    _keyed_in(s, replace(s.hands, spike_share=1, spikes=(300, 300), spike_us=(30, 120)), "burst", "columns")


@scenario(
    "optics/lid-open",
    "Cards are moved past the sensors while the lid is open: one report that it is open, and nothing is read.",
)
def lid_open(s: Script) -> None:
    """The key clears the fault when the lid is shut."""
    s.open()
    s.coups(PLAYER)
    s.lid()
    s.rejected("lid_open")
    s.alarms("fault_lid")
    for card in BANKER.split():
        s.mishap("pauses", card)
    s.lid()
    s.key()
    s.coups(BANKER)


@scenario(
    "optics/noise",
    "Light flickers on the sensors between two coups: one report, and the exit is not locked.",
    seed=2,
)
def noise(s: Script) -> None:
    s.open()
    s.coups(PLAYER)
    s.mishap("noise", "8D")
    s.rejected("noise")
    s.wait(1)
    s.coups(BANKER)
