"""Telling: what an event and the findings about it mean, as messages: coups, alarms, their ends."""

from collections.abc import Callable, Iterable
from typing import Any, Literal

from msgspec.structs import replace
from sabot_protocol import irregularities
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.topics import AlarmMessage, CoupMessage, ShoeMessage

from sabot_gateway.shoe.parse import UNREADABLE, Event
from sabot_gateway.verify import disputes, records
from sabot_gateway.verify.alarms import wording
from sabot_gateway.verify.alarms.book import AlarmBook
from sabot_gateway.verify.alarms.catalogue import ALARMS
from sabot_gateway.verify.checks.coups import CONFIRM_FIRST
from sabot_gateway.verify.confirmations import Confirmations
from sabot_gateway.verify.deciders import Causes, Decider, Who
from sabot_gateway.verify.disputes import Disputes, Where
from sabot_gateway.verify.findings import Finding
from sabot_gateway.verify.moves import Moved
from sabot_gateway.verify.records import Record, Source
from sabot_gateway.verify.state import NO_COUP, ShoeState

_LOOK = "Compare the shoe's log with the cards on the table, and keep the shoe for inspection."


class Telling:
    """One table's messages, its active alarms and its disputed coups."""

    def __init__(self, table: str, rulebook: Rulebook, digest: str, who: Who) -> None:
        self.table, self.rulebook, self._digest, self._who = table, rulebook, digest, who
        self.alarms, self.disputes, self.confirmations = AlarmBook(), Disputes(), Confirmations()
        self._own: dict[str, Callable[[Event, dict[str, Any], list[Finding]], list[Record]]] = {
            "boot": self._boot,
            "shoe_opened": self._shoe_opened,
            "shoe_closed": self._shoe_closed,
            "card": self._card,
            "coup": self._coup,
            "coup_void": self._coup_void,
            "button": self._button,
            "command_done": self._command_done,
            "fault": self._fault,
            "fault_cleared": self._fault_cleared,
            "irregularity": self._irregularity,
            "damaged": self._told,
            UNREADABLE: self._told,
            "sensor": self._sensor,
            "reject": self._told,
            "handed_over": self._told,
        }
        self.serve(ShoeState())

    def serve(self, state: ShoeState) -> None:
        """Another shoe is on the table, read from here on."""
        self.state = state
        self._opened: dict[str, Any] = {"decks": 0, "card_set": 0, "burn": "none"}
        self._doubtful: set[int] = set()  # coups of this shoe in doubt before their result is told
        self._decision_over = False
        self._causes = Causes(self.rulebook, self._who)
        self._moved: Moved | None = None  # the coup that came from another shoe, until its result
        self._without_by: tuple[int, Decider] | None = None  # who made this coup one without wagers

    def in_doubt(self, coup_no: int) -> bool:
        """Something about this coup does not agree, and its result is not told yet."""
        return coup_no in self._doubtful

    def doubt_again(self) -> None:
        """After a restart: the coup in progress is in doubt where an alarm says so, whatever its log alone says."""
        state = self.state
        for alarm in self.alarms.named("discrepancy"):
            if state.phase == "dealing" and (alarm.shoe, alarm.coup) == (state.shoe_no, state.coup_no):
                self._doubtful.add(state.coup_no)

    def came(self, moved: Moved) -> None:
        """This coup came from another shoe of this gateway, and its doubts with it."""
        self._moved = moved
        if moved.doubtful:
            self._doubtful.add(moved.coup_no)

    def tell(self, event: Event, time: str, found: list[Finding]) -> list[Record]:
        """What this event means; the first record is the event's own."""
        self._causes.follow(event, time)
        handler, gap = self._own.get(event.kind), self.state.gap_in is not None
        forgotten = self._not_confirmed(event, time, found)
        if handler is None and not found and not gap and not forgotten:
            return [Record()]
        common = self.common(event, time)
        out = handler(event, common, found) if handler else [Record()]
        out += forgotten
        if gap:
            out += self._result_lost(event, common)
        return out + self._alarms_of(found, event, common) if found else out

    def common(self, event: Event, time: str) -> dict[str, Any]:
        """What every message that follows from an event carries."""
        common, data = self.place(Source(event.unit, event.event_no, time)), event.data
        common["shoe"] = data.get("shoe_no", common["shoe"])
        common["coup"] = data.get("coup_no", common["coup"])
        return common

    def place(self, source: Source) -> dict[str, Any]:
        """The same, of what is about the coup on the table."""
        return {
            "id": source.id,
            "unit": source.unit,
            "event_no": source.event_no,
            "table": self.table,
            "shoe": self.state.shoe_no or 0,
            "coup": self.state.coup_no,
            "time": source.time,
            "rulebook": self._digest,
        }

    def raise_(self, common: dict[str, Any], name: str, **words: str) -> list[Record]:
        return [Record("alarm", message) for message in self.alarms.raise_(common, name, **words)]

    def owed(self, time: str) -> list[Record]:
        """Alarms that last and could not be raised in a flood."""
        return [Record("alarm", message) for message in self.alarms.owed(time)]

    def _alarms_of(self, found: list[Finding], event: Event, common: dict[str, Any]) -> list[Record]:
        """One alarm for all that does not agree in this event, and one for each other thing found."""
        out: list[Record] = []
        differ = [finding for finding in found if finding.name == "discrepancy"]
        for other in (finding for finding in found if finding.name != "discrepancy"):
            out += self.raise_(
                common,
                other.name,
                say=other.fact,
                clause=other.clause,
                shoe_says=other.shoe_says,
                cards_say=other.cards_say,
            )
        return out + self._discrepancy(differ, event, common) if differ else out

    def _discrepancy(self, differ: list[Finding], event: Event, common: dict[str, Any]) -> list[Record]:
        coup_no = max(finding.coup_no for finding in differ)
        out = [] if event.kind == "coup" or not coup_no else self._dispute(coup_no, differ, event, common)
        return out + self.raise_(
            {**common, "coup": coup_no},
            "discrepancy",
            say=f"{_once((finding.fact for finding in differ), ' ')} {self._next_step(coup_no)}",
            clause=_once((finding.clause for finding in differ), ", "),
            shoe_says=_once((finding.shoe_says for finding in differ), "; "),
            cards_say=_once((finding.cards_say for finding in differ), "; "),
        )

    def _next_step(self, coup_no: int) -> str:
        if not coup_no:
            return _LOOK
        advice = irregularities.advise(self.rulebook.id, "scan_discrepancy", {"confirmed": True})
        return f"Do not pay: the coup waits for a supervisor, who confirms or voids it. {advice.say}"

    def _dispute(self, coup_no: int, differ: list[Finding], event: Event, common: dict[str, Any]) -> list[Record]:
        """A coup that was told is told again as disputed; one that is not complete will be."""
        where, entry = (event.unit, common["shoe"], coup_no), all(finding.entry for finding in differ)
        last, disputed = self.disputes.last_of(where), self.disputes.of(where)
        if disputed:
            if not entry:
                self.disputes.dispute_further(disputed)
            return []
        if not last or last.kind == "void":
            self._doubtful.add(coup_no)
            return []
        self._decision_over = False
        changes = {"id": f"{common['id']}-disputed", "event_no": event.event_no, "time": common["time"]}
        return self.tell_coup(replace(last, **changes, status="disputed", corrects=last.id), entry=entry)

    def tell_coup(self, coup: CoupMessage, where: Where | None = None, *, entry: bool = False) -> list[Record]:
        self.disputes.told(coup, where or disputes.where_dealt(coup), entry=entry)
        return [Record("coup", coup), *self.confirmations.told(coup)]

    def _not_confirmed(self, event: Event, time: str, found: list[Finding]) -> list[Record]:
        """Play goes on and the last result was not confirmed: it waits for a supervisor, for nobody may settle it."""
        last = self.disputes.last()
        if last is None or not self.confirmations.awaited(last) or not _goes_on(event, last):
            return []
        if any(finding.coup_no == last.coup for finding in found):
            return []  # it is disputed by that
        event_no = event.event_no if event.unit == last.unit else last.event_no
        at = {"event_no": event_no, "time": time}
        disputed = replace(last, id=f"{last.id}-not-confirmed", **at, status="disputed", corrects=last.id)
        common = {**self.place(Source(last.unit, event_no, time)), "id": last.id, "shoe": last.shoe, "coup": last.coup}
        label = disputes.coup_label(last)
        say = (
            f"Nobody confirmed coup {label} before play went on: it must not be settled. It waits for "
            f"a supervisor, who confirms or voids it: `sabot table {self.table} decide --coup {label}`."
        )
        words = {"say": say, "clause": CONFIRM_FIRST.get(self.rulebook.id, ""), "shoe_says": event.kind}
        return self.tell_coup(disputed) + self.raise_(common, "not_confirmed", **words)

    def _result_lost(self, event: Event, common: dict[str, Any]) -> list[Record]:
        """The log goes on after a coup whose result is in the missing part: it is told from its cards, disputed."""
        state, data = self.state, event.data
        coup_no = state.gap_in or 0
        begins = event.kind == "card" and data["coup_no"] > coup_no and not data["flags"].get("surplus")
        if not begins and event.kind not in ("shoe_opened", "shoe_closed"):
            return []
        state.gap_in, dealt = None, state.dealt.get(coup_no, [])
        common = {**common, "shoe": state.shoe_no or 0, "coup": coup_no}
        lost = {"id": f"{common['id']}-lost", "kind": "live", "status": "disputed"}
        fact = f"The shoe's result of coup {coup_no} is lost with part of its log."
        told = " ".join(card for _, card in dealt)
        words = {"say": f"{fact} {self._next_step(coup_no)}", "shoe_says": "nothing", "cards_say": told}
        coup = records.no_result(event, common, dealt, **lost)
        return [*self.tell_coup(coup), *self.raise_({**common, "id": lost["id"]}, "discrepancy", **words)]

    # Events, one by one

    def _told(self, event: Event, common: dict[str, Any], found: list[Finding]) -> list[Record]:
        """What only has its words."""
        name, said = wording.TOLD[event.kind](event)
        return [Record(), *self.raise_(common, name, **said)]

    def _boot(self, event: Event, common: dict[str, Any], found: list[Finding]) -> list[Record]:
        """A shoe that restarts goes on where it was; people should know all the same."""
        if self.state.phase in ("unknown", "closed", "checking"):
            return [Record()]
        say = "The shoe restarted and goes on where it was. Compare its lamps with the cards on the table."
        cards = " ".join(self.state.cards(self.state.coup_no))
        return [
            Record(),
            *self.raise_(common, "shoe_restarted", say=say, shoe_says=event.data["cause"], cards_say=cards),
        ]

    def _shoe_opened(self, event: Event, common: dict[str, Any], found: list[Finding]) -> list[Record]:
        self._opened = {key: event.data[key] for key in ("decks", "card_set", "burn")}
        self._doubtful.clear()
        names = [name for name, kind in ALARMS.items() if "new_shoe" in kind.ends]
        return [self._shoe_state({**common, "coup": 0}, "open"), *self._clear(event, common, "a new shoe", *names)]

    def _shoe_closed(self, event: Event, common: dict[str, Any], found: list[Finding]) -> list[Record]:
        return [self._shoe_state(common, "closed")]

    def _shoe_state(self, common: dict[str, Any], state: Literal["open", "closed"]) -> Record:
        return Record("shoe", ShoeMessage(**common, state=state, **self._opened))

    def _clear(self, event: Event, common: dict[str, Any], by: str, *names: str) -> list[Record]:
        source = Source(event.unit, event.event_no, common["time"])
        self.alarms.forget_owed(*names)
        return self.over(self.alarms.named(*names), by, source)

    def over(self, alarms: list[AlarmMessage], by: str, source: Source) -> list[Record]:
        return [Record("alarm", message) for message in self.alarms.clear(alarms, by, source)]

    def _card(self, event: Event, common: dict[str, Any], found: list[Finding]) -> list[Record]:
        return [Record("cards", records.card_message(event, common))]

    def _coup(self, event: Event, common: dict[str, Any], found: list[Finding]) -> list[Record]:
        number = event.data["coup_no"]
        agreed = number not in self._doubtful and not any(finding.coup_no for finding in found)
        self._doubtful.discard(number)
        dealt = self.state.dealt.get(number, [])
        told = records.coup_message(event, common, dealt, "verified" if agreed else "disputed")
        return self.tell_coup(replace(told, **self._made_so(number)))

    def _made_so(self, number: int) -> dict[str, str]:
        """Where a coup began that came from another shoe, and who made it one without wagers."""
        moved, self._moved = self._moved, None
        made, self._without_by = self._without_by, None
        began = {"began": moved.began} if moved and moved.coup_no == number else {}
        return began | (made[1].fields() if made and made[0] == number else {})

    def _coup_void(self, event: Event, common: dict[str, Any], found: list[Finding]) -> list[Record]:
        """No result; where one was told, this corrects it. A coup that a person has voided here is not voided twice."""
        number, dealt = event.data["coup_no"], self.state.dealt.get(event.data["coup_no"], [])
        where = (event.unit, common["shoe"], number)
        self._doubtful.discard(number)
        told = self.disputes.of(where) or self.disputes.last_of(where)
        reason = event.data["reason"].replace("_", " ")
        decider = self._causes.of_void(reason, common["time"])
        if told and told.status == "void":
            return [Record()]
        changes = {"status": "void", "corrects": told.id} if told else {}
        out = self.tell_coup(records.no_result(event, common, dealt, **changes, **decider.fields()))
        out += self._void_alarm(event, common, reason, decider.clause)
        return out + self.settled(where, decider.by, Source(event.unit, event.event_no, common["time"]))

    def _void_alarm(self, event: Event, common: dict[str, Any], reason: str, clause: str) -> list[Record]:
        say = "The coup is void: stakes are returned, and it counts nowhere."
        if event.data["then"] == "new_cards":
            say += " The cards must be replaced or checked before play goes on."
        cards = " ".join(self.state.cards(event.data["coup_no"]))
        return self.raise_(common, "coup_void", say=say, clause=clause, shoe_says=reason, cards_say=cards)

    def settled(self, where: Where, by: str, source: Source) -> list[Record]:
        """The discrepancies of this coup are over."""
        unit, shoe, coup = where
        over = [
            alarm
            for alarm in self.alarms.named("discrepancy", "not_confirmed")
            if (alarm.shoe, alarm.coup) == (shoe, coup) and alarm.alarm.startswith(f"{unit}-")
        ]
        return self.over(over, by, source)

    def _button(self, event: Event, common: dict[str, Any], found: list[Finding]) -> list[Record]:
        if event.data["button"] != "confirm":
            return [Record()]
        confirmed = self._stands(event, common, found, Decider("the dealer, at the shoe", time=common["time"]))
        decider = Decider("a supervisor, at the shoe", time=common["time"])
        return [confirmed, *(self._confirmed(event, common, decider) if self._decision_over else [])]

    def _command_done(self, event: Event, common: dict[str, Any], found: list[Finding]) -> list[Record]:
        if event.data["command"] == "this_no_bet":
            self._without_by = self.state.next_coup_no(), self._causes.of_command(event, common["time"])
        if event.data["command"] != "confirm":
            return [Record()]
        decider = self._causes.of_command(event, common["time"])
        return [self._stands(event, common, found, decider), *self._confirmed(event, common, decider)]

    def _stands(self, event: Event, common: dict[str, Any], found: list[Finding], decider: Decider) -> Record:
        """Confirm: the result on the table may be settled, unless it is in doubt; once."""
        last = self.disputes.last_of((event.unit, common["shoe"], common["coup"]))
        in_doubt = self.state.phase != "complete" or any(finding.coup_no == common["coup"] for finding in found)
        if last is None or in_doubt or not self.confirmations.awaited(last):
            return Record()
        return self.confirmations.confirm(last, decider, Source(event.unit, event.event_no, common["time"]))

    def _confirmed(self, event: Event, common: dict[str, Any], decider: Decider) -> list[Record]:
        """A supervisor has settled the dealer's entry: the shoe's result stands."""
        where = (event.unit, common["shoe"], self.state.coup_no)
        coup = self.disputes.of(where)
        if coup is None or not self.disputes.settled_at_the_shoe(coup):
            return []
        clause = irregularities.advise(self.rulebook.id, "scan_discrepancy", {"confirmed": True}).clause
        source, decider = Source(event.unit, event.event_no, common["time"]), decider.under(clause)
        said = disputes.decided(coup, "confirmed", decider, source, coup.winner)
        return self.tell_coup(replace(said, id=f"{common['id']}-confirmed")) + self.settled(where, decider.by, source)

    def _fault(self, event: Event, common: dict[str, Any], found: list[Finding]) -> list[Record]:
        """A fault holds the exit until the shoe reports that it is over: an alarm of its own, always."""
        return [Record()] if event.data["fault"] == "none" else self._told(event, common, found)

    def _at_the_table(self, event: Event, common: dict[str, Any]) -> bool:
        """The coup on the table is disputed already."""
        return self.disputes.of((event.unit, common["shoe"], self.state.coup_no)) is not None

    def _fault_cleared(self, event: Event, common: dict[str, Any], found: list[Finding]) -> list[Record]:
        fault, by = event.data["fault"], event.data["by"].replace("_", " ")
        self._decision_over |= fault == "decision"
        names = [f"fault_{fault}", *(["reject"] if fault == "card" else [])]
        return [Record(), *self._clear(event, common, f"the shoe: {by}", *names)]

    def _irregularity(self, event: Event, common: dict[str, Any], found: list[Finding]) -> list[Record]:
        if event.data["case"] == "scan_discrepancy" and self._at_the_table(event, common):
            return [Record()]  # the discrepancy says it
        said = wording.irregularity(self.rulebook.id, event, stands=self.state.none_to_void())
        return [Record(), *self.raise_(common, event.data["case"], **said)]

    def _sensor(self, event: Event, common: dict[str, Any], found: list[Finding]) -> list[Record]:
        out = [Record("health", records.health_message(event.data, common))]
        weak = wording.weak_sensor(event.data)
        return out + self.raise_(common, "sensor_margin", **weak) if weak else out


def _goes_on(event: Event, last: CoupMessage) -> bool:
    """Whether this event cannot come before the last coup is confirmed or void."""
    data = event.data
    if event.unit != last.unit or event.kind in ("shoe_opened", "shoe_closed"):
        return True
    dealt = event.kind == "card" and data["slot"] not in NO_COUP and not data["flags"].get("surplus")
    if not dealt and event.kind not in ("coup", "coup_void"):
        return False
    return bool((data["shoe_no"], data["coup_no"]) != (last.shoe, last.coup))


def _once(texts: Iterable[str], between: str) -> str:
    return between.join(dict.fromkeys(filter(None, texts)))
