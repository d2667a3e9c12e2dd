"""The text of gateway/VERIFY.md: what is checked, by which clause, what each alarm means and what ends it."""

from collections.abc import Callable

from sabot_protocol import irregularities, rulebooks
from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.verify.alarms.catalogue import ALARMS
from sabot_gateway.verify.checks import shuffle
from sabot_gateway.verify.confirmations import CONFIRM_FIRST

_HEAD = """# What the gateway verifies

`Verifier.take` reads the shoe's log a second time, by its own reading of the books: it shares the rulebook data with
the shoe, and no code. `ShoeState` follows where the shoe stands; each check sees an event before `ShoeState` follows
it, and yields findings. All that does not agree in one event is one alarm `discrepancy` with both sides, the clause and
the next step. A coup that is in doubt is told as `disputed`, or told again as `disputed` where it was told before,
until a supervisor confirms or voids it: a new message that `corrects` the old one. Nothing is ever edited.

This file is made by `python -m sabot_gateway.verify.document`; a test holds it to the code.

## Checks and their clauses
An empty cell: the book is silent, and the check stands by itself.
"""

_CHECKS: tuple[tuple[str, str, Callable[[Rulebook], str]], ...] = (
    ("coups", "result, points, natural and pairs, from the cards", lambda book: book.draw.natural),
    ("coups", "third cards, and who stands", lambda book: f"{book.draw.table_1}, {book.draw.table_2}"),
    ("coups", "dealer's result is the cards'", lambda book: _discrepancy(book)),
    ("coups", "no coup begins before the last is confirmed", lambda book: CONFIRM_FIRST.get(book.id, "")),
    ("composition", "n of each card in n decks", lambda book: book.switch["foreign_card_rule"].clause),
    ("cutting_card", "cutting card before a coup", lambda book: book.shoe.cut_first_card_is_last_coup.clause),
    ("cutting_card", "cutting card in a coup; what follows", lambda book: book.switch["post_cut_dummy_coups"].clause),
    ("kinds", "coups without wagers", lambda book: book.shoe.unwagered.clause),
    ("kinds", "a coup in progress that goes on without wagers", lambda book: book.switch["this_no_bet"].clause),
    ("authorisation", "coups that wait for a supervisor's word", lambda book: _awaited(book)),
    ("burn", "burn of a new shoe", lambda book: book.shoe.burn.clause),
    ("burn", "cards burnt later", lambda book: book.switch["mid_shoe_burn"].clause),
    ("irregularities", "codes of irregularities; those that a card shows are told", lambda _: "each its own"),
    ("locked", "no card is drawn while the exit is locked; when wagers close", lambda book: book.closing.clause),
    ("numbering", "shoes and coups rise by one, slots in order, nothing from a closed shoe", lambda _: ""),
    ("profile", "the shoe works by the table's profile and card set", lambda _: ""),
    ("shuffle", "the first cards can have been shuffled", lambda _: ""),
    ("clock", "the shoe's clock and the gateway's; cards a hand can draw", lambda _: ""),
)

_PARTS = """
## What is not certain
- **A part of the log is missing** (`lost`, `damaged`): the coup in which it is cannot be verified and is disputed; if
  its result is in the missing part, it is told from its cards, disputed and without a winner. For the rest of the
  shoe the counts are lower bounds: a card too many is still one, and the shoe's own counts are not compared.
- **A shoe that is joined in mid-coup** is disputed for that coup.
- **What the shoe tells by itself is not told twice.** A card too many, a face-up card or a wrong button waits for the
  shoe's irregularity; only when the next card, button or end comes without it, it is a discrepancy.
- **A wrong result button** disputes the coup at once. A supervisor settles it at the shoe (key or command, then
  Confirm), voids it there, or decides at the gateway. The shoe's own `scan_discrepancy` is the same fact, and no alarm
  of its own. Its fault is one: `fault_decision` stands until the shoe reports that it is over.
- **Clocks.** An event may come late, so lateness is no finding. Certain are: the shoe's time going back without a
  start, the gateway's going back, the shoe ahead of the gateway by ten seconds, two settings that differ by more than
  half a minute and a thousandth, and two cards less than 25 ms apart. Each is told once a shoe, and orders nothing. A
  shoe whose time runs more than twice as fast as the gateway's is played by a bench.

## Deciding
`sabot table T decide --coup 3/17 --verdict confirmed` takes the result that the cards give, where they are a coup; else
the shoe's. A supervisor who has seen otherwise names the winner (The Star 12.13: he must seek to confirm the actual
outcome, else the coup is void); then cards and points stay as they were read. `--verdict void` leaves no winner.
The decision is stored first. Where the coup is still on the table and its dispute holds the shoe (fault `decision`),
the gateway then sends the shoe `confirm` or `void_coup`, which ends the fault. Where that is not possible, the decision
stands, and the answer, the table's `status` and its alarms say what is still to be done.
`sabot table T void` and `confirm` are about the coup on the table, and decide no other.

Every void, confirmed or corrected coup says who decided (`by`), when (`decided`) and under which clause: a person at
the gateway with the id of his request (`attempt`), or what the shoe logged. A command that nobody here asked for is an
`unknown person` with the number of the command.

## Confirming
`coup` tells a result with its last card; `confirmed` tells it again when it may be settled (Rapid 7.7.4.9, 8.1; reading
A-66): with Confirm, with a supervisor's `confirm`, or with the decision that confirms a disputed coup. Once for each
coup, never for one that is void or disputed; a correction of one that was confirmed comes there too and `corrects` it.
A coup after which play goes on without Confirm (the shoe is closed, replaced or exchanged, another coup is dealt, or
part of the log is missing) is disputed, alarm `not_confirmed`.

## A coup that moves to another shoe
`handed_over` is no void: the coup has one result, at the shoe that it came to, under its number, and `began` says where
it began. Where both shoes are of this gateway, the cards that came out of the first count against the decks, and what
was in doubt stays so. `sabot table T import-coup` fills in kind, decks, cards out and cutting card from there. It is
refused for a coup that goes on elsewhere already, with other cards than the coup of that number left with, as another
kind, and with a count of cards that cannot be. A coup that goes on elsewhere, has other cards or is of another kind is
disputed where the shoe's log has it all the same. A coup from a shoe of another gateway is taken as the person says it.
`tell export-coup` needs a clause, as `void` does, and answers with the line to type at the other table. The alarm
`handed_over` has it too. It is a warning that stands, over new shoes and restarts, until the coup has come to a table
of this gateway; if it never will (it is void, or goes on at another gateway), a supervisor acknowledges the alarm. From
then on another coup of that number can come.

## Faults
A fault that holds the exit is an alarm `fault_…` from the shoe's event until its `fault_cleared`: it can be
acknowledged, and stays. In HELLO a shoe reports its fault. Once its log has come, an alarm that is missing is raised,
and one that stands without cause is cleared. `fault_journal_full` is not in HELLO: its events alone raise and clear it.
"""


def as_text() -> str:
    """The whole file."""
    books = [rulebooks.load(name) for name in rulebooks.ids()]
    head = ["| check | what | " + " | ".join(book.id for book in books) + " |", "|---" * (2 + len(books)) + "|"]
    rows = [f"| `{module}` | {what} | " + " | ".join(map(clause, books)) + " |" for module, what, clause in _CHECKS]
    alarms = [
        f"| `{name}` | {kind.severity} | {kind.means} | {', '.join(kind.ends).replace('_', ' ')} |"
        for name, kind in ALARMS.items()
    ]
    table = ["| alarm | severity | means | ended by |", "|---|---|---|---|", *alarms]
    return "\n".join([_HEAD + "\n".join([*head, *rows]), _ordered(), _PARTS, "## Alarms", _ENDS, *table, ""])


_ENDS = """acknowledged: a person has seen it. shoe: the shoe says that its cause is gone. decision: a supervisor
confirms or voids the coup; a discrepancy about no coup ends when it is acknowledged. new shoe: new cards are in.
gateway: the gateway finds that its cause is gone.
A table holds at most 100; then the oldest of the least severe is cleared as `crowded out`, and stays in the ledger. A
fault that lasts is never crowded out.
Of one name a table raises 30 alarms at once, and then one every two seconds. Those beyond it are counted in one alarm
`alarm_flood`, which is renewed every ten seconds while more come. A fault that comes in a flood of its own name is
raised as soon as there is room, unless it is over by then. Events and coups are all stored and published.
At most 100 disputed coups can be decided at a time, the newest; older ones stay disputed in the ledger, and come up as
the others are decided.
"""


def _ordered() -> str:
    return "\n## Ordered sets\n" + (shuffle.__doc__ or "").split("\n\n", 1)[1].strip()


def _awaited(book: Rulebook) -> str:
    needs = book.switch["dummy_needs_authorisation"]
    return needs.clause if needs.value else ""


def _discrepancy(book: Rulebook) -> str:
    return irregularities.advise(book.id, "scan_discrepancy", {"confirmed": True}).clause


if __name__ == "__main__":
    print(as_text(), end="")
