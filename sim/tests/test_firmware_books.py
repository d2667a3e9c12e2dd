"""The books and names of the firmware's own tests are those of the protocol."""

import importlib.util
from pathlib import Path
from typing import Any

from sabot_protocol import fields, messages, rulebooks
from sabot_sim.rigs.vm import firmware_dir


def test_the_books_of_the_firmware_s_tests_are_the_gateway_s() -> None:
    books = import_path(firmware_dir() / "tests" / "books.py")
    for rulebook in rulebooks.ids():
        head, codes = books.BOOKS[rulebook]
        profile = rulebooks.load(rulebook).profile(None, 1, {})
        assert bytes.fromhex(head + codes) == messages.Profile.build(profile)[8:]
    assert fields.Switches.flags == books.SWITCHES
    assert fields.Facts.flags == books.FACTS
    assert fields.CardFlags.flags == books.CARD_FLAGS


def test_the_names_of_the_firmware_s_tests_are_the_protocol_s() -> None:
    books = import_path(firmware_dir() / "tests" / "books.py")
    tables = {
        "event": messages.EventKind,
        "command": messages.CommandKind,
        "slot": fields.Slot,
        "case": fields.Case,
        "code": fields.Consequence,
        "fault": fields.Fault,
        "cleared": fields.ClearedBy,
        "kind": fields.CoupKind,
        "void": fields.VoidReason,
        "then": fields.Then,
        "close": fields.CloseReason,
        "outcome": fields.Outcome,
        "winner": fields.Winner,
        "pattern": fields.Pattern,
        "button": fields.Button,
        "burn": fields.Burn,
        "reject": fields.RejectReason,
    }
    assert books.NAMES.keys() == tables.keys()
    for table, mapping in tables.items():
        named = dict(enumerate(books.NAMES[table].split()))
        assert {number: name for number, name in named.items() if name != "-"} == mapping.decmapping


def import_path(path: Path) -> Any:
    """Import a module of the firmware's tests."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
