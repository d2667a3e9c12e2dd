"""A gaming day in Sydney by hand, 17 November 2026: 19:00 UTC of the 16th to 19:00 UTC of the 17th."""

from typing import Any

import msgspec
from jackpot_parameters import crown
from report_scene import Scene, at
from sabot_floor.jackpots.batch import WIN, Batch, log_name
from sabot_floor.jackpots.engine.entries import Adjusted, Opened, Withdrawn
from sabot_floor.store import Decide, Decision, Entry, Head, Store
from sabot_protocol.jackpots.messages import Win, WinMessage, WinState
from sabot_protocol.topics import Step

NO_HAND: dict[str, Any] = {"player": [], "banker": [], "player_points": 0, "banker_points": 0, "winner": None}


def write(store: Store) -> None:
    """Store the whole day."""
    scene = Scene(store)
    _shoe_3(scene)
    _voids(scene)
    _unwagered(scene)
    _shoe_4(scene)
    _alarms(scene)
    _deck_checks(scene)
    _incidents(scene)
    _other_table(scene)
    _increments(scene)
    scene.save()
    _jackpot(store)


def _shoe_3(scene: Scene) -> None:
    """Opened on the gaming day before; coup 40 is of that day, and decided on this one."""
    scene.shoe(at("18:30"), 3, "open")
    scene.card(at("18:31"), 3, 0, "burn", "5H")
    scene.coup("c40", at("18:50"), 3, 40, status="disputed")
    by = {"by": "A. Smith", "clause": "12.13", "unit": "gw-1"}  # the gateway enters decisions
    scene.request(
        "q40", at("19:09"), "decide", "A. Smith", role="casino_supervisor", clause="12.13", args={"coup": "3/40"}
    )
    scene.coup(
        "c40-2", at("19:10"), 3, 40, status="confirmed", corrects="c40", decided=at("19:10"), attempt="q40", **by
    )
    scene.coup("c41", at("19:05"), 3, 41, player_pair=True, natural=True)
    scene.confirmed("f41", at("19:05:20"), 3, 41, "c41")
    scene.coup("c42", at("19:12"), 3, 42, status="disputed")
    says = {"shoe_says": "player", "cards_say": "banker", "clause": "12.13", "severity": "critical"}
    scene.alarm("a42", at("19:12:01"), "discrepancy", (3, 42), **says)
    scene.request(
        *("q42", at("19:14:30"), "decide", "A. Smith"),
        role="casino_supervisor",
        act="decide_discrepancy",
        clause="12.13",
        args={"coup": "3/42", "verdict": "confirmed"},
        say="Coup 3/42 is confirmed.",
        answered=at("19:14:31"),
    )
    decided = {"status": "confirmed", "decided": at("19:14:31"), "attempt": "q42", **by}
    scene.coup("c42-2", at("19:14:31"), 3, 42, corrects="c42", **decided)
    scene.confirmed("f42", at("19:14:31"), 3, 42, "c42-2")
    scene.alarm("a42+", at("19:14:31"), "discrepancy", (3, 42), state="cleared", by="A. Smith", **says)


def _voids(scene: Scene) -> None:
    """Coup 43 never had a result; 44 had one, and is voided on the next gaming day."""
    scene.request(
        "q43",
        at("19:19:50"),
        "void",
        "B. Jones",
        clause="12.1.2",
        args={"reason": "supervisor"},
        role="",
        user="bjones",
    )
    hand = {**NO_HAND, "player": ["2S"], "banker": ["KH"]}
    scene.coup(
        "c43",
        at("19:20"),
        3,
        43,
        kind="void",
        by="B. Jones",
        clause="12.1.2",
        decided=at("19:20"),
        attempt="q43",
        **hand,
    )
    scene.alarm("a43", at("19:20"), "coup_void", (3, 43), clause="12.1.2", shoe_says="misdeal", severity="info")
    scene.coup("c44", at("19:30"), 3, 44)
    scene.confirmed("f44", at("19:30:20"), 3, 44, "c44")
    after: dict[str, Any] = {
        "status": "void",
        "winner": None,
        "corrects": "c44",
        "by": "B. Jones",
        "clause": "14.5.2",
        "unit": "gw-1",
    }
    scene.request(
        "q44", at("19:59", 17), "decide", "B. Jones", clause="14.5.2", args={"coup": "3/44", "verdict": "void"}
    )
    scene.coup("c44-2", at("20:00", 17), 3, 44, decided=at("20:00", 17), attempt="q44", **after)
    scene.request(
        "q39", at("19:34"), "decide", "B. Jones", args={"coup": "2/60"}, ok=False, say="2/60 is not disputed."
    )
    scene.request("q49", at("19:35"), "void", "E. Low", role="dealer", ok=False, say="A Dealer may not do this.")


def _unwagered(scene: Scene) -> None:
    """Coup 45 on request, 46 because a rule orders it."""
    scene.request(
        "q45", at("19:39:30"), "no-bet", "C. Lee", role="casino_supervisor", clause="7.4", act="deal_unwagered"
    )
    scene.coup("c45", at("19:40"), 3, 45, kind="no_bet")
    scene.request("q46", at("19:45"), "no-bet", "E. Low", role="dealer", ok=False, say="A Dealer may not do this.")
    scene.coup("c46", at("19:50"), 3, 46, kind="dummy")
    scene.shoe(at("21:00"), 3, "closed")


def _shoe_4(scene: Scene) -> None:
    """A card is keyed in with approval."""
    scene.shoe(at("21:30"), 4, "open")
    key = {"clause": "11.8.12", "asks": "D. Deal", "args": {"card": "9C", "flags": {}}}
    scene.request("q51", at("21:39:50"), "key-card", "A. Smith", role="casino_supervisor", **key)
    scene.card(at("21:39:52"), 4, 1, "banker_2", "9C", "keyed")
    scene.card(at("21:39:53"), 4, 1, "banker_1", "KH", "exposed")  # the coup has it
    scene.card(at("21:31"), 4, 0, "burn", "2D")
    scene.coup("c51", at("21:40"), 4, 1)
    scene.shoe(at("23:00"), 4, "closed")


def _alarms(scene: Scene) -> None:
    """Three of one name: acknowledged after 30 s, cleared by the shoe after 10 s, open."""
    scene.alarm("r1", at("20:00"), "reject")
    scene.alarm("r1+", at("20:00:30"), "reject", state="acknowledged", by="A. Smith")
    scene.alarm("r1++", at("20:02"), "reject", state="cleared", by="the shoe: card")
    scene.alarm("r2", at("20:10"), "reject")
    scene.alarm("r2+", at("20:10:10"), "reject", state="cleared", by="the shoe: card")
    scene.alarm("r3", at("20:20"), "reject")
    scene.alarm("w1", at("20:30"), "wrong_area", (3, 46), clause="12.1", say="Cards were placed in the wrong area.")
    scene.alarm("g1", at("20:40"), "gateway_error", unit="gw-1")  # of the gateway itself
    scene.alarm("old", at("18:59:59"), "reject")
    scene.alarm("next", at("19:00", 17), "reject")


def _deck_checks(scene: Scene) -> None:
    """One finds a difference, one is complete, one is refused, one has no end."""
    on, off = {"args": {"on": 1}, "role": "casino_supervisor"}, {"args": {"on": 0}, "role": "casino_supervisor"}
    scene.request("k1", at("23:10"), "deck-check", "C. Lee", **on)
    scene.alarm("d1", at("23:39:59"), "decks_differ", (4, 0), clause="12.11", say="One card differs.")
    scene.request("k2", at("23:40"), "deck-check", "C. Lee", **off)
    scene.request("k3", at("23:50"), "deck-check", "C. Lee", **on | {"args": {"on": 1, "decks": 1}})
    scene.request("k4", at("00:10", 17), "deck-check", "C. Lee", say="The decks are complete.", **off)
    scene.request("k5", at("00:20", 17), "deck-check", "E. Low", ok=False, say="A shoe is open.", **on)
    scene.request("k6", at("00:30", 17), "deck-check", "C. Lee", **on)


def _incidents(scene: Scene) -> None:
    """One settled late, one open from the day before, one over before the day began, two case files of payments."""
    void = Step(
        name="void", say="Void the coup.", act="void_foreign_card", clause="12.11", done=at("20:31"), by="B. Jones"
    )
    to_inspector = Step(
        name="notify_inspector",
        say="Notify the Inspector.",
        clause="12.11.4",
        to=["inspector"],
        due="daily",
        until=at("21:00"),
    )
    scene.incident("i1", at("20:30"), "foreign_card", void, to_inspector, alarm="w1", coup=(3, 46))
    done = msgspec.structs.replace(
        to_inspector, done=at("21:05"), by="C. Lee", by_role="casino_supervisor", note="phone"
    )
    scene.incident(
        "i1", at("21:05"), "foreign_card", void, done, alarm="w1", coup=(3, 46), opened=at("20:30"), unit="gw-1"
    )
    choose = Step(name="choose", say="Decide how the coup ends.", clause="14.12")
    monthly = Step(name="report_inspector", say="Report it.", clause="14.12.7", to=["inspector"], due="month_end")
    scene.incident("i0", at("10:00"), "misdelivery", choose, monthly, coup=(2, 7), clause="14.12.1")
    over = msgspec.structs.replace(void, done=at("11:00"))
    scene.incident("i-", at("10:30"), "discrepancy", over)
    enquire = Step(name="enquire", say="Enquire.", clause="12.18-12.20", to=["case_file"], due="reasonable_time")
    nicc = Step(name="notify_nicc", say="Report it to the NICC.", clause="12.20.2", to=["nicc"], due="month_end")
    large = {
        "amount_cents": 100_001,
        "direction": "over",
        "date": "2026-11-17",
        "patron": "P. Patron",
        "intentional": False,
    }
    asked = msgspec.structs.replace(enquire, done=at("22:10"), by="A. Smith", note="camera 4")
    scene.incident(
        "p1", at("22:00"), "wrong_payment", asked, nicc, facts=large, by="A. Smith", clause="12.18", unit="gw-1"
    )
    notified = msgspec.structs.replace(nicc, done=at("09:00", 3), by="A. Smith")
    early = {"amount_cents": 250_000, "direction": "over", "date": "2026-10-05", "patron": "Q.", "intentional": True}
    who = Step(
        name="identify_patron", say="Identify the patron.", clause="12.18-12.20", done=at("08:00", 2), by="A. Smith"
    )
    scene.incident("p0", at("09:00", 3), "wrong_payment", who, notified, facts=early, opened="2026-10-05T22:00:00.000Z")
    small = {"amount_cents": 100_000, "direction": "under", "intentional": True}
    scene.incident("p2", at("22:30"), "wrong_payment", enquire, facts=small, by="A. Smith", clause="12.19")


def _other_table(scene: Scene) -> None:
    """Entries 2 and 3 of this gateway are missing."""
    scene.coup("o1", at("22:00"), 1, 1, "bac-02")
    scene.add("jackpot/lucky-tie/recorded", {}, "gw-2")
    scene.add("jackpot/lucky-tie/recorded", {}, "gw-2")
    scene.coup("o2", at("22:30"), 1, 2, "bac-02")
    scene.covered("gw-1", 0, 500)
    scene.covered("gw-2", 0, 1)
    scene.covered("gw-2", 3, 4)


def _increments(scene: Scene) -> None:
    """Ten until the day begins, four in it, one after it."""
    for time, count, total in (
        (at("18:20"), 9, 225),
        (at("18:50"), 10, 250),
        (at("19:00"), 11, 275),
        (at("19:20"), 12, 290),  # a smaller one
        (at("18:50", 17), 14, 340),
        (at("19:05", 17), 15, 365),
    ):
        scene.increment(time, count, total)


def _jackpot(store: Store) -> None:
    """Opened the day before; in the day adjusted, withdrawn from a table, won and paid."""
    log = log_name("lucky-tie")
    store.append(log, _batch(at("12:00"), Opened(time=at("12:00"), parameters=crown(in_force="2026-01-01"))))
    adjusted = Adjusted(
        time=at("19:00"), id="j1", amount=500, by=("A. Smith", "M. Manager"), role="area_manager", reason="missed coups"
    )
    store.append(log, _batch(at("19:00"), adjusted))  # the first moment of the day
    withdrawn = Withdrawn(time=at("20:30"), table="bac-02", reason="lamp", by="A. Smith", role="area_manager")
    store.append(log, _batch(at("20:30"), withdrawn))
    store.append(log, _win(at("20:41"), "pending"))
    store.append(log, _win(at("20:42"), "paid"))


def _batch(time: str, *entries: Opened | Adjusted | Withdrawn) -> Decide:
    return Batch("lucky-tie", time, list(entries)).decide


def _win(time: str, state: WinState) -> Decide:
    win = Win(
        win="f41", table="bac-01", shoe=3, coup=41, outcome="suited", percent=100, state=state,
        prize=2500 if state == "paid" else 0, by="M. Manager" if state == "paid" else "", role="area_manager",
    )  # fmt: skip
    message = WinMessage(
        id=f"w-{state}", jackpot="lucky-tie", title="Lucky Tie", time=time, currency="AUD", win=win, display=0
    )
    entry = Entry(message.id, WIN, msgspec.json.encode(message), time)

    def decide(head: Head) -> Decision:
        return Decision([entry], head.state)

    return decide
