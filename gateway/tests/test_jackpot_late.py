"""Records that come late, beside pay-outs and pending wins: all is worth what a slow replay of the order gives."""

import random
from dataclasses import dataclass, field

import pytest
from sabot_floor.jackpots.engine import Applied
from sabot_floor.jackpots.engine.state import Hit
from test_jackpot_order import ONE, TWO, Tables, differences

PERCENT = {"suited": 100, "coloured": 10, "non_coloured": 5}
RESET, ROUNDING = 1_500_000, 100


def test_a_late_win_before_a_paid_one_does_not_see_the_display_of_one_recorded_after_that_pay_out() -> None:
    desk = Tables()
    late, paid, other = desk.hits("suited", "coloured", "non_coloured")
    desk.record(paid, gateway=TWO, entry=12)
    assert desk.confirm(paid).prize == 2_850_010
    desk.record(other, gateway=ONE, prompt=True)
    result = desk.record(late, gateway=TWO, entry=11)
    # 285,000.50 in full, rounded up to 285,001.00; the next two see the reset value of 15,000.00, less 1,500.00.
    assert "AUD 28,500.10 were paid, AUD 1,500.00 were due" in differences(result)["bac-02"]
    assert [(win.value, win.prize) for win in desk.pending()] == [(28_500_050, 28_500_100), (1_350_000, 67_500)]
    assert [desk.confirm(win).prize for win in (late, other)] == [28_500_100, 67_500]
    assert (desk.state.display, desk.state.lacking) == (1_500_000 - 150_000 - 67_500, 0)


def test_a_win_recorded_after_a_late_one_sees_the_meter_as_the_late_one_leaves_it() -> None:
    desk = Tables()
    late, paid, new = desk.hits("suited", "coloured", "coloured")
    desk.record(paid, gateway=TWO, entry=12)
    desk.confirm(paid)
    desk.record(late, gateway=TWO, entry=11)
    desk.record(new, gateway=ONE, prompt=True)
    assert [win.value for win in desk.pending()] == [28_500_050, 1_350_000]
    desk.confirm(late)
    assert desk.state.display == 1_350_000


def test_a_void_pay_out_that_was_displayed_is_put_back_for_those_behind_a_late_win() -> None:
    desk = Tables()
    late, paid, other = desk.hits("suited", "coloured", "non_coloured")
    desk.record(paid, gateway=TWO, entry=12)
    desk.confirm(paid)
    desk.record(other, gateway=ONE, prompt=True)
    desk.reverse(paid)
    assert [win.value for win in desk.pending()] == [25_650_040]  # as it was displayed
    desk.record(late, gateway=TWO, entry=11)
    # Its coup of 0.25 was taken back before the late record came; the other had seen that too.
    assert [win.value for win in desk.pending()] == [28_500_025, 1_500_025]


@dataclass
class Evening:
    """One class because a random evening acts on one desk: records, pay-outs, decisions, and what was contributed."""

    seed: int
    desk: Tables = field(default_factory=Tables)
    saw: dict[str, int] = field(default_factory=dict)  # contributions when a record came, by win

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        names = self.desk.hits(*self.random.choices(list(PERCENT), k=5))
        self.gateways = [self.random.choice("abc") for _ in names]
        self.to_record = list(enumerate(names))
        self.random.shuffle(self.to_record)
        self.contributed = self.desk.state.display

    def step(self) -> None:
        act = self.random.choice([self.record, self.record, self.decide, self.pay, self.pay, self.deal, self.settle])
        act()

    def record(self) -> None:
        if self.to_record:
            number, win = self.to_record.pop()
            heard = {name: self.random.randrange(60) for name in "abc" if self.random.random() < 0.7}
            prompt = self.random.random() < 0.4
            gateway, entry = self.gateways[number], 10 + 10 * number
            self.desk.record(win, gateway=gateway, entry=entry, heard=heard, prompt=prompt)
            self.saw[win] = self.contributed

    def decide(self) -> None:
        for hit in [hit for hit in self.desk.state.open.values() if hit.undecided]:
            self.desk.decide(hit.win, self.random.choice([*hit.undecided, ""]))

    def pay(self) -> None:
        for win in self.desk.pending():
            if isinstance(self.desk.confirmed(win.win), Applied):
                return

    def deal(self) -> None:
        self.desk.coup()
        self.contributed += self.desk.parameters.increment

    def settle(self) -> None:
        for win in self.desk.closed():
            self.desk.settle(win.win)

    def finish(self) -> list[Hit]:
        while self.to_record:
            self.record()
        while self.desk.pending():
            self.decide()
            self.pay()
        return sorted(self.desk.state.closed, key=lambda hit: hit.rank)


def replayed(order: list[Hit], saw: dict[str, int]) -> tuple[list[int], int]:
    """Return the prizes of wins in this order, and what they move Display; each saw what was contributed until then."""
    prizes, moved = [], 0
    for number, hit in enumerate(order):
        value = min(saw[one.win] for one in order[number:]) + moved
        rounded = -(-value // ROUNDING) * ROUNDING
        prizes.append(-(-rounded * PERCENT[hit.outcome] // 100))
        moved += RESET - value if PERCENT[hit.outcome] == 100 else -prizes[-1]
    return prizes, moved


@pytest.mark.parametrize("part", range(4))
def test_random_evenings_give_what_a_slow_replay_gives(part: int) -> None:
    for seed in range(part * 100, part * 100 + 100):
        evening = Evening(seed)
        for _ in range(25):
            evening.step()
        order = evening.finish()
        prizes, moved = replayed(order, evening.saw)
        assert [hit.due.prize if hit.due else hit.prize for hit in order] == prizes, seed
        assert evening.desk.state.display + evening.desk.state.lacking == evening.contributed + moved, seed
