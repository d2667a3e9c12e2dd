"""Loading of jackpots: the example works, and each mistake is a sentence with its place and next step, all at once."""

import os
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jackpot_parameters import crown
from sabot_protocol.inputs.config_file import ConfigError
from sabot_protocol.jackpots import loading
from sabot_protocol.jackpots.parameters import LuckyTie, Outcome, Parameters, Random

EXAMPLE = Path(__file__).parents[2] / "gateway/examples/jackpots.toml"
CROWN = """
[[jackpot]]
id = "lucky-tie"
title = "Lucky Tie"
rulebook = "crown-baccarat"
currency = "AUD"
in_force = "2026-11-01"
tables = ["bac-01", "bac-02"]
increment = 25
unreasonable = 100
rounding = 100
equipment = ["console", "display", "handset"]
trigger = { kind = "lucky_tie", option = "option_1", percent = { suited = 100, coloured = 15, non_coloured = 8 } }
"""
NZ = """
[[jackpot]]
id = "pairs"
title = "Pairs"
rulebook = "nz-baccarat"
currency = "NZD"
tables = ["nz-01"]
funding = "both"
increment = 10
wager_increment = { perfect_pair_player = "1.5%" }
unreasonable = 5000
rounding = 100
equipment = ["console", "display"]
trigger = { kind = "outcome", wager = "perfect_pair_player", percent = { perfect = 100 } }
"""
RANDOM = NZ.replace('id = "pairs"', 'id = "seat"').replace(
    '{ kind = "outcome", wager = "perfect_pair_player", percent = { perfect = 100 } }',
    '{ kind = "random", draws = ["table", "seat"], seats = 7 }',
)
TIERS = """
[[jackpot.tier]]
id = "minor"
base = 500
[[jackpot.tier]]
id = "major"
title = "Grand Pairs"
increment = 40
trigger = { kind = "outcome", wager = "perfect_pair_banker", percent = { perfect = 100 } }
"""


def loaded(tmp_path: Path, text: str) -> tuple[Parameters, ...]:
    (tmp_path / "jackpots.toml").write_text(text)
    return loading.load(tmp_path / "jackpots.toml")


def wrong(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "jackpots.toml").write_text(text)
    return loading.problems(tmp_path / "jackpots.toml")


def test_the_example_has_a_linked_a_tiered_and_a_random_jackpot() -> None:
    lucky_tie, minor, major, seat = loading.load(EXAMPLE)
    assert (lucky_tie.id, lucky_tie.tables, lucky_tie.increment) == ("lucky-tie", ("bac-01", "bac-02"), 250)
    assert lucky_tie.trigger == LuckyTie("option_1", {"suited": 100, "coloured": 15, "non_coloured": 8})
    assert (minor.id, minor.tier, minor.increment, minor.funding) == ("pairs-minor", "minor", 10, "both")
    assert (major.id, major.tier, major.increment, major.limit) == ("pairs-major", "major", 40, None)
    assert major.trigger == Outcome("perfect_pair_player", {"perfect": 100})
    assert seat.trigger == Random(("table", "seat", "location"), 9, ("player", "banker"), 50)


def test_the_example_explains_every_key() -> None:
    text = EXAMPLE.read_text()
    keys = {one.name for kind in (Parameters, LuckyTie, Outcome, Random) for one in msgspec.structs.fields(kind)}
    assert [key for key in sorted(keys) if f"{key} = " not in text and f"[jackpot.{key}]" not in text] == []
    assert "[[jackpot.tier]]" in text


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    (jackpot,) = loaded(tmp_path, CROWN)
    assert (jackpot.version, jackpot.funding, jackpot.unwagered, jackpot.base) == (1, "operator", True, 0)
    assert (jackpot.reserve, jackpot.limit, jackpot.division) == ("0%", None, "equal")
    assert jackpot.qualifying == ("tie",)
    assert loaded(tmp_path, NZ)[0].qualifying == ("perfect_pair_player",)
    assert loaded(tmp_path, RANDOM)[0].qualifying == ()


def test_the_order_of_keys_and_comments_do_not_change_the_digest(tmp_path: Path) -> None:
    head, *keys = CROWN.strip().splitlines()
    again = "\n".join([head, "# a comment", *reversed(keys), 'qualifying = ["tie"]'])
    assert loaded(tmp_path, CROWN)[0].digest == loaded(tmp_path, again)[0].digest
    assert loaded(tmp_path, CROWN)[0].digest != loaded(tmp_path, CROWN.replace("= 25", "= 26"))[0].digest


def test_a_description_has_every_key_the_digest_and_the_reset_value(tmp_path: Path) -> None:
    (jackpot,) = loaded(tmp_path, CROWN + "base = 700")
    found = loading.describe(jackpot)
    assert found["digest"] == jackpot.digest
    assert found["reset"] == 700
    assert set(Parameters.__struct_fields__) <= found.keys()


MISTAKES = [
    # text, what is replaced, by what, the sentence
    (CROWN, "increment = 25", "incremnt = 25", "jackpot lucky-tie: incremnt: no such key; did you mean `increment`?"),
    (CROWN, "increment = 25", "increment = 25\nzzz = 1", "jackpot lucky-tie: zzz: no such key; there are id, title"),
    (CROWN, "option =", "optin =", "jackpot lucky-tie: trigger.optin: no such key; did you mean `option`?"),
    (CROWN, "[[jackpot]]", "[x]\n[[jackpot]]", "x: no such key; a file of jackpots has [[jackpot]] only"),
    (CROWN, "increment = 25", "increment = 25.0", "jackpot lucky-tie: increment = 25.0; write a whole number of minor"),
    (CROWN, "increment = 25", "increment = -25", "jackpot lucky-tie: increment = -25; write a whole number of minor"),
    (CROWN, "increment = 25", "increment = true", "jackpot lucky-tie: increment = true; write a whole number of minor"),
    (CROWN, "rounding = 100", "rounding = 0", "jackpot lucky-tie: rounding = 0; write the smallest payable amount"),
    (CROWN, "rounding = 100\n", "", "jackpot lucky-tie: rounding is missing; write the smallest payable amount"),
    (CROWN, '"AUD"', '"aud"', 'jackpot lucky-tie: currency = "aud"; write three capital letters'),
    (CROWN, '"AUD"', '"AUDI"', 'jackpot lucky-tie: currency = "AUDI"; write three capital letters'),
    (CROWN, '"lucky-tie"', '"Lucky/Tie"', 'id = "Lucky/Tie"; write small letters'),
    (CROWN, '"lucky-tie"', '"jackpot"', "jackpot jackpot: id = jackpot: reserved, for its topics would look like"),
    (CROWN, '"lucky-tie"', '""', 'jackpot number 1: id = ""; write small letters'),
    (CROWN, '"lucky-tie"', "5", "jackpot number 1: id = 5; write small letters"),
    (CROWN, 'id = "lucky-tie"\n', "", "jackpot number 1: id is missing; write small letters"),
    (CROWN, '"bac-01"', '"bac/01"', 'tables = ["bac/01","bac-02"]; write the names of one to 1000 tables'),
    (CROWN, '["bac-01", "bac-02"]', "[]", "tables = []; write the names of one to 1000 tables"),
    (CROWN, '"bac-01"', '"bac-02"', "jackpot lucky-tie: tables: bac-02 is there twice; name each table once"),
    (CROWN, "[[jackpot]]", CROWN + "[[jackpot]]", "jackpot lucky-tie is there twice; give each an id of its own"),
    (CROWN, '"Lucky Tie"', f'"{61 * "x"}"', "jackpot lucky-tie: title: 61 characters; write 1 to 60"),
    (CROWN, '"AUD"', f'"AUD"\nsign = "{1001 * "x"}"', "jackpot lucky-tie: sign: 1001 characters; write at most 1000"),
    (CROWN, '"AUD"', '"AUD"\nactivation = "no_more_bets"', "activation = no_more_bets: that is for parts of stakes"),
    (CROWN, '"Lucky Tie"', '""', "jackpot lucky-tie: title: 0 characters; write 1 to 60"),
    (CROWN, '"Lucky Tie"', '"Lucky\\nTie"', 'title = "Lucky\\nTie"; write the name that players read'),
    (CROWN, "unreasonable = 100", "unreasonable = 24", "unreasonable = 24: each coup contributes 25; write the most"),
    (CROWN, "unreasonable = 100", "unreasonable = 0", "unreasonable = 0: no coup could contribute; write the most"),
    (CROWN, "rounding =", "base = 9\nlimit = 8\nrounding =", "limit = 8: the meter begins with 9; write that or"),
    (CROWN, "rounding =", "reset = 9\nlimit = 8\nrounding =", "limit = 8: the meter begins with 9; write"),
    (CROWN, "rounding =", 'reserve = "100%"\nrounding =', "reserve = 100%: nothing is left for the display; write"),
    (CROWN, "rounding =", "reserve = 0.1\nrounding =", 'reserve = 0.1; write a percentage as text, with at most six'),
    (CROWN, '"2026-11-01"', '"1 November"', "in_force = 1 November: not a date; write it as '2026-11-01'"),
    (CROWN, '"2026-11-01"', '"20261101"', "in_force = 20261101: not a date; write it as '2026-11-01'"),
    (CROWN, '"2026-11-01"', "2026-11-01", 'in_force = 2026-11-01; write the date from which'),
    (CROWN, '"crown-baccarat"', '"crown"', "rulebook = crown: this book has no jackpot; choose one of crown-baccarat"),
    (CROWN, '"AUD"', '"AUD"\ngame = "poker"', "jackpot lucky-tie: game = poker: crown-baccarat allows traditional"),
    (CROWN, '"AUD"', '"AUD"\ngame = "three_card"', "game = three_card: a shoe does not deal it as coups; choose"),
    (CROWN, '"AUD"', '"AUD"\noptions = { x = "1" }', "unknown option 'x': crown-baccarat has game"),
    (CROWN, '"AUD"', '"AUD"\nqualifying = ["tie", "player"]', "qualifying: only wagers on Tie take part in a Lucky"),
    (CROWN, '"lucky_tie"', '"luck"', "trigger.kind = 'luck'; write one of lucky_tie, outcome, random"),
    (CROWN, 'kind = "lucky_tie", ', "", "trigger.kind = None; write one of lucky_tie, outcome, random"),
    (CROWN, '"option_1"', '"option_4"', 'trigger.option = "option_4"; write "option_1", "option_2" or "option_3"'),
    (CROWN, "suited = 100, ", "", "trigger.percent: suited is missing from the outcomes of option_1; write suited ="),
    (CROWN, "coloured = 15,", "colour = 15,", "trigger.percent: no outcome colour in the outcomes of option_1; did"),
    (CROWN, "coloured = 15", "coloured = 15.5", "trigger.percent = {"),
    (CROWN, "coloured = 15", 'coloured = "15.0"', "trigger.percent = {"),
    (CROWN, "coloured = 15", 'coloured = "20.1"', "trigger.percent.coloured = 20.1: crown-baccarat allows 5 to 20"),
    (CROWN, "coloured = 15", 'coloured = "4.999999"', "trigger.percent.coloured = 4.999999: crown-baccarat allows"),
    (NZ, '"both"', '"players"', 'jackpot pairs: funding = "players"; write "operator", "wager" or "both"'),
    (NZ, '"both"', '"operator"', "wager_increment: nothing comes from stakes with funding = 'operator'; leave it out"),
    (NZ, '"both"', '"wager"', "increment: the operator contributes nothing with funding = 'wager'; leave it out"),
    (NZ, "increment = 10\n", "", "increment = 0: with funding = 'both' the operator contributes; write the amount"),
    (NZ, '{ perfect_pair_player = "1.5%" }', "{}", "wager_increment is missing: funding = 'both' takes a part of"),
    (NZ, '"1.5%"', '"0%"', "wager_increment.perfect_pair_player = 0%: write more than 0% and at most 100%"),
    (NZ, '"1.5%"', '"101%"', "wager_increment.perfect_pair_player = 101%: write more than 0% and at most 100%"),
    (NZ, '"1.5%"', '"1.5"', 'wager_increment = {"perfect_pair_player":"1.5"}; write a percentage for each wager'),
    (NZ, "{ perfect_pair_player =", "{ perfect_pair =", "wager_increment: no wager perfect_pair in game standard;"),
    (NZ, 'wager = "perfect_pair_player"', 'wager = "poker"', "trigger.wager: no wager poker in game standard; there"),
    (NZ, "{ perfect = 100 }", "{ perfct = 100 }", "no outcome perfct in wager perfect_pair_player; did you mean"),
    (NZ, "{ perfect = 100 }", "{ perfect = 0 }", "trigger.percent.perfect = 0: a win pays a part of the meter; write"),
    (NZ, "{ perfect = 100 }", "{ perfect = 101 }", "trigger.percent.perfect = 101: a win pays a part of the meter"),
    (NZ, "{ perfect = 100 }", '{ perfect = "100.5" }', "trigger.percent.perfect = 100.5: a win pays a part of the"),
    (NZ, "{ perfect = 100 }", '{ perfect = "0.5" }', "trigger.percent.perfect = 0.5: a win pays a part of the meter"),
    (NZ, "{ perfect = 100 }", "{}", "trigger.percent is empty; write a per cent for one or more of mixed, coloured"),
    (NZ, '"NZD"', '"NZD"\nqualifying = []', "qualifying is empty; write the wagers that take part in a pay-out"),
    (NZ, '"NZD"', '"NZD"\nqualifying = ["tie", "tie"]', "qualifying: tie is there twice; name each wager once"),
    (NZ, '"NZD"', '"NZD"\nqualifying = ["ties"]', "qualifying: no wager ties in game standard; did you mean tie?"),
    (NZ, "trigger = {", 'trigger = 5 # ', "jackpot pairs: trigger = 5; write a table: [jackpot.trigger] with kind"),
    (RANDOM, ", seats = 7", "", "trigger.seats: it goes with 'seat' in draws; write the number of seats of each table"),
    (RANDOM, '"seat"]', '"seat", "table"]', "trigger.draws: table is there twice; name each once"),
    (RANDOM, '["table", "seat"]', "[]", "trigger.draws = []; write a list with one or more of table, seat, location"),
    (RANDOM, '["table", "seat"]', "7", "trigger.draws = 7; write a list with one or more of table, seat, location"),
    (RANDOM, '"seat"]', '"seat", "location"]', "trigger.locations is missing: a location is drawn; write the names"),
    (RANDOM, "seats = 7", 'seats = 7, locations = ["a"]', "trigger.locations: no location is drawn; leave it out"),
    (RANDOM, "seats = 7", 'seats = 7, percent = "100.5"', "trigger.percent = 100.5: a win pays a part of the meter"),
    (RANDOM, "seats = 7", "seats = 7, percent = 101", "trigger.percent = 101; write a number from 1 to 100"),
    (RANDOM, "seats = 7", "seats = 100", "trigger.seats = 100; write the number of seats of each table, 1 to 99"),
    (NZ + TIERS, 'id = "minor"\n', "", "jackpot pairs: tier number 1: id is missing; write small letters"),
    (NZ + TIERS, 'id = "minor"', "id = 5", "jackpot pairs: tier number 1: id = 5; write small letters"),
    (NZ + TIERS, 'id = "minor"', 'id = ""', "jackpot pairs: tier number 1: id = ''; write small letters"),
    (NZ + TIERS, 'id = "minor"', 'id = "Minor"', 'jackpot pairs: tier Minor: id = "pairs-Minor"; write small letters'),
    (NZ + TIERS, 'id = "major"', 'id = "minor"', "jackpot pairs-minor is there twice; give each an id of its own"),
    (NZ + TIERS, "base = 500", "bse = 500", "jackpot pairs: tier minor: bse: no such key; did you mean `base`?"),
    (NZ + TIERS, "base = 500", "tier = []", "jackpot pairs: tier minor: tier: a tier has no tiers; leave it out"),
    (NZ, '"NZD"', '"NZD"\ntier = "x"', "jackpot pairs: tier = 'x'; write [[jackpot.tier]], each with id and what"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "old", "new", "sentence"), MISTAKES)
def test_each_mistake_is_a_sentence(tmp_path: Path, text: str, old: str, new: str, sentence: str) -> None:
    assert old in text
    found = wrong(tmp_path, text.replace(old, new, 1))
    assert any(sentence in problem for problem in found), found
    with pytest.raises(ConfigError, match=r"jackpots\.toml: "):
        loading.load(tmp_path / "jackpots.toml")


def test_one_mistake_is_one_problem(tmp_path: Path) -> None:
    several = [new for text, old, new, _ in MISTAKES if len(wrong(tmp_path, text.replace(old, new, 1))) > 1]
    assert several == ["optin =", "colour = 15,"]  # the right one is missing too


def test_all_problems_come_at_once(tmp_path: Path) -> None:
    found = wrong(
        tmp_path,
        CROWN.replace("= 25", "= 1.5").replace("AUD", "aud").replace("suited = 100, ", "suited = 100.5, ")
        + NZ.replace("rounding = 100", "rounding = 0"),
    )
    assert len(found) == 4
    assert sorted({problem.split(":")[0] for problem in found}) == ["jackpot lucky-tie", "jackpot pairs"]


def test_a_mistake_of_a_tiered_jackpot_is_listed_once(tmp_path: Path) -> None:
    found = wrong(tmp_path, NZ.replace("unreasonable = 5000", "unreasonable = -1") + TIERS)
    assert found == [
        "jackpot pairs: unreasonable = -1; write the most minor units that one coup may contribute, a whole number "
        "up to 10**15"
    ]


def test_a_table_has_one_currency(tmp_path: Path) -> None:
    other = NZ.replace('"pairs"', '"other"').replace("NZD", "AUD")
    assert wrong(tmp_path, NZ + other) == [
        "jackpot other: table nz-01 plays for NZD in jackpot pairs and for AUD here; a table has one currency"
    ]


def test_what_is_just_allowed(tmp_path: Path) -> None:
    (jackpot,) = loaded(tmp_path, CROWN.replace('"Lucky Tie"', f'"{60 * "x"}"') + f'sign = "{1000 * "x"}"')
    assert (len(jackpot.title), len(jackpot.sign)) == (60, 1000)
    assert loaded(tmp_path, CROWN + "base = 9\nlimit = 9")[0].limit == 9
    assert loaded(tmp_path, CROWN.replace("unreasonable = 100", "unreasonable = 25"))[0].unreasonable == 25
    assert loaded(tmp_path, NZ.replace('"1.5%"', '"100%"'))[0].wager_increment == {"perfect_pair_player": "100%"}
    assert loaded(tmp_path, NZ.replace("currency", 'activation = "no_more_bets"\ncurrency'))
    assert loaded(tmp_path, NZ.replace("{ perfect = 100 }", "{ perfect = 1, coloured = 100 }"))


def test_too_many_jackpots(tmp_path: Path) -> None:
    many = "".join(NZ.replace('"pairs"', f'"pairs-{number}"') for number in range(201))
    assert len(loaded(tmp_path, many.rpartition("[[jackpot]]")[0])) == 200
    assert wrong(tmp_path, many) == ["201 jackpots, tiers counted; write at most 200"]


@pytest.mark.parametrize("text", ["", "jackpot = 5", "jackpot = []", "jackpot = [1]", "[jackpot]\nid = 'x'"])
def test_a_file_without_jackpots(tmp_path: Path, text: str) -> None:
    assert "jackpot is missing; write at least one [[jackpot]]" in wrong(tmp_path, text)[0]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (nothing,) = loading.problems(tmp_path / "nothing.toml")
    assert nothing.startswith("No such file or directory; give the path of a TOML file of jackpots")
    assert "line 1" in wrong(tmp_path, "[[jackpot\n")[0]
    assert "more than 1048576 bytes" in wrong(tmp_path, "#" * (1 << 20) + "\n")[0]
    os.mkfifo(tmp_path / "pipe")
    assert "not a plain file" in loading.problems(tmp_path / "pipe")[0]


@dataclass(frozen=True)
class GamingTable:
    """A table of a gateway."""

    name: str
    rulebook: str
    game: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    wagers: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("text", "table", "sentence"),
    [
        (CROWN, GamingTable("bac-01", "crown-baccarat"), ""),
        (CROWN, GamingTable("bac-01", "crown-baccarat", "two_to_one", wagers=("player", "tie")), ""),
        (NZ, GamingTable("nz-01", "nz-baccarat", wagers=("perfect_pair_player",)), ""),
        (CROWN, GamingTable("bac-01", "star-baccarat"), "bac-01 plays by star-baccarat, the jackpot by crown-baccarat"),
        (CROWN, GamingTable("bac-01", "crown-baccarat", wagers=("player",)), "does not offer the wager tie; offer it"),
        (CROWN, GamingTable("bac-01", "crown-baccarat", "three_card"), "which a shoe does not deal as coups"),
        (NZ, GamingTable("nz-01", "nz-baccarat", wagers=("player",)), "does not offer the wager perfect_pair_player"),
        (CROWN, GamingTable("bac-1", "crown-baccarat"), "no jackpot has one of the tables of this gateway (bac-1)"),
    ],
)
def test_tables_of_a_gateway_fit_the_jackpot(tmp_path: Path, text: str, table: GamingTable, sentence: str) -> None:
    (tmp_path / "jackpots.toml").write_text(text)
    found = loading.problems(tmp_path / "jackpots.toml", [table])
    assert (len(found), sentence in "".join(found)) == (1 if sentence else 0, True), found


def test_a_wager_with_other_outcomes_at_the_table(tmp_path: Path) -> None:
    six = NZ.replace('"perfect_pair_player", percent = { perfect = 100 }', '"banker", percent = { win = 10 }')
    (tmp_path / "jackpots.toml").write_text(six)
    found = loading.problems(tmp_path / "jackpots.toml", [GamingTable("nz-01", "nz-baccarat", "banker6_half")])
    assert found == [
        "jackpot pairs: table nz-01 plays game banker6_half, where banker has other outcomes; "
        "set `game` of the jackpot to it"
    ]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = [one.name for kind in (Parameters, LuckyTie, Outcome, Random) for one in msgspec.structs.fields(kind)]


@given(st.dictionaries(st.sampled_from([*KEYS, "kind", "trigger", "tier"]), JUNK, max_size=8), st.booleans())
def test_junk_gives_sentences_and_never_an_exception(junk: dict[str, object], in_trigger: bool) -> None:
    good = {"id": "x", "title": "X", "rulebook": "nz-baccarat", "currency": "NZD", "tables": ["a"], "increment": 1}
    trigger = {"kind": "random", "draws": ["table"], **(junk if in_trigger else {})}
    rest = {"unreasonable": 1, "rounding": 1, "equipment": ["console", "display"], "trigger": trigger}
    jackpots, found = loading.parse({"jackpot": [{**good, **rest, **({} if in_trigger else junk)}]})
    assert jackpots or found
    assert all(isinstance(sentence, str) and "\n" not in sentence for sentence in found)


def test_a_digest_is_the_hash_of_what_differs_from_its_default() -> None:
    """So a release with more keys gives the same digests: printf '%s' TEXT | sha256sum | cut -c1-16."""
    text = (
        '{"currency":"AUD","id":"lucky-tie","increment":25,"qualifying":["tie"],"rounding":100,'
        '"rulebook":"crown-baccarat","tables":["bac-01","bac-02"],"title":"Lucky Tie","trigger":{"kind":"lucky_tie",'
        '"option":"option_1","percent":{"coloured":15,"non_coloured":8,"suited":100}},"unreasonable":100}'
    )
    assert sha256(text.encode()).hexdigest()[:16] == "7e7e1c8c2713be63" == crown().digest


@pytest.mark.parametrize("field", msgspec.structs.fields(Parameters), ids=lambda field: field.name)
def test_every_key_changes_the_digest(field: Any) -> None:
    value = getattr(crown(), field.name)
    others = {str: "x", bool: False, int: 7, tuple: ("x",), dict: {"x": "1%"}, LuckyTie: Random(("table",))}
    changed = msgspec.structs.replace(crown(), **{field.name: others.get(type(value), 7)})
    assert changed.digest != crown().digest


def test_every_key_of_a_draw_changes_the_digest() -> None:
    draws = [
        Random(("table",)),
        Random(("table", "seat")),
        Random(("table",), 8),
        Random(("table",), 9, ("a",)),
        Random(("table",), percent=50),
    ]
    assert len({crown(trigger=draw).digest for draw in draws}) == 5
