"""Views of a state: what is published and shown about it."""

from sabot_protocol.jackpots.messages import Win

from sabot_floor.jackpots.engine import hits
from sabot_floor.jackpots.engine.state import JackpotState


def not_offered(state: JackpotState) -> dict[str, str]:
    """Return the tables where the jackpot is not offered now, with the reason."""
    return {table: place.withdrawn for table, place in state.places.items() if place.withdrawn}


def open_wins(state: JackpotState) -> list[Win]:
    """Return the pending wins in the order of recording, with their values now, then those not yet recorded."""
    recognised = [hits.view(hit) for hit in state.open.values() if hit.state == "recognised"]
    return [*(hits.view(hit, price) for hit, price in hits.prices(state)), *recognised]


def differences(state: JackpotState) -> list[Win]:
    """Return the wins that were paid otherwise than they were worth, and that nobody has settled."""
    return [hits.view(hit) for hit in state.closed if hits.is_open(hit)]


def closed_wins(state: JackpotState) -> list[Win]:
    """Return the newest wins that were paid, deemed invalid or cancelled, with value and time at settlement."""
    return [hits.view(hit) for hit in state.closed]
