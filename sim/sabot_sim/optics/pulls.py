"""Odd pulls: the card rests on its way, goes back and on, goes back into the shoe, or stays half drawn."""

from sabot_protocol.cardcode import SENSORS_UM

from sabot_sim.optics.motion import LEFT_UM, log_uniform, through
from sabot_sim.optics.scene import Scene

_BACK_UM = -3_000.0  # pushed back so far, the card is out of sight
_PAUSE_US = (10_000, 3_000_000)
_CODE_UM = (SENSORS_UM["a"], SENSORS_UM["a"] + 30_000)
_JERK_UM = (200, 30_000)


def pauses(scene: Scene) -> None:
    """Let the card rest on its way, one to three times."""
    rng = scene.rng
    places_um = sorted(rng.uniform(0, LEFT_UM) for _ in range(rng.randint(1, 3)))
    rests = [(x_um, log_uniform(rng, *_PAUSE_US)) for x_um in places_um]
    stops = ", ".join(f"{pause_us / 1000:.0f} ms at {x_um / 1000:.1f} mm" for x_um, pause_us in rests)
    scene.draw(through(rng, rests, _out_um(scene)), f"rests {stops}")


def jerk_back(scene: Scene) -> None:
    """Move the card back on its way, one to three times, before it leaves."""
    rests = _jerks(scene, scene.rng.choice((1, 1, 1, 2, 3)))
    scene.draw(through(scene.rng, rests, _out_um(scene)), _turns(rests))
    scene.note("left at last", "jerk_back")


def pushed_back(scene: Scene) -> None:
    """Push the card back into the shoe from the exit."""
    _turned_back(scene, "pushed_back", SENSORS_UM["exit"] + 1_000, LEFT_UM - 1_000)


def pushed_back_midway(scene: Scene) -> None:
    """Push the card back between code sensors and exit."""
    _turned_back(scene, "pushed_back_midway", SENSORS_UM["a"], SENSORS_UM["exit"] - 1_000)


def short_pull(scene: Scene) -> None:
    """Draw the card a little, and push it back."""
    _turned_back(scene, "short_pull", 500, SENSORS_UM["a"])


def half_drawn(scene: Scene) -> None:
    """Leave the card in front of the sensors."""
    rests = _jerks(scene, 1) if scene.rng.random() < 0.3 else []
    stay_um = scene.rng.uniform(1_000, LEFT_UM - 1_000)
    path = through(scene.rng, rests, stay_um, stay=True)
    scene.draw(path, f"{_turns(rests)}, stays at {stay_um / 1000:.1f} mm".removeprefix(", "))
    scene.spoil("never left", "half_drawn")


def _turned_back(scene: Scene, kind: str, low_um: float, high_um: float) -> None:
    turn_um = scene.rng.uniform(low_um, high_um)
    path = through(scene.rng, [(turn_um, _rest_us(scene))], _BACK_UM, stay=True)
    scene.draw(path, f"back from {turn_um / 1000:.1f} mm")
    scene.spoil("never left", kind)


def _jerks(scene: Scene, count: int) -> list[tuple[float, float]]:
    """Return rests at which the card turns: forwards, back, …"""
    rests = []
    for place_um in sorted(_jerk_place_um(scene) for _ in range(count)):
        back_um = log_uniform(scene.rng, *_JERK_UM)
        rests += [(place_um, _rest_us(scene)), (place_um - back_um, _rest_us(scene))]
    return rests


def _jerk_place_um(scene: Scene) -> float:
    """Return a place on the way; half of the time where the code passes, which is a fifth of it."""
    low_um, high_um = _CODE_UM if scene.rng.random() < 0.5 else (1_000, LEFT_UM - 1_000)
    return scene.rng.uniform(low_um, high_um)


def _rest_us(scene: Scene) -> float:
    """Return how long the hand pauses before it turns."""
    return log_uniform(scene.rng, *_PAUSE_US) if scene.rng.random() < 0.2 else 0.0


def _turns(rests: list[tuple[float, float]]) -> str:
    pairs = zip(rests[::2], rests[1::2], strict=True)
    return ", ".join(f"back {(on[0] - off[0]) / 1000:.2f} mm at {on[0] / 1000:.1f} mm" for on, off in pairs)


def _out_um(scene: Scene) -> float:
    return LEFT_UM + scene.rng.uniform(2_000, 8_000)
