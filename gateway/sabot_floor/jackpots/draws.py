"""Draws of the floor service: secrets, kept in the state of a jackpot's log and in no entry until they are revealed.

A secret is stored in the transaction that stores its commitment, so every published commitment has a secret, after any
crash and for every worker. The draw reveals it, and the same transaction stores the next secret and its commitment.
"""

import secrets
from collections.abc import Collection

from sabot_protocol.jackpots import draws
from sabot_protocol.jackpots.draws import Candidates, Draw, DrawError
from sabot_protocol.jackpots.parameters import Random

from sabot_floor.jackpots.engine.entries import Drawn
from sabot_floor.jackpots.engine.state import JackpotState
from sabot_floor.jackpots.engine.views import not_offered


def new_secret() -> bytes:
    """Return the secret of a draw to come."""
    return secrets.token_bytes(draws.SECRET_BYTES)


def draw(state: JackpotState, head_hash: bytes, next_secret: bytes) -> Draw:
    """Return the draw that the kept secret makes now; DrawError if this jackpot has no draws, or no table offers it.

    Append it right behind the entry with `head_hash`, and keep the next secret: `state.secret = next_secret.hex()`.
    """
    secret = bytes.fromhex(state.secret)
    if draws.commitment(secret) != state.commitment:
        raise DrawError(
            f"the secret in the store does not give the commitment {state.commitment or '(none)'}: it was changed "
            "by hand. Do not draw; put back a copy of the store, or open another jackpot"
        )
    return draws.draw(secret, candidates(state), head_hash.hex(), next_secret)


def candidates(state: JackpotState) -> Candidates:
    """Return what can be drawn now; DrawError if the jackpot is won by cards."""
    parameters = state.parameters
    if not isinstance(parameters.trigger, Random):
        raise DrawError(f"jackpot {parameters.id} is won by cards, not by a draw: nothing was drawn")
    return draws.candidates(parameters.trigger, parameters.tables, not_offered(state))


def doubtful(state: JackpotState, offline: Collection[str]) -> dict[str, str]:
    """Return the tables that can be drawn, though nobody may play there, and why; none if nothing can be drawn."""
    try:
        tables = candidates(state).tables
    except DrawError:
        return {}
    never = {table: "has never contributed" for table in tables if table not in state.sequences}
    return {table: "is offline" for table in tables if table in offline} | never


def problems(before: JackpotState, entry: Drawn, hash_before: bytes) -> list[str]:
    """Return what is wrong with a draw of the log, by the state and the hash before it; empty if nothing is."""
    try:
        expected = candidates(before)
    except DrawError as error:
        return [str(error)]
    return draws.check(entry.draw, before.commitment, hash_before.hex(), expected)
