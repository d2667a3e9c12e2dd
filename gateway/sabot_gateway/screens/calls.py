"""Calls: what people have called or recorded about the wagers of a coup, as the ledger has it."""

from typing import Final, Literal

from sabot_protocol.topics import Message

WagersAct = Literal["called", "reopened", "exposed"]
CALL = "no_more_bets"  # topics of the ledger; not published
TOPICS: Final[dict[WagersAct, str]] = {"called": CALL, "reopened": "wagers_reopened", "exposed": "card_exposed"}


class CallMessage(Message, kw_only=True, frozen=True):
    """No more bets was called for a coup, its wagers were reopened, or a card was exposed; `unit` is the shoe's."""

    by: str
    clause: str = ""
    attempt: str = ""
    act: WagersAct = "called"
