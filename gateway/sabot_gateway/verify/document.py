"""Document: the text of gateway/VERIFY.md: checks and their clauses, alarms and what ends them."""

from collections.abc import Callable

from sabot_protocol import irregularities, rulebooks
from sabot_protocol.rulebooks import Rulebook

from sabot_gateway.verify.alarms.catalogue import ALARMS
from sabot_gateway.verify.checks import shuffle
from sabot_gateway.verify.confirmations import confirm_first

_HEAD = """# What the gateway verifies

The gateway checks the shoe's log with its own program of the rules. It shares the rulebook data with the shoe, but no
code. `sabot_gateway/verify/dispatch.py` has one row for each kind of event: its checks, its report and its effect on
`ShoeState`, in this order.

- A check compares the event with the state and yields findings. Everything in one event that does not agree makes one
  alarm `discrepancy`. It names what the shoe says, what the cards say, the clause and the next step.
- A coup with a discrepancy is `disputed` until a supervisor confirms or voids it. If its result is published already,
  it is published again as `disputed`. A correction is always a new message that `corrects` the old one.

This file is generated: `python -m sabot_gateway.verify.document > gateway/VERIFY.md`.

## Checks and their clauses
Each check is a file in `sabot_gateway/verify/checks/`. An empty cell means that the rulebook is silent.
"""

_CHECKS: tuple[tuple[str, str, Callable[[Rulebook], str]], ...] = (
    ("coups", "result, points, natural and pairs follow from the cards", lambda book: book.draw.natural),
    ("coups", "third cards follow the tables", lambda book: f"{book.draw.table_1}, {book.draw.table_2}"),
    ("coups", "the dealer's result matches the cards", lambda book: _discrepancy(book)),
    ("coups", "no coup begins before the last one is confirmed", confirm_first),
    ("composition", "n decks have n of each card", lambda book: book.switch["foreign_card_rule"].clause),
    (
        "cutting_card",
        "cutting card before a coup: which coup is the last",
        lambda book: book.shoe.cut_first_card_is_last_coup.clause,
    ),
    (
        "cutting_card",
        "cutting card in a coup: which coup is the last, and what may follow",
        lambda book: book.switch["post_cut_dummy_coups"].clause,
    ),
    ("composition", "depth of the cutting card", lambda book: book.switch["cut_depth_cards"].clause),
    ("kinds", "coups without wagers", lambda book: book.shoe.unwagered.clause),
    ("kinds", "a coup in progress that continues without wagers", lambda book: book.switch["this_no_bet"].clause),
    ("authorisation", "coups that wait for a supervisor's authorisation", lambda book: _awaited(book)),
    ("burn", "burn of a new shoe", lambda book: book.shoe.burn.clause),
    ("burn", "cards burnt later", lambda book: book.switch["mid_shoe_burn"].clause),
    (
        "irregularities",
        "consequence of each irregularity; the shoe reports those that its cards show",
        lambda _: "by case",
    ),
    ("lock", "no card is drawn while the exit is locked by command", lambda book: book.closing.clause),
    (
        "unread",
        "a card is keyed in only if one left the shoe and was not read, each of those once",
        lambda book: book.switch["manual_entry"].clause,
    ),
    ("hand_over", "a coup that comes from another shoe is the one that left, and continues once", lambda _: ""),
    ("numbering", "shoes and coups rise by one, slots come in order, a closed shoe deals nothing", lambda _: ""),
    ("profile", "the shoe works by the table's profile and card set", lambda _: ""),
    ("shuffle", "the first cards can have been shuffled", lambda _: ""),
    ("clock", "the shoe's clock and the gateway's agree; no card comes faster than a hand can draw it", lambda _: ""),
)

_PARTS = """
## What is not certain
- **Part of the log is missing.** The coup with the missing part is disputed. If its result is missing, the coup is
  published from its cards, disputed and without a winner. For the rest of the shoe the counts are lower bounds: a card
  too many is still found, but the shoe's own counts are not compared.
- **The gateway joins in mid-coup.** That coup is disputed.
- **Irregularities.** The shoe has to report a surplus card, a face-up card or a wrong result button itself. It is a
  discrepancy only if the next card, button or end comes without that report.
- **A wrong result button** disputes the coup at once. A supervisor confirms it at the shoe (key or command, then
  Confirm), voids it there, or decides it at the gateway. The shoe's report `scan_discrepancy` raises no second alarm.
  The shoe's fault raises one: `fault_decision`, active until the shoe reports that the fault is over.
- **Clocks.** An event may come late, so a delay is no finding. Findings are: the shoe's time goes back without a
  restart; the gateway's time goes back; the shoe is ahead of the gateway by more than ten seconds; between two
  settings of the shoe's clock, shoe and gateway differ by more than 30 s plus 0.1 % of the time; two cards are less
  than 25 ms apart. Each is raised once for each shoe. If the shoe's time runs more than twice as fast as the gateway's,
  a bench is playing a recording, and a difference of the clocks is no finding.

## Deciding
`sabot table T decide --coup 3/17 --verdict confirmed --by NAME --clause N` takes the result of the cards, if they make
a coup; else the shoe's result. A supervisor who saw another outcome names the winner with `--winner` (The Star 12.13);
cards and points then stay as they were read. `--verdict void` leaves no winner.

The gateway stores the decision first. If the coup is still on the table and its dispute locks the shoe (fault
`decision`), the gateway then sends `confirm` or `void_coup` to the shoe, which ends the fault. If that is not possible,
the decision stays valid, and the answer, the table's `status` and its alarms name the next step.
`sabot table T void` and `sabot table T confirm` apply to the coup on the table only.
A disputed coup cannot be confirmed with `confirm`: the request is refused and names `decide`.

Every void, confirmed or corrected coup carries who decided (`by`), when (`decided`) and the clause. `attempt` is the id
of the request, if a person decided at the gateway. If nobody at this gateway requested the command, `by` is
`unknown person` with the number of the command.

## Confirming
`coup` publishes a result with its last card. `confirmed` publishes it when it may be settled (Rapid 7.7.4.9, 8.1;
reading A-66): after Confirm, after a supervisor's `confirm`, or after the decision that confirms a disputed coup. Each
coup is published there once, a void or disputed coup never. The correction of a confirmed coup is published there too.
If play goes on before Confirm, the coup is disputed, alarm `not_confirmed`. Play goes on when the shoe is closed or
replaced, another coup is dealt, or part of the log is missing.

## A coup that moves to another shoe
A hand-over does not void the coup. It has one result, at the shoe that it came to, under the same number; `began` names
where it began. If both shoes belong to this gateway, cards dealt from the first count against the decks, and a
discrepancy stays with the coup.

- `sabot table T tell export-coup` needs a clause, and answers with the line to type at the other table. The alarm
  `handed_over` has the same line. It is active, through new shoes and restarts, until the coup has come to a table of
  this gateway. If it never will (it is void, or it continues at another gateway), a supervisor acknowledges the alarm.
  After that another coup with that number can come.
- `sabot table T import-coup` fills in kind, decks, cards out and cutting card from the first shoe. It is refused if the
  coup continues elsewhere already, if cards or kind are not those that left, and if the count of cards is impossible.
- If the shoe logs a coup that should have been refused, the coup is disputed. Of a coup from another gateway, this
  gateway knows only what the person typed.

## Faults
A fault that locks the exit is an alarm `fault_…` from the event `fault` until `fault_cleared`. It can be acknowledged,
but stays active. The shoe also reports its fault in HELLO: once its log has come, the gateway raises a missing alarm
and clears one without cause. `fault_journal_full` is not in HELLO; only its events raise and clear it. A fault that
replaces another ends the alarm of that one.

An exit that is locked without a fault has an alarm that lasts as long: `exit_locked` (by command; a shoe logs the lock
again after a start), `awaiting_authorisation` (a coup without wagers), `lid_open` (a shoe opened with an open lid).
So there is always an active alarm while play cannot go on by dealing or by Confirm alone. If the gateway was started
while the key was turned since before the shoe was opened, it does not know the key: then `awaiting_authorisation` can
be raised though nothing waits, until the coup is over.
"""


def as_text() -> str:
    """Return the whole file."""
    books = [rulebooks.load(name) for name in rulebooks.ids()]
    head = ["| check | what | " + " | ".join(book.id for book in books) + " |", "|---" * (2 + len(books)) + "|"]
    rows = [f"| `{module}` | {what} | " + " | ".join(map(clause, books)) + " |" for module, what, clause in _CHECKS]
    alarms = [
        f"| `{name}` | {kind.severity} | {kind.means} | {', '.join(kind.ends).replace('_', ' ')} "
        f"| {_opens(name, books)} |"
        for name, kind in ALARMS.items()
    ]
    table = ["| alarm | severity | means | ended by | opens |", "|---|---|---|---|---|", *alarms]
    return "\n".join([_HEAD + "\n".join([*head, *rows]), _ordered(), _PARTS, "## Alarms" + _ENDS, *table, ""])


_ENDS = """
| ended by | means |
|---|---|
| acknowledged | a person has seen it |
| shoe | the shoe reports that the cause is gone |
| decision | a supervisor confirms or voids the coup; a discrepancy about no coup ends when it is acknowledged |
| new shoe | new cards are in the shoe |
| gateway | the gateway finds that the cause is gone |

- *opens*: the incident that it can open, something that people must settle, and by which rulebooks; steps and roles are
  in `protocol/INCIDENTS.md`. An alarm that is acknowledged or cleared does not end its incident.
- A table holds at most 100 alarms. Then the oldest of the least severe is removed for lack of room: it is cleared by
  `crowded out`, and the ledger keeps it. An alarm of a fault is never removed for lack of room.
- A table raises 30 alarms of one name at once, then one every two seconds. Alarms beyond that are counted in one alarm
  `alarm_flood`, which is renewed every ten seconds while more come. A fault in a flood is raised as soon as there is
  room, unless it is over by then. All events and coups are stored and published.
- At most 100 disputed coups can be decided at a time, the newest. The ledger holds older ones, which follow as the
  others are decided.
"""


def _opens(alarm: str, books: list[Rulebook]) -> str:
    """Return the incidents that an alarm can open, with their rulebooks."""
    kinds: dict[str, list[str]] = {}
    for book in books:
        for kind, incident in book.incident.items():
            if alarm in incident.alarms:
                kinds.setdefault(kind, []).append(book.id)
    return "; ".join(f"{kind} ({', '.join(found)})" for kind, found in kinds.items())


def _ordered() -> str:
    return "\n## Shuffle patterns\n" + shuffle.PATTERNS.strip()


def _awaited(book: Rulebook) -> str:
    needs = book.switch["dummy_needs_authorisation"]
    return needs.clause if needs.value else ""


def _discrepancy(book: Rulebook) -> str:
    return irregularities.advise(book.id, "scan_discrepancy", {"confirmed": True}).clause


if __name__ == "__main__":
    print(as_text(), end="")
