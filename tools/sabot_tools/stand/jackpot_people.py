"""The people of the demo's jackpot: a dealer who records a win, a manager who confirms it; each step is printed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from sabot_protocol import authority
from sabot_protocol.jackpots.currency import number, written
from sabot_protocol.jackpots.messages import FaultMessage, IncrementMessage, MeterMessage, Win, WinMessage
from sabot_protocol.service.client import ask
from sabot_protocol.service.daemons import FLOOR, GATEWAY, Daemon
from sabot_protocol.service.messages import Request

from sabot_tools.stand.demo_jackpots import DemoJackpot
from sabot_tools.text import jackpots as text

_DEALER, _MANAGER = "A. Novak", "R. Chen"
_STAKES = [1000, 3000]  # two players


class JackpotRefusedError(RuntimeError):
    """A daemon has refused what the demo's people asked for; the message has its sentence."""


@dataclass
class JackpotPeople:
    """Takes the messages of a site; knows the newest meter and which coups are not yet on it."""

    jackpot: DemoJackpot
    rulebook: str
    gateway_socket: Path
    floor_socket: Path
    print: Callable[[str], None]
    meter: MeterMessage | None = None
    wins: dict[str, Win] = field(default_factory=dict)  # by id
    _coups: set[tuple[str, int, int]] = field(default_factory=set)  # printed, without an increment
    _increments: dict[str, int] = field(default_factory=dict)  # id: amount

    def coup_printed(self, table: str, shoe: int, coup: int) -> None:
        """Expect an increment of this coup."""
        self._coups.add((table, shoe, coup))

    def settled(self) -> bool:
        """Return True if every printed coup is on the meter, and no win waits."""
        counted = self.meter is not None and self.meter.meters.in_ >= sum(self._increments.values())
        return counted and not self._coups and all(win.state != "pending" for win in self.wins.values())

    def take(self, topic: str, payload: bytes) -> None:
        """Take a message of any topic: print what it means for the jackpot, and do what is due."""
        match topic.split("/")[3:]:
            case [_, "jackpot", self.jackpot.id]:
                self._incremented(msgspec.json.decode(payload, type=IncrementMessage))
            case ["jackpot", self.jackpot.id, "meter"]:
                self._metered(msgspec.json.decode(payload, type=MeterMessage))
            case ["jackpot", self.jackpot.id, "win"]:
                self._won(msgspec.json.decode(payload, type=WinMessage))
            case ["jackpot", self.jackpot.id, "fault"]:
                self.print(f"jackpot  FAULT {msgspec.json.decode(payload, type=FaultMessage).say}")

    def _incremented(self, increment: IncrementMessage) -> None:
        self._coups.discard((increment.table, increment.shoe, increment.coup))
        if increment.id in self._increments:  # a repeated message
            return
        self._increments[increment.id] = increment.amount
        if increment.trigger:
            self._record(increment)

    def _record(self, increment: IncrementMessage) -> None:
        """Record the win at the table, with the stakes of the players who may win."""
        win = Win(
            win=increment.coup_id,
            table=increment.table,
            shoe=increment.shoe,
            coup=increment.coup,
            outcome=increment.trigger,
            percent=0,
            state="pending",
        )
        self.wins[win.win] = win
        self.print(f"jackpot  {text.hand(win)}: recognised from the shoe's cards")
        args = {
            "jackpot": self.jackpot.id,
            "coup": f"{win.shoe}/{win.coup}",
            "stakes": {self.jackpot.wager: _STAKES},
        }
        _ask(self.gateway_socket, Request("record-win", win.table, _DEALER, args=args), GATEWAY)
        stakes = " and ".join(number(stake, increment.currency) for stake in _STAKES)
        self.print(f"jackpot  recorded by dealer {_DEALER}: {self.jackpot.wager} wagers of {stakes}")

    def _metered(self, meter: MeterMessage) -> None:
        before = self.meter.meters.display if self.meter else None
        self.meter = meter
        if before != meter.meters.display:
            self.print(f"meter    {text.meter(meter, before)}")

    def _won(self, message: WinMessage) -> None:
        win = message.win
        known = self.wins.get(win.win)
        if known == win:  # a repeated message
            return
        self.wins[win.win] = win
        if win.state == "pending":
            self.print(f"jackpot  pending: {text.prize(win, message.currency)}")
            args = {"jackpot": self.jackpot.id, "win": win.win, "role": self.jackpot.role}
            _ask(self.floor_socket, Request("confirm", by=_MANAGER, args=args), FLOOR)
        elif win.state == "paid":
            title = authority.load(self.rulebook).find_role(self.jackpot.role).title
            notified = f"; {win.notified} notified" if win.notified else ""
            self.print(
                f"jackpot  paid {written(win.prize, message.currency)}: confirmed by {win.by}, {title}{notified}"
            )
        else:
            self.print(f"jackpot  {win.state}: {win.reason}")


def _ask(socket: Path, request: Request, daemon: Daemon) -> None:
    answer = ask(socket, request, daemon)
    if not answer.ok:
        raise JackpotRefusedError(f"the {daemon.name} refused {request.verb}: {answer.say}")
