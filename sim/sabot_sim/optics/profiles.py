"""The conditions under which cards are read: each profile is a set of parameters; pairs are ranges, low to high."""

from dataclasses import dataclass, replace
from typing import Final

Span = tuple[float, float]
Count = tuple[int, int]


@dataclass(frozen=True)
class Profile:
    """Hand, print, sensors, dirt and wiring of a read. Signals and thresholds are shares of a full mark's signal."""

    speed_m_s: Span = (0.1, 3.0)
    motions: tuple[str, ...] = ("constant", "accelerating", "decelerating", "from_rest", "s_shaped", "wavering")

    print_tolerance_um: float = 40  # either way, each edge of a mark by itself
    palest_mark: float = 0.95

    spot_um: Span = (300, 300)
    threshold: float = 0.4  # below half, to leave room for ageing lamps
    threshold_drift: float = 0.1  # share of the threshold, either way, each sensor by itself
    lamp_gain: Span = (0.95, 1.0)
    response_us: Span = (5, 20)
    jitter_us: float = 2
    skew_um: float = 100  # track B before or behind track A, at most
    crosstalk: Span = (0, 0)
    chatter_share: float = 0  # of the edges at entry and exit

    specks: Count = (0, 0)
    speck_um: Span = (50, 400)
    scratches: Count = (0, 0)
    scratch_um: Span = (20, 150)
    smear_share: float = 0  # of the reads
    smear_opacity: Span = (0.1, 0.5)
    window_gain: Span = (1, 1)  # light left by dirt on the window of one code sensor

    spike_share: float = 0.02  # of the reads
    spikes: Count = (1, 1)
    spike_us: Span = (1, 10)

    mishaps: tuple[str, ...] = ()  # names from `mishaps.MISHAPS`; a name listed twice is twice as likely
    mishap_count: Count = (0, 0)


_NORMAL: Final = Profile()
_CLEAN: Final = Profile(
    motions=("constant", "accelerating", "decelerating", "from_rest"),
    print_tolerance_um=0,
    palest_mark=1,
    threshold=0.5,
    threshold_drift=0,
    lamp_gain=(1, 1),
    response_us=(0, 0),
    jitter_us=0,
    skew_um=0,
    spike_share=0,
)
_DIRTY: Final = replace(
    _NORMAL,
    specks=(0, 5),
    scratches=(0, 2),
    smear_share=0.1,
    window_gain=(0.75, 1.0),
    chatter_share=0.02,
)
_WORN: Final = replace(
    _NORMAL,
    palest_mark=0.8,
    spot_um=(300, 450),
    threshold_drift=0.15,
    lamp_gain=(0.6, 0.9),
    chatter_share=0.05,
)
_GENTLE: Final = ("constant", "accelerating", "decelerating", "s_shaped", "wavering")
_HALTED: Final = ("pushed_back", "pushed_back_midway", "short_pull", "half_drawn")
_MISPRINTS: Final = ("missing_mark", "extra_mark")
_HOSTILE: Final = Profile(
    motions=(*_NORMAL.motions, "erratic", "erratic"),
    print_tolerance_um=80,
    palest_mark=0.5,
    spot_um=(250, 500),
    threshold_drift=0.25,
    lamp_gain=(0.55, 1.0),
    response_us=(2, 50),
    jitter_us=10,
    skew_um=300,
    crosstalk=(0, 0.2),
    chatter_share=0.3,
    specks=(0, 6),
    speck_um=(50, 1200),
    scratches=(0, 3),
    scratch_um=(20, 400),
    smear_share=0.3,
    smear_opacity=(0.1, 1.0),
    window_gain=(0.5, 1.0),
    spike_share=0.5,
    spikes=(1, 10),
    spike_us=(1, 100),
    mishaps=(
        *("noise", "double", "following", "foreign", "foreign", "blank", "lid_open"),
        *_HALTED,
        *("jerk_back",) * 3,
        *("pauses",) * 2,
        *_MISPRINTS * 6,
        *("lost_track", "lost_presence", "total_crosstalk", "strong_skew", "burst") * 2,
    ),
    mishap_count=(1, 3),
)

PROFILES: Final = {
    "clean": _CLEAN,
    "normal": _NORMAL,
    "dirty": _DIRTY,
    "worn": _WORN,
    "skewed": replace(_NORMAL, skew_um=300),
    "slow": replace(_NORMAL, speed_m_s=(0.1, 0.2), motions=_GENTLE, chatter_share=0.05),
    "fast": replace(_NORMAL, speed_m_s=(2.0, 3.0), motions=_GENTLE),
    "stop_go": replace(_NORMAL, mishaps=("pauses",), mishap_count=(1, 1), chatter_share=0.02),
    "reversed": replace(_NORMAL, mishaps=(*("jerk_back",) * 4, *_HALTED), mishap_count=(1, 1), chatter_share=0.02),
    "double": replace(_NORMAL, mishaps=("double", "double", "following"), mishap_count=(1, 1)),
    "hostile": _HOSTILE,
}
