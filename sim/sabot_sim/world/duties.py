"""Duties: what people must settle after a situation, by the printed rules, written by hand from rows P-37 to P-89."""

from collections.abc import Sequence
from typing import Final

from sabot_sim.world.books import BOOKS
from sabot_sim.world.table import Table
from sabot_sim.world.truth import Incident, Person, Step

# One row a duty, kind/variant; one cell a book in the order of BOOKS: steps with their clauses, or a dash.
_DUTIES: Final = {
    "discrepancy": ("decide 12.13", "decide 14.13", "-", "-", "decide 11.8.11"),  # P-43
    "misdeal/reconstructed": (  # P-38, P-84
        "notice 12.1(b), reconstruct 12.1.1", "notice 14.1, reconstruct 14.1.1", "reconstruct 12.6",
        "notice 10.12, reconstruct 10.11", "-",
    ),
    "misdeal/players_card": (  # P-38, P-84; 10.3
        "notice 12.1(b), reconstruct 12.1.1", "notice 14.1, reconstruct 14.1.1", "reconstruct 12.6",
        "notice 10.12, reconstruct 10.3", "-",
    ),
    "misdeal/void": (  # P-39, P-84
        "notice 12.1(b), void 12.1.2", "notice 14.1, void 14.1.2", "void 12.6", "notice 10.12, void 10.11",
        "notice 11.8.1, void 11.8.1.3",
    ),
    "misdeal/late": ("notice 12.1.4", "notice 14.1", "-", "notice 10.12", "notice 11.8.1"),  # P-84
    "misdelivery/area": (  # P-45, P-78
        "choose 12.1", "choose 14.12, report_inspector 14.12.7", "reconstruct 12.6", "choose 10.7", "void 11.8.1",
    ),
    "misdelivery/person": ("-", "choose 14.12, report_inspector 14.12.7", "reconstruct 12.6", "choose 10.7", "-"),
    "foreign_card": (  # P-42, P-75
        "void 12.11, close_shoe 12.11, check_cards 12.11, notify_surveillance 12.11.4, notify_inspector 12.11.4",
        "void 14.11, close_shoe 14.11, check_cards 14.11, notify_surveillance 14.11.4, notify_inspector 14.11.4",
        "-", "-", "void 11.8.10, close_shoe 11.8.10, check_cards 11.8.10",
    ),
    "keyed_card": ("-", "-", "-", "-", "key_card 11.8.12"),  # P-46
    "unwagered": ("-", "-", "announce", "announce", "authorise 11.8.13"),  # P-44
    "no_bet": ("notify_surveillance 7.4", "-", "-", "-", "-"),  # P-76
    "wrong_shoe": ("-", "-", "-", "-", "void 11.8.2"),  # P-48
    "reshuffle/forgotten": ("reshuffle", "reshuffle", "-", "-", "reshuffle"),
    "reshuffle/short": ("-", "-", "reshuffle 12.5", "-", "-"),  # P-41
    "player_dispute": (  # P-62, P-89
        "first 14.14, review 14.14, final 14.15, advise_inspector 14.15",
        "first 15.13, review 15.13, final 15.14, advise_inspector 15.14", "-",
        "final 15.10, advise_inspector 15.11, advise_vgccc 15.11",
        "first 12.11, review 12.11, final 12.12, advise_inspector 12.12",
    ),
    "notice": (  # P-82, P-83
        "sign_closure 14.10, close_table 14.10", "sign_closure 15.9, close_table 15.9", "-",
        "give_notice 15.8, close_table 15.8", "sign_closure 12.8, close_table 12.8",
    ),
    "wrong_payment": (  # P-79, P-80
        "enquire 12.18-12.20, rectify 12.18-12.20, identify_patron 12.18-12.20, notify_nicc 12.20.2",
        "enquire 14.15-14.17, rectify 14.15-14.17, identify_patron 14.15-14.17, notify_nicc 14.17.2", "-", "-", "-",
    ),
}  # fmt: skip


def duty(table: Table, name: str, coup: int = 0, without: Sequence[str] = ()) -> Incident:
    """Open what the book asks for now, about this coup or that on the table; no step where it asks for nothing."""
    cell = _DUTIES[name][BOOKS.index(table.book)]
    parts = [step.partition(" ") for step in cell.split(", ")] if cell != "-" else []
    steps = [Step(step, clause) for step, _, clause in parts if step not in without]
    kind = name.partition("/")[0]
    incident = Incident(table.name, kind, table.shoes, coup or table.coup_no, table.now_s, steps)
    if steps:
        table.truth.incidents.append(incident)
    return incident


def do_step(table: Table, to_do: Incident, name: str, by: Person, *, settled: bool = False) -> None:
    """Have a person record a step; with another incident of its kind open at the table it would need an id: left."""
    if _others_open(table, to_do):
        return
    of_another = name == "review"  # the PC does not know who types a name
    table.ask(by, "step", at_page=of_another, incident=to_do.kind, step=name, settled=settled)
    to_do.do(name, table.now_s, by.name)
    for step in to_do.steps if settled else ():
        if not step.done_s:
            to_do.do(step.name, table.now_s, by.name)


def _others_open(table: Table, to_do: Incident) -> bool:
    """Return True if another incident of this kind is open at the table."""
    found = [one for one in table.truth.incidents if (one.table, one.kind) == (table.name, to_do.kind)]
    return any(one is not to_do and not one.closed_s for one in found)
