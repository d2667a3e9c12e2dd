"""The catalogue: every scenario by name, with what it is about and the table it is played at."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from sabot_sim.optics.profiles import Profile
from sabot_sim.scenarios.script import HANDS, Script

NINE_O_CLOCK_US: Final = 1_772_442_000_000_000  # 2026-03-02T09:00:00Z

# In the order of trust: what one topic needs, those before it have shown.
TOPICS: Final = {
    "clean": "Whole shoes of every book and number of decks. Nothing goes wrong, so nothing may be said but the game.",
    "streaks": "Whole shoes whose winners were arranged: long columns, ties and single columns on the roads.",
    "cutting": "Where the cutting card comes, and how cards are burnt, by the book of each house.",
    "irregularities": "What dealers, players and cards do that the books have a clause for.",
    "optics": "How cards pass the sensors: worn, dirty, quick, slow, and in ways that are no draw.",
    "disputes": "Results that people do not agree on, and who decides.",
    "link": "Line, gateway, broker, disk and clock misbehave; every event arrives, once, or nothing is said.",
    "power": "The plug is pulled in whatever the shoe does; it goes on from there.",
    "electronics": "Memory and program fail their check, and buttons are pressed as nobody means them.",
}

Play = Callable[[Script], None]


@dataclass(frozen=True)
class Scenario:
    """One recording to be made."""

    name: str  # topic/name
    about: str
    play: Play
    covers: tuple[str, ...] = ()
    rulebook: str = "star-baccarat"
    decks: int = 8
    options: dict[str, str] = field(default_factory=dict)
    card_set: int = 1
    hands: Profile = HANDS
    pause_factor: float = 1.0
    quick: bool = False
    key: str = ""
    started_unix_us: int = NINE_O_CLOCK_US
    seed: int = 1

    def script(self, seed: int | None = None) -> Script:
        """Played with this seed, or with its own."""
        script = Script(self.seed if seed is None else seed, self.hands, self.card_set, self.pause_factor)
        self.play(script)
        return script

    def metadata(self, seed: int) -> dict[str, Any]:
        """What the recording says of itself."""
        said = {
            "source": f"simulator: {self.name} seed {seed}",
            "about": self.about,
            "covers": list(self.covers),
            "rulebook": self.rulebook,
            "decks": self.decks,
            "card_set": self.card_set,
            "options": self.options,
            "started_unix_us": self.started_unix_us,
        }
        return {**said, **({"quick": True} if self.quick else {}), **({"key": self.key} if self.key else {})}


SCENARIOS: Final[dict[str, Scenario]] = {}


def scenario(name: str, about: str, *covers: str, **table: Any) -> Callable[[Play], Play]:
    """The function below plays this scenario."""

    def add(play: Play) -> Play:
        SCENARIOS[name] = Scenario(name, about, play, covers, **table)
        return play

    return add
