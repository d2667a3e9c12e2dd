"""[[table]] of the floor's config: keys, amounts, bounds."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sabot_floor.signs.amounts import AmountError, minor_units, written
from sabot_floor.signs.limits import TableLimits, problems, shape_problems


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [
        ("25", "AUD", 2500),
        ("2,500", "AUD", 250000),
        ("2.5", "AUD", 250),
        ("2.50", "NZD", 250),
        ("1,000,000.05", "AUD", 100000005),
        ("1000", "JPY", 1000),
        ("1.250", "KWD", 1250),
        ("7.00", "JPY", 7),
    ],
)
def test_amounts_are_exact(text: str, currency: str, minor: int) -> None:
    assert minor_units(text, currency) == minor


@pytest.mark.parametrize("text", ["", "1,00", "1.234", "1e3", "-1", "$5", "9" * 16, "1,000,00", "٣"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(AmountError):
        minor_units(text, "AUD")


def test_amounts_are_written_without_empty_decimals() -> None:
    assert [written(minor, "AUD") for minor in (2500, 250, 250000)] == ["25", "2.50", "2,500"]


@pytest.mark.parametrize(
    ("table", "part"),
    [
        ({"minimum": 25}, 'minimum = 25; write an amount in quotes, such as "25"'),
        ({"maximun": "25"}, "did you mean `maximum`?"),
        ({"per": "coup"}, '"player", "area" or "bet_type"'),
        ({"wager": {"pair": {"most": "5"}}}, "wager.pair.most: no such key"),
        ({"wager": {"Big Tiger": {}}}, "no such wager"),
        ({"wager": {f"w{number}": {} for number in range(61)}}, "at most 60"),
        ({"wager": ["pair"]}, "write tables: [table.wager.pair]"),
        ({"currency": "dollars"}, "three letters"),
    ],
)
def test_wrong_keys_and_values_are_named(table: dict[str, Any], part: str) -> None:
    found = list(shape_problems([{"name": "bac-01", **table}]))
    assert len(found) == 1
    assert found[0].startswith("table bac-01: ")
    assert part in found[0]


@pytest.mark.parametrize(
    ("table", "part"),
    [
        ({"minimum": "50", "maximum": "25"}, "minimum is above maximum"),
        ({"minimum": "50"}, "a sign has both"),
        ({"minimum": "5", "maximum": "ten"}, "maximum: 'ten' is no amount"),
        ({"minimum": "0", "maximum": "25"}, "0 is no limit"),
        ({"minimum": "25", "maximum": "50", "differential": "10"}, "minimum is above differential"),
        ({"minimum": "25", "maximum": "50", "multiple_of": "10"}, "no multiple of multiple_of"),
        ({"minimum": "25", "maximum": "500", "ante_waived_from": "100"}, "there is no ante"),
        ({"wager": {"tiger": {"minimum": "9", "maximum": "5"}}}, "wager.tiger.minimum is above wager.tiger.maximum"),
    ],
)
def test_limits_that_contradict_each_other_are_named(table: dict[str, Any], part: str) -> None:
    found = list(problems((msgspec.convert({"name": "bac-01", **table}, TableLimits),)))
    assert len(found) == 1
    assert part in found[0]


def test_one_amount_can_be_minimum_and_maximum() -> None:
    assert list(problems([TableLimits("a", minimum="25", maximum="25", differential="25")])) == []


def test_a_table_is_there_once() -> None:
    tables = (TableLimits("a"), TableLimits("a"))
    assert list(problems(tables)) == ["table a: it is there twice; write one [[table]] for each table"]


def test_the_example_of_the_installation_guide_can_be_used() -> None:
    text = (Path(__file__).parents[1] / "INSTALL.md").read_text().partition("## 13. Table signs")[2].split("```")[1]
    tables = tomllib.loads(text)["table"]
    assert list(shape_problems(tables)) == []
    (table,) = msgspec.convert(tables, tuple[TableLimits, ...])
    assert list(problems((table,))) == []
    assert (table.amount("ante"), table.of_wager("pair_banker", "maximum")) == (250, 30_000)
    assert all(getattr(table, name) != field.default for name, field in _fields() if name not in ("currency", "per"))


def _fields() -> list[tuple[str, msgspec.structs.FieldInfo]]:
    return [(field.name, field) for field in msgspec.structs.fields(TableLimits)]
