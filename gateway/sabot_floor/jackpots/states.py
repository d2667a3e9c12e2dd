"""States: the retained messages of a jackpot: its meters, and its open wins."""

import msgspec
from sabot_protocol.jackpots.messages import MeterMessage, PendingMessage
from sabot_protocol.jackpots.parameters import Random

from sabot_floor.jackpots import engine
from sabot_floor.jackpots.logs import Standing

_MOST_WINS = 100


def meter_message(standing: Standing) -> MeterMessage:
    """Return the meters of a jackpot; the same bytes in every worker."""
    state = standing.state
    parameters = state.parameters
    balanced = state.balanced()
    return MeterMessage(
        jackpot=parameters.id,
        title=parameters.title,
        time=standing.time,
        entry=standing.seq,
        hash=standing.hash,
        parameters=parameters.digest,
        version=parameters.version,
        currency=parameters.currency,
        meters=state.meters(),
        balanced=balanced,
        tables=list(parameters.tables),
        not_offered=engine.not_offered(state),
        waiting=state.waiting.digest if state.waiting else "",
        commitment=state.commitment if isinstance(parameters.trigger, Random) else "",
        problem="" if balanced else "The meters do not add up: stop this jackpot and call the casino manager.",
    )


def pending_message(standing: Standing) -> PendingMessage:
    """Return the wins whose difference is open, and those that wait; its time is that of the newest entry."""
    wins = [*engine.differences(standing.state), *engine.open_wins(standing.state)]
    return PendingMessage(
        jackpot=standing.state.parameters.id,
        time=standing.time,
        wins=wins[:_MOST_WINS],
        more=max(0, len(wins) - _MOST_WINS),
    )


def encode(message: msgspec.Struct) -> bytes:
    """Return a message as JSON."""
    return msgspec.json.encode(message)


def same(one: bytes, other: bytes) -> bool:
    """Return True if two retained messages are the same; of pending wins the time may differ between workers."""
    return one == other or ((found := _pending(one)) is not None and found == _pending(other))


def _pending(payload: bytes) -> PendingMessage | None:
    try:
        return msgspec.structs.replace(msgspec.json.decode(payload, type=PendingMessage), time="")
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
