"""protocol/AUTHORITY.md: who may do what, and which reports are due, for each rulebook."""

from collections.abc import Iterator

from sabot_protocol import authority, rulebooks
from sabot_protocol.authority import condition, party_title
from sabot_protocol.due import due_text
from sabot_protocol.rulebooks.people import ActEntry, Authority, Report, Rule, catalogue

HEAD = """# Who may do what

Written by `sabot generate` from `[authority]` of each rulebook; do not edit. For supervisors, and for those who set up
roles at a site. The same data answers `sabot authority --rulebook ID`.

- What a role may do, every role above it may do, too. The lists of roles begin with the lowest.
- The person who approves is never the person who asks.
- *must*: the role has to act. *or above*: the words of the rulebook.
- *role not named*: the rulebook has the act and names no role; the role given is the reading of this project.
- **enforced**: Sabot takes the act as a command, and refuses it to a lower role.
- recorded: people at the table do the act, or Sabot itself where the act names it. Sabot records who did it
  (`sabot table T record --act ACT`), and refuses nothing.
- Where it is enforced: always for commands that the floor service signs; at the table PC's own socket if the gateway's
  config gives groups of the PC a role under `[roles]`. Without `[roles]`, each account that can open that socket may
  do everything; `sabot gateway check` warns about it.
- Sabot logs every act with person, role, clause and time.
"""
_FIXED = {
    "auto": "the rule works without approval",
    "free": "players need no approval",
    "never": "never",
    "silent": "no rule",
}


def document() -> str:
    """Return the page."""
    books = sorted(rulebooks.ids())
    links = "\n".join(f"- [{rulebooks.load(book).title}](#{book})" for book in books)
    return "\n".join([HEAD, links, *(line for book in books for line in _book(book))]) + "\n"


def rule_text(book: str, rule: Rule, operator: str = "") -> str:
    """Return who may do an act by one rule, in words."""
    if rule.basis in _FIXED:
        return _FIXED[rule.basis]
    return "".join(
        (
            authority.lowest_titles(book, rule, operator),
            " or above" if rule.or_above else "",
            " *must*" if rule.must else "",
            f", and another person approves: {party_title(book, rule.second_person)}" if rule.second_person else "",
            " (role not named)" if rule.unnamed else "",
        )
    )


def _book(book: str) -> Iterator[str]:
    rules = authority.load(book)
    yield from ("", f'<a id="{book}"></a>', "", f"## {rulebooks.load(book).title}", "", f"`{book}`", "", "Roles:", "")
    yield from (f"- {line}" for line in _roles(rules))
    seen_by = " or ".join(party_title(book, role) for role in rules.unturned.seen_by) or "nobody"
    yield from ("", f"A card dealt face down may be seen before it is turned by: {seen_by} ({rules.unturned.clause}).")
    for section, entries in catalogue().section.items():
        rows = [row for act, entry in entries.items() for row in _act_rows(book, act, entry)]
        if rows:
            yield from (
                "",
                f"### {section}",
                "",
                "| act | who may | if | rule | notify |",
                "|---|---|---|---|---|",
                *rows,
            )
    yield from ("", "### Reports and time limits", "", "| what | to | when | rule |", "|---|---|---|---|")
    yield from (_report_row(book, name, report) for name, report in rules.report.items())
    yield from ("", "### No rule in this text", "", _silent(rules))


def _roles(rules: Authority) -> Iterator[str]:
    titles = {role.id: role.title for role in rules.role}
    for role in rules.role:
        notes = [f"counts as {titles[role.counts_as]}"] if role.counts_as else []
        notes += ["outside the order"] if role.beside else []
        notes += [f"{titles[role.under]} and above include it"] if role.under else []
        notes += (
            ["acts for the casino operator, unless the site sets another role"] if role.id == rules.operator else []
        )
        note = "; ".join(notes) + (f" ({role.clause})" if role.clause else "")
        yield f"**{role.title}** `{role.id}`" + (f": {note.strip()}" if note else "")


def _act_rows(book: str, act: str, entry: ActEntry) -> Iterator[str]:
    found = authority.load(book).act[act]
    if found.silent:
        return
    for number, rule in enumerate(found.rules):
        word = "**enforced**" if entry.enforced else "recorded"
        name = f"{entry.title}<br>`{act}`, {word}" if number == 0 else ""
        notify = ", ".join(party_title(book, party) for party in rule.notify)
        yield f"| {name} | {rule_text(book, rule)} | {condition(rule)} | {rule.clause} | {notify} |"


def _report_row(book: str, name: str, report: Report) -> str:
    to = ", ".join(party_title(book, party) for party in report.to)
    title = catalogue().report[name].title + (" (may)" if report.optional else "")
    return f"| {title} | {to} | {due_text(report)} | {report.clause} |"


def _silent(rules: Authority) -> str:
    entries = catalogue().acts()
    names = [entries[act].title + ("*" if found.elsewhere else "") for act, found in rules.act.items() if found.silent]
    note = f"\n\n\\* ruled in {rules.elsewhere}, which is not part of this text." if rules.elsewhere else ""
    return "; ".join(names) + "." + note
