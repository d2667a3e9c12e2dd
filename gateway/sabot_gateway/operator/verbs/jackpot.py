"""Verbs about jackpots, for the dealer: stakes, record-win."""

from collections.abc import Callable
from typing import Annotated

from msgspec import Meta
from sabot_protocol.jackpots.currency import written
from sabot_protocol.jackpots.sign import wager_title

from sabot_gateway.jackpots.recording import TableJackpots
from sabot_gateway.operator.table_view import TableView
from sabot_gateway.operator.verbs.verb import Effect, Id, RefusedError, TableVerb
from sabot_gateway.screens.coup_now import bets_phase, coup_now
from sabot_gateway.verify import Source
from sabot_gateway.verify.deciders import Decider

Stake = Annotated[int, Meta(ge=1, le=10**12)]  # minor units
Wagers = Annotated[dict[Id, Annotated[list[Stake], Meta(max_length=200)]], Meta(max_length=20)]


class Stakes(TableVerb, frozen=True):
    """Record the stakes of the coup on the table, by wager."""

    title = "Stakes"
    stakes: Wagers

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Store the stakes; they contribute now or when the coup is confirmed, as the jackpot's parameters have it."""
        source = new_source()
        jackpots = _jackpots(table)
        waiting = jackpots.after_the_call()
        if waiting and bets_phase(table.verifier, coup_now(table.verifier, table.screens)) == "bets":
            raise RefusedError(
                f"wagers are still open, and {waiting} takes its part of them after no more bets (18.11). Call it "
                f"(`sabot table {table.name} no-more-bets --by NAME`), then record the stakes."
            )
        record, coup = jackpots.stakes(self.stakes, person, table.verifier, source)
        sums = (
            ", ".join(f"{wager} {written(sum(each), jackpots.currency)}" for wager, each in self.stakes.items())
            or "none"
        )
        return Effect([(source, [record])], f"Stakes of coup {coup} are recorded: {sums}.")


class RecordWin(TableVerb, frozen=True):
    """Record a winning hand of a jackpot: of the newest coup, or of the one named."""

    title = "Record win"
    jackpot: Id
    coup: Id | None = None
    stakes: Wagers | None = None
    again: bool = False

    def carry_out(self, table: TableView, person: Decider, new_source: Callable[[], Source]) -> Effect:
        """Store the record, with the time of the request."""
        jackpots, source = _jackpots(table), new_source()
        record, message = jackpots.win(
            self.jackpot, self.coup or "", self.stakes, person, table.verifier, source, again=self.again
        )
        won, title = wager_title(message.outcome), jackpots.title(self.jackpot)
        say = f"Coup {message.shoe}/{message.coup} is recorded as a win of {title}: {won}."
        wagers = "" if any(message.stakes.values()) else " No qualifying wager is recorded with it."
        return Effect([(source, [record])], f"{say}{wagers} The pay-out must be confirmed on the console.")


def _jackpots(table: TableView) -> TableJackpots:
    if table.jackpots is None:
        raise RefusedError(f"no jackpot runs at {table.name}. See `sabot gateway status`.")
    return table.jackpots
