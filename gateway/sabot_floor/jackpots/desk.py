"""Desk: what people ask about a jackpot is decided by the engine, stored, and answered once it is durable."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import msgspec
from sabot_protocol import authority
from sabot_protocol.jackpots.currency import number, written
from sabot_protocol.jackpots.messages import Win
from sabot_service.messages import Answer
from sabot_service.moment import Moment

from sabot_floor.jackpots import engine, states
from sabot_floor.jackpots.batch import Batch, DrawRequest
from sabot_floor.jackpots.draws import doubtful, new_secret
from sabot_floor.jackpots.engine import Applied, Entry, JackpotState, Refused
from sabot_floor.jackpots.engine.entries import Adjusted, Confirmed, Drawn
from sabot_floor.jackpots.engine.state import Hit
from sabot_floor.jackpots.logs import JackpotLogs, Standing
from sabot_floor.people.state import PeopleState, Person
from sabot_floor.requests import Act, Confirm, DecideOrder, DeemInvalid, Draw, MakeGood, Settle, Signer
from sabot_floor.store import StoreError

_MOST_CLOSED = 20


class Desk:
    """One answer for each request."""

    def __init__(
        self,
        logs: JackpotLogs,
        offline: Collection[str] = (),
        people: Callable[[], PeopleState] = PeopleState,
        reached: Collection[str] = (),
        people_required: bool = False,
    ) -> None:
        self._logs, self._offline, self._people, self._reached = logs, offline, people, reached
        self._people_required = people_required

    def signer(self, act: Act, people: Sequence[Person]) -> Signer | str:
        """Return people who have logged in, with their roles in the jackpot's rulebook; or why they may not act."""
        rulebook = self._logs.served[act.jackpot].rulebook
        for one in people:
            if isinstance(refused := self.signer_of(act.jackpot, one), str):
                return refused
        first, *others = people
        made = Signer(first.name, first.roles[rulebook], first.id)
        if not others:
            return made
        second = others[0]
        asks, approves = (authority.Person(one.name, one.roles[rulebook]) for one in (first, second))
        try:
            verdict = authority.check_people(rulebook, "jackpot_adjust", asks, approves)
        except authority.AuthorityError as error:
            return str(error)
        return made._replace(second=second.name, second_person=second.id) if verdict.allowed else verdict.say

    def signer_of(self, jackpot: str, person: Person) -> Signer | str:
        """Return a person who has logged in, with his role in the rulebook of a jackpot; or why he has none."""
        rulebook = self._logs.served[jackpot].rulebook
        if rulebook not in person.roles:
            return f"{person.id} has no role in {rulebook}: give one, `sabot users role {person.id} {rulebook} ROLE`."
        return Signer(person.name, person.roles[rulebook], person.id)

    def refuse_reader(self, jackpot: str, person: Person) -> Answer | None:
        """Return the refusal if the book does not let a person read the console; None if it does."""
        signer = self.signer_of(jackpot, person)
        if isinstance(signer, str):
            return Answer(False, signer)
        verdict = authority.check(self._logs.served[jackpot].rulebook, "jackpot_read", signer.role)
        return None if verdict.allowed else Answer(False, verdict.say)

    def act(self, act: Act, by: Signer, at: Moment) -> Answer:
        """Do what a person asks for, or refuse it with a sentence."""
        unknown = self.refuse_unknown(act.jackpot)
        if unknown:
            return unknown
        try:
            self._logs.refresh(act.jackpot)
            act = self._with_missed_id(self._with_win_id(act))
            entry = self._with_notified(act.jackpot, act.entry(by, at.time))
            if isinstance(entry, str):
                return Answer(False, entry)
            batch = Batch(act.jackpot, at.time, [entry])
            batch.secret = new_secret() if isinstance(act, Draw) else b""
            self._logs.commit([batch])
        except StoreError as error:
            return Answer(False, f"Nothing was changed: {error}.")
        result = batch.results[0]
        if isinstance(result, Refused):
            return Answer(False, result.say)
        return self._done(act.jackpot, result)

    def _done(self, jackpot: str, result: Applied) -> Answer:
        standing = self._logs.standing(jackpot)
        assert standing is not None
        data = {"wins": list(result.wins), "meter": states.meter_message(standing)}
        say = _say(result, standing.state)
        if isinstance(result.entry, Confirmed) and any(win.prize for win in result.wins):
            say += self._notice(standing.state, result.entry)
        if isinstance(result.entry, Drawn):
            say += _doubts(result.entry, doubtful(standing.state, self._offline))
        return Answer(True, say, msgspec.Raw(msgspec.json.encode(data)))

    def _notice(self, state: JackpotState, entry: Confirmed) -> str:
        """Return whether a channel carries the pay-out to those whom the book has notified."""
        wanted = authority.load(state.parameters.rulebook).act["jackpot_confirm"].notify
        if not wanted:
            return ""
        title = engine.person_to_notify(state, "jackpot_confirm")
        if any(party in self._reached for party in wanted):
            return f" The notification to the {title} is sent."
        return f" No channel of [[notify]] reaches the {title}: make sure that {entry.notified} knows of it."

    def show(self, jackpot: str) -> Answer:
        """Return everything about a jackpot, as it is in the store now."""
        unknown = self.refuse_unknown(jackpot)
        if unknown:
            return unknown
        try:
            self._logs.refresh(jackpot)
        except StoreError as error:
            return Answer(False, str(error))
        standing = self._logs.standing(jackpot)
        if standing is None:
            return Answer(False, f"Jackpot {jackpot} has no log yet: see `sabot floor status`.")
        found = {**described(standing, self._offline), "notified": self._may_be_notified(standing.state)}
        return Answer(True, "", msgspec.Raw(msgspec.json.encode(found)))

    def _may_be_notified(self, state: JackpotState) -> list[dict[str, str]]:
        """Return the people of the records whom a confirmation may name as notified, by name."""
        book = state.parameters.rulebook
        found = [
            {"id": one.id, "name": one.name, "role": authority.find_role(book, one.roles[book]).title}
            for one in self._people().people.values()
            if not one.disabled
            and book in one.roles
            and engine.may_be_notified(state, "jackpot_confirm", one.roles[book])
        ]
        return sorted(found, key=lambda one: (one["name"], one["id"]))

    def refuse_unknown(self, jackpot: str) -> Answer | None:
        """Return the refusal if there is no such jackpot."""
        if jackpot in self._logs.served:
            return None
        there_are = ", ".join(self._logs.served) or "none"
        return Answer(False, f"There is no jackpot {jackpot}; there are {there_are}.")

    def _with_win_id(self, act: Act) -> Act:
        """Return the act with the id of its win, which a person may give as table/shoe/coup."""
        state = self._logs.state(act.jackpot)
        if state is None or not isinstance(act, Confirm | DeemInvalid | DecideOrder | Settle):
            return act
        act = msgspec.structs.replace(act, win=_win_id(state, act.win, _meant(state, act)))
        if isinstance(act, DecideOrder):
            held = state.open.get(act.win)
            others = [hit for hit in _all(state) if held is not None and hit.win in held.undecided]
            return msgspec.structs.replace(act, before=_win_id(state, act.before, others))
        return act

    def _with_notified(self, jackpot: str, entry: Entry | DrawRequest) -> Entry | DrawRequest | str:
        """Return a confirmation with the person of the records who was notified; or why it is nobody."""
        state = self._logs.state(jackpot)
        if state is None or not isinstance(entry, Confirmed) or not entry.notified:
            return entry
        wanted = engine.person_to_notify(state, "jackpot_confirm")
        people = self._people().people
        if not wanted or (not people and not self._people_required):  # nobody to notify, or this floor keeps no people
            return entry
        named = [one for one in people.values() if one.id == entry.notified] or [
            one for one in people.values() if engine.same_person(one.name, entry.notified)
        ]
        if len(named) != 1:
            why = "several people have this name" if named else "there is no such person"
            return (
                f"--notified {entry.notified}: {why}. Give the id of the {wanted} who was notified: `sabot users list`."
            )
        book = state.parameters.rulebook
        if named[0].disabled or book not in named[0].roles:
            why = "is disabled" if named[0].disabled else f"has no role in {book}"
            return f"--notified {entry.notified}: {named[0].name} {why}. Name the {wanted} who was notified."
        notified = {"notified": named[0].name, "notified_person": named[0].id, "notified_role": named[0].roles[book]}
        return msgspec.structs.replace(entry, **notified)

    def _with_missed_id(self, act: Act) -> Act:
        """Return the act with the id of what was missed, which a person may give as table/shoe/coup."""
        state = self._logs.state(act.jackpot)
        if state is None or not isinstance(act, MakeGood):
            return act
        found = [one.id for one in state.missed if one.coup and f"{one.table}/{one.shoe}/{one.coup}" == act.missed]
        return msgspec.structs.replace(act, missed=found[0]) if len(found) == 1 else act


def _win_id(state: JackpotState, named: str, meant: Iterable[Hit | Win]) -> str:
    """Return the id of a win that a person may name as table/shoe/coup; a corrected coup has several."""
    for hits in (meant, _all(state)):
        found = [hit.win for hit in hits if f"{hit.table}/{hit.shoe}/{hit.coup}" == named]
        if len(found) == 1:
            return found[0]
    return named


def _meant(state: JackpotState, act: Confirm | DeemInvalid | DecideOrder | Settle) -> Iterable[Hit | Win]:
    """Return the wins of which an act can be asked."""
    if isinstance(act, Settle):
        return engine.differences(state)
    return [hit for hit in state.open.values() if hit.undecided or not isinstance(act, DecideOrder)]


def _all(state: JackpotState) -> list[Hit]:
    return [*state.open.values(), *state.closed]


def described(standing: Standing, offline: Collection[str] = ()) -> dict[str, Any]:
    """Return a jackpot as JSON values: meters, open and newest closed wins, missed coups, parameters."""
    state = standing.state
    return {
        "meter": states.meter_message(standing),
        "open": engine.open_wins(state),
        "closed": engine.closed_wins(state)[-_MOST_CLOSED:],
        "differences": engine.differences(state),
        "missed": [msgspec.structs.asdict(missed) for missed in state.missed],
        "doubtful": doubtful(state, offline),
        "parameters": state.parameters,
        "waiting": state.waiting,
    }


def _say(result: Applied, state: JackpotState) -> str:
    """Return what was done, for the person who asked for it."""
    currency = state.parameters.currency
    done = {
        "confirmed": "Confirmed",
        "invalid": "Deemed invalid",
        "adjusted": "Adjusted",
        "withdrawn": "Withdrawn",
        "restored": "Restored",
        "made_good": "Made good",
        "drawn": "Drawn",
        "ordered": "Ordered",
        "settled": "Settled",
    }[str(result.entry.__struct_config__.tag)]
    if isinstance(result.entry, Confirmed) and not any(win.prize for win in result.wins):
        done = "Nothing was paid: no qualifying wager was recorded"
    if isinstance(result.entry, Adjusted):
        done = f"Adjusted by {written(result.entry.amount, currency)}"
    wins = "".join(f" {_win(win, currency)}." for win in result.wins)
    return f"{done}.{wins} The display is {written(state.display, currency)}."


def _doubts(entry: Drawn, doubtful: dict[str, str]) -> str:
    """Return a warning about tables that could be drawn, though nobody may play there."""
    if not doubtful:
        return ""
    tables = "; ".join(f"{table} {why}" for table, why in doubtful.items())
    chosen = entry.draw.chosen.table
    drawn = f" {chosen} was drawn: find out whether it is in play before you confirm." if chosen in doubtful else ""
    return f" Warning: among the candidates, {tables}.{drawn} Before the next draw withdraw tables that do not play."


def _win(win: Win, currency: str) -> str:
    """Return a win in words: where, what, its prize and its shares."""
    place = " ".join(filter(None, [win.table, f"{win.shoe}/{win.coup}" if win.coup else "", win.seat]))
    shares = " + ".join(number(share, currency) for share in win.shares)
    prize = f", prize {written(win.prize, currency)}" + (f" = {shares}" if len(win.shares) > 1 else "")
    return f"{place}, {win.outcome.replace('_', ' ')}: {win.state}{prize if win.prize else ''}"
