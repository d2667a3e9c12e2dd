"""Sentences of the pit console: there is one for each name that a view can give to the page."""

import re
from pathlib import Path
from typing import get_args

import sabot_floor.web
from sabot_floor.web import languages
from sabot_floor.web.data.trends import SENSORS
from sabot_floor.web.views import pit_moves
from sabot_floor.web.views.pit_moves import Place
from sabot_gateway.operator.verbs import TABLE_VERBS
from sabot_protocol import rulebooks
from sabot_protocol.fields import Fault, Slot, VoidReason
from sabot_protocol.rulebooks.people import Due
from sabot_protocol.table_states import HandPhase
from sabot_protocol.topics import CoupKind, CoupStatus, Severity, Winner

STATIC = Path(sabot_floor.web.__file__).parent / "static"
WORDS = languages.load()["en"]
PLAIN = re.compile(r"""\bt\("((?:pit|link)\.[a-z0-9_]+)\"""")
ASKED = re.compile(r"^  (\w+): \(")


def scripts() -> list[str]:
    return [path.read_text() for path in (*STATIC.glob("pit*.js"), STATIC / "trends.js")]


def moves() -> set[str]:
    text = (Path(pit_moves.__file__)).read_text()
    return (
        set(re.findall(r'_move\(place, "(\w+)"', text))
        | set(re.findall(r'do="(\w+)"', text))
        | {"deck_check", "deck_check_end"}
    )


def test_every_name_of_a_view_has_a_sentence() -> None:
    names = {
        "do": moves(),
        "about": moves(),
        "due": get_args(Due),
        "phase": get_args(HandPhase),
        "kind": get_args(CoupKind),
        "status": get_args(CoupStatus),
        "winner": get_args(Winner),
        "severity": get_args(Severity),
        "slot": Slot.encmapping,
        "void": VoidReason.encmapping,
        "sensor": SENSORS,
        "verb": [verb.replace("-", "_") for verb in TABLE_VERBS],
        "fault": [name for name in Fault.encmapping if name != "none"],
    }
    assert len(moves()) > 25
    assert [
        f"pit.{kind}_{name}" for kind, some in names.items() for name in some if f"pit.{kind}_{name}" not in WORDS
    ] == []


def test_every_sentence_that_a_script_names_is_there() -> None:
    used = {key for text in scripts() for key in PLAIN.findall(text)}
    assert len(used) > 80
    assert used - WORDS.keys() == set()


def test_every_field_that_a_move_asks_for_is_drawn_and_becomes_an_argument() -> None:
    text = (STATIC / "pit_fields.js").read_text()
    drawn, made = text.split("const DRAWN = {")[1].split("const MADE = {")
    asked = {
        name
        for book in rulebooks.ids()
        for some in pit_moves.of_table(Place(book)).values()
        for move in some
        for name in move.ask
    }
    asked |= {"winner", "note", "settled", "reason"}  # of alarms and steps
    for part in (drawn, made):
        assert asked <= {name for line in part.splitlines() for name in ASKED.findall(line)}


def test_the_page_knows_every_time_by_which_a_step_is_due() -> None:
    found = re.search(r'const DUE = new Set\("([a-z_ ]+)"', (STATIC / "pit_lists.js").read_text())
    assert found is not None
    assert set(found[1].split()) == set(get_args(Due))
