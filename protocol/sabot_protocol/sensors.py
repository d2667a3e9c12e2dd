"""Sensors: the limit at which a sensor of a shoe is to be cleaned, for alarms and for trends."""

LEAST_READS = 50  # the mean of fewer cards means little
LEAST_MARGIN_PCT = 60  # below this mean cards are still read, but the sensor will fail
REJECTS_BELOW_PCT = 40  # at this mean the first cards are rejected: simulated dirt on the window of one code sensor


def needs_cleaning(reads: int, margin_mean_pct: int) -> bool:
    """Return True if a sensor has read enough cards of a shoe, and with too little margin."""
    return reads >= LEAST_READS and margin_mean_pct < LEAST_MARGIN_PCT
