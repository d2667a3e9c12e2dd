"""Dates of parameters: whether the date from which they hold has come."""

from datetime import datetime, timedelta

from sabot_protocol.jackpots.parameters import Parameters

_FIRST_ZONE = timedelta(hours=14)  # ahead of UTC: where each date begins first


def not_yet(parameters: Parameters, time: str) -> str:
    """Return why parameters do not hold at this time, UTC; empty once their date has begun in any time zone."""
    newest = (datetime.fromisoformat(time) + _FIRST_ZONE).date().isoformat()
    if parameters.in_force <= newest:
        return ""
    return f"version {parameters.version} is in force from {parameters.in_force}, which has not come"
