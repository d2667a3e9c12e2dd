"""protocol/INCIDENTS.md: what people must settle in each rulebook, what opens it, and its steps."""

from collections.abc import Iterator

from sabot_protocol import authority, incidents, irregularities, rulebooks
from sabot_protocol.authority import party_title
from sabot_protocol.due import due_text
from sabot_protocol.rulebooks import people
from sabot_protocol.rulebooks.incidents import Incident, Proof, StepRule, catalogue

HEAD = """# Incidents

Written by `sabot generate` from `[incident]` of each rulebook; do not edit. For supervisors.

An *incident* is something that people must settle. An alarm, an act or a person opens it; it is closed when each of its
steps is done. It stays open when its alarm is acknowledged or cleared. `sabot table T open` lists what is open.

- *proved by*: what in the log of the shoe does the step, or ends it as not needed. Where the book names a role, a coup
  that is decided or void proves a step only if a person of that role decided it; a choice, an authorisation and a keyed
  card need their role in every book. The button Confirm is the dealer's; the key is that of the role that decides what
  the book has no rule for.
- Every step can also be recorded: `sabot table T step --incident ID --step NAME --by NAME`. Refused are a lower role
  than that of the step, a step before those that the text puts first, and a record that the log contradicts: a coup
  that is still disputed is not decided, a shoe that is open is not closed, and a coup that waits is not authorised.
- Where notice must be given, the act itself is a step: it is refused until the minutes are over or the coups are dealt.
  The coup in which the notice is given does not count, and neither does a void coup.
- `sabot table T record --act ACT --by NAME` records an act that only people do. It opens the incident of that act.
- Role and clause of a step come from [AUTHORITY.md](AUTHORITY.md); a rulebook that is silent has no such incident.
- A step done after its time is marked late.
- What a person opened by mistake with `dispute`, `payment` or `record` is withdrawn with
  `sabot table T withdraw --incident ID --reason TEXT --by NAME`, by a role that may open it. The ledger keeps both
  entries; the steps end as not needed, with the reason.
- What the shoe's log opened takes facts that it cannot have: that a marker was used before a coup without wagers is
  recorded with `record --act deal_unwagered --fact marker --coup SHOE/COUP`, and ends the step that it makes needless.
- A later report about the same coup and case corrects the open incident: steps that no longer apply end as not needed.
- Roles are always enforced for commands that the floor service signs. At the table PC's own socket they are enforced if
  the gateway's config has `[roles]`; without it, each account that can open the socket may record every step, and the
  ledger holds the name that the person gave.
"""
_PROOFS: dict[Proof, str] = {
    "opening": "its own report",
    "coup_decided": "the coup is confirmed or void",
    "coup_void": "the coup is void",
    "unwagered_coup": "the coup without wagers is dealt",
    "shoe_closed": "the shoe is closed",
    "new_shoe": "a new shoe is opened",
    "cards_complete": "a deck check without a difference",
    "card_keyed": "the card is keyed in",
    "card_read": "the card is read",
    "authorised": "the shoe is authorised",
    "coup_moved": "the coup has come to another shoe",
    "made_unwagered": "the coup goes on without wagers, by command",
}
_OWN_FACTS = {"intentional": ("the error was intentional", ""), "coup_running": ("a coup is not complete", "")}


def document() -> str:
    """Return the page."""
    books = sorted(rulebooks.ids())
    links = "\n".join(f"- [{rulebooks.load(book).title}](#{book})" for book in books)
    return "\n".join([HEAD, links, *(line for book in books for line in _book(book))]) + "\n"


def _book(book: str) -> Iterator[str]:
    yield from ("", f'<a id="{book}"></a>', "", f"## {rulebooks.load(book).title}", "", f"`{book}`", "")
    yield "| incident | opened by | step | who, or to whom | when | after | proved by | rule |"
    yield "|---|---|---|---|---|---|---|---|"
    for kind, incident in incidents.kinds(book).items():
        name = f"{incidents.title(kind)}<br>`{kind}`" + (f" ({incident.row})" if incident.row else "")
        for number, step in enumerate(incident.step):
            first = (name, _openers(incident)) if number == 0 else ("", "")
            yield f"| {' | '.join((*first, *_step(book, incident, step)))} |"


def _openers(incident: Incident) -> str:
    parts = [f"alarm `{name}`" for name in incident.alarms]
    parts += [f"act `{name}`" for name in incident.acts]
    parts += [f"report `{name}`" for name in incident.reports]
    parts += [f"`sabot table T {incident.verb}`"] if incident.verb else []
    return "<br>".join(parts)


def _step(book: str, incident: Incident, step: StepRule) -> tuple[str, ...]:
    """Return what to do, who or to whom, when, after which steps, what proves it, and the clause."""
    says, who, when, clause = _duty(book, incident, step)
    when = "; ".join(filter(None, (when, "before a card of the coup is drawn" if step.before_cards else "")))
    after = ", ".join(f"`{name}`" for name in step.after)
    return says, who, when, after, _proved_by(step.name), clause


def _proved_by(step: str) -> str:
    entry = catalogue().step[step]
    texts = [_PROOFS[proof] for proof in entry.proof]
    return "; ".join([*texts, *(f"not needed: {_PROOFS[proof]}" for proof in entry.needless)])


def _duty(book: str, incident: Incident, step: StepRule) -> tuple[str, str, str, str]:
    """Return what to do, who or to whom, when, and the clause."""
    entry, report = catalogue().step[step.name], authority.load(book).report.get(step.report)
    says = f"{entry.say}<br>`{step.name}`"
    if report is not None:
        to = ", ".join(party_title(book, party) for party in ([step.to] if step.to else report.to))
        return says, to, "; ".join(filter(None, (due_text(report), _facts(step.when)))), report.clause
    if not step.act:
        return says, "", _facts(step.when), _case_clauses(book, incident)
    rule = authority.load(book).act[step.act]
    approves = f", and {party_title(book, rule.second_person)} approves" if rule.second_person else ""
    return says, authority.lowest_titles(book, rule) + approves, _facts(rule.when | step.when), rule.clause


def _facts(when: dict[str, bool]) -> str:
    texts = people.catalogue().fact | _OWN_FACTS
    return " and ".join(texts[fact][0 if value else 1] for fact, value in when.items())


def _case_clauses(book: str, incident: Incident) -> str:
    """Return the clauses of the irregularities that open it."""
    cases = irregularities.load(book).cases
    rows = [row for name in incident.alarms if name in cases for row in cases[name]]
    left_out = ("PLAY_ON", "VOID")
    fits = [row.clause for row in rows if (row.code in incident.codes if incident.codes else row.code not in left_out)]
    return "; ".join(dict.fromkeys(filter(None, fits)))
