"""Trouble in the demo: prints what happens and where to settle it, and lets the table go on once it is settled."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from sabot_protocol import irregularities, rulebooks
from sabot_protocol.angel_eye.tables import ERRORS
from sabot_protocol.topics import AlarmMessage, AlarmsMessage, OpenMessage, StatusMessage
from sabot_service.client import ask
from sabot_service.daemons import FLOOR
from sabot_service.messages import Answer, ControlError, Request
from sabot_sim.angel_eye import troubled_dealer as angel_eye
from sabot_sim.angel_eye.dealer import AngelEyeDealer
from sabot_sim.angel_eye.troubled_dealer import TroubledAngelEyeDealer
from sabot_sim.dealing.dealer import Dealer
from sabot_sim.dealing.troubled_dealer import TROUBLES, Trouble, TroubledDealer, people_decide

from sabot_tools.stand.demo_people import DEALER_PERSON, MANAGER_PERSON, SUPERVISOR_PERSON, DemoPerson

_AGAIN_S: Final = 0.3  # from one answer to the next request of the demo's people: what the first changes must arrive
_REFUSED_S: Final = 20.0  # on a busy machine it arrives later, and until then the same is asked again and refused
_CALM_S: Final = 2.0  # without a fault: a fault that follows has come by then
_AWAITING: Final = "awaiting_authorisation"
_DISPUTED: Final = "discrepancy"
_LOCKED: Final = "exit_locked"  # until the cards are checked or replaced
_FOREIGN, _CHECK = "foreign_card", "check_cards"  # its incident, and the step that ends that
_MAYBE_NO_FAULT: Final = (
    "surplus",
    _AWAITING,
    _DISPUTED,
    *angel_eye.DISPUTED,
)  # nothing to wait for; else the exit is locked
_STANDS: Final = ("wrong_button", "wrong_result")  # all cards of the coup are known: it is confirmed by them


class NotSettledError(RuntimeError):
    """The people of the demo could not settle a trouble; the message has the floor's sentence."""


class Ask(NamedTuple):
    """What a person asks of a table."""

    command: str
    args: dict[str, Any]
    clause: str = ""
    two_people: bool = False


@dataclass
class Case:
    """A trouble that is not settled yet."""

    trouble: Trouble
    since_s: float
    alarmed: bool = False  # its alarm has come
    faulty: bool = False  # so has its fault
    busy_s: float = 0.0  # when something last stopped the table
    reminded: bool = False
    next_ask_s: float = 0.0
    asked: bool = False  # in the last step
    before: frozenset[str] = frozenset()  # alarms that were acknowledged before it happened
    refused_s: float | None = None  # when the first of the last requests was, all of which were refused

    def note(self, now_s: float, *, alarmed: bool, faulty: bool, waits: bool) -> None:
        """Note what the table shows now."""
        if faulty or waits or not self.alarmed:
            self.busy_s = now_s
        self.alarmed, self.faulty = self.alarmed or alarmed, self.faulty or faulty

    def over(self, now_s: float, *, unseen: bool) -> bool:
        """Return True if nothing stops the table any more; no rule makes it wait for an acknowledgement."""
        if not self.alarmed or self.busy_s == now_s:
            return False
        known = self.faulty or self.trouble.name in _MAYBE_NO_FAULT
        return not unseen or (known and self.calm(now_s))

    def calm(self, now_s: float) -> bool:
        """Return True if nothing has stopped the table for a while."""
        return self.alarmed and now_s - self.busy_s > _CALM_S


def next_ask(
    case: Case, book: str, fault: str | None, alarms: list[AlarmMessage], incident: str = _FOREIGN
) -> Ask | None:
    """Return what a supervisor does next about a trouble; None if there is nothing to do but wait.

    `incident`: the one whose cards are to be checked.
    """
    by_name = {alarm.name: alarm for alarm in alarms}
    if fault == "card" and case.trouble.card is not None:
        flags = {"face_up": case.trouble.name == "face_up"}
        return Ask("key-card", {"card": case.trouble.card, "flags": flags}, two_people=_two_people(book))
    if fault in ERRORS.values():
        return Ask("clear-error", {"card": "keep"} if fault == "overdraw" else {})
    if _DISPUTED in by_name and (by_name[_DISPUTED].clause or people_decide(book)):
        alarm = by_name[_DISPUTED]
        verdict = "confirmed" if case.trouble.name in _STANDS else "void"
        clause = (
            alarm.clause
            or irregularities.advise(book, "scan_discrepancy", {"confirmed": verdict == "confirmed"}).clause
        )
        return Ask("decide", {"coup": f"{alarm.shoe}/{alarm.coup}", "verdict": verdict}, clause)
    if fault is not None:
        return Ask("clear-fault", {"fault": fault})
    if _AWAITING in by_name:
        return Ask("authorise", {"times": 1}, by_name[_AWAITING].clause)
    if _LOCKED in by_name:
        checked = {"incident": incident, "step": _CHECK, "note": "all decks checked by hand"}
        return Ask("step", checked, by_name[_LOCKED].clause)
    return Ask("ack-alarm", {"alarm": "all"}) if _unseen(alarms) else None


def _two_people(book: str) -> bool:
    """Return True if the book wants a supervisor's approval of a card that is keyed in."""
    return rulebooks.load(book).switch["manual_entry"].value != "silent"


def _unseen(alarms: list[AlarmMessage]) -> bool:
    return any(alarm.state == "raised" for alarm in alarms)


class TroubleDesk:
    """Follows the tables with trouble; after `patience_s` the people of the demo settle it, never if it is None.

    `alone`: nobody else acts. `meanwhile` is called while a request is under way: an emulated shoe answers only if its
    table goes on.
    """

    def __init__(
        self,
        dealers: Mapping[str, Dealer | AngelEyeDealer],
        books: dict[str, str],
        floor_socket: Path,
        where: Callable[[str], str],
        patience_s: float | None,
        show: Callable[[str], None],
        meanwhile: Callable[[], None] | None = None,
        *,
        alone: bool = True,
    ) -> None:
        troubled = (TroubledDealer, TroubledAngelEyeDealer)
        self._dealers = {name: one for name, one in dealers.items() if isinstance(one, troubled)}
        self._books, self._socket, self._where, self._patience_s = books, floor_socket, where, patience_s
        self._print, self._meanwhile, self._alone = show, meanwhile, alone
        self._cases: dict[str, Case] = {}
        self._alarms: dict[str, list[AlarmMessage]] = {}
        self._faults: dict[str, str | None] = {}
        self._unchecked: dict[str, str] = {}  # the newest incident of a table whose cards are not checked
        self.settled = 0

    def take(self, topic: str, payload: bytes) -> None:
        """Take a message of the site."""
        table, _, name = topic.rpartition("/")[0].rpartition("/")[2], "", topic.rpartition("/")[2]
        if table not in self._dealers:
            return
        if name == "alarms":
            self._alarms[table] = msgspec.json.decode(payload, type=AlarmsMessage).alarms
        elif name == "open":
            found = msgspec.json.decode(payload, type=OpenMessage).incidents
            waits = [one.incident for one in found if any(step.name == _CHECK and not step.done for step in one.steps)]
            self._unchecked[table] = waits[-1] if waits else _FOREIGN
        elif name == "status":
            self._faults[table] = msgspec.json.decode(payload, type=StatusMessage).fault

    def waiting(self) -> bool:
        """Return True while a table waits for people."""
        return bool(self._cases)

    def step(self, now_s: float, people_ready: bool) -> None:
        """Print what has happened, settle what has waited long enough, release what is settled."""
        for table, dealer in self._dealers.items():
            for trouble in dealer.happened:
                self._began(table, trouble, now_s)
            dealer.happened.clear()
            if table in self._cases:
                self._follow(table, self._cases[table], now_s, people_ready)
            else:
                self._look(table, dealer, {alarm.name for alarm in self._alarms.get(table, [])}, now_s)

    def _look(self, table: str, dealer: Dealer | AngelEyeDealer, alarms: set[str], now_s: float) -> None:
        """Open a case for what followed from a trouble that is settled."""
        if _AWAITING in alarms:
            self._open(table, Trouble(_AWAITING), "the next coup needs a supervisor's authorisation", now_s)
        elif _DISPUTED in alarms and isinstance(dealer, AngelEyeDealer) and people_decide(self._books[table]):
            self._open(table, Trouble(_DISPUTED), "a coup is disputed: the shoe did not report all of it", now_s)

    def _began(self, table: str, trouble: Trouble, now_s: float) -> None:
        if trouble.name in angel_eye.TROUBLES:
            self._open(table, trouble, angel_eye.TROUBLES[trouble.name], now_s)
            return
        kind = TROUBLES[trouble.name]
        if not kind.holds:
            self._print(f"{table}  TROUBLE {kind.say}; nothing to settle")
            return
        card = f" ({trouble.card})" if trouble.card else ""
        self._open(table, trouble, f"{kind.say}{card}", now_s)

    def _open(self, table: str, trouble: Trouble, say: str, now_s: float) -> None:
        self._dealers[table].held = True
        known = frozenset(alarm.alarm for alarm in self._alarms.get(table, ()) if alarm.state != "raised")
        self._cases[table] = Case(trouble, now_s, alarmed=trouble.name in (_AWAITING, _DISPUTED), before=known)
        self._print(f"{table}  TROUBLE {say}. Settle it: {self._where(table)}")

    def _follow(self, table: str, case: Case, now_s: float, people_ready: bool) -> None:
        alarms, fault = self._alarms.get(table, []), self._faults.get(table)
        stops = (_AWAITING, _LOCKED, *((_DISPUTED,) if people_decide(self._books[table]) else ()))
        waits, unseen = any(alarm.name in stops for alarm in alarms), _unseen(alarms)
        new = any(alarm.alarm not in case.before for alarm in alarms)
        case.note(now_s, alarmed=new, faulty=fault is not None, waits=waits)
        if case.over(now_s, unseen=unseen):
            self._settled(table, case, now_s, unseen=unseen)
            return
        if not case.reminded and any(alarm.name == _LOCKED for alarm in alarms):
            case.reminded = True
            self._print(f"{table}  WAITS until the cards are checked: record that at the Dealer Terminal or the pit")
        if people_ready and case.alarmed and self._patience_is_over(case, now_s):
            found = next_ask(case, self._books[table], fault, alarms, self._unchecked.get(table, _FOREIGN))
            if found is not None:
                self._settle(table, case, found, now_s)

    def _settle(self, table: str, case: Case, found: Ask, now_s: float) -> None:
        """Have people do the next thing; only a refusal that lasts is an error: the desk may know of a change late."""
        case.asked = True
        refusal = self._carry_out(table, found)
        if not refusal:
            case.refused_s = None
        elif case.refused_s is None:
            case.refused_s = now_s
        elif now_s - case.refused_s > _REFUSED_S:
            self._not_settled(f"{table}: {found.command} was refused: {refusal}")
            case.refused_s = None

    def _not_settled(self, say: str) -> None:
        """Raise NotSettledError where nobody else acts; else leave it to the people at the pages."""
        if self._alone:
            raise NotSettledError(say)
        self._print(say)

    def _settled(self, table: str, case: Case, now_s: float, *, unseen: bool) -> None:
        """Let the table go on; the people of the demo acknowledge what is left, if they settle troubles."""
        del self._cases[table]
        self.settled += 1
        self._dealers[table].release()
        left = ". Its alarms stay at the pit until they are acknowledged" if unseen else ""
        self._print(f"{table}  SETTLED after {now_s - case.since_s:.0f} s; the table goes on{left}")
        if unseen and self._patience_s is not None:
            self._carry_out(table, Ask("ack-alarm", {"alarm": "all"}))

    def _patience_is_over(self, case: Case, now_s: float) -> bool:
        if case.asked:
            case.asked, case.next_ask_s = False, now_s + _AGAIN_S
        patient = self._patience_s is None or now_s - case.since_s < self._patience_s
        return not patient and now_s >= case.next_ask_s

    def _carry_out(self, table: str, found: Ask) -> str:
        """Have the supervisor ask, or two people, or the manager if the supervisor may not; return the refusal."""
        if found.two_people:
            self._ask(table, Ask("authorise", {"times": 1}), MANAGER_PERSON)
            says = [self._ask(table, found, DEALER_PERSON, SUPERVISOR_PERSON)]
        else:
            says = [self._ask(table, found, SUPERVISOR_PERSON)]
        if says[0]:
            says.append(self._ask(table, found, MANAGER_PERSON))
        return says[-1]

    def _ask(self, table: str, found: Ask, person: DemoPerson, second: DemoPerson | None = None) -> str:
        """Return the refusal; empty if it was done."""
        args: dict[str, Any] = {"table": table, "command": found.command, "args": found.args, "login": _login(person)}
        if found.clause:
            args["clause"] = found.clause
        if second is not None:
            args["second_login"] = _login(second)
        answer = self._answer(Request("table", args=args))
        if answer.ok:
            self._print(f"{table}  {(second or person).name}: {found.command}: {answer.say.partition('. ')[0]}")
        return "" if answer.ok else answer.say

    def _answer(self, request: Request) -> Answer:
        """Return the floor's answer; the tables go on until it is there."""
        if self._meanwhile is None:
            return _answer(self._socket, request)
        with ThreadPoolExecutor(1) as one:
            asked = one.submit(_answer, self._socket, request)
            while not asked.done():
                self._meanwhile()
            return asked.result()


def _answer(socket: Path, request: Request) -> Answer:
    """Ask; a floor service that does not answer refuses, for it may come back."""
    try:
        return ask(socket, request, FLOOR)
    except ControlError as error:
        return Answer(False, str(error))


def _login(person: DemoPerson) -> dict[str, str]:
    return {"person": person.id, "secret": person.pin}
