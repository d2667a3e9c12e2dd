"""Wording: the texts of alarms: what happened, what to do now, what the shoe and the cards say.

`say` names no card, no points and no winner: cards may lie face down. `shoe_says` and `cards_say` have them.
"""

from collections.abc import Sequence
from typing import Any, Final

from sabot_protocol import irregularities, rulebooks
from sabot_protocol.fields import NO_CARD
from sabot_protocol.inputs.plain_text import counted
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.sensors import needs_cleaning
from sabot_protocol.topics import CoupMessage

from sabot_gateway.forecast.wear import Outlook
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify import moves
from sabot_gateway.verify.alarms.shoe_texts import CASES, FAULTS, REJECTS, SENSORS
from sabot_gateway.verify.confirmations import confirm_first
from sabot_gateway.verify.deciders import Decider
from sabot_gateway.verify.disputes import decide_command

Text = dict[str, str]  # fields of an alarm: say, shoe_says, cards_say, clause
CARDS_IN_DOUBT: Final = "the cards are in doubt"  # of the lock that lasts until they are checked or replaced


def irregularity(rulebook_id: str, data: dict[str, Any], *, none_to_void: bool, unwagered: bool = False) -> Text:
    """What happened and the book's next step, with its clause; the shoe's code beside the book's."""
    facts = {fact: data["facts"][fact] for fact in irregularities.CASES[data["case"]]}
    advice = irregularities.advise_at_table(rulebook_id, data["case"], facts, stands=none_to_void, unwagered=unwagered)
    say = f"{CASES[data['case']]} {advice.say}"
    return {"say": say, "shoe_says": data["code"], "cards_say": advice.code, "clause": advice.clause}


def reject(data: dict[str, Any]) -> Text:
    """Why a card was rejected."""
    words = [data["reason"].replace("_", " "), doubtful_columns(data["doubtful"])]
    if data["speed_mm_s"]:
        words.append(f"{data['speed_mm_s']} mm/s")
    return {"say": REJECTS[data["reason"]], "shoe_says": ", ".join(filter(None, words))}


def outcome_invalid(decider: Decider, coup: CoupMessage, reason: str) -> Text:
    """What follows from an outcome that a person has invalidated."""
    say = (
        f"{decider.by} has invalidated the outcome of coup {coup.shoe}/{coup.coup}: {reason}. Refund every wager, "
        "and take back what was paid; results, reports and jackpots are corrected."
    )
    return {"say": say, "clause": decider.clause, "shoe_says": coup.winner or ""}


def foreign_card(book: Rulebook, found: str) -> Text:
    """What follows from a foreign card that a person found; `found`: what was done."""
    advice = irregularities.advise(book.id, "missing_or_foreign_card", {})
    say = f"{CASES['missing_or_foreign_card']} {advice.say}"
    return {"say": say, "clause": advice.clause, "shoe_says": found}


def shoe_void(table: str, decider: Decider) -> Text:
    """What follows from a shoe that is declared void."""
    say = (
        f"{decider.by} declared the shoe void: the sequence of its cards was revealed. Close the shoe, and have the "
        "cards shuffled again or replaced. No coup counts before that is recorded: "
        f"`sabot table {table} record --act order_shuffle --by NAME`, or `replace_unfit_cards`."
    )
    return {"say": say, "clause": decider.clause}


def cards_in_doubt(table: str, clause: str) -> Text:
    """Why a coup does not count: a person must decide it, and settle the cards first."""
    say = (
        "This coup was dealt before its cards were checked or replaced. Stop dealing and do not settle it. Record the "
        f"check or the new cards: `sabot table {table} open` lists what is open; then decide the coup."
    )
    return {"say": say, "clause": clause}


def locked_for_cards(table: str, clause: str) -> Text:
    """Why the exit is locked, and New shoe does nothing, after a foreign or missing card or in a void shoe."""
    say = (
        "The exit is locked, and the button New shoe does nothing, until the cards are checked or replaced. Close the "
        f"shoe and record that: `sabot table {table} open` lists what is open. The gateway then releases the exit."
    )
    return {"say": say, "clause": clause, "cards_say": CARDS_IN_DOUBT}


def unwagered_by_order(decider: Decider, out: Sequence[str], coup_no: int) -> Text:
    """Who took the wagers of a coup away that nothing in the log takes away, and which cards were out."""
    say = (
        f"Coup {coup_no} goes on without wagers by order of {decider.by}, and nothing in its log leads to that. "
        "Another supervisor must look into it: who had wagered, and who asked for it."
    )
    return {"say": say, "clause": decider.clause, "cards_say": ", ".join(out) or "no card was out", "by": decider.by}


def decided_by_word(decider: Decider, coup: CoupMessage, by_cards: str, reason: str) -> Text:
    """Who decided a winner that the cards do not give, and why."""
    say = (
        f"{decider.by} decided that coup {coup.shoe}/{coup.coup} is won by {coup.winner}, against its cards: {reason}. "
        "Another supervisor must look into it before the coup counts as settled."
    )
    return {
        "say": say,
        "clause": decider.clause,
        "shoe_says": str(coup.winner),
        "cards_say": by_cards,
        "by": decider.by,
    }


def doubtful_columns(bits: int) -> str:
    """Return the doubtful columns, counted from one: `columns 3 and 7`."""
    numbers = [str(column + 1) for column in range(16) if bits >> column & 1]
    if not numbers:
        return ""
    return f"column {numbers[0]}" if len(numbers) == 1 else f"columns {', '.join(numbers[:-1])} and {numbers[-1]}"


def fault(name: str) -> Text:
    """The fault for which the shoe locks its exit."""
    return {"say": FAULTS[name], "shoe_says": name.replace("_", " ")}


def exit_lock(name: str, table: str, book: Rulebook) -> Text:
    """Why the exit is locked though no fault is reported, and how it is released."""
    if name == "exit_locked":
        release = f"`sabot table {table} tell unlock --by NAME`"
        return {"say": f"The exit is locked by command: no card can be drawn. To release it, run {release}."}
    if name == "lid_open":
        return {"say": "A shoe is open, and so is its lid: no card can be drawn. Shut the lid."}
    say = (
        "This coup has no wagers and waits for a supervisor's authorisation: no card can be drawn. To authorise it, "
        f"turn the supervisor's key at the shoe, or run `sabot table {table} authorise --by NAME`."
    )
    return {"say": say, "clause": book.switch["dummy_needs_authorisation"].clause}


def handed_over(data: dict[str, Any]) -> tuple[str, Text]:
    """A coup left this shoe or came to it: the name of the alarm, and its text."""
    cards = " ".join(card for card in data["cards"].values() if card != NO_CARD)
    if not data["import"]:
        return moves.LEFT, {"say": _left(data), "shoe_says": cards}
    say = f"Coup {data['coup_no']} came from another shoe and continues here. Compare the shoe's cards with the table."
    return "coup_came", {"say": say, "shoe_says": cards}


def _left(data: dict[str, Any]) -> str:
    options = f"--kind {data['kind']} --decks {data['decks']} --cards-out {data['cards_out']}"
    return (
        f"Coup {data['coup_no']} moves to another shoe. It is not void, and its wagers stand. Put all cards into the "
        "other shoe. Open that shoe and burn no card. Then import the coup there, at the pit console or by typing "
        f"{moves.import_command(data['coup_no'])}, with each card as it lies; at another gateway add {options} "
        f"--coups-left {data['coups_left']}. If the coup does not continue at this gateway, acknowledge this alarm."
    )


def log_damaged(event: Event) -> Text:
    """A record of the shoe's log fails its check."""
    say = "A record of the shoe's log is damaged and lost. Check this coup by hand. Have the shoe inspected."
    return {"say": say, "shoe_says": f"event {event.event_no} cannot be read"}


def unreadable_event(event: Event) -> Text:
    """An event does not fit the protocol."""
    say = (
        f"Event {event.event_no} of shoe {event.unit} cannot be read: {event.data['why']}. The ledger holds it as it "
        "came. Check the coups around it by hand. Have the shoe inspected."
    )
    return {"say": say, "shoe_says": f"event {event.event_no}: {event.raw.hex()}"}


def not_verified(event: Event, error: Exception) -> Text:
    """The gateway's own checks failed."""
    say = (
        "The gateway failed to verify an event of this shoe. The ledger holds the event. Check the coups by hand "
        "until a new shoe is opened. Report this error with the ledger."
    )
    return {"say": say, "shoe_says": f"event {event.event_no}, {event.kind}: {type(error).__name__}: {error}"}


def shoe_restarted(event: Event, cards: Sequence[str]) -> Text:
    """The shoe restarted while it was open; these cards are on the table."""
    say = "The shoe restarted and continues where it was. Compare its lamps with the cards on the table."
    return {"say": say, "shoe_says": event.data["cause"], "cards_say": " ".join(cards)}


def firmware_reverted(event: Event, table: str) -> Text:
    """The shoe went back to its old image by itself."""
    say = (
        "The new firmware of the shoe did not work. The shoe runs its old firmware again, and can be dealt from. Call "
        f"a technician: `sabot firmware status {table}` shows which firmware it runs. Push a corrected one between two "
        "shoes."
    )
    return {"say": say, "shoe_says": event.data["cause"]}


def coup_void(data: dict[str, Any], reason: str, clause: str, cards: Sequence[str]) -> Text:
    """A coup was declared void at the shoe."""
    say = "The coup is void. Return all stakes."
    if data["then"] == "new_cards":
        say += " Do not deal before the cards are replaced or checked."
    return {"say": say, "clause": clause, "shoe_says": reason, "cards_say": " ".join(cards)}


def not_confirmed(table: str, rulebook_id: str, coup: str, event_kind: str) -> Text:
    """Play went on and nobody had confirmed the last coup."""
    say = (
        f"Play went on before coup {coup} was confirmed. It must not be settled. A supervisor must confirm or void it: "
        f"{decide_command(table, coup)}."
    )
    return {"say": say, "clause": confirm_first(rulebooks.load(rulebook_id)), "shoe_says": event_kind}


def lost_result(rulebook_id: str, coup_no: int, cards: Sequence[str]) -> Text:
    """The result of a coup is in the missing part of the log."""
    fact = f"The shoe's result of coup {coup_no} is lost: part of the log is missing."
    say = f"{fact} {after_discrepancy(rulebook_id, coup_no)}"
    return {"say": say, "shoe_says": "nothing", "cards_say": " ".join(cards)}


def ended_by_button(rulebook_id: str, coup_no: int, cards: Sequence[str]) -> Text:
    """New shoe was pressed while a coup was in progress, and nobody had voided it."""
    fact = f"The button New shoe ended coup {coup_no} while it was in progress, and nobody has voided it."
    say = f"{fact} {after_discrepancy(rulebook_id, coup_no)}"
    return {"say": say, "shoe_says": "void", "cards_say": " ".join(cards)}


def after_discrepancy(rulebook_id: str, coup_no: int) -> str:
    """Return the next step after a discrepancy about this coup; 0 is no coup."""
    if not coup_no:
        return "Compare the shoe's log with the cards on the table, and keep the shoe for inspection."
    advice = irregularities.advise(rulebook_id, "scan_discrepancy", {"confirmed": True})
    return f"Do not pay. A supervisor must confirm or void the coup. {advice.say}"


def weak_sensor(data: dict[str, Any]) -> Text:
    """Return the text for a sensor that reads with little margin, or nothing."""
    if not needs_cleaning(data["reads"], data["margin_mean_pct"]):
        return {}
    return {
        "say": f"The {SENSORS[data['sensor']]} reads with little margin. Clean it before the next shoe.",
        "shoe_says": f"mean margin {data['margin_mean_pct']} % over {data['reads']} cards",
    }


def forecast(outlook: Outlook) -> str:
    """Return when a part will fail and what to do, in one sentence."""
    within = "now" if not outlook.shoes else f"in about {counted(outlook.shoes, 'shoe')}"
    if outlook.part == "heap":
        return f"By its trend the memory of the shoe's controller is full {within}: restart the shoe between two shoes."
    if outlook.part == "flash":
        return f"The flash of the shoe is nearly worn out ({outlook.facts}): replace the shoe's controller."
    return f"By its trend the {SENSORS[outlook.part]} rejects cards {within}: clean it between two shoes."


def wear(outlook: Outlook) -> Text:
    """A part will fail soon."""
    return {"say": forecast(outlook), "shoe_says": outlook.facts}
