"""Refused: what people asked of jackpots, signs and gateways in vain, with role, act, clause and table, for the log."""

from collections.abc import Callable, Sequence

from sabot_service.moment import Moment

from sabot_floor.commands.desk import Asker, Attempted, CommandDesk
from sabot_floor.commands.verbs import TableCommand
from sabot_floor.jackpots.engine.rights import clause
from sabot_floor.jackpots.engine.state import JackpotState
from sabot_floor.jackpots.logs import JackpotLogs
from sabot_floor.people.state import PeopleState
from sabot_floor.requests import (
    Accept,
    AcceptGateway,
    Act,
    Confirm,
    DecideOrder,
    DeemInvalid,
    MakeGood,
    Settle,
    Show,
    Signer,
    name_of,
)
from sabot_floor.signs.verbs import ChangeSign
from sabot_floor.store import StoreError

_ACTS = {
    "confirm": "jackpot_confirm",
    "invalid": "jackpot_invalid",
    "adjust": "jackpot_adjust",
    "withdraw": "jackpot_withdraw",
    "restore": "jackpot_withdraw",
    "make-good": "jackpot_make_good",
    "draw": "jackpot_draw",
    "order": "jackpot_order",
    "settle": "jackpot_order",
    "show": "jackpot_read",
}


class RefusedActs:
    """Stores refusals in the log of commands; `people` has the record."""

    def __init__(
        self,
        commands: CommandDesk,
        logs: JackpotLogs,
        people: Callable[[], PeopleState],
        clock: Callable[[], Moment],
    ) -> None:
        self._commands, self._logs, self._people, self._clock = commands, logs, people, clock

    def command(self, command: TableCommand, account: str, say: str) -> None:
        """Store that a command to a table was refused before it was sent."""
        named = [login.person for login in command.logins()]
        self._commands.refuse(command, self._askers(named, self._book(command.table)), account, say, self._clock())

    def sign(self, change: ChangeSign, attempted: tuple[str, str], account: str, say: str) -> None:
        """Store that a change of a sign was refused; `attempted` has its act and clause."""
        asked = Attempted(f"sign {change.change}", change.table, *attempted, {})
        askers = self._askers([change.login.person], self._book(change.table))
        self._commands.refuse_other(asked, askers, account, say, self._clock())

    def jackpot(self, act: Act | Show, signer: Signer | None, account: str, say: str) -> None:
        """Store that an act about a jackpot that there is was refused, to people who log in or to names as typed."""
        name, state = name_of(act), self._logs.state(act.jackpot)
        if state is None:
            return
        wanted = _ACTS.get(name, "")
        asked = Attempted(
            f"jackpot {name}", _table(act, state), wanted, clause(state, wanted), {"jackpot": act.jackpot}
        )
        if signer is not None:
            askers = [Asker(signer.name, signer.role), *([Asker(signer.second)] if signer.second else [])]
        else:
            askers = self._askers([login.person for login in act.logins()], state.parameters.rulebook)
        self._commands.refuse_other(asked, askers, account, say, self._clock())

    def accept(self, accept: Accept, by: str, account: str, say: str) -> None:
        """Store that an acceptance was refused."""
        table = accept.table if isinstance(accept, AcceptGateway) else ""
        askers = self._askers([accept.login.person], self._book(table)) if accept.login else [Asker(by, accept.role)]
        asked = Attempted(f"floor {name_of(accept)}", table, "", "", {})
        self._commands.refuse_other(asked, askers, account, say, self._clock())

    def _book(self, table: str) -> str:
        status = self._commands.tables.status(table)
        return status.rulebook or "" if status is not None else ""

    def _askers(self, named: Sequence[str], book: str) -> list[Asker]:
        try:
            known = self._people().people
        except StoreError:
            return [Asker(one) for one in named]
        return [Asker(one, known[one].roles.get(book, "") if one in known else "") for one in named]


def _table(act: Act | Show, state: JackpotState) -> str:
    """Return the table of an act: as it says, or that of its win or of what was missed."""
    if isinstance(act, MakeGood):
        missed = (one.table for one in state.missed if act.missed in (one.id, f"{one.table}/{one.shoe}/{one.coup}"))
        return next(missed, "")
    if not isinstance(act, Confirm | DeemInvalid | DecideOrder | Settle):
        return str(getattr(act, "table", ""))
    hits = (*state.open.values(), *state.closed)
    named = (hit.table for hit in hits if act.win in (hit.win, f"{hit.table}/{hit.shoe}/{hit.coup}"))
    return next(named, "")
