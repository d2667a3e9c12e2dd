"""Desk of signs: who asks for a change, whether the table's book allows it now, and the entry that it makes."""

from collections.abc import Callable, Mapping, Sequence

import msgspec
import structlog
from sabot_protocol import authority, rulebooks
from sabot_protocol.authority import AuthorityError, Verdict
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.topics import StatusMessage
from sabot_service.messages import Answer
from sabot_service.moment import Moment

from sabot_floor.config import Config
from sabot_floor.people.state import Person
from sabot_floor.signs.amounts import AmountError
from sabot_floor.signs.board import SignBoard
from sabot_floor.signs.changes import Asked, Refused, act_of, make
from sabot_floor.signs.entries import Configured, Entry
from sabot_floor.signs.limits import TableLimits
from sabot_floor.signs.log import SignLog
from sabot_floor.signs.sign import scale_problems, sign
from sabot_floor.signs.state import NO_SIGNS, Range, SignsState
from sabot_floor.signs.verbs import ChangeSign, ShowSign
from sabot_floor.store import Store, StoreError

Statuses = Callable[[str], StatusMessage | None]
Newest = Callable[[str], tuple[int, int]]

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class SignDesk:
    """The signs of a site; other workers change them too."""

    def __init__(self, board: SignBoard, log: SignLog, status: Statuses, newest: Newest = lambda table: (0, 0)) -> None:
        self.board, self._log, self._status = board, log, status
        self.newest = newest  # shoe of a table and its newest coup that has ended; zeros where that is not known

    def configure(self, at: Moment) -> list[str]:
        """Store limits of the config that are new or different; return a sentence for each that replaces others."""
        said = []
        for name, one in self.board.limits.items():
            minimum, maximum = one.amount("minimum"), one.amount("maximum")
            before = self._log.state().tables.get(name, NO_SIGNS)
            if minimum is None or maximum is None:
                continue
            if (before.configured, before.currency) == (Range(minimum, maximum), one.currency):
                continue
            entry = Configured(time=at.time, table=name, currency=one.currency, minimum=minimum, maximum=maximum)
            self._log.append(lambda _state, entry=entry: entry)  # type: ignore[misc]
            if before.limits is not None:
                said.append(f"table {name}: the limits on its sign are those of the config now, without notice")
        return said

    def refresh(self, jackpots: Sequence[Parameters] = ()) -> None:
        """Put on the board what the store has now; StoreError if it cannot be read."""
        self.board.tables, self.board.jackpots = self._log.state().tables, jackpots

    def show(self, request: ShowSign, at: Moment) -> Answer:
        """Answer with the sign of a table, and what is wrong with it."""
        if request.table not in self.board.limits and self._status(request.table) is None:
            known = ", ".join(sorted(self.board.limits)[:20]) or "none"
            return Answer(False, f"No table {request.table}: [[table]] of the floor's config has {known}.")
        try:
            self.refresh(self.board.jackpots)
        except StoreError as error:
            return Answer(False, f"The signs cannot be read: {error}.")
        found = sign(
            self.board.context(request.table, self._status(request.table), self.newest(request.table)), at.time
        )
        found = msgspec.structs.replace(found, problems=(*found.problems, *self._scale_problems()))
        return Answer(True, "", msgspec.Raw(msgspec.json.encode(found)))

    def _scale_problems(self) -> list[str]:
        found = {}
        for table in self.board.limits:
            status = self._status(table)
            if status and status.setup and status.rulebook in rulebooks.ids():
                found[table] = (status.rulebook, status.setup)
        return list(scale_problems(found))

    def attempted(self, request: ChangeSign, at: Moment) -> tuple[str, str]:
        """Return act and clause of a change; empty texts where the table or what it asks for is not known."""
        status = self._status(request.table)
        book = status.rulebook if status else None
        if book is None or book not in rulebooks.ids():
            return "", ""
        limits = self.board.limits.get(request.table) or TableLimits(request.table)
        signs = self.board.tables.get(request.table, NO_SIGNS).at(at.time)
        try:
            act, facts = act_of(request, signs, limits.currency)
        except AmountError:
            return "", ""
        return act, authority.clause(book, act, facts)

    def act(self, request: ChangeSign, person: Person, account: str, at: Moment) -> Answer:
        """Change a sign for a person who has logged in; nothing has changed unless the answer is positive."""
        status = self._status(request.table)
        rulebook = status.rulebook if status else None
        if rulebook is None or rulebook not in rulebooks.ids():
            return Answer(False, f"Refused: no gateway has published the rulebook of {request.table}. See its status.")
        if rulebook not in person.roles:
            say = f"{person.id} has no role in {rulebook}, the rulebook of {request.table}; give one"
            return Answer(False, f"Refused: {say}: `sabot users role {person.id} {rulebook} ROLE`.")
        limits = self.board.limits.get(request.table) or TableLimits(request.table)
        role, newest = person.roles[rulebook], self.newest(request.table)
        asked = Asked(request, rulebook, limits, self.board.calendar, person, role, account, at.time, newest)
        said = ""

        def decide(state: SignsState) -> Entry | str:
            nonlocal said
            made = make(asked, state.tables.get(request.table, NO_SIGNS).at(at.time), allowed)
            if isinstance(made, Refused):
                return made.say
            said = made.say
            return made.entry

        try:
            refused = self._log.append(decide)
        except StoreError as error:
            return Answer(False, f"Nothing was changed: {error}.")
        if refused:
            return Answer(False, f"Refused: {refused}.")
        self.refresh(self.board.jackpots)
        return Answer(True, f"{request.table}: {said}.")


def allowed(book: str, act: str, role: str, facts: Mapping[str, object]) -> Verdict:
    """Return whether a role may do an act; where the book is silent, whether it decides what no rule covers (A-80)."""
    try:
        verdict = authority.check(book, act, role, facts)
        return authority.check_without_rule(book, role) if verdict.basis == "silent" else verdict
    except AuthorityError as error:
        return Verdict(False, False, "", str(error))


def open_signs(config: Config, store: Store, status: Statuses, at: Moment) -> SignDesk:
    """Return the desk of a config's tables; limits that the config has changed are stored and logged."""
    desk = SignDesk(SignBoard(config.table, config.calendar()), SignLog(store), status)
    for said in desk.configure(at):
        log.warning(said)
    desk.refresh()
    return desk
