"""The catalogue: every scenario with its name, its description and the table it is played at."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from sabot_protocol import rulebooks

from sabot_sim.optics.profiles import Profile
from sabot_sim.scenarios.script import HANDS, Script

NINE_O_CLOCK_US: Final = 1_772_442_000_000_000  # 2026-03-02T09:00:00Z

# In the order of trust: a topic relies only on what the topics before it have shown.
TOPICS: Final = {
    "clean": "Whole shoes of every book and number of decks. Nothing goes wrong, so no alarm may be raised.",
    "streaks": "Whole shoes whose winners were arranged: long columns, ties and single columns on the roads.",
    "cutting": "Where the cutting card comes, and how cards are burnt, by the rulebook of each house.",
    "irregularities": "What dealers, players and cards do that the rulebooks have a clause for.",
    "optics": "How cards pass the sensors: worn, dirty, quick, slow, and moves that are not a draw.",
    "disputes": "Results that people disagree about, and how a supervisor decides them.",
    "link": "Line, gateway, broker, disk and clock fail; every event is published once, or nothing is published.",
    "power": "The power fails at different moments; the shoe continues where it was.",
    "electronics": "Memory and program fail their check; buttons are pressed in ways that have no effect.",
}

Play = Callable[[Script], None]


@dataclass(frozen=True)
class Scenario:
    """A recording to make: a function that plays it, and the table."""

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
        """Play it with this seed, or with its own."""
        script = Script(self.seed if seed is None else seed, self.hands, self.card_set, self.pause_factor)
        script.enters_result = bool(rulebooks.load(self.rulebook).switch["result_before_confirm"].value)
        self.play(script)
        return script

    def metadata(self, seed: int) -> dict[str, Any]:
        """Return the metadata of the recording."""
        fields = {
            "source": f"simulator: {self.name} seed {seed}",
            "about": self.about,
            "covers": list(self.covers),
            "rulebook": self.rulebook,
            "decks": self.decks,
            "card_set": self.card_set,
            "options": self.options,
            "started_unix_us": self.started_unix_us,
        }
        return {**fields, **({"quick": True} if self.quick else {}), **({"key": self.key} if self.key else {})}


SCENARIOS: Final[dict[str, Scenario]] = {}


def scenario(name: str, about: str, *covers: str, **table: Any) -> Callable[[Play], Play]:
    """Register the decorated function as a scenario."""

    def add(play: Play) -> Play:
        SCENARIOS[name] = Scenario(name, about, play, covers, **table)
        return play

    return add
