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
from crowd.hidden import OnTable
from crowd.pages import Page
from crowd.site import BOOKS as TABLES
from crowd.site import Eye, Site
from crowd.staff import Member

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
_SEES: Final = "surveillance"  # may see a card before it is turned (displays.md, rule 2, and THREATS.md)
_STAFF: Final = ("/events/dealer", "/events/pit", "/events/jackpots", "/data/")  # need a log-in
_DEALERS: Final = ("/events/dealer", "/data/assistant")  # also one at the Dealer Terminal
_FACE_UP: Final = "star-rapid"  # its cards are dealt face up (3.3)
_ROWS: Final = frozenset(f"P-{number}" for number in range(37, 50))  # of the table of people: irregularities
_WITHDRAWN: Final = "RECON_WITHDRAW"  # the code of a misdeal after which players may take their wagers back
_STOPS: Final = ("missing_or_foreign_card", "shoe_void")
_CHANGES_PAY: Final = (
    "void", "decide", "this-no-bet", "key-card", "no-bet", "record-win", "export-coup", "import-coup",
)  # fmt: skip


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
    on_table: OnTable = field(default_factory=OnTable)


class Judge:
    """`see` after every act; each line of `wrong` is something that must never happen, with its place."""

    def __init__(self, site: Site) -> None:
        self._site, self._after = site, 0
        self.tables = {name: Seen(on_table=OnTable(face_down=book != _FACE_UP)) for name, book in TABLES.items()}
        self.left: dict[int, tuple[str, Entry]] = {}  # coups that wait for their next shoe: table and cards, by number
        self._wins_seen, self.wrong = 0, list[str]()
        self.paid, self.paid_before_others = 0, 0  # wins, and those paid while others were pending
        self._at_table = {
            book: {role.id for role in authority.load(book).role if not role.beside} for book in TABLES.values()
        }

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
        if len(self._site.eye.wins) > self._wins_seen:
            self._site.settle_eye()  # the list of those that wait comes after the win
        self._guard(self._wins)
        for table, seen in self.tables.items():
            if behind(self._site.eye, table, seen):
                self._site.settle_eye()  # lists of alarms are published a few times a second at most
            self._guard(_surfaces, self._site.eye, table, seen)

    def _wins(self) -> None:
        """Wins are paid in the order in which their records came to the floor, by somebody who may."""
        eye = self._site.eye
        new, self._wins_seen = eye.wins[self._wins_seen :], len(eye.wins)
        for one in (message for message in new if message["win"]["state"] == "paid"):
            win, book = one["win"], next(TABLES[name] for name in TABLES if name == one["win"]["table"])
            self.paid += 1
            self.paid_before_others += any(other["win"] != win["win"] for other in eye.pending(book))
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

    def _moves(self, table: str, attempt: Entry) -> None:
        """A coup that left a shoe goes on with its own cards."""
        if attempt["verb"] == "export-coup":
            self.left[self.tables[table].on_table.coup] = table, self.tables[table].on_table.laid()
        elif attempt["verb"] == "import-coup" and (found := self.left.pop(attempt["args"]["coup_no"], None)):
            alarms = self.tables[found[0]].alarms.values()  # once it is acknowledged the coup is expected no more
            waits = any(one["name"] == "handed_over" and one["state"] == "raised" for one in alarms)
            if waits and found[1] != attempt["args"]["cards"]:
                raise WrongError(f"{table}: a coup left {found[0]} with {found[1]} and goes on with others: {attempt}")

    def looked(self, table: str, person: Member | None, kind: str, pages: Iterable[Page]) -> None:
        """Judge what a person got: nothing without a log-in, and no card before it is turned."""
        for page in pages:
            self._guard(_page, table, self.tables[table], person, kind, page)

    def turned(self, table: str, person: Member, side: str, cards: int) -> None:
        """Note that a person has turned cards; only people who deal or supervise at the table can."""
        self.tables[table].on_table.turned[side] = cards
        if person.role not in self._at_table[TABLES[table]]:
            self.wrong.append(f"{table}: a {person.role} has turned cards of {side}")

    def answered(self, table: str, people: Iterable[Member], asked: Entry, say: str) -> None:
        """Judge an answer: it names no card before it is turned, but to Surveillance or if a person named it."""
        shown = self.tables[table].on_table.in_text(say)
        if shown and not any(_sees(one, table) for one in people) and not any(card in str(asked) for card in shown):
            self.wrong.append(f"{table}: the answer to {asked} names {shown}, which nobody has turned: {say}")

    def shown_open(self, pit: Entry, wall: Entry) -> str:
        """Return what is open and not on the pit console or the wall; empty if all is."""
        alarms, incidents = ({one["id"] for one in pit[name]} for name in ("alarms", "incidents"))
        on_wall = {one["name"]: one["alarms"]["count"] for one in wall["tables"]}
        for table, seen in self.tables.items():
            active = {name for name, one in seen.alarms.items() if one["state"] != "cleared"}
            opened = {name for name, one in seen.incidents.items() if one["state"] == "open"}
            if (not pit["more_alarms"] and active - alarms) or (not pit["more_incidents"] and opened - incidents):
                return f"{table}: the pit console does not show {active - alarms} {opened - incidents}"
            if on_wall.get(table, 0) < len(active):
                return f"{table}: the wall counts {on_wall.get(table)} of {len(active)} alarms"
        return ""

    def _entry(self, table: str, topic: str, one: Entry) -> None:
        seen = self.tables[table]
        if topic in ("cards", "confirmed", "shoe"):
            seen.on_table.take(topic, one)
        match topic:
            case "attempt":
                seen.attempts[one["id"]] = one
            case "outcome" if one["ok"]:
                seen.done.add(one["attempt"])
                _rights(table, seen.attempts[one["attempt"]], ruled=_is_ruled(seen))
                self._moves(table, seen.attempts[one["attempt"]])
            case "cards":
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


def _sees(person: Member | None, table: str) -> bool:
    return person is not None and (person.book, person.role) == (TABLES[table], _SEES)


def _page(table: str, seen: Seen, person: Member | None, kind: str, page: Page) -> None:
    """No page of staff without a log-in; no card of a coup dealt face down before it is turned."""
    who = f"{person.id} ({person.role}, {kind})" if person else "nobody"
    pit_only = kind == "dealer" and not page.path.startswith(_DEALERS)
    if page.status == 200 and page.path.startswith(_STAFF) and (person is None or pit_only):
        raise WrongError(f"{table}: {page.path} is served to {who}")
    if not _sees(person, table) and (shown := list(seen.on_table.in_view(table, page.state))):
        raise WrongError(f"{table}: {page.path} shows {who} what nobody has turned: {shown}; {seen.on_table}")


def _is_ruled(seen: Seen) -> bool:
    """Return True if the rules make the coup on the table one without wagers, and nobody has to approve it.

    Its first card was seen or came too early (12.3, 14.3), or players may have taken all wagers back (12.1.1, 14.1.1).
    """
    on_table = seen.on_table
    place = on_table.shoe, on_table.coup
    withdrawn = (one["shoe_says"] == _WITHDRAWN and (one["shoe"], one["coup"]) == place for one in seen.alarms.values())
    return on_table.began_ahead() or any(withdrawn)


def _rights(table: str, attempt: Entry, *, ruled: bool = False) -> None:
    """No act without its role and its clause; what is ruled the dealer does alone."""
    book, verb = TABLES[table], attempt["verb"]
    acts = CANDIDATES.get(verb)
    if acts is None or verb not in _CHANGES_PAY:
        return
    role = attempt.get("role") or "nobody"
    by_the_rule = ruled and (verb, role) == ("this-no-bet", "dealer")
    if not any(role_may(book, act, role, by_the_rule=by_the_rule) for act in acts):
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
