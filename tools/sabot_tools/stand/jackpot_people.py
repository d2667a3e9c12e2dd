"""The people of the demo's jackpot: a dealer who records a win, a manager who confirms it; each step is printed."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec
from sabot_protocol import authority
from sabot_protocol.jackpots.currency import number, written
from sabot_protocol.jackpots.messages import (
    FaultMessage,
    IncrementMessage,
    MeterMessage,
    PendingMessage,
    Win,
    WinMessage,
)
from sabot_service.client import ask
from sabot_service.daemons import FLOOR, GATEWAY, Daemon
from sabot_service.messages import ControlError, Request

from sabot_tools.stand.demo_jackpots import DemoJackpot
from sabot_tools.stand.demo_people import HEAD_PERSON, notified
from sabot_tools.text import jackpots as text

_DEALER, _MANAGER = "A. Novak", "R. Chen"
_STAKES = [1000, 3000]  # two players


_AGAIN_S = 1.0


class Act(NamedTuple):
    """What a person asks of a daemon, and what is printed when it is done."""

    socket: Path
    request: Request
    daemon: Daemon
    done: str = ""


@dataclass
class JackpotPeople:
    """Takes the messages of a site; knows the newest meter and which coups are not yet on it."""

    jackpot: DemoJackpot
    rulebook: str
    gateway_socket: Path
    floor_socket: Path
    print: Callable[[str], None]
    console: str = ""  # where a person of the demo's audience confirms; empty: the manager does it here
    meter: MeterMessage | None = None
    _coups: set[tuple[str, int, int]] = field(default_factory=set)  # printed, without an increment
    _increments: dict[str, int] = field(default_factory=dict)  # id: amount
    _expected: int = 0  # on the meter In once the printed coups are counted
    _triggered: dict[str, str] = field(default_factory=dict)  # id of a win: its table
    _recorded: set[str] = field(default_factory=set)
    _closed: set[str] = field(default_factory=set)
    _paid: int = 0
    _printed: int = 0  # coups
    _seen: set[str] = field(default_factory=set)  # messages about wins
    _acts: deque[Act] = field(default_factory=deque)  # to be asked, in order
    _next_act_s: float = 0.0

    def coup_printed(self, table: str, shoe: int, coup: int) -> None:
        """Expect an increment of this coup."""
        self._coups.add((table, shoe, coup))
        self._printed += 1

    def not_printed(self) -> int:
        """Return how many coups are on the meter that were not printed: other tables deal on while a win is paid."""
        amounts = set(self._increments.values())
        counted = self.meter.meters.in_ // max(amounts) if self.meter and amounts else 0
        return max(0, counted - self._printed)

    def has_win(self) -> bool:
        """Return True if a coup has won."""
        return bool(self._triggered)

    def tables_with_win(self) -> set[str]:
        """Return the tables where a win is not yet paid, or not on the meter: their dealers wait."""
        if self.meter is None or self.meter.meters.hits < self._paid:
            return set(self._triggered.values())
        return {table for win, table in self._triggered.items() if win not in self._closed}

    def settled(self) -> bool:
        """Return True if every printed coup is on the meter, and every win was paid or ended otherwise."""
        counted = self.meter is not None and self.meter.meters.in_ >= self._expected
        return counted and not self._coups and not self.tables_with_win()

    def take(self, topic: str, payload: bytes) -> None:
        """Take a message of any topic: print what it means for the jackpot, and do what is due."""
        match topic.split("/")[3:]:
            case [_, "jackpot", self.jackpot.id]:
                self._incremented(msgspec.json.decode(payload, type=IncrementMessage))
            case ["jackpot", self.jackpot.id, "meter"]:
                self._metered(msgspec.json.decode(payload, type=MeterMessage))
            case ["jackpot", self.jackpot.id, "pending"]:
                for win in msgspec.json.decode(payload, type=PendingMessage).wins:
                    self._recognised(win)
            case ["jackpot", self.jackpot.id, "win"]:
                self._won(msgspec.json.decode(payload, type=WinMessage))
            case ["jackpot", self.jackpot.id, "fault"]:
                fault = msgspec.json.decode(payload, type=FaultMessage)
                self.print(f"jackpot  {'FAULT ' if fault.active else ''}{fault.say}")

    def act(self, now_s: float) -> None:
        """Ask for what is due; a daemon that does not answer is asked again, what it refuses is left to people."""
        while self._acts and now_s >= self._next_act_s:
            act = self._acts[0]
            try:
                answer = ask(act.socket, act.request, act.daemon)
            except ControlError:
                self._next_act_s = now_s + _AGAIN_S
                return
            self._acts.popleft()
            refused = f"jackpot  the {act.daemon.name} refused {act.request.verb}: {answer.say}"
            if say := act.done if answer.ok else refused:
                self.print(say)

    def _incremented(self, increment: IncrementMessage) -> None:
        coup = (increment.table, increment.shoe, increment.coup)
        self._increments[increment.id] = increment.amount
        if coup in self._coups:
            self._coups.remove(coup)
            self._expected = sum(self._increments.values())
        if increment.trigger:
            self._triggered[increment.coup_id] = increment.table

    def _recognised(self, win: Win) -> None:
        """Record the win at the table, with the stakes of the players who may win."""
        if win.state != "recognised" or win.win in self._recorded:
            return
        self._recorded.add(win.win)
        self.print(f"jackpot  {text.hand(win)}: recognised from the shoe's cards")
        args = {"jackpot": self.jackpot.id, "coup": f"{win.shoe}/{win.coup}", "stakes": {self.jackpot.wager: _STAKES}}
        stakes = " and ".join(number(stake, self.jackpot.currency) for stake in _STAKES)
        wager = self.jackpot.wager.replace("_", " ")
        done = f"jackpot  recorded by dealer {_DEALER}, with stakes of {stakes} on {wager}"
        request = Request("record-win", win.table, _DEALER, args=args)
        self._acts.append(Act(self.gateway_socket, request, GATEWAY, done))

    def _metered(self, meter: MeterMessage) -> None:
        before = self.meter.meters.display if self.meter else None
        self.meter = meter
        if before != meter.meters.display:
            self.print(f"meter    {text.meter(meter, before)}")

    def _won(self, message: WinMessage) -> None:
        win = message.win
        if message.id in self._seen:  # a repeated message
            return
        self._seen.add(message.id)
        if win.state == "pending":
            self.print(f"jackpot  pending: {text.prize(win, message.currency)}")
            self.print(f"jackpot  shares: {text.shares(win, message.currency)} ({self.jackpot.division})")
            if self.console:
                self.print(f"jackpot  confirm it: {self.console}")
                return
            args = {"jackpot": self.jackpot.id, "win": win.win, "role": self.jackpot.role}
            args["notified"] = HEAD_PERSON.id if notified(self.rulebook) else ""
            self._acts.append(Act(self.floor_socket, Request("confirm", by=_MANAGER, args=args), FLOOR))
            return
        self._closed.add(win.win)
        if win.state == "paid":
            self._paid += 1
            title = authority.find_role(self.rulebook, self.jackpot.role).title
            by = f"{win.by}, {title}" + (f"; {win.notified} notified" if win.notified else "")
            self.print(f"jackpot  paid {written(win.prize, message.currency)}, confirmed by {by}")
        else:
            self.print(f"jackpot  {win.state}: {win.reason}")
