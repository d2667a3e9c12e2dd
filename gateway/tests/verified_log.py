"""A shoe's log written by hand, and a verifier that takes each event."""

from typing import Any

from msgspec.structs import replace
from sabot_gateway.verify import Record, Verifier
from sabot_protocol import fields, rulebooks
from sabot_protocol.topics import AlarmMessage, CoupMessage
from shoe_events import FLAGS, SLOTS, UNIT, event

FOUR = "9S 2H TD 3C"  # the Player wins with a natural nine
NATURAL: dict[str, Any] = {"natural": True}


class Log:
    """Each call is one event; `records` holds what the verifier made of all of them."""

    def __init__(self, book: str = "star-baccarat", decks: int = 8, burn: str = "none", **choices: str) -> None:
        self.book = rulebooks.load(book)
        self.profile = self.book.profile(8, 1, choices)
        self.verifier = Verifier("bac-01", self.book, self.profile)
        self.no, self.ms, self.coup_no = 0, 0, 1
        self.records: list[Record] = []
        self("shoe_opened", shoe_no=1, card_set=1, decks=decks, burn=burn)

    def __call__(self, kind: str, /, *, ms: int = 1000, time: str = "", unit: str = UNIT, **data: Any) -> list[Record]:
        """Take one more event, so many ms after the last one; return its records."""
        self.no, self.ms = self.no + 1, self.ms + ms
        made = replace(event(self.no, kind, **data), time_ms=self.ms % 2**30, unit=unit)
        self.last_event = made
        records = self.verifier.take(made, time)
        self.records += records
        return records

    def card(self, card: str, slot: str, **changes: Any) -> list[Record]:
        flags = changes.pop("flags", {})
        data = {"shoe_no": 1, "coup_no": self.coup_no, "speed_mm_s": 900, "margin_pct": 80, **changes}
        return self("card", slot=slot, card=card, flags=flags, **data)

    def deal(self, cards: str = FOUR) -> None:
        for card, slot in zip(cards.split(), SLOTS, strict=False):
            self.card(card, slot)

    def result(
        self, winner: str = "player", points: tuple[int, int] = (9, 5), kind: str = "live", **flags: bool
    ) -> None:
        flags = {**FLAGS, **(flags or NATURAL)}
        place: dict[str, Any] = {"shoe_no": 1, "coup_no": self.coup_no, "kind": kind}
        self("coup", **place, winner=winner, player_points=points[0], banker_points=points[1], flags=flags)

    def button(self, button: str = "confirm") -> list[Record]:
        return self("button", shoe_no=1, coup_no=self.coup_no, button=button)

    def confirm(self) -> None:
        """Press Confirm, and the shoe's result before it where the rulebook wants that."""
        state = self.verifier.state
        if state.result_first and state.phase == "complete":
            self.button(state.winner)
        self.button()
        self.coup_no += 1

    def deal_in(self, shoe_no: int) -> None:
        """Deal a whole coup in another shoe than the first."""
        for card, slot in zip(FOUR.split(), SLOTS, strict=False):
            self.card(card, slot, shoe_no=shoe_no)
        place: dict[str, Any] = {"shoe_no": shoe_no, "coup_no": self.coup_no, "kind": "live", "winner": "player"}
        self("coup", **place, player_points=9, banker_points=5, flags={**FLAGS, **NATURAL})

    def coup(self, **flags: bool) -> None:
        """Deal a whole coup and confirm it."""
        self.deal()
        self.result(**{**NATURAL, **flags})
        self.confirm()

    def command(self, command: str, **data: Any) -> None:
        self("command_done", command_id=self.no, command=command, outcome="done", data=data)

    def irregularity(self, case: str, code: str, **facts: bool) -> list[Record]:
        every = dict.fromkeys(fields.FACTS, False) | facts
        return self("irregularity", shoe_no=1, coup_no=self.coup_no, case=case, facts=every, code=code)

    def alarms(self, *names: str) -> list[AlarmMessage]:
        messages = [record.message for record in self.records]
        wanted = names or ("discrepancy",)
        return [
            one for one in messages if isinstance(one, AlarmMessage) and one.state == "raised" and one.name in wanted
        ]

    def alarm(self, *names: str) -> AlarmMessage:
        (alarm,) = self.alarms(*names)
        return alarm

    def coup_messages(self) -> list[CoupMessage]:
        return [record.message for record in self.records if isinstance(record.message, CoupMessage)]

    def coups(self) -> list[tuple[int, str]]:
        return [(one.coup, one.status) for one in self.coup_messages()]
