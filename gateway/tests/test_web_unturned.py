"""Unturned cards: whatever is dealt in whatever order it is turned, no page has a card or what it would tell before."""

import re
from selectors import DefaultSelector

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sabot_floor.people.state import Person
from sabot_floor.web.accounts import Accounts, sees_unturned
from sabot_floor.web.bridge import Bridge, Outcome
from sabot_floor.web.channels import CHANNELS
from sabot_floor.web.hub import Hub
from sabot_floor.web.site_state import Rights
from sabot_floor.web.turning import TurnedBody, TurningRoute
from sabot_floor.web.views import dealer
from sabot_gateway import rules
from sabot_protocol import authority, rulebooks
from sabot_protocol.cards import POINTS
from sabot_protocol.table_of_play import SLOTS, due
from sabot_service.messages import Answer
from sabot_service.moment import Moment

TIME = "2026-10-17T09:00:00.000Z"
AT = Moment(100.0, TIME)
BOOKS = [book for book in rulebooks.ids() if "face_down" in rulebooks.load(book).shoe.choice["dealing"].values]
STAFF = [name for name, channel in CHANNELS.items() if not channel.public]


def hub_with(book: str, dealing: str = "face_down") -> Hub:
    hub = Hub("s")
    hub.connected(True)
    setup = {"game": next(iter(rulebooks.load(book).game)), "decks": 8, "shoe": {"dealing": dealing}}
    put(hub, "status", {"state": "online", "time": TIME})
    put(hub, "t/status", {"state": "online", "time": TIME, "unit": "U", "rulebook": book, "setup": setup})
    history = {"table": "t", "time": TIME, "unit": "U", "shoe": 3, "state": "open", "phase": "no_more_bets", "coup": 17}
    put(hub, "t/history", history)
    return hub


def put(hub: Hub, topic: str, message: object) -> None:
    hub.received(f"sabot/v1/s/{topic}", msgspec.json.encode(message), AT)
    assert hub.site.unreadable == 0


def deal(hub: Hub, cards: list[str], result: bool) -> None:
    """Publish a hand with these cards in the order of play, and an alarm that names them."""
    laid = by_slot(cards)
    player, banker = ([card for slot, card in laid.items() if slot.startswith(side)] for side in ("player", "banker"))
    hand = {"table": "t", "time": TIME, "unit": "U", "shoe": 3, "coup": 17, "phase": "dealing"}
    hand |= {
        "cards": [{"slot": slot, "card": card} for slot, card in laid.items()],
        "due": "" if result else "player_3",
    }
    points = {"player_points": rules.points(player), "banker_points": rules.points(banker)}
    outcome = {"id": "c", "status": "verified", "winner": "tie", "natural": True, **points}
    put(hub, "t/hand", hand | points | ({"phase": "complete", "result": outcome, "locked": True} if result else {}))
    says = {"shoe_says": f"tie {' '.join(cards)}", "cards_say": " ".join(cards)}
    about = {"id": "a", "unit": "U", "event_no": 1, "table": "t", "shoe": 3, "coup": 17, "time": TIME, "rulebook": ""}
    about |= {"name": "discrepancy", "say": "Compare.", "clause": "", "alarm": "a", "severity": "critical"}
    put(hub, "t/alarms", {"table": "t", "time": TIME, "alarms": [about | says | {"state": "raised"}]})


def by_slot(cards: list[str]) -> dict[str, str]:
    """Return the cards of a coup that is dealt by Tables 1 and 2, by slot."""
    laid = dict(zip(SLOTS[:4], cards, strict=False))
    for card in cards[4:]:
        player, banker = ([one for slot, one in laid.items() if slot.startswith(side)] for side in ("player", "banker"))
        slot = due(player, banker)
        if slot:
            laid[slot] = card
    return laid


def bytes_of(hub: Hub, channel: str, books: frozenset[str] = frozenset()) -> bytes:
    path = f"{channel}/t" if CHANNELS[channel].keyed else channel
    return hub.open(path, "127.0.0.1", "s", AT, Rights(books)).take()


def has(body: bytes, card: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){card}(?![A-Za-z0-9])", body.decode()) is not None


@pytest.mark.parametrize("book", BOOKS)
@settings(max_examples=40, deadline=None)
@given(
    cards=st.lists(st.sampled_from(sorted(POINTS)), min_size=1, max_size=6, unique=True),
    order=st.lists(st.tuples(st.sampled_from(("player", "banker")), st.integers(1, 3)), max_size=4),
    complete=st.booleans(),
)
def test_no_page_has_what_is_not_turned(
    book: str, cards: list[str], order: list[tuple[str, int]], complete: bool
) -> None:
    hub = hub_with(book)
    laid = by_slot(cards)
    deal(hub, cards, complete and len(laid) >= 4)
    turned = {"player": 0, "banker": 0}
    for side, count in order:
        own = [slot for slot in laid if slot.startswith(side)]
        refused = hub.turn("t", "3/17", side, count)
        assert bool(refused) == (len(laid) < 4 or count > len(own))
        turned[side] = turned[side] if refused else count
    hidden = [card for slot, card in laid.items() if int(slot[-1]) > turned[slot.split("_")[0]]]
    for channel in STAFF:
        body = bytes_of(hub, channel)
        assert [card for card in hidden if has(body, card)] == []
        if hidden:
            assert b'"winner":"tie"' not in body
            assert b'"natural":true' not in body
            assert b"player_3" not in body.replace(b'"slot":"player_3"', b"") or len(laid) < 4
    everything = bytes_of(hub, "pit_table", frozenset((book,)))  # a person who may see it, in this book only
    assert [card for card in laid.values() if not has(everything, card)] == []
    other = frozenset(BOOKS) - {book}
    assert [card for card in hidden if has(bytes_of(hub, "pit_table", other), card)] == []


@pytest.mark.parametrize("book", BOOKS)
def test_a_table_that_deals_face_up_hides_nothing(book: str) -> None:
    hub = hub_with(book, "face_up")
    cards = ["9C", "2H", "KD", "4S"]
    deal(hub, cards, result=True)
    body = bytes_of(hub, "dealer")
    assert [card for card in cards if not has(body, card)] == []
    assert b'"winner":"tie"' in body


def test_a_coup_of_before_stays_turned_only_until_the_next() -> None:
    hub = hub_with(BOOKS[0])
    deal(hub, ["9C", "2H", "KD", "4S"], result=True)
    assert hub.turn("t", "3/17", "player", 2) == ""
    assert hub.turn("t", "3/16", "player", 2) == "Coup 3/16 is not on the table any more."
    assert hub.turn("t", "3/17", "player", 3) == "The Player does not have 3 cards in this coup."
    slots = [{"slot": slot, "card": card} for slot, card in by_slot(["8C", "3H", "QD", "5S"]).items()]
    hand = {"table": "t", "time": TIME, "unit": "U", "shoe": 3, "coup": 18, "phase": "dealing", "cards": slots}
    put(hub, "t/hand", hand)
    assert b"8C" not in bytes_of(hub, "pit_table")


@pytest.mark.parametrize("begun", [False, True])
def test_a_void_coup_stays_hidden_until_the_next_begins_though_a_card_in_excess_lies_there(begun: bool) -> None:
    """New Zealand 12.2(a): the card lies face down, and nobody has turned a hand of the coup before it."""
    hub, cards = hub_with("nz-baccarat"), ["8D", "AH", "2D", "AC", "TH", "QC"]
    deal(hub, cards, result=True)
    laid = [{"slot": "player_1", "card": "7S", "notes": ["surplus"]}]
    laid += [{"slot": "banker_1", "card": "4S"}] if begun else []
    hand = {"table": "t", "time": TIME, "unit": "U", "shoe": 3, "coup": 18, "phase": "dealing", "cards": laid}
    put(hub, "t/hand", hand)
    seen = [card for card in cards if has(bytes_of(hub, "pit"), card)]
    assert (seen, has(bytes_of(hub, "pit"), "7S")) == (cards if begun else [], False)


@pytest.mark.parametrize("book", rulebooks.ids())
def test_the_book_names_who_may_see_a_card_before_it_is_turned(book: str) -> None:
    roles = [role.id for role in authority.load(book).role]
    assert [role for role in roles if authority.sees_unturned(book, role)] == ["surveillance"]
    assert authority.load(book).unturned.clause


@pytest.mark.parametrize("initial", [False, True], ids=["own PIN", "an administrator's PIN"])
def test_who_has_an_administrators_pin_sees_and_turns_no_card_before_it_is_changed(initial: bool) -> None:
    """The administrator knows that PIN: what is done with it may not be that person's act."""
    book = BOOKS[0]
    hub = hub_with(book)
    deal(hub, ["8C", "3H", "QD", "5S"], result=False)
    watcher = Person("wu", "W. Wu", {book: "surveillance"}, initial=initial)
    assert sees_unturned(Outcome(Answer(True, ""), person=watcher)) == (frozenset() if initial else {book})
    dealer_of = Person("dan", "D. Dan", {book: "dealer"}, initial=initial)
    bridge = Bridge(DefaultSelector())
    said = TurningRoute(hub, Accounts(bridge))._turned(TurnedBody("t", "3/17", "player", 2), dealer_of)
    bridge.close()
    assert (said.ok, "changes it before the first act" in said.say) == (not initial, initial)
    assert (b"8C" in bytes_of(hub, "pit_table")) is not initial


def test_an_offer_waits_for_the_hand_that_is_turned() -> None:
    laid = [{"slot": slot, "card": card} for slot, card in by_slot(["3S", "2H", "4S", "3H"]).items()]  # 7 and 5
    hand = {"table": "t", "time": TIME, "shoe": 3, "coup": 17, "phase": "dealing", "due": "player_3", "cards": laid}

    def offered(dealing: str = "face_down", **turned: int) -> list[str]:
        hub = hub_with("nz-baccarat", dealing)
        put(hub, "t/hand", hand)
        for side, count in turned.items():
            assert hub.turn("t", "3/17", side, count) == ""
        page = dealer.view(hub.site.as_seen(frozenset(), "t"), "t", AT)
        return [one.wager for one in page.offers]

    assert offered() == []
    assert offered(player=2) == ["insurance1_player"]  # 11H.3(b)
    assert offered(player=2, banker=2) == ["insurance2_player"]  # 11H.3(d)
    assert offered(banker=2) == []
    assert offered("face_up") == ["insurance2_player"]  # all four are exposed as they come
