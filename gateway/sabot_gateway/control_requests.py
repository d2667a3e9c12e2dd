"""Control requests: what a person asks for at the control socket is answered, handed to the desk, or refused."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec
from sabot_service.control import Caller, Control
from sabot_service.messages import Answer
from sabot_service.moment import Moment

from sabot_gateway.hold import HoldControl
from sabot_gateway.jackpots.jackpots import Jackpots
from sabot_gateway.ledger import Ledger
from sabot_gateway.operator.capture_streams import CaptureStreams
from sabot_gateway.operator.desk import Desk
from sabot_gateway.operator.floor_commands import FloorCommands
from sabot_gateway.operator.local_roles import LocalRoles
from sabot_gateway.operator.requests import CaptureRequest, GatewayRequest, ParsedRequest
from sabot_gateway.operator.verbs.gateway import Status
from sabot_gateway.publish.stage import PublishStage
from sabot_gateway.table_session import TableSession


class ControlRequests:
    """One answer for each request."""

    def __init__(
        self,
        site: str,
        control: Control[ParsedRequest],
        desk: Desk,
        captures: CaptureStreams,
        hold: HoldControl,
        ledger: Ledger,
        publish: PublishStage,
        tables: Mapping[str, TableSession],
        jackpots: Jackpots,
        commands: FloorCommands,
        roles: LocalRoles,
        clock: Callable[[], float],
    ) -> None:
        self._site, self._control, self._desk, self._captures = site, control, desk, captures
        self._hold, self._ledger, self._publish, self._tables = hold, ledger, publish, tables
        self._jackpots, self._commands, self._clock = jackpots, commands, clock
        self.roles = roles
        self.clock: Callable[[], str] = lambda: ""  # how far this PC's clock is from its time server

    def serve(self, caller: Caller, at: Moment) -> None:
        """Read what a caller has sent; take the request once it is complete."""
        self._control.serve(caller, lambda request: self.take(caller, request, at))

    def take(self, caller: Caller, request: ParsedRequest, at: Moment) -> None:
        """Answer a request now, or have the desk answer it once its outcome is stored."""
        if isinstance(request, Status):
            self._control.answer(caller, Answer(True, "", msgspec.Raw(msgspec.json.encode(self.status(at)))))
        elif isinstance(request, GatewayRequest):
            self._accept(caller, request, at)
        elif isinstance(request, CaptureRequest):
            self._captures.begin(caller, request, self._tables.get(request.table), at.now_s, self._clock())
        elif self._hold.active:
            self._control.answer(caller, Answer(False, f"the gateway takes no commands now: {self._hold.problem}"))
        else:
            table = self._tables.get(request.table)
            granted = self.roles.check(request, table, caller.groups)
            reply = partial(self._control.answer, caller)
            self._desk.take(request, caller.user, table, reply, at, granted=granted)

    def _accept(self, caller: Caller, request: GatewayRequest, at: Moment) -> None:
        books = [table.verifier.rulebook for table in self._tables.values()]
        refused = self.roles.check_any(books, caller.groups)
        if refused:
            self._control.answer(caller, Answer(False, f"Refused: {refused}"))
            return
        self._control.answer(caller, self._hold.accept(request, at))
        self._jackpots.recount()

    def status(self, at: Moment) -> dict[str, Any]:
        """Return what `sabot gateway status` shows; during a hold every table is offline, as on its status topic."""
        held = {"state": "offline", "problem": self._hold.problem} if self._hold.active else {}
        return {
            "site": self._site,
            "time": at.time,
            "gateway": self._ledger.gateway(),
            "ledger": {"entries": self._ledger.last_seq(), "problem": self._hold.problem},
            "hold": self._hold.reasons(),
            "broker": self._publish.status(),
            "clock": self.clock(),
            "jackpots": self._jackpots.parameters(),
            "commands": self._commands.status(),
            "roles": self.roles.problem() or None,
            "newest_requests": list(self._desk.newest),
            "tables": [self._of_table(table) | held for table in self._tables.values()],
        }

    def _of_table(self, table: TableSession) -> dict[str, Any]:
        return table.status() | {"jackpots": self._jackpots.status(table.name)}
