"""Entries of the ledger about jackpots that are not published: stakes of a coup, parameters that are in force."""

import msgspec
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.topics import Message

# Topics of the ledger.
STAKES = "stakes"
PARAMETERS = "jackpot_parameters"


class StakesMessage(Message, kw_only=True, frozen=True):
    """The stakes of a coup by wager, as a dealer recorded them; `unit` is the shoe's, `event_no` the gateway's own."""

    by: str
    stakes: dict[str, list[int]]
    attempt: str = ""


class ParametersEntry(msgspec.Struct, kw_only=True, frozen=True):
    """Parameters of a jackpot that are in force from this entry on."""

    id: str
    time: str
    jackpot: str
    digest: str
    parameters: Parameters
