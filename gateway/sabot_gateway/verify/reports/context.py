"""Context: what all reports of one table share, and the fields that every message carries."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.topics import AlarmMessage, CardMessage, CoupMessage, CoupStatus

from sabot_gateway.forecast.wear import WearBook
from sabot_gateway.shoe.parse import Event
from sabot_gateway.verify.alarms.book import AlarmBook
from sabot_gateway.verify.alarms.catalogue import FOREIGN, MISSING, SHOE_VOID
from sabot_gateway.verify.checks.authorisation import AuthorisationCheck
from sabot_gateway.verify.checks.notices import KindNotices
from sabot_gateway.verify.checks.void_cause import VoidCause
from sabot_gateway.verify.confirmations import Confirmations
from sabot_gateway.verify.disputes import Disputes, Where
from sabot_gateway.verify.findings import Finding
from sabot_gateway.verify.records import Record, Source, hands, shoe_time_ms
from sabot_gateway.verify.state import Dealt, ShoeState

Common = dict[str, Any]  # the fields that every message carries


@dataclass
class Context:
    """One table: its rulebook, its shoe, its active alarms and its disputed and confirmed coups."""

    table: str
    book: Rulebook
    digest: str  # of the rulebook
    state: ShoeState = field(init=False)  # of the unit on the table
    void_cause: VoidCause = field(init=False)  # likewise
    authorisation: AuthorisationCheck = field(init=False)  # likewise
    notices: KindNotices = field(init=False)  # likewise
    alarms: AlarmBook = field(init=False)
    disputes: Disputes = field(default_factory=Disputes)
    confirmations: Confirmations = field(default_factory=Confirmations)
    wear: WearBook = field(default_factory=WearBook)
    suffix: str = ""  # of the ids of messages about one part of an event

    def __post_init__(self) -> None:
        """Make the alarm book: what the book has done with the cards after a foreign card ends its alarm."""
        self.alarms = AlarmBook(held=frozenset((SHOE_VOID, FOREIGN, MISSING) if self.removes_cards() else (SHOE_VOID,)))

    def removes_cards(self) -> bool:
        """Return True if the cards are removed and checked after a missing or foreign card."""
        return self.book.switch["foreign_card_rule"].value != "silent"

    def cards_in_doubt(self) -> str:
        """Return the clause by which no coup is dealt from these cards; `-` without one, empty if they are good."""
        held = self.alarms.held()
        if held:
            return held[0].clause or "-"
        return self.book.switch["foreign_card_rule"].clause if self.state.spoiled else ""

    def cards_locked(self) -> str:
        """Return why the exit must be locked now, as `cards_in_doubt`; a shoe that is closed is good when they are."""
        return self.cards_in_doubt() if self.state.phase not in ("closed", "checking") or self.alarms.held() else ""

    def common(self, event: Event) -> Common:
        """Return the common fields of a message about this event."""
        state, data = self.state, event.data
        return {
            "id": f"{event.unit}-{event.event_no}{self.suffix}",
            "unit": event.unit,
            "event_no": event.event_no,
            "table": self.table,
            "shoe": data.get("shoe_no", state.shoe_no or 0),
            "coup": data.get("coup_no", state.coup_no),
            "time": state.time,
            "rulebook": self.digest,
        }

    def card(self, event: Event) -> Record:
        """Return the record of a card that left the shoe: most events are cards."""
        state, data, flags = self.state, event.data, event.data["flags"]
        message = CardMessage(
            id=f"{event.unit}-{event.event_no}{self.suffix}",
            unit=event.unit,
            event_no=event.event_no,
            table=self.table,
            shoe=data["shoe_no"],
            coup=data["coup_no"],
            time=state.time,
            rulebook=self.digest,
            slot=data["slot"],
            card=data["card"],
            speed_mm_s=data.get("speed_mm_s", UNSET),
            margin=data["margin_pct"] / 100 if "margin_pct" in data else UNSET,
            shoe_time_ms=shoe_time_ms(event),
            notes=[flag for flag, on in flags.items() if on] if True in flags.values() else [],
        )
        return Record("cards", message)

    def coup(self, event: Event, dealt: Dealt, status: CoupStatus) -> CoupMessage:
        """Return the shoe's result of a coup, with its cards."""
        state, data, flags = self.state, event.data, event.data["flags"]
        player, banker = hands(dealt)
        return CoupMessage(
            id=f"{event.unit}-{event.event_no}{self.suffix}",
            unit=event.unit,
            event_no=event.event_no,
            table=self.table,
            shoe=data["shoe_no"],
            coup=data["coup_no"],
            time=state.time,
            rulebook=self.digest,
            kind=data["kind"],
            status=status,
            winner=data["winner"],
            player=player,
            banker=banker,
            player_points=data["player_points"],
            banker_points=data["banker_points"],
            player_pair=flags["player_pair"],
            banker_pair=flags["banker_pair"],
            natural=flags["natural"],
            last_coup=flags["last_coup"],
            flags=data.get("notes") or UNSET,
            shoe_time_ms=shoe_time_ms(event),
        )

    def where(self, event: Event) -> Where:
        """Return unit, shoe and coup of this event."""
        state, data = self.state, event.data
        return event.unit, data.get("shoe_no", state.shoe_no or 0), data.get("coup_no", state.coup_no)

    def source(self, event: Event) -> Source:
        """Return this event as the origin of a message."""
        return Source(event.unit, event.event_no, self.state.time, self.suffix)

    def common_now(self, source: Source) -> Common:
        """Return the common fields of a message about the coup on the table."""
        return {
            "id": source.id,
            "unit": source.unit,
            "event_no": source.event_no,
            "table": self.table,
            "shoe": self.state.shoe_no or 0,
            "coup": self.state.coup_no,
            "time": source.time,
            "rulebook": self.digest,
        }

    def raise_alarm(self, common: Common, name: str, **text: str) -> list[Record]:
        """Raise an alarm."""
        return [Record("alarm", message) for message in self.alarms.raise_(common, name, **text)]

    def clear_alarms(self, alarms: list[AlarmMessage], by: str, source: Source) -> list[Record]:
        """Clear these alarms."""
        return [Record("alarm", message) for message in self.alarms.clear(alarms, by, source)]

    def postponed_alarms(self) -> list[Record]:
        """Raise alarms that a flood has postponed, as soon as there is room."""
        return [Record("alarm", message) for message in self.alarms.raise_postponed(self.state.time)]


# The records of an event; the first is the event's own.
Report = Callable[[Context, Event, list[Finding]], list[Record]]
