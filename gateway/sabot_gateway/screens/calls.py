"""Calls: the dealer's call of no more bets, as the ledger has it."""

from sabot_protocol.topics import Message

CALL = "no_more_bets"  # topic of the ledger; not published


class CallMessage(Message, kw_only=True, frozen=True):
    """The dealer has called no more bets for the coup that is about to be dealt; `unit` is the shoe's."""

    by: str
    clause: str = ""
    attempt: str = ""
