"""Changes of signs: notice, both minimums, closure, roles; D-30 to D-41, P-16, P-17, P-24, P-61."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from sabot_floor.gaming_day import Calendar
from sabot_floor.people.state import Person
from sabot_floor.people.verbs import Login
from sabot_floor.signs import audit
from sabot_floor.signs.board import SignBoard
from sabot_floor.signs.desk import SignDesk
from sabot_floor.signs.limits import TableLimits
from sabot_floor.signs.log import LOG, SignLog
from sabot_floor.signs.sign import Sign, sign
from sabot_floor.signs.verbs import ChangeSign, ShowSign
from sabot_floor.store import Decision, Store, open_store
from sabot_protocol.topics import StatusMessage, TableSetup
from sabot_service.messages import Answer
from sabot_service.moment import Moment

GAMES = {
    "star-baccarat": "baccarat",
    "star-premium": "premium",
    "star-rapid": "baccarat",
    "nz-baccarat": "standard",
    "crown-baccarat": "traditional",
}


class Site:
    """A table of one book, with limits 25 to 5,000; 21:00 in Sydney."""

    def __init__(self, rulebook: str, store: Store) -> None:
        setup = TableSetup(game=GAMES[rulebook], decks=8)
        self.status = StatusMessage(state="online", time="", rulebook=rulebook, setup=setup)
        self.rulebook, self.store, self.newest = rulebook, store, (0, 0)
        self.limits = TableLimits("t", minimum="25", maximum="5,000")
        self.desk = self.restarted()

    def restarted(self) -> SignDesk:
        self.desk = SignDesk(
            SignBoard([self.limits], Calendar("06:00", "Australia/Sydney")),
            SignLog(self.store),
            lambda table: self.status if table == "t" else None,
            newest=lambda table: self.newest,
        )
        return self.desk

    def at(self, clock: str) -> Moment:
        hour, minute = clock.split(":")
        return Moment(0.0, f"2026-11-17T{int(hour) - 11:02d}:{minute}:00.000Z")  # Sydney is 11 hours ahead

    def ask(self, clock: str, role: str, change: str, **args: Any) -> Answer:
        request = ChangeSign(table="t", change=change, login=Login("x", "y"), **args)  # type: ignore[arg-type]
        person = Person("asmith", "A. Smith", roles={self.rulebook: role})
        return self.desk.act(request, person, "web 10.0.0.1", self.at(clock))

    def sign(self, clock: str) -> Sign:
        self.desk.refresh()
        return sign(self.desk.board.context("t", self.status, self.newest), self.at(clock).time)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "floor.db"))


def site(rulebook: str, store: Store) -> Site:
    made = Site(rulebook, store)
    made.desk.configure(made.at("20:00"))
    return made


def limits(found: Sign) -> list[tuple[str, str]]:
    """Return old limits, limits, coming limits, as far as they are on the sign."""
    return [(one.minimum, one.maximum) for one in (found.old, found.limits, found.coming) if one]


def test_a_raised_minimum_is_announced_for_20_minutes(store: Store) -> None:
    """D-30: 000 6.7."""
    table = site("star-baccarat", store)
    early = table.ask("21:00", "casino_supervisor", "minimum", minimum="50", at="21:19")
    assert (early.ok, early.say) == (
        False,
        "Refused: the sign must be displayed for at least 20 minutes before the change (6.7): 21:20 at the earliest.",
    )
    assert limits(table.sign("21:00")) == [("25", "5,000")]
    assert table.ask("21:00", "casino_supervisor", "minimum", minimum="50", at="21:20").ok
    before, after = table.sign("21:19"), table.sign("21:20")
    assert limits(before) == [("25", "5,000"), ("50", "5,000")]
    assert before.coming is not None
    assert before.coming.at == "21:20"
    assert limits(after) == [("50", "5,000")]


def test_without_a_time_it_begins_as_early_as_the_book_allows(store: Store) -> None:
    table = site("crown-baccarat", store)
    answer = table.ask("21:00", "area_manager", "minimum", minimum="100")
    assert answer.say == "t: minimum 100, maximum 5,000 from 21:20 (6.7, s.66(2))."


@pytest.mark.parametrize(
    ("rulebook", "role", "too_low"),
    [
        ("star-baccarat", "casino_supervisor", "dealer"),
        ("star-premium", "gaming_supervisor", "dealer"),
        ("crown-baccarat", "area_manager", "higher_duties_dealer"),
    ],
)
def test_roles_for_limits(store: Store, rulebook: str, role: str, too_low: str) -> None:
    """P-16."""
    table = site(rulebook, store)
    assert not table.ask("21:00", too_low, "minimum", minimum="50").ok
    assert table.ask("21:00", role, "minimum", minimum="50").ok


def test_a_lower_minimum_and_another_maximum_begin_at_once(store: Store) -> None:
    table = site("star-premium", store)
    answer = table.ask("21:00", "casino_supervisor", "minimum", minimum="10", maximum="2,000")
    assert answer.say == "t: minimum 10, maximum 2,000 from now."
    assert limits(table.sign("21:00")) == [("10", "2,000")]


def test_nz_and_rapid_have_no_rule_for_notice(store: Store) -> None:
    """D-30: 002 and 004 are silent."""
    table = site("nz-baccarat", store)
    assert not table.ask("21:00", "game_supervisor", "minimum", minimum="50").ok
    assert table.ask("21:00", "casino_supervisor", "minimum", minimum="50").say.endswith("from now.")


def test_two_minimums_are_both_on_the_sign(store: Store) -> None:
    """D-31: 000 6.7.1 to 6.7.3."""
    table = site("star-baccarat", store)
    assert table.ask("21:00", "casino_supervisor", "minimum", minimum="100", keep_old=True).ok
    assert limits(table.sign("23:00")) == [("25", "5,000"), ("100", "5,000")]
    again = table.ask("21:05", "casino_supervisor", "minimum", minimum="200", keep_old=True)
    assert again.say == "Refused: t has two minimums already; end the old one first."
    early = table.ask("21:10", "casino_supervisor", "minimum", minimum="100", at="21:15")
    assert not early.ok  # 6.7.2: also for players with the old minimum
    assert table.ask("21:10", "casino_supervisor", "minimum", minimum="100", at="21:30").ok
    assert limits(table.sign("21:30")) == [("100", "5,000")]


def test_the_old_minimum_ends_with_its_last_player(store: Store) -> None:
    table = site("star-premium", store)
    table.ask("21:00", "casino_supervisor", "minimum", minimum="100", keep_old=True)
    assert table.ask("21:05", "casino_supervisor", "one-minimum").ok
    assert limits(table.sign("21:05")) == [("100", "5,000")]
    assert not table.ask("21:06", "casino_supervisor", "one-minimum").ok


def test_a_minimum_below_both_is_for_everybody_at_once(store: Store) -> None:
    table = site("star-baccarat", store)
    table.ask("21:00", "casino_supervisor", "minimum", minimum="100", keep_old=True)
    between = table.ask("21:05", "casino_supervisor", "minimum", minimum="50", at="21:10")
    assert not between.ok  # higher for players who have 25
    assert table.ask("21:05", "casino_supervisor", "minimum", minimum="10").ok
    assert limits(table.sign("21:05")) == [("10", "5,000")]


def test_crown_has_no_two_minimums(store: Store) -> None:
    answer = site("crown-baccarat", store).ask("21:00", "casino_manager", "minimum", minimum="100", keep_old=True)
    assert not answer.ok
    assert "(6.7)" in answer.say


def test_closure_needs_20_minutes(store: Store) -> None:
    """D-41, P-61: 000 14.10."""
    table = site("star-baccarat", store)
    assert not table.ask("21:00", "casino_supervisor", "close", at="21:10").ok
    assert not table.ask("21:00", "dealer", "close", at="21:30").ok
    assert table.ask("21:00", "casino_supervisor", "close", at="21:30").say == "t: closes at 21:30 (14.10)."
    open_, closed = table.sign("21:29").closure, table.sign("21:30").closure
    assert open_ is not None
    assert (open_.closed, open_.at) == (False, "21:30")
    assert closed is not None
    assert closed.closed
    assert table.ask("22:00", "casino_supervisor", "cancel", what="closure").ok
    assert table.sign("22:00").closure is None


def test_crown_closes_after_three_coups(store: Store) -> None:
    """D-41: 003 15.8."""
    table = site("crown-baccarat", store)
    table.newest = (5, 17)
    assert not table.ask("21:00", "higher_duties_dealer", "close", at="21:30").ok
    assert table.ask("21:00", "higher_duties_dealer", "close").say == "t: closes after 3 coups (15.8)."
    left = []
    for coup in (17, 18, 19, 20):
        table.newest = (5, coup)
        closure = table.sign("21:05").closure
        assert closure is not None
        left.append((closure.coups, closure.closed))
    assert left == [(3, False), (2, False), (1, False), (0, True)]


def test_nz_closes_without_notice_of_this_text(store: Store) -> None:
    table = site("nz-baccarat", store)
    assert table.ask("21:00", "casino_supervisor", "close").ok
    closure = table.sign("21:00").closure
    assert closure is not None
    assert closure.closed


def test_change_of_game_needs_notice_or_consent(store: Store) -> None:
    """D-40, P-24: 000 14.9."""
    table = site("star-baccarat", store)
    assert not table.ask("21:00", "casino_supervisor", "game", game="even_money", at="21:10").ok
    assert not table.ask("21:00", "casino_supervisor", "game", game="tie_premium").ok
    assert table.ask("21:00", "casino_supervisor", "game", game="even_money", at="21:20").ok
    found = table.sign("21:00")
    assert (found.game, found.next_game, found.next_game_at) == ("Baccarat", "Even Money Baccarat", "21:20")
    late = table.sign("21:21")
    assert [problem for problem in late.problems if "announced, but the gateway plays baccarat" in problem]
    table.status = msgspec.structs.replace(table.status, setup=TableSetup(game="even_money", decks=8))
    assert (table.sign("21:21").game, table.sign("21:21").next_game) == ("Even Money Baccarat", "")


def test_players_who_all_consent_need_no_notice(store: Store) -> None:
    answer = site("star-premium", store).ask(
        "21:00", "casino_supervisor", "game", game="tie_premium", players_agree=True
    )
    assert answer.ok
    assert "from now" in answer.say


def test_personal_limits_stand_with_the_place(store: Store) -> None:
    """D-33, P-17: 000 6.8."""
    table = site("star-baccarat", store)
    assert not table.ask("21:00", "dealer", "personal", place="3", minimum="500", maximum="50,000").ok
    assert table.ask("21:00", "casino_supervisor", "personal", place="3", minimum="500", maximum="50,000").ok
    personal = table.sign("21:00").personal
    assert [(one.place, one.minimum, one.maximum) for one in personal] == [("3", "500", "50,000")]
    assert table.ask("21:30", "casino_supervisor", "personal", place="3", end=True).ok
    assert table.sign("21:30").personal == ()


def test_a_restriction_names_whom_surveillance_sent(store: Store) -> None:
    """D-36, P-19: 000 10.4.1."""
    table = site("star-baccarat", store)
    assert not table.ask("21:00", "casino_supervisor", "restrict", wager="pair").ok
    assert table.ask("21:00", "casino_supervisor", "restrict", wager="pair", notified="B. Jones").ok
    assert any("Pairs Player, Pairs Banker" in notice.say for notice in table.sign("21:00").notices)
    assert table.ask("21:30", "casino_supervisor", "restrict", wager="pair", end=True).ok
    assert not any("Pairs" in notice.say for notice in table.sign("21:30").notices)


@pytest.mark.parametrize(
    ("args", "part"),
    [
        ({"minimum": "6,000"}, "minimum 6,000, maximum 5,000"),
        ({"minimum": "0"}, "above 0"),
        ({"minimum": "-5"}, "no amount of money"),
        ({"minimum": "2.505"}, "no coins"),
        ({"minimum": "50", "at": "25:00"}, "is no time"),
        ({"minimum": "50", "at": "20:30"}, "has passed today"),
        ({"minimum": "50", "at": "2027-01-17 20:30"}, "more than 31 days"),
    ],
)
def test_wrong_amounts_and_times_are_refused(store: Store, args: dict[str, str], part: str) -> None:
    answer = site("star-baccarat", store).ask("21:00", "casino_supervisor", "minimum", **args)
    assert not answer.ok
    assert part in answer.say


def test_a_person_without_a_role_in_the_book_is_refused(store: Store) -> None:
    table = site("star-baccarat", store)
    request = ChangeSign(table="t", change="close", login=Login("x", "y"))
    answer = table.desk.act(
        request, Person("bj", "B", roles={"nz-baccarat": "casino_supervisor"}), "", table.at("21:00")
    )
    assert not answer.ok
    assert "no role in star-baccarat" in answer.say


def test_signs_survive_a_restart_and_are_verified(store: Store) -> None:
    table = site("star-baccarat", store)
    table.ask("21:00", "casino_supervisor", "minimum", minimum="50", at="21:20")
    table.ask("21:25", "casino_supervisor", "minimum", minimum="100", keep_old=True)
    table.restarted()
    assert table.desk.configure(table.at("21:30")) == []  # the config is as before
    assert limits(table.sign("21:30")) == [("50", "5,000"), ("100", "5,000")]
    verdict = audit.verify(store)
    assert (verdict.entries, verdict.faults) == (3, [])
    table.limits = TableLimits("t", minimum="30", maximum="5,000")
    assert len(table.restarted().configure(table.at("21:40"))) == 1
    assert limits(table.sign("21:40")) == [("30", "5,000")]
    table.limits = TableLimits("t", currency="NZD", minimum="30", maximum="5,000")
    assert len(table.restarted().configure(table.at("21:45"))) == 1
    assert table.sign("21:45").currency == "NZD"


def test_a_changed_state_is_found(store: Store) -> None:
    table = site("star-baccarat", store)
    table.ask("21:00", "casino_supervisor", "minimum", minimum="50", at="21:20")
    store.append(LOG, lambda head: Decision([], b"{}"))
    assert audit.verify(store).faults == ["the state in the store is not what the entries make"]


def test_a_changed_log_is_found(store: Store) -> None:
    table = site("star-baccarat", store)
    table.ask("21:00", "casino_supervisor", "minimum", minimum="50", at="21:20")
    with store.writing("test"):
        store.execute("UPDATE entries SET payload = replace(payload, '21:20', '21:10') WHERE log = 'signs'")
        store.execute("UPDATE entries SET payload = replace(payload, '10:20', '10:10') WHERE log = 'signs'")
    assert audit.verify(store).faults


def test_show_has_the_sign_and_its_problems(store: Store) -> None:
    table = site("star-baccarat", store)
    answer = table.desk.show(ShowSign(table="t"), table.at("21:00"))
    assert answer.ok
    assert msgspec.json.decode(bytes(answer.data or b""))["game"] == "Baccarat"
    assert not table.desk.show(ShowSign(table="u"), table.at("21:00")).ok
