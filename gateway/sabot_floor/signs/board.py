"""Board: what the signs of a site are made of, for every thread: the floor's loop replaces it, views read it."""

from collections.abc import Mapping, Sequence

from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.topics import StatusMessage

from sabot_floor.gaming_day import Calendar
from sabot_floor.signs.limits import TableLimits
from sabot_floor.signs.sign import Context
from sabot_floor.signs.state import NO_SIGNS, TableSigns


class SignBoard:
    """Limits of the config, changes of the log, jackpots in force; what it holds is replaced, never changed."""

    def __init__(self, limits: Sequence[TableLimits] = (), calendar: Calendar | None = None) -> None:
        self.limits = {one.name: one for one in limits}
        self.calendar = calendar or Calendar()
        self.tables: Mapping[str, TableSigns] = {}
        self.jackpots: Sequence[Parameters] = ()

    def context(self, table: str, status: StatusMessage | None, newest: tuple[int, int] = (0, 0)) -> Context:
        """Return what the sign of a table is made of; `newest` is the shoe and the newest coup that has ended."""
        shoe, coup = newest
        signs = self.tables.get(table, NO_SIGNS)
        unknown = TableLimits(table, currency=signs.currency) if signs.currency else TableLimits(table)
        return Context(
            table=table,
            rulebook=(status.rulebook or "") if status else "",
            setup=status.setup if status else None,
            limits=self.limits.get(table) or unknown,
            calendar=self.calendar,
            signs=signs,
            jackpots=self.jackpots,
            shoe=shoe,
            coup=coup,
        )
