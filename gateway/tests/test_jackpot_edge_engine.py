"""What the edge derives, the engine takes: whatever a shoe and people do, nothing is refused, and both have one sum."""

import tempfile
from fractions import Fraction
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jackpot_edge import TIME, Edge, from_wagers, lucky_tie
from sabot_floor.jackpots import engine
from sabot_floor.jackpots.engine.entries import Increment, Opened
from sabot_floor.jackpots.engine.results import Refused
from sabot_protocol.jackpots.parameters import Parameters

ACTS = ("coup", "coup", "coup", "stakes", "void", "dispute", "confirmed", "voided", "restart")


class Run:
    """Acts of one table; coups that count are counted by hand."""

    def __init__(self, edge: Edge) -> None:
        self.edge, self.log, self.exact = edge, edge.one, Fraction(0)
        self.parameters = edge.parameters[0]
        self.last: Fraction | None = None  # what the newest coup contributed, None if it is void or disputed
        self.disputed: list[tuple[str, Fraction]] = []
        self.staked: int | None = None
        self.suits = cycle(("SHDC", "HDCS", "DCSH", "CSHD"))  # no card oftener than a shoe has it
        edge.commit()

    def contribution(self) -> Fraction:
        """What a wagered coup gives by the parameters; 1.5 per cent of the stakes."""
        if self.parameters.funding == "operator":
            return Fraction(self.parameters.increment)
        return Fraction(self.parameters.increment) + Fraction(3, 200) * (self.staked or 0)

    def stakes(self) -> None:
        self.staked = 101 if self.staked is None else self.staked + 77
        self.edge.ask("no-more-bets")
        assert self.edge.ask("stakes", stakes={"tie": [self.staked]}).ok

    def coup(self) -> None:
        if self.staked is None and self.parameters.funding != "operator":
            self.stakes()
        suits = next(self.suits)
        self.log.play(f"9{suits[0]} 2{suits[1]} T{suits[2]} 3{suits[3]}")
        self.last = self.contribution()
        self.exact += self.last
        self.staked = None

    def void(self) -> None:
        """The newest coup, confirmed or not."""
        if self.last is not None:
            self.log.void(self.log.coup_no - 1)
            self.exact -= self.last
            self.last = None

    def dispute(self) -> None:
        """A card of a coup to come: the newest is disputed, and that coup is voided."""
        if self.last is not None and self.staked is None:
            self.disputed.append((f"1/{self.log.coup_no - 1}", self.last))
            self.log.dispute()
            self.log.void(self.log.coup_no)
            self.log.coup_no += 1
            self.last = None

    def confirmed(self) -> None:
        if self.disputed:
            coup, _ = self.disputed.pop()
            self.edge.ask("decide", coup=coup, verdict="confirmed", clause=self.clause)

    def voided(self) -> None:
        if self.disputed:
            coup, given = self.disputed.pop()
            assert self.edge.ask("decide", coup=coup, verdict="void", clause=self.clause).ok
            self.exact -= given

    @property
    def clause(self) -> str:
        return "12.1" if self.edge.book == "nz-baccarat" else "7.1.5"

    def restart(self) -> None:
        self.edge.restart()


def check(run: Run, parameters: Parameters) -> None:
    """The engine counts everything; total and carry are the exact sum."""
    state = engine.open_jackpot(Opened(time=TIME, parameters=parameters))
    messages = run.edge.increments(parameters.id)
    for message in messages:
        result = engine.apply(state, Increment(TIME, message))
        assert not isinstance(result, Refused), result.say
        assert state.balanced()
    total = messages[-1].total + Fraction(messages[-1].carry) if messages else 0
    assert total == run.exact
    assert state.in_ == (messages[-1].total if messages else 0)
    assert [one.count for one in messages] == list(range(1, len(messages) + 1))


PARAMETERS = {
    "operator": lucky_tie(tables=["bac-01"], reserve="10%", limit=1_000_300),
    "end_of_round": from_wagers(tables=["bac-01"], funding="both", increment=3),
    "no_more_bets": from_wagers(tables=["bac-01"], activation="no_more_bets", limit=10**6),
}


@pytest.mark.parametrize("name", PARAMETERS)
@settings(max_examples=10, deadline=None)
@given(acts=st.lists(st.sampled_from(ACTS), max_size=14))
def test_the_engine_takes_all_that_the_edge_derives_and_the_sums_agree(name: str, acts: list[str]) -> None:
    parameters = PARAMETERS[name]
    with tempfile.TemporaryDirectory() as work_dir:
        edge = Edge(Path(work_dir) / "ledger.db", parameters, tables=("bac-01",), book=parameters.rulebook)
        run = Run(edge)
        for act in acts:
            getattr(run, act)()
        if run.parameters.activation == "end_of_round" or run.staked is None:
            check(run, parameters)
        edge.ledger.close()
