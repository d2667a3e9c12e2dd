"""A jackpot under everything that can happen to it: the meters always balance, no coup counts twice, none is lost."""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from jackpot_desk import CROWN, Desk, time_of
from jackpot_model import Model
from msgspec.structs import replace
from sabot_floor.jackpots.engine import Applied, Refused, decode, encode
from sabot_floor.jackpots.engine import entries as entry
from sabot_protocol.jackpots.draws import candidates, commitment, draw
from sabot_protocol.jackpots.messages import IncrementMessage, Win
from sabot_protocol.jackpots.parameters import LuckyTie, Random

TABLES = ("bac-01", "bac-02", "bac-03")
RANDOM = Random(draws=("table",), percent=20)
DECIMALS = LuckyTie("option_1", {"suited": 100, "coloured": "12.5", "non_coloured": "5.000001"})
VARIANTS: list[dict[str, Any]] = [
    *[{}] * 4,  # those that the model follows in everything
    {"reserve": "1.5%", "limit": 100_300},
    {"reserve": "33.333333%", "reset": 20_000},
    {"limit": 100_010, "reset": 100_010, "rounding": 1, "division": "proportional"},
    {"trigger": RANDOM, "qualifying": ("tie",)},
]
tables = st.sampled_from(TABLES)
outcomes = st.sampled_from(["", "", "", "suited", "coloured", "non_coloured"])
hands = st.sampled_from(["suited", "coloured", "non_coloured"])
times = st.integers(1, 500_000)
stakes = st.lists(st.integers(1, 5_000), max_size=4)
picks = st.integers(0, 10**6)


class Floor(RuleBasedStateMachine):
    """One class because every rule acts on the same jackpot; the model beside it does the arithmetic again."""

    @initialize(variant=st.sampled_from(VARIANTS))
    def open(self, variant: dict[str, Any]) -> None:
        self.desk = Desk(replace(CROWN, **{"tables": TABLES, "trigger": DECIMALS, **variant}))
        self.drawn = 0
        self.desk.state.commitment = commitment(self.secret())
        self.model = Model(self.desk.parameters, plain=not variant)
        self.counts: dict[str, tuple[int, int, int]] = dict.fromkeys(TABLES, (0, 0, 0))  # count, total, coup: sent
        self.sent: list[IncrementMessage] = []
        self.standing: dict[str, IncrementMessage] = {}  # coups that count, by coup id
        self.good = 0  # made good without an increment
        self.skipped: list[entry.Proposed] = []
        self.lost: set[str] = set()  # tables with a message that never arrived
        self.number = 0

    # What a gateway does

    def message(self, table: str, amount: int, coup: int, **fields: Any) -> IncrementMessage:
        """Return the gateway's next message, which counts at the gateway whatever becomes of it."""
        count, total, newest = self.counts[table]
        self.counts[table] = count + 1, total + amount, max(newest, coup)
        self.number += 1
        made = self.desk.increment(
            table,
            id=f"{table}-u-{self.number}-j",
            coup_id=f"{table}-u-{self.number}",
            amount=amount,
            count=count + 1,
            total=total + amount,
            coup=coup,
        )
        made = replace(made, **fields)
        self.sent.append(made)
        return made

    def deliver(self, message: IncrementMessage) -> Applied | Refused:
        before = encode(self.desk.state)
        result = self.desk.send(message)
        if isinstance(result, Refused):
            assert encode(self.desk.state) == before
            if result.then is not None:
                assert isinstance(self.desk.apply(result.then), Applied)
        else:
            self.model.move(result.increment)
        return result

    @rule(dealt=st.lists(tables, min_size=1, max_size=6), lost=st.sampled_from([False] * 9 + [True]))
    def deal(self, dealt: list[str], lost: bool) -> None:
        for table in dealt:
            self.deal_one(table, "", lost)

    def deal_one(self, table: str, outcome: str, lost: bool) -> str:
        """Deal a coup and return its id."""
        is_random = isinstance(self.desk.state.parameters.trigger, Random)
        message = self.message(
            table, self.desk.state.parameters.increment, self.counts[table][2] + 1, trigger="" if is_random else outcome
        )
        self.standing[message.coup_id] = message
        if lost:
            self.lost.add(table)
        else:
            self.deliver(message)
        return message.coup_id

    @rule(won=st.lists(st.tuples(tables, hands, times, stakes), min_size=1, max_size=4), recorded=st.booleans())
    def hit(self, won: list[tuple[str, str, int, list[int]]], recorded: bool) -> None:
        """Several tables hit; the dealers' records arrive in another order than their times."""
        coups = [self.deal_one(table, outcome, lost=False) for table, outcome, _, _ in won]
        for coup, (_, _, at, wagers) in zip(coups, won, strict=True):
            if recorded and coup in self.desk.state.open:
                self.record_one(coup, at, wagers)

    @rule(table=tables)
    def skip(self, table: str) -> None:
        """A coup is dealt that the gateway knows nothing of."""
        count, total, coup = self.counts[table]
        self.counts[table] = count, total, coup + 1
        made = entry.Proposed(time=time_of(1), table=table, unit=f"{table}-u", shoe=1, coup=coup + 1)
        self.skipped.append(made)

    @precondition(lambda self: self.sent)
    @rule(pick=picks)
    def repeat(self, pick: int) -> None:
        message = self.sent[pick % len(self.sent)]
        taken = self.desk.state.sequences.get(message.table, {}).get(message.gateway)
        if taken is not None and message.count <= taken.count:
            result = self.deliver(message)
            assert isinstance(result, Refused)
            assert result.reason == "repeat"

    @precondition(lambda self: self.standing)
    @rule(pick=picks, again=st.booleans(), outcome=outcomes)
    def correct(self, pick: int, again: bool, outcome: str) -> None:
        """A confirmed coup is voided, or gets another result."""
        first = list(self.standing.values())[pick % len(self.standing)]
        del self.standing[first.coup_id]
        reversal = self.message(
            first.table, -first.amount, first.coup, reverses=first.id, parameters=first.parameters, trigger=""
        )
        result = self.deliver(reversal)
        if isinstance(result, Applied):
            self.model.plain &= not any(win.win == first.coup_id and win.state == "paid" for win in self.desk.closed())
            self.model.cancel(first.coup_id)
        if again:
            is_random = isinstance(self.desk.state.parameters.trigger, Random)
            trigger = "" if is_random else outcome
            new = self.message(first.table, self.desk.state.parameters.increment, first.coup, trigger=trigger)
            self.standing[new.coup_id] = new
            self.deliver(new)

    # What people do

    @precondition(lambda self: any(hit.state == "recognised" for hit in self.desk.state.open.values()))
    @rule(pick=picks, at=times, wagers=stakes)
    def record(self, pick: int, at: int, wagers: list[int]) -> None:
        waiting = [hit.win for hit in self.desk.state.open.values() if hit.state == "recognised"]
        self.record_one(waiting[pick % len(waiting)], at, wagers)

    def record_one(self, win: str, at: int, wagers: list[int]) -> None:
        hit = self.desk.state.open[win]
        if hit.win not in self.desk.messages:
            self.desk.messages[hit.win] = next(one for one in self.sent if one.coup_id == hit.win)
        entry_no = (self.model.hits + len(self.desk.closed())) * 10**12 + at * 10**6 + self.desk.now
        made = self.desk.recorded(hit.win, at, {"tie": wagers, "banker": [7]}, entry=entry_no)
        assert isinstance(self.desk.apply(made), Applied)
        self.model.record(entry_no, hit.win, hit.percent, wagers)

    @precondition(lambda self: self.desk.pending())
    @rule(chosen=st.lists(picks, min_size=1, max_size=3))
    def confirm(self, chosen: list[int]) -> None:
        for pick in chosen:
            pending = self.desk.pending()
            if pending:
                later = pending[pick % len(pending)]
                if later is not pending[0]:
                    self.refuses_a_later_one(later)
                self.confirm_one(pending[0])
                self.agrees_with_the_model()

    def refuses_a_later_one(self, win: Win) -> None:
        before = encode(self.desk.state)
        assert isinstance(self.desk.confirmed(win.win), Refused)
        assert encode(self.desk.state) == before

    def confirm_one(self, win: Win) -> None:
        wins, display = self.desk.state.wins, self.desk.state.display
        closed = self.desk.confirm(win.win)
        assert sum(closed.shares) == closed.prize == self.desk.state.wins - wins == win.prize
        if closed.state == "invalid":
            assert self.desk.state.display == display
        self.model.confirm(win.win, closed.prize)
        before = encode(self.desk.state)
        assert isinstance(self.desk.confirmed(win.win), Refused)
        assert encode(self.desk.state) == before

    @precondition(lambda self: self.desk.state.open)
    @rule(pick=picks, needed=st.sampled_from([False, False, True]))
    def deem_invalid(self, pick: int, needed: bool) -> None:
        if not needed:
            return
        win = list(self.desk.state.open)[pick % len(self.desk.state.open)]
        meters = self.desk.state.meters()
        made = entry.Invalid(time=time_of(1), win=win, by="Ann", role="area_manager", reason="malfunction")
        self.desk.done(made)
        assert self.desk.state.meters() == meters
        self.model.cancel(win)

    @rule(amount=st.integers(-2_000, 2_000), second=st.sampled_from(["Bob", "Bill"]))
    def adjust(self, amount: int, second: str) -> None:
        before = encode(self.desk.state)
        result = self.desk.adjusted(amount, ("Bill", second), id=f"a-{self.number}-{self.desk.now}")
        if isinstance(result, Applied):
            assert second == "Bob"
            self.model.move(amount)
            self.model.adjusted += amount
        else:
            assert second == "Bill" or amount == 0
            assert encode(self.desk.state) == before

    @rule(table=tables, withdraw=st.sampled_from([False, False, True]))
    def withdraw_or_restore(self, table: str, withdraw: bool) -> None:
        place = self.desk.state.places.get(table)
        if place is not None and place.withdrawn:
            self.desk.restore(table)
        elif withdraw:
            self.desk.withdraw(table)

    @precondition(lambda self: self.skipped)
    @rule(pick=picks)
    def propose(self, pick: int) -> None:
        """A coup of a table whose messages were lost may be in their sum: then it is not proposed beside it."""
        made, before = self.skipped.pop(pick % len(self.skipped)), encode(self.desk.state)
        result = self.desk.apply(made)
        if isinstance(result, Refused):
            assert (result.reason, made.table in self.lost) == ("repeat", True)
            assert "which was missed as a sum" in result.say
            assert encode(self.desk.state) == before

    @precondition(lambda self: self.desk.state.missed)
    @rule(pick=picks)
    def make_good(self, pick: int) -> None:
        missed = self.desk.state.missed[pick % len(self.desk.state.missed)]
        self.good += missed.amount if missed.reason == "no increment" else 0
        result = self.desk.made_good(missed.id)
        assert isinstance(result, Applied)
        assert result.increment == missed.amount
        self.model.move(missed.amount)
        assert isinstance(self.desk.made_good(missed.id), Refused)

    @rule(increment=st.integers(1, 60))
    def change(self, increment: int) -> None:
        newest = self.desk.state.waiting or self.desk.state.parameters
        new = replace(newest, version=newest.version + 1, increment=increment)
        begun = self.desk.state.begun
        self.desk.done(entry.Changed(time=time_of(1), parameters=new))
        assert (self.desk.state.waiting == new) is begun

    @precondition(lambda self: isinstance(self.desk.state.parameters.trigger, Random))
    @rule()
    def draw(self) -> None:
        withdrawn = [table for table, place in self.desk.state.places.items() if place.withdrawn]
        found = candidates(RANDOM, TABLES, withdrawn)
        if not found.count():
            return
        secret = self.secret()
        self.drawn += 1
        made = draw(secret, found, "0" * 64, self.secret())
        self.desk.done(entry.Drawn(time=time_of(self.desk.now), id=f"draw-{self.drawn}", draw=made, rules=1))

    def secret(self) -> bytes:
        return bytes([self.drawn % 256]) * 32

    @rule()
    def restart(self) -> None:
        """The service stops and starts: the state comes from the store."""
        self.desk.state = decode(encode(self.desk.state))

    # What must always hold

    @invariant()
    def balances(self) -> None:
        state = self.desk.state
        assert state.base + state.in_ == state.display + state.wins + state.overflow + state.reserve
        assert min(state.display, state.overflow, state.reserve, state.base, state.wins) >= 0
        if state.parameters.limit is not None:
            assert state.display <= state.parameters.limit

    @invariant()
    def counts_each_coup_once(self) -> None:
        """Everything taken from the gateways is in In, or listed as missed."""
        state = self.desk.state
        taken = sum(one.total for by_gateway in state.sequences.values() for one in by_gateway.values())
        listed = sum(one.amount for one in state.missed if one.reason != "no increment")
        assert state.in_ + listed == taken + self.model.adjusted + self.good

    @invariant()
    def agrees_with_the_model(self) -> None:
        self.model.check(self.desk.state, [(win.win, win.value, win.prize) for win in self.desk.pending()])

    def teardown(self) -> None:
        """After every fault is cured and everything missed is made good, no coup is lost."""
        if not hasattr(self, "desk"):
            return
        for table in TABLES:
            place = self.desk.state.places.get(table)
            if place is None or not place.withdrawn:
                self.desk.withdraw(table)
            self.desk.restore(table)
            self.deal_one(table, "", lost=False)
        for missed in list(self.desk.state.missed):
            self.good += missed.amount if missed.reason == "no increment" else 0
            assert isinstance(self.desk.made_good(missed.id), Applied)
        coups = sum(one.amount for one in self.standing.values())
        assert self.desk.state.in_ == coups + self.good + self.model.adjusted
        self.balances()


TestFloor = Floor.TestCase
TestFloor.settings = settings(
    max_examples=200,
    stateful_step_count=40,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
