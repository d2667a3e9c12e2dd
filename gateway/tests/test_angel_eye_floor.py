"""A table with an Angel Eye at the floor: its rows, its evidence, its buttons."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from angel_eye_log import NINE, TIME
from angel_eye_session import messages_of, new_session, numbered, take
from report_scene import scope
from sabot_floor.projection.changes import changes
from sabot_floor.projection.writing import PROJECTION, insert
from sabot_floor.reports.source import Source
from sabot_floor.store import open_store
from sabot_floor.store.rows import Coup
from sabot_floor.web.data.coup import evidence
from sabot_floor.web.dealer_assistant import answer
from sabot_floor.web.site_state import SiteState, TableState
from sabot_floor.web.views import dealer, dealer_actions, pit, pit_moves
from sabot_floor.web.views.pit_moves import Place
from sabot_gateway.angel_eye.verifier import Settings
from sabot_gateway.screens.hand import hand_message
from sabot_protocol import rulebooks
from sabot_protocol.angel_eye import verbs
from sabot_protocol.table_states import HandMessage
from sabot_protocol.topics import StatusMessage, is_published
from sabot_service.moment import Moment

CROWN = rulebooks.load("crown-baccarat")
OWN = StatusMessage(state="online", time=TIME, unit="u", rulebook=CROWN.id)
READ_ONLY = StatusMessage(state="online", time=TIME, unit="u", rulebook=CROWN.id, driver="angel-eye", commands=False)
WITH_COMMANDS = StatusMessage(state="online", time=TIME, unit="u", rulebook=CROWN.id, driver="angel-eye")


def rows(words: str) -> list[Any]:
    """Return the floor's rows of a line."""
    entries = enumerate(take(new_session(), numbered(messages_of(words))), 1)
    return [
        changes("gw-1", number, entry.table, entry.topic, entry.payload)
        for number, entry in entries
        if is_published(entry.topic, entry.table)
    ]


def test_flags_stand_behind_the_letters_of_a_row() -> None:
    found = rows(f"+ S {NINE} G=player P1=9S S B1=2H P2=TD B2=3C G=player B1=2H +")
    assert [row.flags for row in found if isinstance(row, Coup)] == [
        "N",
        "N restart_inside",
        " incomplete first_card_missing link_lost_inside",
    ]


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Source]:
    with open_store(str(tmp_path / "floor.db")) as store:
        with store.writing(PROJECTION):
            insert(store, rows(f"+ S {NINE} G=player B1=2H P2=TD B2=3C G=banker"))
        yield Source(store, known=frozenset({("bac-01", 1, 2)}))  # every card is turned


def test_the_evidence_of_a_partial_coup_has_its_flags_and_each_card_in_its_place(source: Source) -> None:
    found = evidence(source, scope(), "bac-01/1/2")
    assert [(card.slot, card.card) for card in found.cards] == [
        ("banker_1", "2H"),
        ("player_2", "TD"),
        ("banker_2", "3C"),
    ]
    assert (found.state, found.cells) == ("disputed", [])
    (coup,) = [event for event in found.events if event.kind == "coup"]
    assert coup.notes == ["partial", "first_card_missing"]


def test_the_evidence_of_a_complete_coup_has_its_cells(source: Source) -> None:
    found = evidence(source, scope(), "bac-01/1/1")
    assert [cell.clause for cell in found.cells] == ["9.2", "9.2"]
    assert (found.state, [event.notes for event in found.events if event.kind == "coup"]) == ("confirmed", [[]])


def hand_after(words: str, settings: Settings | None = None) -> HandMessage:
    session = new_session("crown-baccarat", settings)
    take(session, numbered(messages_of(words)))
    return hand_message("bac-01", session.verifier, session.screens, session.fault_fields(), TIME)


def buttons(hand: HandMessage, status: StatusMessage) -> list[str]:
    return [action.name for action in dealer_actions.actions(CROWN, hand, hand.fault, {}, status)]


def test_the_dealer_gets_no_button_for_what_an_angel_eye_cannot_do() -> None:
    hand = hand_after(f"+ S {NINE} G=player")
    assert buttons(hand, OWN) == ["no_more_bets", "no_bet", "burn_card"]
    assert buttons(hand, READ_ONLY) == ["no_more_bets", "no_bet"]


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ("P1=9S +", False),  # one card was seen
        ("B1=2H P2=TD B2=3C G=player", False),  # partial
        ("P1=2S B1=3H P2=3D B2=2C +", False),  # a third card is due
        (f"{NINE} +", True),  # by the cards
        (f"{NINE} G=banker", True),
    ],
)
def test_a_disputed_coup_is_confirmed_as_it_is_only_if_cards_or_shoe_give_it_a_winner(
    words: str, outcome: bool
) -> None:
    session = new_session("crown-baccarat")
    take(session, numbered(messages_of(f"+ S {words}")))
    hand = hand_message("bac-01", session.verifier, session.screens, session.fault_fields(), TIME)
    confirm = ["decide_confirmed"] * outcome
    assert [name for name in buttons(hand, READ_ONLY) if "decide" in name] == [*confirm, "decide_void"]
    (alarm,) = session.verifier.alarms.named("discrepancy")
    moves = [move.do for move in pit_moves.of_alarm(Place(CROWN.id, hand=hand), alarm)]
    assert moves == [*confirm, "decide_winner", "decide_void", "acknowledge"]


@pytest.mark.parametrize("words", ["+", f"+ S C {NINE} G=player {NINE}"])
def test_the_dealer_can_report_new_cards_if_the_shoe_may_be_over(words: str) -> None:
    assert "new_cards" in buttons(hand_after(words), READ_ONLY)


def shown(hand: HandMessage, status: StatusMessage) -> dealer.Dealer:
    site = SiteState("site")
    site.gateways[""] = StatusMessage(state="online", time=TIME)
    site.tables["bac-01"] = TableState("bac-01", status=status, hand=hand)
    return dealer.view(site, "bac-01", Moment(0.0, TIME))


def test_after_a_connect_the_dealer_may_deal_on() -> None:
    hand = hand_after("+")
    assert (shown(hand, READ_ONLY).line.key, shown(hand, OWN).line.key) == ("joined", "unknown")


def test_a_standing_error_is_shown_with_its_next_step() -> None:
    hand = hand_after(f"+ S {NINE} E2!")
    assert (hand.fault, hand.locked) == ("overdraw", True)
    assert shown(hand, READ_ONLY).line.values == {"fault": "overdraw"}


@pytest.mark.parametrize(
    ("error", "names"),
    [
        ("E2!", ["keep_card", "discard_card"]),  # an overdraw
        ("E1!", ["clear_error"]),
        ("E1", []),  # it does not stand
    ],
)
def test_people_clear_a_standing_error_where_commands_are_allowed(error: str, names: list[str]) -> None:
    hand = hand_after(f"+ S {NINE} {error}")
    actions = dealer_actions.actions(CROWN, hand, hand.fault, {}, WITH_COMMANDS)
    assert [action.name for action in actions if action.verb == "clear-error"] == names
    asking = [action.name for action in actions if "clause" in action.fields]
    assert asking == [name for name in names if name == "discard_card"]
    assert not set(names) & set(buttons(hand, READ_ONLY))


def test_the_dealer_confirms_a_coup_though_the_shoe_stands_in_error() -> None:
    hand = hand_after(f"+ S {NINE} E2! G=player", Settings("dealer"))
    assert (hand.phase, hand.fault) == ("complete", "overdraw")
    assert ("confirm" in buttons(hand, READ_ONLY), "confirm" in buttons(hand, OWN)) == (True, False)


def test_lock_and_error_are_not_known_until_the_shoe_reports_them() -> None:
    assert hand_after(f"+ S {NINE} G=player").locked is None
    assert hand_after(f"+ S {NINE} G=player L0 e1").locked is False


@pytest.mark.parametrize(
    ("status", "shoe"),
    [
        (READ_ONLY, ["open_shoe"]),
        (WITH_COMMANDS, ["open_shoe", "lock", "unlock"]),
    ],
)
def test_the_pit_offers_what_the_gateway_can_do(status: StatusMessage, shoe: list[str]) -> None:
    place = Place(CROWN.id, hand_after(f"+ S {NINE} G=player"), None, {}, status)
    groups = {name: [move.do for move in moves] for name, moves in pit_moves.of_table(place).items()}
    assert groups["coup"] == ["confirm", "void", "this_no_bet", "no_bet"]
    assert groups["shoe"] == shoe


def test_the_pit_shows_what_is_not_known() -> None:
    site = SiteState("site")
    status = StatusMessage(state="online", time=TIME, driver="angel-eye", unknown=["coup", "lock"])
    site.tables["bac-01"] = TableState("bac-01", status=status)
    assert pit.panel(site, "bac-01", Moment(0.0, TIME)).unknown == ["coup", "lock"]


def test_the_assistant_offers_no_step_that_needs_our_own_shoe() -> None:
    site, hand = SiteState("site"), hand_after(f"+ S {NINE}")
    facts = '{"banker_draws": false, "exposed": false, "last_coup": false}'
    steps = {}
    for name, status in (("own", OWN), ("angel-eye", READ_ONLY)):
        site.tables["bac-01"] = TableState("bac-01", status=status, hand=hand)
        found = answer(site, "bac-01", "player_overdraw", facts, {CROWN.id: "area_manager"})
        steps[name] = {step.verb for step in found.steps}
    assert steps["own"] & verbs.NEED_OWN_SHOE
    assert not steps["angel-eye"] & verbs.NEED_OWN_SHOE
