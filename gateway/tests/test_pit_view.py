"""The pit console's view: order of alarms, urgency of incidents, links, acts of people as they happen; bounded."""

from typing import Any

import msgspec
import pytest
from sabot_floor.signs.limits import TableLimits
from sabot_floor.web.person_acts import MOST_ACTS
from sabot_floor.web.site_state import SiteState
from sabot_floor.web.views import dealer, pit, wall
from sabot_service.moment import Moment

AT = Moment(1.0, "2026-05-01T10:30:00.000Z")
ROOT = "sabot/v1/sydney/"
ONLINE = {"state": "online", "time": AT.time}
PLACE = {"unit": "u1", "event_no": 5, "shoe": 3, "coup": 17, "rulebook": ""}


def put(site: SiteState, topic: str, message: object) -> None:
    site.received(ROOT + topic, msgspec.json.encode(message), AT)


def started() -> SiteState:
    site = SiteState("sydney", [TableLimits("bac-01", "Pit 1"), TableLimits("bac-02", "Pit 2")])
    site.connected(True)
    put(site, "status", ONLINE)
    for name in ("bac-01", "bac-02"):
        put(site, f"{name}/status", {**ONLINE, "unit": "u1", "rulebook": "star-baccarat"})
    return site


def alarm(table: str, minute: int, severity: str, state: str = "raised", **fields: Any) -> dict[str, Any]:
    own = {"id": f"{table}-{minute}", "alarm": f"{table}-{minute}", "table": table, "name": "reject", "state": state}
    texts = {"say": "A card was not read.", "clause": "", "shoe_says": "", "cards_say": ""}
    return {**PLACE, **own, **texts, "time": f"2026-05-01T10:{minute:02}:00.000Z", "severity": severity, **fields}


def put_alarms(site: SiteState, table: str, *alarms: dict[str, Any], more: int = 0) -> None:
    put(site, f"{table}/alarms", {"table": table, "time": AT.time, "alarms": alarms, "more": more})


def incident(table: str, minute: int, **step: Any) -> dict[str, Any]:
    time = f"2026-05-01T10:{minute:02}:00.000Z"
    own = {"id": f"i-{minute}", "incident": f"i-{minute}", "table": table, "kind": "foreign_card", "state": "open"}
    first = {"name": "notify_inspector", "say": "Notify the Inspector.", "clause": "12.11.4", "to": ["inspector"]}
    texts = {"say": "A card is foreign.", "clause": "12.11", "opened": time}
    return {**PLACE, **own, **texts, "time": time, "steps": [{**first, **step}]}


def attempt(number: int, **fields: Any) -> dict[str, Any]:
    own = {"id": f"g-{number}", "time": f"2026-05-01T10:00:{number % 60:02}.000Z", "table": "bac-01", "verb": "void"}
    return {**own, "by": "A. Smith", "user": "pit", "clause": "12.1.2", "args": {"reason": "misdeal"}, **fields}


def test_alarms_are_in_order_of_severity_then_unseen_first_then_newest() -> None:
    site = started()
    put_alarms(site, "bac-01", alarm("bac-01", 1, "warning"), alarm("bac-01", 9, "critical", "acknowledged", by="A"))
    put_alarms(site, "bac-02", alarm("bac-02", 5, "warning"), alarm("bac-02", 2, "critical"), more=4)
    found = pit.view(site, "", AT)
    assert [one.id for one in found.alarms] == ["bac-02-2", "bac-01-9", "bac-02-5", "bac-01-1"]
    assert [(one.area, one.by) for one in found.alarms[:2]] == [("Pit 2", ""), ("Pit 1", "A")]
    assert found.more_alarms == 4
    assert [(one.table, one.alarms, one.critical) for one in found.tables] == [("bac-01", 2, 1), ("bac-02", 6, 1)]


@pytest.mark.parametrize(
    ("phase", "reason", "not_now"),
    [
        ("bets", "double, 900 mm/s", ""),
        ("bets", "half drawn", ""),
        ("bets", "pushed back", ""),
        ("bets", "foreign", ""),
        ("bets", "short pull", "no_coup"),
        ("burning", "double", "no_coup"),
    ],
)
def test_a_coup_whose_first_card_may_be_out_can_be_void(phase: str, reason: str, not_now: str) -> None:
    site = started()
    put_alarms(site, "bac-01", alarm("bac-01", 1, "warning", shoe_says=reason))
    here = {"table": "bac-01", "time": AT.time, "shoe": 3, "coup": 17}
    put(site, "bac-01/hand", {**here, "phase": phase, "fault": "card", "unread": 0})
    (void,) = [move for move in pit.panel(site, "bac-01", AT).moves["coup"] if move.do == "void"]
    assert void.not_now == not_now


def test_incidents_are_late_ones_first_then_those_with_a_time_limit() -> None:
    site = started()
    late = incident("bac-01", 3, late=True)
    limited = incident("bac-01", 4, until="2026-05-01T10:40:00.000Z")
    put(site, "bac-01/open", {"table": "bac-01", "time": AT.time, "incidents": [incident("bac-01", 1), limited, late]})
    found = pit.view(site, "", AT)
    assert [one.id for one in found.incidents] == ["i-3", "i-4", "i-1"]
    assert (found.incidents[0].late, found.incidents[1].until) == (True, "2026-05-01T10:40:00.000Z")
    assert found.incidents[0].title == "A card is missing or foreign"
    assert found.incidents[0].steps[0].to == ["Inspector"]
    assert [move.verb for move in found.incidents[0].steps[0].moves] == ["step"]


def test_links_of_tables_and_gateways() -> None:
    site = started()
    put(
        site, "bac-02/status", {"state": "offline", "time": AT.time, "rulebook": "star-baccarat", "problem": "No shoe."}
    )
    found = pit.view(site, "", AT)
    assert [(one.link.gateway, one.link.shoe, one.link.say) for one in found.tables] == [
        (True, True, ""),
        (True, False, "No shoe."),
    ]
    assert [(one.name, one.online) for one in found.gateways] == [("", True)]
    site.connected(False)
    assert not pit.view(site, "", AT).link.broker


def test_an_act_of_a_person_is_there_before_and_after_its_answer() -> None:
    site = started()
    put(site, "bac-01/attempt", attempt(1))
    assert [(one.by, one.ok, one.args) for one in pit.view(site, "", AT).acts] == [
        ("A. Smith", None, '{"reason":"misdeal"}')
    ]
    answer = {"id": "g-1b", "time": AT.time, "table": "bac-01", "attempt": "g-1", "ok": False, "say": "Void refused."}
    put(site, "bac-01/outcome", answer)
    assert [(one.ok, one.say) for one in pit.view(site, "", AT).acts] == [(False, "Void refused.")]
    put(site, "bac-01/attempt", attempt(1))
    assert len(pit.view(site, "", AT).acts) == 1


def test_an_answer_may_come_before_its_request_and_acts_are_bounded() -> None:
    site = started()
    put(
        site,
        "bac-01/outcome",
        {"id": "x", "time": AT.time, "table": "bac-01", "attempt": "g-59", "ok": True, "say": "Done."},
    )
    for number in range(MOST_ACTS + 20):
        put(site, "bac-01/attempt", attempt(number))
    acts = pit.view(site, "", AT).acts
    assert (len(acts), acts[0].id, acts[0].ok, acts[-1].id) == (MOST_ACTS, "g-59", True, "g-20")


def test_a_public_state_has_no_acts_of_people() -> None:
    site = SiteState("sydney", public=True)
    put(site, "bac-01/attempt", attempt(1))
    assert list(site.acts) == []


def test_a_table_without_a_known_rulebook_shows_its_alarms_and_has_no_moves() -> None:
    site = started()
    put(site, "bac-01/status", {**ONLINE, "rulebook": "other-book"})
    put_alarms(site, "bac-01", alarm("bac-01", 1, "critical"))
    put(site, "bac-01/open", {"table": "bac-01", "time": AT.time, "incidents": [incident("bac-01", 1)]})
    found = pit.view(site, "", AT)
    assert (found.alarms[0].moves, found.incidents[0].steps[0].moves) == ([], [])
    assert pit.panel(site, "bac-01", AT).moves == {}
    assert pit.panel(site, "nowhere", AT).link.gateway is False


def test_the_panel_has_the_hand_and_the_commands_bound_to_its_coup() -> None:
    site = started()
    cards = [{"slot": "player_1", "card": "8H"}]
    put(
        site,
        "bac-01/hand",
        {"table": "bac-01", "time": AT.time, "shoe": 3, "coup": 17, "phase": "dealing", "cards": cards},
    )
    found = pit.panel(site, "bac-01", AT)
    assert found.hand is not None
    assert found.hand.cards[0].card == "8H"
    void = next(move for move in found.moves["coup"] if move.do == "void")
    assert (void.args, void.clause) == ({"coup": "3/17", "reason": "supervisor"}, "12.1.2")


@pytest.mark.parametrize(("status", "phase"), [("disputed", "disputed"), ("verified", "complete")])
def test_a_disputed_coup_does_not_wait_for_confirm(status: str, phase: str) -> None:
    site = started()
    result = {"id": "u-5", "status": status, "winner": None, "player_points": 0, "banker_points": 0}
    put(
        site,
        "bac-01/hand",
        {"table": "bac-01", "time": AT.time, "shoe": 3, "coup": 17, "phase": "complete", "result": result},
    )
    assert [one.phase for one in pit.view(site, "", AT).tables if one.table == "bac-01"] == [phase]


def test_what_no_book_has_is_shown_as_it_came() -> None:
    site = started()
    odd = incident("bac-01", 1, act="no_such_act", role="no_such_role", to=["no_such_party"], until="soon", due="?")
    put(site, "bac-01/open", {"table": "bac-01", "time": AT.time, "incidents": [{**odd, "kind": "no_such_kind"}]})
    found = pit.view(site, "", AT).incidents[0]
    assert (found.title, found.steps[0].role, found.steps[0].to) == ("no_such_kind", "no_such_role", ["no_such_party"])
    assert [move.role for move in found.steps[0].moves] == ["Casino Supervisor"]


def later(seconds: float) -> Moment:
    return Moment(AT.now_s + seconds, AT.time)


def two_gateways() -> SiteState:
    """A table of each gateway, with one unit id."""
    site = started()
    for number in ("1", "2"):
        put(site, f"gateway/gw-{number}/status", ONLINE)
        own = {**ONLINE, "unit": "u1", "rulebook": "star-baccarat", "gateway": f"gw-{number}"}
        put(site, f"bac-0{number}/status", own)
    return site


def test_one_unit_id_at_two_gateways_is_an_alarm_at_both_tables_as_at_one_gateway() -> None:
    site = two_gateways()
    assert pit.view(site, "", later(9)).alarms == []  # a shoe that was carried
    found = pit.view(site, "", later(11))
    assert [(one.table, one.name, one.severity, one.moves) for one in found.alarms] == [
        ("bac-01", "unit_id_twice", "critical", []),
        ("bac-02", "unit_id_twice", "critical", []),
    ]
    assert "unit id u1, at bac-01 and bac-02: stop these tables" in found.alarms[0].say
    assert [(one.alarms, one.critical) for one in found.tables] == [(1, 1), (1, 1)]
    walls = wall.view(site, "", later(11)).tables
    assert [(one.alarms.count, one.alarms.worst) for one in walls] == [(1, "critical")] * 2
    (shown,) = dealer.view(site.as_seen(frozenset(), "bac-02"), "bac-02", later(11)).alarms
    assert (shown.name, shown.severity, shown.acknowledged) == ("unit_id_twice", "critical", True)


@pytest.mark.parametrize(
    ("topic", "changes"),
    [
        ("bac-01/status", {"state": "offline", "gateway": "gw-1"}),
        ("bac-02/status", {"unit": "u2", "gateway": "gw-2"}),
        ("gateway/gw-2/status", {"state": "offline"}),
    ],
)
def test_that_alarm_ends_when_only_one_answers(topic: str, changes: dict[str, str]) -> None:
    site = two_gateways()
    put(site, topic, {**ONLINE, **changes})
    assert pit.view(site, "", later(60)).alarms == []


def test_that_alarm_does_not_come_from_statuses_of_before_a_loss_of_the_broker() -> None:
    site = two_gateways()
    site.connected(False)
    site.connected(True)
    assert pit.view(site, "", later(60)).alarms == []


def test_an_answer_is_never_cut_off_within_a_sentence() -> None:
    site = started()
    put(site, "bac-01/attempt", attempt(1))
    say = "The shoe locks its exit: run `sabot table bac-01 void --by NAME --clause N`. " * 30
    answer = {"id": "g-1b", "time": AT.time, "table": "bac-01", "attempt": "g-1", "ok": True}
    put(site, "bac-01/outcome", answer | {"say": say})
    [act] = pit.view(site, "", AT).acts
    assert 900 < len(act.say) <= 1002
    assert act.say.endswith("--clause N`. …")
