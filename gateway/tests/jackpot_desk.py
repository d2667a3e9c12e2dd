"""A jackpot for tests: makes the entries of tables and people, and keeps the state of the engine."""

from typing import Any

from msgspec.structs import replace
from sabot_floor.jackpots.engine import Applied, Entry, JackpotState, Refused, apply, closed_wins, open_jackpot
from sabot_floor.jackpots.engine import entries as entry
from sabot_floor.jackpots.engine.hits import prices, view
from sabot_protocol.jackpots.messages import IncrementMessage, RecordedMessage, Win
from sabot_protocol.jackpots.parameters import LuckyTie, Outcome, Parameters

GATEWAY = "gw-1"
CROWN = Parameters(
    id="lucky-tie",
    title="Lucky Tie Jackpot",
    rulebook="crown-baccarat",
    currency="AUD",
    in_force="2026-11-01",
    tables=("bac-01", "bac-02"),
    increment=25,
    base=100_000,
    unreasonable=1_000,
    rounding=500,
    qualifying=("tie",),
    equipment=("console", "display", "handset"),
    trigger=LuckyTie("option_1", {"suited": 100, "coloured": 10, "non_coloured": 5}),
)
NZ = Parameters(
    id="pairs",
    title="Perfect Pair Jackpot",
    rulebook="nz-baccarat",
    currency="NZD",
    tables=("nz-01", "nz-02"),
    increment=40,
    base=50_000,
    unreasonable=5_000,
    rounding=100,
    qualifying=("perfect_pair_player",),
    equipment=("console", "display"),
    trigger=Outcome("perfect_pair_player", {"perfect": 100, "coloured": 10}),
)
TOP_ROLE = {"crown-baccarat": "casino_manager", "nz-baccarat": "casino_supervisor"}


def time_of(number: int) -> str:
    """Return the n-th millisecond of an evening."""
    return f"2026-11-17T20:{number // 60_000:02}:{number // 1000 % 60:02}.{number % 1000:03}Z"


class Desk:
    """One class because a jackpot's tables and people act on one state: increments in sequence, wins, decisions."""

    def __init__(self, parameters: Parameters = CROWN, **changes: Any) -> None:
        self.parameters = replace(parameters, **changes)
        opened = entry.Opened(time=time_of(0), parameters=self.parameters)
        self.state: JackpotState = open_jackpot(opened)
        self.sent: dict[tuple[str, str], IncrementMessage] = {}  # the newest by gateway and table
        self.messages: dict[str, IncrementMessage] = {}  # by coup id
        self.now = 0

    def apply(self, made: Entry) -> Applied | Refused:
        self.now += 1
        return apply(self.state, made)

    def done(self, made: Entry) -> Applied:
        result = self.apply(made)
        assert isinstance(result, Applied), result
        assert self.state.balanced()
        return result

    def increment(self, table: str = "", **fields: Any) -> IncrementMessage:
        """Return the next message of a table; it is not applied yet."""
        parameters = self.state.parameters
        table = table or parameters.tables[0]
        before = self.sent.get((fields.get("gateway", GATEWAY), table))
        number = before.event_no + 1 if before else 1
        amount = fields.get("amount", parameters.increment)
        made = IncrementMessage(
            id=f"{table}-u-{number}-{parameters.id}",
            unit=f"{table}-u",
            event_no=number,
            table=table,
            shoe=1,
            coup=before.coup + (not fields.get("reverses")) if before else 1,
            time=time_of(self.now),
            rulebook="00",
            gateway=GATEWAY,
            jackpot=parameters.id,
            parameters=parameters.digest,
            currency=parameters.currency,
            amount=amount,
            count=before.count + 1 if before else 1,
            total=(before.total if before else 0) + amount,
            coup_id=f"{table}-u-{number}",
            kind="live",
        )
        return replace(made, **fields)

    def send(self, message: IncrementMessage) -> Applied | Refused:
        """Apply a message, and go on from it if it was applied."""
        result = self.apply(entry.Increment(time_of(self.now), message))
        if isinstance(result, Applied):
            self.sent[message.gateway, message.table] = message
            self.messages[message.coup_id] = message
        return result

    def coup(self, table: str = "", **fields: Any) -> str:
        """Count a coup and return its id."""
        message = self.increment(table, **fields)
        result = self.send(message)
        assert isinstance(result, Applied), result
        return message.coup_id

    def reverse(self, coup: str, **fields: Any) -> Applied | Refused:
        """Take back a coup's increment."""
        first = self.messages[coup]
        made = self.increment(
            first.table, amount=-first.amount, reverses=first.id, parameters=first.parameters, **fields
        )
        return self.send(made)

    def recorded(
        self, coup: str, at: int = 0, stakes: dict[str, list[int]] | None = None, gateway: str = GATEWAY, **receipt: Any
    ) -> entry.Recorded:
        """Return the dealer's record of a coup, number `at` of its gateway's ledger; it is not applied yet."""
        first = self.messages[coup]
        wager = self.parameters.qualifying[0]
        message = RecordedMessage(
            id=f"{coup}-recorded",
            unit=first.unit,
            event_no=0,
            table=first.table,
            shoe=first.shoe,
            coup=first.coup,
            time=time_of(self.now),
            rulebook="00",
            gateway=gateway,
            jackpot=self.parameters.id,
            coup_id=coup,
            outcome=first.trigger,
            at=time_of(at or self.now),
            by="Dee",
            stakes={wager: [100]} if stakes is None else stakes,
        )
        return entry.Recorded(
            time_of(self.now), message, entry.Receipt(**{"entry": at or self.now, "rules": entry.RULES, **receipt})
        )

    def record(
        self, coup: str, at: int = 0, stakes: dict[str, list[int]] | None = None, gateway: str = GATEWAY, **receipt: Any
    ) -> Applied:
        return self.done(self.recorded(coup, at, stakes, gateway, **receipt))

    def record_by_time(self, coup: str, at: int) -> Applied:
        """Record a win as the log of an older release has it."""
        return self.done(replace(self.recorded(coup, at), receipt=None))

    def confirmed(self, win: str, role: str = "", by: str = "Ann", notified: str = "Max") -> Applied | Refused:
        role = role or TOP_ROLE[self.parameters.rulebook]
        return self.apply(
            entry.Confirmed(time=time_of(self.now), win=win, by=by, role=role, notified=notified, rules=entry.RULES)
        )

    def confirm(self, win: str) -> Win:
        """Confirm a win and return it as it was closed."""
        result = self.confirmed(win)
        assert isinstance(result, Applied), result
        return result.wins[0]

    def win(self, trigger: str, table: str = "", stakes: dict[str, list[int]] | None = None) -> Win:
        """Deal a winning coup, record and confirm it."""
        coup = self.coup(table, trigger=trigger)
        self.record(coup, stakes=stakes)
        return self.confirm(coup)

    def withdraw(self, table: str = "") -> Applied:
        table = table or self.parameters.tables[0]
        return self.done(entry.Withdrawn(time=time_of(self.now), table=table, reason="display dark"))

    def restore(self, table: str = "") -> Applied:
        return self.done(entry.Restored(time=time_of(self.now), table=table or self.parameters.tables[0]))

    def made_good(self, missed: str, role: str = "") -> Applied | Refused:
        role = role or TOP_ROLE[self.parameters.rulebook]
        return self.apply(entry.MadeGood(time=time_of(self.now), missed=missed, by="Bob", role=role, rules=entry.RULES))

    def adjusted(self, amount: Any, by: tuple[str, ...] = ("Bob", "Bill"), **fields: Any) -> Applied | Refused:
        given = {"id": f"a-{self.now}", "role": TOP_ROLE[self.parameters.rulebook], "reason": "round 7 not recorded"}
        return self.apply(
            entry.Adjusted(time=time_of(self.now), amount=amount, by=by, rules=entry.RULES, **{**given, **fields})
        )

    def pending(self) -> list[Win]:
        return [view(hit, price) for hit, price in prices(self.state)]

    def closed(self) -> list[Win]:
        return closed_wins(self.state)

    def meters(self) -> dict[str, int]:
        """Return the meters that are not 0, without those that stay at 0 in most tests."""
        found = self.state.meters()
        names = ("base", "in_", "display", "hits", "wins", "overflow", "reserve")
        return {name.rstrip("_"): getattr(found, name) for name in names if getattr(found, name)}
