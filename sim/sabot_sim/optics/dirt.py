"""Dirt and damage on a card, laid over its strips: specks, scratches, smears."""

import random

from sabot_protocol.cardcode import CARD_UM

from sabot_sim.optics.motion import log_uniform
from sabot_sim.optics.profiles import Profile
from sabot_sim.optics.strip import Strip, Tracks, coated

_SPECK_DARKNESS = (0.4, 1.0)
_SMEAR_UM = (2_000, 20_000)
_LIGHT = 0.0


def soiled(tracks: Tracks, profile: Profile, rng: random.Random) -> Tracks:
    """Return the tracks with the dirt of this profile."""
    if not (profile.specks[1] or profile.scratches[1] or profile.smear_share):
        return tracks
    strips = [tracks.a, tracks.b]
    for _ in range(rng.randint(*profile.specks)):
        track = rng.randrange(2)
        strips[track] = speck(strips[track], profile, rng)
    for _ in range(rng.randint(*profile.scratches)):
        strips = scratched(strips, profile, rng)
    if rng.random() < profile.smear_share:
        strips = smeared(strips, profile, rng)
    return Tracks(*strips)


def speck(strip: Strip, profile: Profile, rng: random.Random) -> Strip:
    """Add a dark grain somewhere on the card, which looks like a short mark."""
    length_um = log_uniform(rng, *profile.speck_um)
    start_um = rng.uniform(0, CARD_UM - length_um)
    return coated(strip, start_um, start_um + length_um, 1.0, rng.uniform(*_SPECK_DARKNESS))


def scratched(strips: list[Strip], profile: Profile, rng: random.Random) -> list[Strip]:
    """Add a light line across one track or both, which splits a mark under it."""
    width_um = log_uniform(rng, *profile.scratch_um)
    start_um = rng.uniform(0, CARD_UM - width_um)
    hit = rng.choice(((0,), (1,), (0, 1)))
    return [
        coated(strip, start_um, start_um + width_um, 1.0, _LIGHT) if track in hit else strip
        for track, strip in enumerate(strips)
    ]


def smeared(strips: list[Strip], profile: Profile, rng: random.Random) -> list[Strip]:
    """Add a film over a stretch of both tracks, with its own darkness: less contrast, at full opacity none."""
    length_um = log_uniform(rng, *_SMEAR_UM)
    start_um = rng.uniform(0, CARD_UM - length_um)
    opacity, dark = rng.uniform(*profile.smear_opacity), rng.random()
    return [coated(strip, start_um, start_um + length_um, opacity, dark) for strip in strips]
