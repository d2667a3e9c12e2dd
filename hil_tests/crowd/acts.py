"""Acts: what a random person asks for at a random moment, in which role, under which clause, and by which way."""

import random
from typing import Any, Final, NamedTuple

from people_table import BOOKS, LINES, read
from sabot_protocol.cards import DECK
from sabot_protocol.fields import Fault, VoidReason
from sabot_protocol.irregularities import CASES
from sabot_protocol.table_of_play import FIRST_FOUR

from crowd.staff import Member, Staff

Args = dict[str, Any]
OF_COMMAND: Final = {"void_coup": "void"}  # the verb of a command of the shoe where the names differ


class Ask(NamedTuple):
    """One request: by one person or two, through the floor, or by an account of the table PC."""

    verb: str
    args: Args
    clause: str
    by: Member
    asks: Member | None = None
    local: bool = False


def clauses_of(book: str, act: str) -> list[str]:
    """Return the clauses under which the printed rules have an act."""
    column = BOOKS.index(book)
    cells = next((cells[column] for _, name, cells in LINES if name == act), "-")
    found = [read(part, book).clause for part in cells.split("; ")]
    return [clause.strip() for text in found if text for clause in text.split(",")]


class Acts:
    """The requests of one table's people, by chance; `sensible` ones are what a trained person would ask for."""

    def __init__(self, rng: random.Random, staff: Staff) -> None:
        self._rng, self._staff, self.book = rng, staff, staff.book
        self._clauses = [clause for _, act, _ in LINES for clause in clauses_of(self.book, act)]

    def of_line(self, line: Args, fault: str | None) -> Ask:
        """Return the request for a command that the dealer's hands would give."""
        args = {name: value for name, value in line.items() if name != "command"}
        verb = OF_COMMAND.get(line["command"], line["command"].replace("_", "-"))
        if verb == "clear-fault":
            args = {"fault": fault or "card"}
        return self._by_somebody(verb, args)

    def random(self, status: Args) -> Ask:
        """Return any request, with or without sense."""
        rng = self._rng
        verb = "step" if status["incidents"] and rng.random() < _STEPS else rng.choice(_VERBS)
        return self._by_somebody(verb, self._args(verb, status))

    def _by_somebody(self, verb: str, args: Args) -> Ask:
        rng, staff = self._rng, self._staff
        by = staff.anybody() if rng.random() < 0.4 else rng.choice(staff.in_order())
        asks = rng.choice((None, None, staff.anybody()))
        asks = None if asks and asks.id == by.id else asks
        return Ask(verb, args, self._clause(verb, args), by, asks, local=rng.random() < 0.15)

    def _clause(self, verb: str, args: Args) -> str:
        rng = self._rng
        if rng.random() < 0.6:
            known = [clause for act in CANDIDATES.get(verb, ()) for clause in clauses_of(self.book, act)]
            return rng.choice(known) if known else ""
        return rng.choice(self._clauses) if rng.random() < 0.6 else ""

    def _args(self, verb: str, status: Args) -> Args:
        rng = self._rng
        match verb:
            case "void":
                return {"reason": rng.choice(list(VoidReason.encmapping)), "then": rng.choice(("go_on", "new_cards"))}
            case "decide":
                winner = rng.choice((None, "player", "banker", "tie"))
                verdict = "confirmed" if winner else rng.choice(("confirmed", "void"))
                return {"coup": self._coup(status), "verdict": verdict, **({"winner": winner} if winner else {})}
            case "key-card":
                return {"card": rng.choice(DECK)}
            case "clear-fault":
                return {"fault": rng.choice([name for name in Fault.encmapping if name != "none"])}
            case "irregularity":
                case = rng.choice(list(CASES))
                return {"case": case, "facts": {fact: rng.random() < 0.5 for fact in CASES[case]}}
            case "deck-check":
                return {"on": int(rng.random() < 0.5)}
            case "record":
                return {"act": rng.choice([act for _, act, _ in LINES])}
            case "import-coup":
                return {"coup_no": rng.randint(1, 60), "cards": dict(zip(FIRST_FOUR, rng.sample(DECK, 4), strict=True))}
            case "step":
                return self._step(status)
            case "stakes":
                return {"stakes": {"tie": [rng.randrange(100, 5000)]}}
            case "record-win":
                return {"jackpot": rng.choice(("lucky-tie", "perfect-pair"))}
        return {}

    def _coup(self, status: Args) -> str:
        disputed = [f"{one['shoe']}/{one['coup']}" for one in status.get("disputes", ()) if isinstance(one, dict)]
        return self._rng.choice([*disputed, f"{self._rng.randint(1, 5)}/{self._rng.randint(1, 60)}"])

    def _step(self, status: Args) -> Args:
        rng, incidents = self._rng, status.get("incidents", [])
        if not incidents:
            return {"incident": "none", "step": "void"}
        one = rng.choice(incidents)
        return {"incident": one["incident"], "step": rng.choice(one["steps"])["name"]}


_STEPS: Final = 0.3  # of the requests while an incident is open
_VERBS: Final = (
    "confirm", "void", "decide", "no-more-bets", "no-bet", "this-no-bet", "authorise", "key-card", "burn-card",
    "card-returned", "open-shoe", "close-shoe", "lock", "unlock", "ack-alarm", "clear-fault", "irregularity", "step",
    "record", "stakes", "record-win", "step", "decide", "void", "this-no-bet", "key-card", "export-coup", "import-coup",
)  # fmt: skip
# By our own reading: which acts of the table of people a request can be.
CANDIDATES: Final[dict[str, tuple[str, ...]]] = {
    "decide": ("decide_discrepancy",),
    "void": (
        "void_misdeal", "void_insufficient_cards", "void_foreign_card", "decide_discrepancy", "void_wrong_shoe",
        "invalidate_disruption", "invalidate_fraud", "decide_misdelivery",
        "shuffle_rest",
    ),
    "this-no-bet": ("unwagered_after_error", "reconstruct", "decide_misdelivery", "deal_unwagered"),
    "no-bet": ("deal_unwagered", "unwagered_after_error"),
    "key-card": ("key_in_card",),
    "no-more-bets": ("no_more_bets",),
    "card-returned": ("reconstruct", "unwagered_after_error"),
    "burn-card": ("burn_otherwise", "reconstruct"),
    "record-win": ("jackpot_record",),
    "stakes": ("jackpot_increment",),
    "confirm": ("confirm_result",),
    "export-coup": ("move_cards",),
    "import-coup": ("move_cards",),
}  # fmt: skip
