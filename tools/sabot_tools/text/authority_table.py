"""The matrix of a rulebook's acts and roles, as text and as JSON."""

from collections.abc import Iterator
from itertools import zip_longest
from textwrap import wrap
from typing import Any

import msgspec
from sabot_protocol import authority
from sabot_protocol.documents.authority_page import rule_text
from sabot_protocol.due import due_text
from sabot_protocol.rulebooks.people import Role, Rule, catalogue

_Row = tuple[str, str, str, str, str]
_WIDTHS = (4, 26, 32, 23, 26)
_MARKS = "*: recorded; Sabot stores who did it and refuses nothing. Other acts are enforced: refused to a lower role."


def table_lines(book: str, operator: str = "") -> list[str]:
    """Return every act and report of a rulebook as a table."""
    rules = authority.load(book)
    cells: list[_Row] = [("row", "act", "who may", "facts", "clause")]
    for act_id, act in rules.act.items():
        name = act_id + ("" if catalogue().acts()[act_id].enforced else " *")
        for place, rule in enumerate(act.rules):
            who = rule_text(book, rule, operator).replace("*", "")
            cells.append(("" if place else act.row, "" if place else name, who, _facts(rule), rule.clause))
    reports: list[_Row] = [("row", "report", "to", "due", "clause")]
    for report_id, report in rules.report.items():
        reports.append((report.row, report_id, ", ".join(report.to), due_text(report), report.clause))
    roles = [f"  {role.id}{_note(role)}" for role in rules.role]
    head = [
        f"{book}: the first line of an act that no fact contradicts is the answer",
        _MARKS,
        "",
        "roles, lowest first:",
    ]
    return [*head, *roles, "", *_wrapped(cells), "", *_wrapped(reports)]


def _note(role: Role) -> str:
    if role.beside:
        return " (outside the order)"
    return f" (counts as {role.counts_as})" if role.counts_as else ""


def table_json(book: str, operator: str = "") -> str:
    """Return the roles, the acts with the roles that may do them if the context is empty, and the reports, as JSON."""
    rules = authority.load(book)
    acts: dict[str, Any] = {}
    for section, entries in catalogue().section.items():
        for act_id, entry in entries.items():
            act = rules.act[act_id]
            allowed = {
                role.id: authority.check(book, act_id, role.id, operator=operator).allowed for role in rules.role
            }
            acts[act_id] = {
                "row": act.row, "title": entry.title, "section": section, "enforced": entry.enforced,
                "allowed": allowed, "rules": [_rule(book, rule, operator) for rule in act.rules],
            }  # fmt: skip
    document = {"rulebook": book, "roles": rules.role, "acts": acts, "reports": rules.report}
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode()


def _rule(book: str, rule: Rule, operator: str) -> dict[str, Any]:
    return {
        "basis": rule.basis, "lowest": authority.lowest(book, rule, operator), "clause": rule.clause, "when": rule.when,
        "must": rule.must, "or_above": rule.or_above, "second_person": rule.second_person, "notify": rule.notify,
    }  # fmt: skip


def _facts(rule: Rule) -> str:
    return ", ".join(fact if value else f"not {fact}" for fact, value in rule.when.items())


def _wrapped(rows: list[_Row]) -> list[str]:
    return [line for row in rows for line in _lines(row)]


def _lines(row: _Row) -> Iterator[str]:
    """Yield the lines of a row, each cell in its column."""
    columns = [wrap(cell, width, break_on_hyphens=False) for cell, width in zip(row, _WIDTHS, strict=True)]
    for parts in zip_longest(*columns, fillvalue=""):
        yield "  ".join(part.ljust(width) for part, width in zip(parts, _WIDTHS, strict=True)).rstrip()
