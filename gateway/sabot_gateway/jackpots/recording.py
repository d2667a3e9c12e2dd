"""Recording: what a dealer records at a table about its jackpots: the stakes of a coup, and a winning hand."""

from collections.abc import Mapping, Sequence

from sabot_protocol.jackpots.messages import RecordedMessage
from sabot_protocol.jackpots.parameters import Parameters
from sabot_protocol.jackpots.signing import sign
from sabot_protocol.jackpots.triggers import recognise
from sabot_protocol.topics import recorded_name

from sabot_gateway.jackpots.entries import STAKES, StakesMessage
from sabot_gateway.jackpots.increments import Increments
from sabot_gateway.jackpots.stored import Coup, StoredJackpots
from sabot_gateway.verify import NotThereError, Record, Source, Verifier
from sabot_gateway.verify.deciders import Decider

Stakes = Mapping[str, Sequence[int]]


class TableJackpots:
    """The jackpots that run at one table; NotThereError has the reason of a refusal."""

    def __init__(
        self, table: str, running: Sequence[Parameters], increments: Increments, stored: StoredJackpots
    ) -> None:
        self._table, self._running = table, {parameters.id: parameters for parameters in running}
        self._increments, self._stored = increments, stored
        self._recorded: set[tuple[str, str]] = set()  # jackpot and coup, since the table was opened

    @property
    def currency(self) -> str:
        """The currency of the table's jackpots: it has one."""
        return next(iter(self._running.values())).currency

    def title(self, jackpot: str) -> str:
        """Return a jackpot's title, which is what people call it."""
        return self._find(jackpot).title

    def after_the_call(self) -> str:
        """Return a jackpot that takes its part of stakes after "no more bets" (18.11); empty if none does."""
        found = (one.title for one in self._running.values() if one.takes_at_the_call)
        return next(found, "")

    def stakes(self, stakes: Stakes, person: Decider, verifier: Verifier, source: Source) -> tuple[Record, str]:
        """Return the record of the stakes of the coup on the table, and shoe and coup as 3/17."""
        known = {wager for one in self._running.values() for wager in (*one.wager_increment, *one.qualifying)}
        _check_wagers(stakes, known)
        on_table = verifier.state.coup_on_table()
        if on_table is None:
            raise NotThereError(
                "the coup on the table is not known: part of the shoe's log is missing. Tell the supervisor."
            )
        shoe, coup = on_table
        message = StakesMessage(
            id=source.id,
            unit=verifier.state.unit,
            event_no=source.event_no,
            table=self._table,
            shoe=shoe,
            coup=coup,
            time=source.time,
            rulebook=verifier.digest,
            by=person.by,
            stakes={wager: list(each) for wager, each in stakes.items()},
            attempt=person.attempt,
        )
        return Record(STAKES, message), f"{shoe}/{coup}"

    def win(
        self,
        jackpot: str,
        label: str,
        stakes: Stakes | None,
        person: Decider,
        verifier: Verifier,
        source: Source,
        *,
        again: bool = False,
    ) -> tuple[Record, RecordedMessage]:
        """Return the record of a winning hand, of the coup named or of the newest; `again` keeps the first time."""
        parameters = self._find(jackpot)
        coup = self._confirmed_coup(label)
        outcome = recognise(parameters, coup.kind, coup.player, coup.banker, coup.winner)
        if outcome is None:
            raise NotThereError(
                f"coup {coup.label} is no win of {parameters.title}: its cards are "
                f"{' '.join((*coup.player, *coup.banker))}. Name the winning coup with --coup SHOE/COUP."
            )
        at, first = self._first(parameters, coup) if again else (person.time, 0)
        if not again:
            self._refuse_repeat(parameters, coup)
        stakes = self._stakes_of(coup) if stakes is None else stakes
        _check_wagers(stakes, set(parameters.qualifying))
        message = RecordedMessage(
            id=source.id,
            unit=coup.unit,
            event_no=source.event_no,
            table=self._table,
            shoe=coup.shoe,
            coup=coup.coup,
            time=source.time,
            rulebook=verifier.digest,
            gateway=self._increments.gateway,
            jackpot=jackpot,
            coup_id=coup.confirmed,
            outcome=outcome.outcome,
            at=at,
            by=person.by,
            stakes={wager: list(each) for wager, each in stakes.items() if wager in parameters.qualifying},
            first=first,
        )
        self._recorded.add((jackpot, coup.confirmed))
        message = sign(message, self._increments.key)
        return Record(recorded_name(jackpot), message), message

    def _find(self, jackpot: str) -> Parameters:
        if jackpot not in self._running:
            raise NotThereError(f"no jackpot {jackpot} runs at {self._table}: there is {', '.join(self._running)}.")
        return self._running[jackpot]

    def _confirmed_coup(self, label: str) -> Coup:
        coup = self._stored.coup(self._table, label)
        if coup is None:
            raise NotThereError(
                f"the ledger has no coup {label} of {self._table}." if label else "no coup was dealt yet."
            )
        if coup.status == "disputed":
            raise NotThereError(f"coup {coup.label} is disputed. A supervisor decides it first.")
        if not coup.confirmed or coup.kind == "void":
            state = "void" if coup.kind == "void" else "not confirmed. Confirm it first"
            raise NotThereError(f"coup {coup.label} is {state}.")
        return coup

    def _first(self, jackpot: Parameters, coup: Coup) -> tuple[str, int]:
        """Return when a win was first recorded, and its entry, which is its place in the order of wins."""
        found = self._stored.record_of(jackpot.id, coup.confirmed)
        if found is None:
            raise NotThereError(
                f"coup {coup.label} was not recorded for {jackpot.title} yet. Record it without --again."
            )
        return found[0], found[2]

    def _refuse_repeat(self, jackpot: Parameters, coup: Coup) -> None:
        found = self._stored.record_of(jackpot.id, coup.confirmed)
        if found:
            raise NotThereError(
                f"coup {coup.label} was recorded for {jackpot.title} at {found[0]} by {found[1]}. "
                "If the floor service did not take it, record it with --again."
            )
        if (jackpot.id, coup.confirmed) in self._recorded:
            raise NotThereError(f"coup {coup.label} is being recorded for {jackpot.title} already.")

    def _stakes_of(self, coup: Coup) -> Stakes:
        """Return the stakes that were recorded for a coup; none if none were."""
        for one in reversed(self._increments.stakes(self._table).values()):
            if (one.shoe, one.coup) == (coup.shoe, coup.coup):
                return one.stakes
        return {}


def _check_wagers(stakes: Stakes, known: set[str]) -> None:
    """Refuse a wager that takes no part, so that a wrong name is noticed."""
    for wager in stakes:
        if wager not in known:
            there = ", ".join(sorted(known)) or "none"
            raise NotThereError(f"no wager {wager} takes part in the jackpot: there is {there}.")
