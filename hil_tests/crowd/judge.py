"""Judge: holds every new entry of the ledger, and every retained topic, against what is true and what is printed."""

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from people_table import BOOKS, LINES, may, read
from sabot_gateway.ledger import Reader
from sabot_protocol import authority

from crowd.acts import CANDIDATES, clauses_of
from crowd.site import BOOKS as TABLES
from crowd.site import Eye, Site

Entry = dict[str, Any]
_TENS: Final = "TJQK"
# By the printed rules: who stands for a role of the table of people.
_NAMED: Final = {
    "dealer": "D", "gaming_supervisor": "GS", "game_supervisor": "GS", "games_supervisor": "GS",
    "casino_supervisor": "CS", "assistant_gaming_manager": "AGM", "gaming_manager": "GM",
    "casino_operator": "OP", "operator": "OP", "higher_duties_dealer": "HDD", "area_manager": "AM",
    "casino_manager": "CM", "crown_management": "CROWN", "executive": "COO", "inspector": "INS",
    "surveillance": "SUR", "electronic_gaming_supervisor": "EGS", "tournament_manager": "TM",
    "tournament_director": "TD", "tournament_deputy": "DEPUTY", "player": "PLAYER", "secretary": "SEC",
}  # fmt: skip
_ROWS: Final = frozenset(f"P-{number}" for number in range(37, 50))  # of the table of people: irregularities
_STOPS: Final = ("missing_or_foreign_card", "shoe_void")
_CHANGES_PAY: Final = ("void", "decide", "this-no-bet", "key-card", "no-bet", "record-win")


class WrongError(Exception):
    """Something that must never happen, with the place."""


@dataclass
class Seen:
    """What the judge knows of one table."""

    unread: int = 0  # cards that left the shoe unread, as the hands know it
    keyed: int = 0  # cards keyed in
    attempts: dict[str, Entry] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    confirmed: dict[str, Entry] = field(default_factory=dict)  # by coup_id
    alarms: dict[str, Entry] = field(default_factory=dict)
    incidents: dict[str, Entry] = field(default_factory=dict)
    coups: int = 0
    results: list[Entry] = field(default_factory=list)  # of coups that the hands have not seen yet


class Judge:
    """`see` after every act; each line of `wrong` is something that must never happen, with its place."""

    def __init__(self, site: Site) -> None:
        self._site, self._after = site, 0
        self.tables = {name: Seen() for name in TABLES}
        self._paid, self.wrong = 0, list[str]()

    def coups(self) -> int:
        """Return how many coups all tables have had."""
        return sum(one.coups for one in self.tables.values())

    def see(self) -> None:
        """Judge all new entries, then what the surfaces show; `wrong` has what must never happen."""
        with closing(Reader(self._site.gateway.ledger)) as ledger:
            new = list(ledger.since(self._after, 100_000))
        for one in new:
            self._after = one.seq
            if one.table in self.tables and one.topic:
                self._guard(self._entry, one.table, one.topic, msgspec.json.decode(one.payload))
        self._guard(self._wins)
        for table, seen in self.tables.items():
            if behind(self._site.eye, table, seen):
                self._site.settle()  # lists of alarms are published a few times a second at most
            self._guard(_surfaces, self._site.eye, table, seen)

    def _wins(self) -> None:
        """Wins are paid in the order in which their records came to the floor, by somebody who may."""
        eye = self._site.eye
        new, self._paid = eye.wins[self._paid :], len(eye.wins)
        for one in (message for message in new if message["win"]["state"] == "paid"):
            win, book = one["win"], next(TABLES[name] for name in TABLES if name == one["win"]["table"])
            before = eye.recorded[: eye.recorded.index(win["win"])]
            if open_before := [other["win"] for other in eye.pending(book) if other["win"] in before]:
                raise WrongError(f"{win['win']} is paid before {open_before}, recorded earlier: {one}")
            if not role_may(book, "jackpot_confirm", win["role"]):
                raise WrongError(f"{win['win']} was confirmed by a {win['role']}: {one}")

    def _guard(self, check: Callable[..., None], *args: Any) -> None:
        try:
            check(*args)
        except WrongError as error:
            if str(error) not in self.wrong:
                self.wrong.append(str(error))

    def _entry(self, table: str, topic: str, one: Entry) -> None:
        seen = self.tables[table]
        match topic:
            case "attempt":
                seen.attempts[one["id"]] = one
            case "outcome" if one["ok"]:
                seen.done.add(one["attempt"])
                _rights(table, seen.attempts[one["attempt"]])
            case "cards" | "card":
                _keyed(table, seen, one)
            case "coup":
                seen.coups += 1
                seen.results.append({"type": "coup", "kind": one["kind"], "winner": one["winner"]})
                seen.unread = seen.keyed = 0
                _cards_in_doubt(table, seen, one)
            case "shoe":
                seen.unread = seen.keyed = 0
            case "confirmed":
                _confirmed(table, seen, one)
            case "alarm":
                seen.alarms[one["alarm"]] = one
            case "incident":
                before, seen.incidents[one["incident"]] = seen.incidents.get(one["incident"], {}), one
                _steps(table, before, one)


def _rights(table: str, attempt: Entry) -> None:
    """No act without its role and its clause."""
    book, verb = TABLES[table], attempt["verb"]
    acts = CANDIDATES.get(verb)
    if acts is None or verb not in _CHANGES_PAY:
        return
    role = attempt.get("role") or "nobody"
    if not any(role_may(book, act, role) for act in acts):
        raise WrongError(f"{table}: {verb} {attempt['args']} was done by a {role}: {attempt}")
    clause = attempt.get("clause", "")
    known = belonging(book, acts)
    if clause and known and not any(_under(clause, named) for named in known):
        raise WrongError(f"{table}: {verb} {attempt['args']} was done under {clause}; it belongs to {known}: {attempt}")


def belonging(book: str, acts: Iterable[str]) -> list[str]:
    """Return the clauses of these acts; if the book is silent about one, those of all irregularities belong to it."""
    own = [clauses_of(book, act) for act in acts]
    silent = [] if all(own) else [clause for row, act, _ in LINES if row in _ROWS for clause in clauses_of(book, act)]
    return [*(clause for clauses in own for clause in clauses), *silent]


def _under(clause: str, named: str) -> bool:
    """Return True if a clause is the named one, or belongs to it, or is in its range."""
    first, _, last = named.partition("-")
    stem = clause.split("(")[0]
    return (
        clause in (named, first, last) or clause.startswith((f"{first}.", f"{first}(")) or first.split("(")[0] == stem
    )


def role_may(book: str, act: str, role: str, *, by_the_rule: bool = False) -> bool:
    """Return True if the printed rules let this role do the act in any case; silent: as where no rule decides.

    `by_the_rule`: an act that the rule does without approval is anybody's to record.
    """
    column = BOOKS.index(book)
    cells = next(cells[column] for _, name, cells in LINES if name == act)
    found = [read(part, book) for part in cells.split("; ")]
    if all(cell.word == "-" for cell in found):
        return authority.check_without_rule(book, role).allowed
    named = _NAMED.get(role, role)
    decided = by_the_rule or authority.check_without_rule(book, role).allowed
    return any(decided if cell.word in ("auto", "free") else may(book, named, cell) for cell in found)


def _keyed(table: str, seen: Seen, one: Entry) -> None:
    """No card counts that did not leave the shoe."""
    cards = one.get("cards", [one])
    for card in cards:
        if "keyed" in card.get("notes", ()):
            seen.keyed += 1
            if seen.keyed > seen.unread:
                raise WrongError(f"{table}: {card['card']} is keyed in, and every card that left was read: {card}")


def _cards_in_doubt(table: str, seen: Seen, coup: Entry) -> None:
    """No coup counts after a card of another set, or in a void shoe, until the cards are checked or replaced."""
    stop = [one["name"] for one in seen.alarms.values() if one["name"] in _STOPS and one["state"] != "cleared"]
    if (
        stop
        and clauses_of(TABLES[table], "void_foreign_card")
        and coup["status"] == "verified"
        and coup["kind"] != "void"
    ):
        raise WrongError(f"{table}: coup {coup['shoe']}/{coup['coup']} is verified while {stop} is active: {coup}")


def points(cards: Iterable[str]) -> int:
    """Return the point count of a hand."""
    return sum(0 if card[0] in _TENS else 1 if card[0] == "A" else int(card[0]) for card in cards) % 10


def _confirmed(table: str, seen: Seen, one: Entry) -> None:
    """A confirmed winner is that of the cards, or a person decided it under a clause, in a role that may."""
    seen.confirmed[one["coup_id"]] = one
    if one["status"] == "void" or one["winner"] is None:
        return
    player, banker = points(one["player"]), points(one["banker"])
    by_cards = "player" if player > banker else "banker" if banker > player else "tie"
    if one["winner"] != by_cards and not one["attempt"]:
        raise WrongError(f"{table}: {one['winner']} is confirmed against the cards, by nobody: {one}")


def _steps(table: str, before: Entry, now: Entry) -> None:
    """A step that a person did was done by somebody who may."""
    old = {step["name"] for step in before.get("steps", []) if step.get("done")}
    for step in now.get("steps", []):
        new = step.get("done") and step["name"] not in old and step.get("by_role") and step.get("act")
        if new and not role_may(TABLES[table], step["act"], step["by_role"], by_the_rule=True):
            raise WrongError(f"{table}: step {step['name']} was done by a {step['by_role']}: {step}")


def behind(eye: Eye, table: str, seen: Seen) -> str:
    """Return what is open and not shown as open; empty if the lists are as the ledger has them."""
    raised = {name for name, one in seen.alarms.items() if one["state"] == "raised"}
    shown = eye.state(table, "alarms")
    if not shown.get("more") and (hidden := raised - {one["alarm"] for one in shown.get("alarms", ())}):
        return f"an alarm is raised and not shown: {hidden}"
    opened = {name for name, one in seen.incidents.items() if one["state"] == "open"}
    waiting = eye.state(table, "open")
    listed = {one["incident"] for one in waiting.get("incidents", ())}
    if not waiting.get("more") and opened != listed:
        return f"open incidents are {opened}, and the topic shows {listed}"
    return ""


def _surfaces(eye: Eye, table: str, seen: Seen) -> None:
    """What is open is shown as open, and no result is out that is not confirmed, over or decided."""
    if problem := behind(eye, table, seen):
        raise WrongError(f"{table}: {problem}")
    _nothing_early(eye.state(table, "history"), eye.state(table, "hand"), table)


def _nothing_early(history: Entry, hand: Entry, table: str) -> None:
    """No public card, point or winner of the coup on the table before its result is out."""
    if hand.get("phase") not in ("dealing", "complete") or not history:
        return
    out = [*history.get("coups", ()), *((history["last"]["coup"],) if history.get("last") else ())]
    if hand["phase"] == "dealing" and hand["coup"] in out:
        raise WrongError(f"{table}: coup {hand['coup']} is being dealt, and history shows it: {history}")
