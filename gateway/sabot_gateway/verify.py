"""Verify: every coup recomputed from its cards; what the shoe says and what the cards say must agree."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from sabot_protocol import irregularities
from sabot_protocol.fields import NO_CARD
from sabot_protocol.rulebooks import Rulebook
from sabot_protocol.topics import AlarmMessage, CardMessage, CoupMessage, HealthMessage, Message, ShoeMessage, TopicName

from sabot_gateway import alarms, rules
from sabot_gateway.parse import Event


@dataclass(frozen=True)
class Record:
    """What goes into the ledger for an event: nothing more, or a message under a topic."""

    topic: TopicName | None = None
    message: Message | None = None


@dataclass
class Verifier:
    """One table's reading of its shoe's log, in order."""

    table: str
    rulebook: Rulebook
    shoe: int = 0
    coup: int = 0
    _open: bool = False
    _opened: dict[str, Any] = field(default_factory=dict)
    _digest: str = ""
    _dealt: dict[int, list[tuple[str, str]]] = field(default_factory=dict)  # slots and cards, by coup

    def __post_init__(self) -> None:
        """The book's hash goes with every message; making it takes a while."""
        self._digest = self.rulebook.digest().hex()

    def take(self, event: Event, time: str) -> list[Record]:
        """What this event means; the first record is the event's own."""
        self.shoe = event.data.get("shoe_no", self.shoe)
        self.coup = event.data.get("coup_no", self.coup)
        handlers: dict[str, Callable[[Event, dict[str, Any]], list[Record]]] = {
            "boot": self._boot,
            "shoe_opened": self._shoe_opened,
            "shoe_closed": self._shoe_closed,
            "card": self._card,
            "coup": self._coup,
            "reject": self._reject,
            "sensor": self._sensor,
            "damaged": self._damaged,
            "coup_void": self._coup_void,
            "handed_over": self._handed_over,
            "irregularity": self._irregularity,
            "fault": self._fault,
            "ordered_set": self._ordered_set,
            "deck_check": self._deck_check,
        }
        handler = handlers.get(event.kind)
        return handler(event, self._common(event, time)) if handler else [Record()]

    def lost(self, event: Event, first: int, last: int, time: str) -> Record:
        """Events that came before this one and can no longer be had."""
        say = "Part of the shoe's log is lost: its cards and coups are in no ledger. Keep the shoe for inspection."
        where = f"events {first} to {last} were overwritten"
        return self._alarm(self._common(event, time), "log_lost", say, where, "", "")

    def _common(self, event: Event, time: str) -> dict[str, Any]:
        return {
            "id": f"{event.unit}-{event.event_no}",
            "unit": event.unit,
            "event_no": event.event_no,
            "table": self.table,
            "shoe": self.shoe,
            "coup": self.coup,
            "time": time,
            "rulebook": self._digest,
        }

    def _boot(self, event: Event, common: dict[str, Any]) -> list[Record]:
        """A shoe that restarts goes on where it was; people should know all the same."""
        if not self._open:
            return [Record()]
        say = "The shoe restarted and goes on where it was. Compare its lamps with the cards on the table."
        cards = " ".join(card for _, card in self._dealt.get(self.coup, []))
        return [Record(), self._alarm(common, "shoe_restarted", say, event.data["cause"], cards, "")]

    def _shoe_opened(self, event: Event, common: dict[str, Any]) -> list[Record]:
        self._opened = {key: event.data[key] for key in ("decks", "card_set", "burn")}
        self._dealt, self.coup, self._open = {}, 0, True
        return [self._shoe_state({**common, "coup": 0}, "open")]

    def _shoe_closed(self, event: Event, common: dict[str, Any]) -> list[Record]:
        self._dealt, self._open = {}, False
        return [self._shoe_state(common, "closed")]

    def _shoe_state(self, common: dict[str, Any], state: Literal["open", "closed"]) -> Record:
        opened = self._opened or {"decks": 0, "card_set": 0, "burn": "none"}
        return Record("shoe", ShoeMessage(**common, state=state, **opened))

    def _card(self, event: Event, common: dict[str, Any]) -> list[Record]:
        data = event.data
        if data["slot"] not in ("burn", "unused"):
            self._dealt.setdefault(data["coup_no"], []).append((data["slot"], data["card"]))
        message = CardMessage(
            **common,
            slot=data["slot"],
            card=data["card"],
            speed_mm_s=data["speed_mm_s"],
            margin=data["margin_pct"] / 100,
            shoe_time_ms=event.time_ms,
            notes=[flag for flag, on in data["flags"].items() if on],
        )
        return [Record("cards", message)]

    def _coup(self, event: Event, common: dict[str, Any]) -> list[Record]:
        dealt = self._dealt.get(event.data["coup_no"], [])
        self._forget(event.data["coup_no"])
        shoe_says = _shoe_says(event.data)
        cards_say = _cards_say(dealt)
        agreed = shoe_says == cards_say
        coup = Record("coup", _coup_message(event, common, dealt, "verified" if agreed else "disputed"))
        if agreed:
            return [coup]
        say = "The shoe's result is not what its cards give. Do not pay: a supervisor confirms or voids the coup."
        return [coup, self._alarm(common, "discrepancy", say, shoe_says, cards_say, self._draw_clause(dealt))]

    def _forget(self, coup_no: int) -> None:
        """Cards of coups before this one decide nothing any more."""
        self._dealt = {number: cards for number, cards in self._dealt.items() if number >= coup_no}

    def _coup_void(self, event: Event, common: dict[str, Any]) -> list[Record]:
        dealt = self._dealt.pop(event.data["coup_no"], [])
        say = "The coup is void: stakes are returned, and it counts nowhere."
        if event.data["then"] == "new_cards":
            say += " The cards must be replaced or checked before play goes on."
        alarm = self._alarm(common, "coup_void", say, event.data["reason"].replace("_", " "), _told(dealt), "")
        return [Record("coup", _void_message(event, common, dealt)), alarm]

    def _handed_over(self, event: Event, common: dict[str, Any]) -> list[Record]:
        data = event.data
        if data["import"]:
            cards = [(slot, card) for slot, card in data["cards"].items() if card != NO_CARD]
            self._dealt[data["coup_no"]] = cards
        say = "A coup in progress has come from another shoe." if data["import"] else "The coup moves to another shoe."
        return [Record(), self._alarm(common, "handed_over", say, _told(list(data["cards"].items())), "", "")]

    def _irregularity(self, event: Event, common: dict[str, Any]) -> list[Record]:
        """The shoe's code beside our own reading of the book: another one is a discrepancy."""
        data = event.data
        facts = {fact: data["facts"][fact] for fact in irregularities.CASES[data["case"]]}
        advice = irregularities.advise(self.rulebook.id, data["case"], facts)
        found = self._alarm(common, data["case"], advice.say, data["code"], advice.code, advice.clause)
        if data["code"] == advice.code:
            return [Record(), found]
        say = "The shoe draws another consequence than the book. Follow the book, and have the shoe's profile checked."
        return [Record(), found, self._alarm(common, "discrepancy", say, data["code"], advice.code, advice.clause)]

    def _fault(self, event: Event, common: dict[str, Any]) -> list[Record]:
        fault = event.data["fault"]
        return [Record(), self._alarm(common, f"fault_{fault}", alarms.FAULTS[fault], fault.replace("_", " "), "", "")]

    def _ordered_set(self, event: Event, common: dict[str, Any]) -> list[Record]:
        say = (
            "The first cards of this shoe look unshuffled. Stop before the next coup: a supervisor looks at the cards."
        )
        shoe_says = f"{event.data['pattern'].replace('_', ' ')} in the first {event.data['cards']} cards"
        return [Record(), self._alarm(common, "ordered_set", say, shoe_says, "", "")]

    def _deck_check(self, event: Event, common: dict[str, Any]) -> list[Record]:
        data = event.data
        word = "missing" if data["seen"] < data["expected"] else "surplus"
        say = f"The decks are not complete: {data['card']} is {word}. Do not use this set."
        shoe_says = f"{data['card']} came {data['seen']} times, {data['expected']} are expected"
        return [Record(), self._alarm(common, f"card_{word}", say, shoe_says, "", "")]

    def _draw_clause(self, dealt: list[tuple[str, str]]) -> str:
        """The clause that says how these cards go on after the first four."""
        draw, cards = self.rulebook.draw, [card for _, card in dealt]
        player, banker = cards[0:3:2], cards[1:4:2]
        if len(cards) >= 4 and max(rules.points(player), rules.points(banker)) >= 8:
            return draw.natural
        if len(cards) >= 4 and not rules.player_draws(rules.points(player)):
            return draw.player_stands
        return f"{draw.table_1}, {draw.table_2}"

    def _reject(self, event: Event, common: dict[str, Any]) -> list[Record]:
        data = event.data
        words = [data["reason"].replace("_", " "), alarms.which_columns(data["doubtful"])]
        if data["speed_mm_s"]:
            words.append(f"{data['speed_mm_s']} mm/s")
        shoe_says = ", ".join(filter(None, words))
        return [Record(), self._alarm(common, "reject", alarms.REJECTS[data["reason"]], shoe_says, "", "")]

    def _sensor(self, event: Event, common: dict[str, Any]) -> list[Record]:
        data = event.data
        health = Record("health", _health_message(data, common))
        if not data["reads"] or data["margin_mean_pct"] >= alarms.LEAST_MARGIN_PCT:
            return [health]
        say = f"The {alarms.SENSORS[data['sensor']]} reads with little margin. Clean it before the next shoe."
        shoe_says = f"margin {data['margin_mean_pct']} % in the mean of {data['reads']} cards"
        return [health, self._alarm(common, "sensor_margin", say, shoe_says, "", "")]

    def _damaged(self, event: Event, common: dict[str, Any]) -> list[Record]:
        say = (
            "A record of the shoe's log is damaged: what it said is lost. Check this coup and have the shoe inspected."
        )
        return [Record(), self._alarm(common, "log_damaged", say, f"event {event.event_no} cannot be read", "", "")]

    @staticmethod
    def _alarm(common: dict[str, Any], name: str, say: str, shoe: str, cards: str, clause: str) -> Record:
        alarm_id = f"{common['id']}-{name}"
        message = AlarmMessage(
            **{**common, "id": alarm_id},
            name=name,
            say=say,
            clause=clause,
            shoe_says=shoe,
            cards_say=cards,
            alarm=alarm_id,
            severity="warning",
            state="raised",
        )
        return Record("alarm", message)


def _told(dealt: list[tuple[str, str]]) -> str:
    return " ".join(card for _, card in dealt if card != NO_CARD)


def _hands(dealt: list[tuple[str, str]]) -> dict[str, Any]:
    return {side: [card for slot, card in dealt if slot.startswith(side)] for side in ("player", "banker")}


def _void_message(event: Event, common: dict[str, Any], dealt: list[tuple[str, str]]) -> CoupMessage:
    hands = _hands(dealt)
    return CoupMessage(
        **common,
        kind="void",
        status="verified",
        winner=None,
        **hands,
        player_points=rules.points(hands["player"]),
        banker_points=rules.points(hands["banker"]),
        player_pair=False,
        banker_pair=False,
        natural=False,
        last_coup=False,
        shoe_time_ms=event.time_ms,
    )


def _shoe_says(data: dict[str, Any]) -> str:
    flags = [flag for flag in ("natural", "player_pair", "banker_pair") if data["flags"][flag]]
    return _in_words(data["winner"], data["player_points"], data["banker_points"], flags)


def _cards_say(dealt: list[tuple[str, str]]) -> str:
    """The gateway's own reading: the result, or why these cards are no coup."""
    try:
        coup = rules.play([card for _, card in dealt])
    except rules.NotACoupError as error:
        return str(error)
    slots = tuple(slot for slot, _ in dealt)
    if slots != coup.slots:
        return f"drawn as {' '.join(slots)}, due were {' '.join(coup.slots)}"
    flags = [flag for flag in ("natural", "player_pair", "banker_pair") if getattr(coup, flag)]
    return _in_words(coup.winner, coup.player_points, coup.banker_points, flags)


def _in_words(winner: str, player_points: int, banker_points: int, flags: list[str]) -> str:
    return " ".join([f"{winner}, Player {player_points}, Banker {banker_points}", *flags])


def _health_message(data: dict[str, Any], common: dict[str, Any]) -> HealthMessage:
    same = ("sensor", "reads", "rejects", "spikes", "speed_mean_mm_s", "speed_least_mm_s", "speed_most_mm_s")
    return HealthMessage(
        **common,
        **{name: data[name] for name in same},
        margin_mean=data["margin_mean_pct"] / 100,
        margin_worst=data["margin_worst_pct"] / 100,
    )


def _coup_message(
    event: Event,
    common: dict[str, Any],
    dealt: list[tuple[str, str]],
    status: Literal["verified", "disputed"],
) -> CoupMessage:
    data, flags = event.data, event.data["flags"]
    return CoupMessage(
        **common,
        kind=data["kind"],
        status=status,
        winner=data["winner"],
        **_hands(dealt),
        player_points=data["player_points"],
        banker_points=data["banker_points"],
        player_pair=flags["player_pair"],
        banker_pair=flags["banker_pair"],
        natural=flags["natural"],
        last_coup=flags["last_coup"],
        shoe_time_ms=event.time_ms,
    )
