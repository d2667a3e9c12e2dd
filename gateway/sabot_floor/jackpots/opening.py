"""Opening: the jackpots of the parameters' file against the logs; new ones are opened, changes are noted."""

from collections.abc import Iterable

from sabot_protocol.jackpots.dates import not_yet
from sabot_protocol.jackpots.draws import commitment
from sabot_protocol.jackpots.parameters import Parameters

from sabot_floor.jackpots import engine
from sabot_floor.jackpots.batch import Batch, log_name
from sabot_floor.jackpots.draws import new_secret
from sabot_floor.jackpots.engine import Entry, JackpotState, Refused
from sabot_floor.jackpots.engine.entries import Changed, Opened
from sabot_floor.jackpots.logs import JackpotLogs
from sabot_floor.store import DamagedError, Decision, Head, Store

_EARLY = "nothing of it is opened or changed before that. Then let this service read the file again (SIGHUP)"


class _Opening(Batch):
    """Decides by the head of the log whether there is anything to note."""

    parameters: Parameters

    def decide(self, head: Head) -> Decision:
        self.entries = list(self._due(head))
        return super().decide(head)

    def _due(self, head: Head) -> Iterable[Entry]:
        if head.state is None:
            self.secret = new_secret()  # also for a jackpot that is won by cards: its trigger may change
            yield Opened(time=self.time, parameters=self.parameters, commitment=commitment(self.secret))
        elif self.parameters.digest != _newest(head.state):
            yield Changed(time=self.time, parameters=self.parameters)


def _newest(state: bytes) -> str:
    """Return the digest of the parameters that a state knows last."""
    known: JackpotState = engine.decode(state)
    return (known.waiting or known.parameters).digest


def refuse_headless(store: Store, jackpot: str) -> None:
    """Raise an error if a jackpot has entries, but the row is gone that names the newest one and the state."""
    name = log_name(jackpot)
    if store.read(name, 0, 1) and store.head(name) is None:
        raise DamagedError(
            f"jackpot {jackpot}: its entries are in the store, but not where its log stands (the row {name} of the "
            "table logs is gone). Put back a copy of the store"
        )


def open_jackpots(logs: JackpotLogs, parameters: Iterable[Parameters], time: str) -> list[str]:
    """Serve these jackpots; return sentences about changes that are refused or too early, and logs nobody serves."""
    listed = list(parameters)
    early = {one.id: not_yet(one, time) for one in listed}
    found = [one for one in listed if not early[one.id] or log_name(one.id) in logs.store.logs()]
    logs.serve(found)
    said = [f"jackpot {name}: {why}; {_EARLY}" for name, why in early.items() if why]
    for one in found:
        refuse_headless(logs.store, one.id)
        if early[one.id]:
            logs.refresh(one.id)
            continue
        batch = _Opening(one.id, time)
        batch.parameters = one
        logs.commit([batch])
        said += [f"jackpot {one.id}: {result.say}" for result in batch.results if isinstance(result, Refused)]
        logs.refresh(one.id)
    names = {log_name(one.id) for one in listed}
    said += [
        f"{name} is in the store but not in the parameters' file: its increments are not counted; put it back there, "
        "or leave it as it is if the jackpot has ended"
        for name in logs.store.logs()
        if name.startswith(log_name("")) and name not in names
    ]
    return said
