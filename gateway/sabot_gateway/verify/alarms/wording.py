"""Words: what the shoe itself tells, as the words of an alarm; each ends with the next step."""

from collections.abc import Callable
from typing import Any

from sabot_protocol import irregularities
from sabot_protocol.fields import NO_CARD

from sabot_gateway.shoe.parse import UNREADABLE, Event
from sabot_gateway.verify import moves
from sabot_gateway.verify.alarms import catalogue

Words = dict[str, str]


def irregularity(rulebook_id: str, event: Event, *, stands: bool) -> Words:
    """The shoe's code beside the book's, with its clause and the next step; `stands` where no coup can be void."""
    data = event.data
    facts = {fact: data["facts"][fact] for fact in irregularities.CASES[data["case"]]}
    advice = irregularities.advise_at_table(rulebook_id, data["case"], facts, stands=stands)
    return {"say": advice.say, "shoe_says": data["code"], "cards_say": advice.code, "clause": advice.clause}


def _reject(event: Event) -> tuple[str, Words]:
    data = event.data
    words = [data["reason"].replace("_", " "), catalogue.which_columns(data["doubtful"])]
    if data["speed_mm_s"]:
        words.append(f"{data['speed_mm_s']} mm/s")
    return "reject", {"say": catalogue.REJECTS[data["reason"]], "shoe_says": ", ".join(filter(None, words))}


def _fault(event: Event) -> tuple[str, Words]:
    fault = event.data["fault"]
    return f"fault_{fault}", {"say": catalogue.FAULTS[fault], "shoe_says": fault.replace("_", " ")}


def _handed_over(event: Event) -> tuple[str, Words]:
    data = event.data
    cards = " ".join(card for card in data["cards"].values() if card != NO_CARD)
    if not data["import"]:
        return moves.LEFT, {"say": _left(data), "shoe_says": cards}
    say = f"Coup {data['coup_no']} has come from another shoe and goes on here. Compare its cards with the table's."
    return "coup_came", {"say": say, "shoe_says": cards}


def _left(data: dict[str, Any]) -> str:
    """What is to be done with a coup that left, here or at another gateway, which knows nothing of it."""
    place = f"--kind {data['kind']} --decks {data['decks']} --cards-out {data['cards_out']}"
    return (
        f"Coup {data['coup_no']} moves to another shoe with all cards: it is not void, and its wagers stand. Put the "
        "cards into that shoe, open it, and import the coup there; nothing is burnt again: "
        f"{moves.import_command(data['coup_no'], moves.on_table(data['cards']))}; at another gateway with {place} "
        f"--coups-left {data['coups_left']}. Until then this stands; if the coup does not go on at this "
        "gateway, acknowledge it."
    )


def _damaged(event: Event) -> tuple[str, Words]:
    say = "A record of the shoe's log is damaged: what it said is lost. Check this coup and have the shoe inspected."
    return "log_damaged", {"say": say, "shoe_says": f"event {event.event_no} cannot be read"}


def _unreadable(event: Event) -> tuple[str, Words]:
    say = (
        f"Event {event.event_no} of shoe {event.unit} cannot be read: {event.data['why']}. It is in the ledger as it "
        "came, and the log goes on behind it. Check the coups around it, and have the shoe inspected."
    )
    return "unreadable_event", {"say": say, "shoe_says": f"event {event.event_no}: {event.raw.hex()}"}


TOLD: dict[str, Callable[[Event], tuple[str, Words]]] = {
    "reject": _reject,
    "fault": _fault,
    "handed_over": _handed_over,
    "damaged": _damaged,
    UNREADABLE: _unreadable,
}


def weak_sensor(data: dict[str, Any]) -> Words:
    """Of a sensor that reads with little margin; nothing of one that is well."""
    if data["reads"] < catalogue.LEAST_READS or data["margin_mean_pct"] >= catalogue.LEAST_MARGIN_PCT:
        return {}
    return {
        "say": f"The {catalogue.SENSORS[data['sensor']]} reads with little margin. Clean it before the next shoe.",
        "shoe_says": f"margin {data['margin_mean_pct']} % in the mean of {data['reads']} cards",
    }
