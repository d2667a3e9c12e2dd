"""Every step of every case of every book, from the printed rules: who may do it, what comes first, what closes it."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from floor_commands_bench import NOW_S, CommandBench, signed
from incident_log import SMITH, UNIT, IncidentLog
from msgspec.structs import replace
from sabot_gateway.incidents.book import IncidentBook
from sabot_gateway.incidents.openings import Opening
from sabot_gateway.verify import Source, Verifier
from sabot_protocol import incidents, rulebooks
from sabot_protocol.incidents import Done, Opener
from sabot_protocol.topics import IncidentMessage
from sabot_service.moment import utc

STAR, PREMIUM, NZ, CROWN, RAPID = "star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid"
OTHER = "5ab0000000000002"
D, CS, AGM, GM, OP = "dealer", "casino_supervisor", "assistant_gaming_manager", "gaming_manager", "operator"
GS, HDD, AM = "gaming_supervisor", "higher_duties_dealer", "area_manager"
ANY = {STAR: CS, PREMIUM: CS, NZ: CS, CROWN: HDD, RAPID: CS}  # the book names no role: people.md, A-80
BY = "right hand"  # of the event: a person of the step's role
PAYMENT: dict[str, Any] = {"amount_cents": 100_001, "intentional": True}


class Row(NamedTuple):
    """One step: the lowest role and one below it that is refused, the steps before it, and the events that end it."""

    step: str
    role: str = ""  # empty: no role is named
    below: str = D  # empty: nobody is
    after: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()


def decided(role: str, *ends: str) -> Row:
    """P-43: 12.13, 14.13, 11.8.11."""
    return Row("decide", role, ends=("decided", f"confirmed {BY}", f"void {BY}", *ends))


def foreign(*notified: str) -> list[Row]:
    """12.11.2 to 12.11.4, 14.11, 11.8.10: void, take out, check; the rule voids the coup, no role does."""
    return [
        Row("void", CS, ends=("void by the shoe", "void lower hand", f"void {BY}")),
        Row("close_shoe", CS, after=("void",), ends=("closed", "new shoe", "checked")),
        Row("check_cards", CS, after=("close_shoe",), ends=("checked",)),
        *(Row(name) for name in notified),
    ]


def dispute(final: str) -> list[Row]:
    """14.14, 14.15; 15.13, 15.14; 12.11, 12.12."""
    return [
        Row("first", GS),
        Row("review", CS, after=("first",)),
        Row("final", final, below=CS, after=("review",)),
        Row("advise_inspector", after=("final",)),
    ]


PAID = [Row("enquire"), Row("rectify", after=("enquire",)), Row("identify_patron"), Row("notify_nicc")]  # 12.18-12.20
VOIDS = ("void by the shoe", "void lower hand", f"void {BY}")
ANNOUNCE = Row("announce", D, "", ends=("dummy dealt", "new shoe"))
RESHUFFLE = ("new shoe",)
READ = ("card read", f"authorised {BY}", "authorised lower hand", "another coup authorised")  # with a card of the next
CONFIRMED = (
    "confirmed by the dealer",
    "confirmed lower hand",
    f"confirmed {BY}",
    "decided",
    "the supervisor's key",
    "dummy dealt",
)  # in the last two the dealer confirms coup 1 first
RECONSTRUCT = (*CONFIRMED, *VOIDS)  # no role is named: the coup that is confirmed or void is proof
CHOOSE = Row("choose", ends=(f"no bet {BY}", *VOIDS))  # of a void coup there is nothing to choose
MADE_GOOD = {CROWN: AM, NZ: "game_supervisor"}
PROMOTION = {
    "promotion_terms": "submit_terms", "promotion_amended": "submit_amendment", "promotion_compromised":
    "report_compromise", "large_draw": "call_scrutineer", "draw_winner": "notify_winner",
    "refused_claims": "keep_claims",
}  # fmt: skip


def alarm(name: str) -> Opener:
    return Opener(alarm=name)


def act_of(name: str) -> Opener:
    return Opener(act=name)


Case = tuple[str, str, Opener, dict[str, Any], list[Row]]
CAN, CANNOT = {"reconstructible": True, "notified_before_next": True}, {"reconstructible": False}


def promotions(book: str) -> Iterator[Case]:
    for report, step in PROMOTION.items():
        name = "get_approval" if (book, report) == (RAPID, "promotion_amended") else step
        yield book, "promotion", Opener(report=report), {}, [Row(name)]


def notices(book: str, *found: tuple[str, str, str, str]) -> Iterator[Case]:
    """The act after its notice: 6.7, 14.9, 14.10; 6.6, 15.8, 15.9; Crown 6.7, 15.8; Rapid 12.8."""
    for act, sign, role, below in found:
        yield book, "notice", act_of(act), {}, [Row(sign), Row(act, role, below, (sign,))]


STARS = [("raise_minimum", "sign_raised_minimum", CS, D), ("change_game", "sign_change_of_game", CS, D)]
CLOSURE = ("close_table", "sign_closure", CS, D)
SURVEILLANCE = "notify_surveillance"

CASES: list[Case] = [
    *((book, "discrepancy", alarm("discrepancy"), {}, [decided(CS)]) for book in (STAR, PREMIUM, RAPID)),
    *((book, "misdeal", alarm("bad_order"), CANNOT, [Row("void", CS, ends=(f"void {BY}",))])
      for book in (STAR, PREMIUM, NZ)),
    (CROWN, "misdeal", alarm("bad_order"), CANNOT, [Row("void", HDD, ends=VOIDS)]),  # 10.11 names no role
    (RAPID, "misdeal", alarm("bad_order"), {}, [Row("void", AGM, CS, ends=(f"void {BY}",))]),
    *((book, "misdeal", alarm("bad_order"), CAN, [Row("reconstruct", CS, ends=RECONSTRUCT)])
      for book in (STAR, PREMIUM, NZ)),
    (CROWN, "misdeal", alarm("bad_order"), CAN, [Row("reconstruct", "", "", ends=RECONSTRUCT)]),
    (STAR, "misdelivery", alarm("wrong_area"), {}, [CHOOSE._replace(role=CS)]),
    (PREMIUM, "misdelivery", alarm("wrong_recipient"), {}, [CHOOSE._replace(role=CS), Row("report_inspector")]),
    (CROWN, "misdelivery", alarm("wrong_area"), {}, [CHOOSE._replace(role=HDD)]),
    (NZ, "misdelivery", alarm("wrong_area"), {"international": True}, [CHOOSE._replace(role=CS)]),
    (NZ, "misdelivery", alarm("wrong_area"), {"international": False}, [Row("reconstruct", CS, ends=RECONSTRUCT)]),
    (RAPID, "misdelivery", alarm("wrong_area"), {}, [Row("void", AGM, CS, ends=(f"void {BY}",))]),
    (STAR, "foreign_card", alarm("missing_or_foreign_card"), {}, foreign(SURVEILLANCE, "notify_inspector")),
    (PREMIUM, "foreign_card", act_of("void_foreign_card"), {}, foreign(SURVEILLANCE, "notify_inspector")),
    (RAPID, "foreign_card", alarm("missing_or_foreign_card"), {}, foreign()),
    (RAPID, "keyed_card", alarm("misread_card"), {}, [Row("key_card", CS, ends=(
        f"keyed {BY}", *CONFIRMED, *VOIDS, "closed", "new shoe", "checked", *READ))]),
    (CROWN, "unwagered", alarm("player_overdraw"), {"unwagered_coup": 2}, [ANNOUNCE]),
    (NZ, "unwagered", alarm("banker_overdraw"), {"unwagered_coup": 2}, [ANNOUNCE]),
    (RAPID, "unwagered", alarm("excess_card"), {"unwagered_coup": 2}, [
        Row("authorise", CS, ends=(f"authorised {BY}", "the supervisor's key", "new shoe"))]),
    (STAR, "no_bet", act_of("deal_unwagered"), {}, [Row(SURVEILLANCE)]),
    (STAR, "shoe_void", act_of("void_shoe"), {}, [
        Row("close_shoe", CS, ends=("closed", "new shoe", "checked")), Row("notify_inspector")]),
    (PREMIUM, "shoe_void", act_of("void_shoe"), {}, [
        Row("close_shoe", GM, CS, ends=("closed", "new shoe", "checked")), Row("notify_inspector")]),
    (NZ, "shoe_void", act_of("void_shoe"), {}, [Row("reshuffle", "", "", ends=RESHUFFLE)]),
    (CROWN, "shoe_void", act_of("void_shoe"), {}, [Row("reshuffle", HDD, ends=RESHUFFLE)]),
    (RAPID, "wrong_shoe", alarm("wrong_shoe"), {}, [Row("void", AGM, CS, ends=(f"void {BY}",))]),
    (STAR, "moved_cards", act_of("move_cards"), {}, [Row("move_cards", CS, ends=VOIDS)]),
    (RAPID, "moved_cards", alarm("shoe_not_reading"), {"disadvantage": False}, [Row("move_cards", CS, ends=VOIDS)]),
    *((book, "reshuffle", alarm("cut_missed"), {}, [Row("reshuffle", ends=RESHUFFLE)])
      for book in (STAR, PREMIUM, RAPID)),
    (NZ, "reshuffle", alarm("insufficient_cards"), {}, [Row("reshuffle", "", "", ends=RESHUFFLE)]),
    *((book, "player_dispute", Opener(verb="dispute"), {}, dispute(OP)) for book in (STAR, PREMIUM, RAPID)),
    (CROWN, "player_dispute", Opener(verb="dispute"), {}, [
        Row("final", AM, HDD), Row("advise_inspector", after=("final",)), Row("advise_vgccc", after=("final",))]),
    *((book, "wrong_payment", Opener(verb="payment"), PAYMENT, PAID) for book in (STAR, PREMIUM)),
    (STAR, "invalid_wager", act_of("return_wager"), {}, [Row("return_wager")]),
    *notices(STAR, *STARS, CLOSURE), *notices(PREMIUM, *STARS, CLOSURE), *notices(RAPID, CLOSURE),
    *notices(CROWN, ("raise_minimum", "sign_raised_minimum", AM, HDD), ("close_table", "give_notice", HDD, D)),
    (CROWN, "deferred_commission", act_of("defer_commission"), {}, [Row("settle_commission")]),
    *((book, "jackpot_round", alarm("jackpot_not_incremented"), {}, [
        Row("notify_supervisor", D, ""), Row("make_good", role, D, ("notify_supervisor",))])
      for book, role in MADE_GOOD.items()),
    (CROWN, "jackpot_report", act_of("jackpot_parameters"), {}, [Row("notify_vgccc")]),
    (CROWN, "jackpot_report", act_of("jackpot_confirm"), {}, [Row("notify_casino_manager")]),
    (CROWN, "tournament", Opener(report="tournament_intention"), {}, [Row("advise_inspectorate")]),
    (CROWN, "tournament", Opener(report="tournament_change"), {}, [Row("notify_change")]),
    (RAPID, "withheld_payment", act_of("withhold_winnings"), {}, [
        Row("notify_inspector"), Row("inspector_review", after=("notify_inspector",))]),  # 9.2
    *promotions(STAR), *promotions(PREMIUM), *promotions(RAPID),
    *((book, "side_wagers", act_of("restrict_side_wagers"), {}, [Row(SURVEILLANCE), Row("sign")])
      for book in (STAR, PREMIUM)),
]  # fmt: skip
STEPS = [(*case[:4], row) for case in CASES for row in case[4]]
IDS = [f"{book}-{kind}-{row.step}-{number}" for number, (book, kind, *_, row) in enumerate(STEPS)]
steps = pytest.mark.parametrize(("book", "kind", "opener", "facts", "row"), STEPS, ids=IDS)


def opening(kind: str, opener: Opener, facts: dict[str, Any]) -> Opening:
    return Opening(kind, opener, UNIT, 1, 1, "", facts)


def test_every_step_of_every_book_is_in_the_table() -> None:
    there = {
        (book, kind, step.name)
        for book in rulebooks.ids()
        for kind, incident in rulebooks.load(book).incident.items()
        for step in incident.step
        if "opening" not in incidents.proofs(step.name)
    }
    assert {(book, kind, row.step) for book, kind, _, _, row in STEPS} == there


# Who, and in what order


def with_done(incident: IncidentMessage, *names: str) -> IncidentMessage:
    """Return the incident with these steps done long ago, and every coup of notice dealt."""
    long_ago = Done(utc(NOW_S - 86_400), "N. Long", CS)
    for name in names:
        incident = incidents.complete(incident, name, long_ago)
    return replace(incident, facts={**incident.facts, "coups_of_notice": 3})


def before(case_rows: list[Row], row: Row) -> list[str]:
    """Return every step that comes before, also through others."""
    found = [one for one in case_rows if one.step in row.after]
    return [*(name for one in found for name in before(case_rows, one)), *row.after]


def bench(book: str, kind: str, opener: Opener, facts: dict[str, Any]) -> tuple[CommandBench, IncidentMessage]:
    made, rules = CommandBench(), rulebooks.load(book)
    made.table.verifier = Verifier("bac-01", rules, rules.profile(8, 1), made.desk.attempts.decider_of)
    made.table.incidents = IncidentBook("bac-01", rules, made.desk.attempts.decider_of)
    source = Source("6a7e000000000001", 900, utc(NOW_S - 3600))
    _, incident = made.table.incidents.open_by(opening(kind, opener, facts), SMITH, source)
    return made, incident


def record(made: CommandBench, incident: IncidentMessage, step: str, role: str) -> tuple[bool, str]:
    asks: dict[str, Any] = {"asks": "B. Dealer", "asks_role": D} if step == "key_card" else {}  # 11.8.12: two people
    reply = made.give(signed("step", role=role, **asks, args={"incident": incident.incident, "step": step}))
    assert reply is not None
    return reply.ok, reply.say


@steps
def test_who_may_record_it(book: str, kind: str, opener: Opener, facts: dict[str, Any], row: Row) -> None:
    made, incident = bench(book, kind, opener, facts)
    rows = next(case[4] for case in CASES if case[:4] == (book, kind, opener, facts))
    made.table.incidents.restore([with_done(incident, *before(rows, row))])
    if row.below:
        ok, say = record(made, incident, row.step, row.below)
        assert not ok, say
        assert "lowest role that may is" in say or "may not" in say
    ok, say = record(made, incident, row.step, row.role or ANY[book])
    assert ok, say


@steps
def test_what_comes_before_it(book: str, kind: str, opener: Opener, facts: dict[str, Any], row: Row) -> None:
    made, incident = bench(book, kind, opener, facts)
    ok, say = record(made, incident, row.step, row.role or ANY[book])
    assert ok is (not row.after), say
    if row.after:
        assert f"step {row.step} comes after step " in say


# What closes it


def person(log: IncidentLog, role: str) -> None:
    log.person = SMITH._replace(role=role)


def confirmed_at_the_shoe(log: IncidentLog, _: str) -> None:
    log.result()
    log.confirm()


def keyed(log: IncidentLog, role: str) -> None:
    person(log, role)
    log.command("key_card", card="TD", flags={})


def made_no_bet(log: IncidentLog, role: str) -> None:
    person(log, role)
    log.command("this_no_bet")


def confirmed_by(log: IncidentLog, role: str) -> None:
    log.result()
    person(log, role)
    log.command("confirm")


def authorised(log: IncidentLog, role: str, coup: int = 2) -> None:
    log.coup_no = coup
    kind = log.book.shoe.unwagered.kind
    log("coup_kind", shoe_no=1, coup_no=coup, kind=kind)
    log.card("9S", "player_1")  # of the coup that is authorised
    person(log, role)
    log.command("authorise", times=1)


def key(log: IncidentLog, _: str) -> None:
    log.result()
    log.confirm()
    log("coup_kind", shoe_no=1, coup_no=2, kind=log.book.shoe.unwagered.kind)
    log.coup_no = 2
    log("key", on=True)


def dealt(log: IncidentLog, coup: int) -> None:
    kind = log.book.shoe.unwagered.kind
    if coup == 2:
        log.result()
        log.confirm()
        log.deal()
    log.result(kind=kind)
    log.confirm()


def decide(log: IncidentLog, _: str) -> None:
    log.result("banker")
    log.decide("1/1", "confirmed")


def checked(log: IncidentLog, _: str) -> None:
    log("shoe_closed", shoe_no=1, coups=0, reason="command")
    log.command("deck_check", on=1, decks=8)
    log.verifier.state.whole = False
    log("checked", shoe_no=1, cards=416, differences=0)


def other_unit(log: IncidentLog, _: str) -> None:
    log("shoe_opened", shoe_no=7, card_set=1, decks=8, burn="none", unit=OTHER)
    log("shoe_closed", shoe_no=7, coups=0, reason="command", unit=OTHER)


def short_shoe(log: IncidentLog, _: str) -> None:
    log("coup_void", shoe_no=1, coup_no=1, reason="short_shoe", then="new_cards", cards=4)


EVENTS: dict[str, tuple[str, Callable[[IncidentLog, str], object]]] = {  # whose hand, and what happens
    "confirmed by the dealer": ("", confirmed_at_the_shoe),
    "confirmed lower hand": ("below", confirmed_by),
    f"confirmed {BY}": ("role", confirmed_by),
    "decided": ("", decide),
    "void by the shoe": ("", short_shoe),
    "void lower hand": ("below", lambda log, role: log.voided(role=role)),
    f"void {BY}": ("role", lambda log, role: log.voided(role=role)),
    "closed": ("", lambda log, _: log("shoe_closed", shoe_no=1, coups=0, reason="command")),
    "new shoe": ("", lambda log, _: log("shoe_opened", shoe_no=2, card_set=1, decks=8, burn="none")),
    "another unit's shoe": ("", other_unit),
    "checked": ("", checked),
    "authorised lower hand": ("below", authorised),
    f"authorised {BY}": ("role", authorised),
    "another coup authorised": ("role", lambda log, role: authorised(log, role, 3)),
    "the supervisor's key": ("", key),
    "dummy dealt": ("", lambda log, _: dealt(log, 2)),
    "dummy before": ("", lambda log, _: dealt(log, 1)),
    "card read": ("", lambda log, _: log.card("5S", "player_3")),
    "card too many": ("", lambda log, _: log.card("5S", "player_1", coup_no=2, flags={"surplus": True})),
    "keyed lower hand": ("below", keyed),
    f"keyed {BY}": ("role", keyed),
    "no bet lower hand": ("below", made_no_bet),
    f"no bet {BY}": ("role", made_no_bet),
}  # fmt: skip


def left_open(book: str, kind: str, opener: Opener, facts: dict[str, Any], row: Row, event: str) -> bool:
    """Return True if the step is open after the event."""
    log = IncidentLog(book)
    dealing = event.startswith(("no bet", "keyed", "card read"))
    log.deal("9S 2H" if dealing else "9S 2H TD 3C")
    _, opened = log.open_book.open_by(opening(kind, opener, facts), SMITH, Source("6a7e000000000001", 30, log.time(30)))
    hand, play = EVENTS[event]
    play(log, {"role": row.role or ANY[book], "below": row.below or D}.get(hand, ""))
    now = [one for one in log.open_book.open() if one.incident == opened.incident]
    return bool(now) and any(step.name == row.step and not step.done for step in now[0].steps)


@steps
def test_what_closes_it_and_what_does_not(
    book: str, kind: str, opener: Opener, facts: dict[str, Any], row: Row
) -> None:
    ended = {event for event in EVENTS if not left_open(book, kind, opener, facts, row, event)}
    assert ended == set(row.ends)
