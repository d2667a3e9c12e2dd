"""Changes of a sign from the pit: the buttons by book and by what is announced, with clause, role and notice."""

import re
from pathlib import Path
from typing import Any, Final

import msgspec
import sabot_floor.web
from sabot_floor.people.verbs import Login
from sabot_floor.signs.limits import TableLimits
from sabot_floor.signs.state import Closure, ComingLimits, Range, TableSigns
from sabot_floor.signs.verbs import ChangeSign
from sabot_floor.web import acts, languages
from sabot_floor.web.site_state import SiteState
from sabot_floor.web.views import pit_signs
from sabot_floor.web.views.pit_signs import PitSign, SignMove
from sabot_protocol import rulebooks
from sabot_service.moment import Moment

AT = Moment(1.0, "2026-05-01T10:30:00.000Z")
LATER = "2026-05-01T10:50:00.000Z"
PLAIN: Final = TableSigns(currency="AUD", limits=Range(2500, 500000))
BUSY: Final = TableSigns(
    currency="AUD",
    limits=Range(2500, 500000),
    old=Range(1000, 500000),
    coming=ComingLimits(Range(5000, 500000), LATER),
    closure=Closure(AT.time, LATER, 0, 0, 0),
    personal={"3": Range(50000, 5000000)},
    restricted={"pair": True, "tiger": False},
)


def sign(book: str, signs: TableSigns = PLAIN) -> PitSign:
    site = SiteState("sydney", [TableLimits("bac-01", minimum="25", maximum="5,000")])
    status = {"state": "online", "time": AT.time, "unit": "u1", "rulebook": book}
    site.received("sabot/v1/sydney/bac-01/status", msgspec.json.encode(status), AT)
    site.signs.tables = {"bac-01": signs}
    return pit_signs.of_table(site, "bac-01", book, AT)


def moves(book: str, signs: TableSigns = PLAIN) -> dict[str, SignMove]:
    return {move.do.removeprefix("sign_"): move for move in sign(book, signs).moves}


def test_a_higher_minimum_has_its_clause_its_role_and_twenty_minutes() -> None:
    found = moves("star-baccarat")["minimum"]
    assert (found.verb, found.clause, found.role) == ("minimum", "6.7", "Casino Supervisor")
    assert (found.notice_min, found.notice_clause, found.second) == (20, "6.7", "")
    assert found.ask == ("minimum", "maximum_as_is", "sign_at", "keep_old")


def test_crown_closes_after_three_coups_and_the_star_at_a_time() -> None:
    crown, star = moves("crown-baccarat")["close"], moves("star-baccarat")["close"]
    assert (crown.notice_coups, crown.notice_clause, crown.ask) == (3, "15.8", ())
    assert (star.notice_min, star.notice_clause, star.ask) == (20, "14.10", ("sign_at",))


def test_a_plain_table_offers_no_end_of_what_is_not_there() -> None:
    assert list(moves("star-baccarat")) == ["minimum", "close", "game", "personal", "restrict"]
    assert dict(moves("star-baccarat")["game"].choices["game"])["even_money"] == "Even Money Baccarat"


def test_what_is_announced_can_be_cancelled_and_what_applies_ended() -> None:
    found = moves("star-baccarat", BUSY)
    ends = ["one_minimum", "personal_end", "restrict_end", "cancel_minimum", "cancel_closure"]
    assert [do for do in found if do in ends] == ends
    assert "close" not in found
    assert found["personal_end"].choices == {"place": [("3", "3")]}
    assert [name for name, _ in found["restrict_end"].choices["wager"]] == ["pair"]
    shown = sign("star-baccarat", BUSY)
    assert (shown.coming and shown.coming.minimum, [one.place for one in shown.personal]) == ("50", ["3"])


def test_a_table_without_limits_has_none_to_change() -> None:
    assert "minimum" not in moves("star-baccarat", TableSigns())


def test_every_move_is_a_change_that_the_floor_takes_and_has_its_words() -> None:
    made: dict[str, dict[str, Any]] = {"place": {"place": "3"}, "wager": {"wager": "pair"}}
    words = languages.load()["en"]
    for book in rulebooks.ids():
        for move in sign(book, BUSY).moves:
            args = dict(move.args) | {key: value for name in move.ask for key, value in made.get(name, {}).items()}
            body = {"do": "sign", "table": "bac-01", "change": move.verb, "args": args}
            request = acts.parse(msgspec.json.encode(body))(Login("sue", "session:x"))
            assert isinstance(request.verb, ChangeSign)
            assert {f"pit.do_{move.do}", f"pit.about_{move.do}"} <= words.keys()


def test_every_field_of_a_change_is_drawn_and_becomes_an_argument() -> None:
    text = (Path(sabot_floor.web.__file__).parent / "static" / "pit_fields.js").read_text()
    asked = {name for book in rulebooks.ids() for move in sign(book, BUSY).moves for name in move.ask}
    assert {"players_agree", "keep_old", "notified"} <= asked
    for part in text.split("const DRAWN = {")[1].split("const MADE = {"):
        assert asked <= set(re.findall(r"^  (\w+): \(", part, re.MULTILINE))
