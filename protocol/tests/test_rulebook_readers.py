"""Every key of every rulebook has a reader: what nobody reads is deleted, or it says what nobody does."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest
from sabot_protocol.rulebooks import incidents, model, people

ROOT = Path(__file__).parents[2]
SOURCES = (
    "protocol/sabot_protocol",
    "gateway/sabot_gateway",
    "gateway/sabot_floor",
    "tools/sabot_tools",
    "sim/sabot_sim",
)
SHAPES = (model, people, incidents)


def trees() -> Iterator[ast.Module]:
    for folder in SOURCES:
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield ast.parse(file.read_text())


@cache
def read() -> tuple[frozenset[str], frozenset[str]]:
    """Return the attributes that some code reads, and the texts with which some code looks a key up."""
    attributes, texts = set[str](), set[str]()
    for tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                attributes.add(node.attr)
            elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                texts.add(str(node.slice.value))
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get" and node.args:
                texts.update(str(one.value) for one in node.args[:1] if isinstance(one, ast.Constant))
    return frozenset(attributes), frozenset(texts)


def keys() -> list[str]:
    """Return the keys of all tables of a rulebook: fields of the structs by which it is read."""
    structs = [
        one
        for module in SHAPES
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, msgspec.Struct) and one.__module__ == module.__name__
    ]
    return sorted({field for struct in structs for field in struct.__struct_fields__})


@pytest.mark.parametrize("key", keys())
def test_every_key_is_read(key: str) -> None:
    assert key in read()[0], f"{key}: no code reads it; give it a reader or delete it from the rulebooks"


@pytest.mark.parametrize("switch", sorted(model.SWITCHES))
def test_every_switch_is_read(switch: str) -> None:
    assert switch in read()[1] or switch in model._SWITCHES_OF_THE_SHOE, f"{switch}: no code asks for it"


def test_the_test_finds_what_nobody_reads() -> None:
    assert "over_max_polic" not in read()[1]
    assert {"over_max_policy", "under_min_policy", "result_before_confirm"} <= read()[1]
