"""Commands of the floor for tests: a key, commands that it signs, and an intake over a desk without broker."""

import itertools
from typing import Any

import msgspec
from desk_bench import DeskBench
from sabot_gateway.ledger import Stored
from sabot_gateway.operator.floor_commands import FloorCommands
from sabot_protocol.command_keys import SigningKey
from sabot_protocol.commands import CommandAct, CommandMessage, CommandReply
from sabot_protocol.topics import command_topic
from sabot_service.moment import Moment, utc

KEY, OTHER_KEY = SigningKey(bytes(range(32))), SigningKey(bytes(range(1, 33)))
NOW_S = 1_800_000_000.0  # of the bench's wall clock
_numbers = itertools.count(1)


def command(verb: str = "ack-alarm", now_s: float = NOW_S, **changes: Any) -> CommandMessage:
    """Return a command that is right, but for the changes; `args` are those of the verb."""
    number = next(_numbers)
    fields: dict[str, Any] = {
        "id": f"cmd-{number}",
        "site": "test",
        "table": "bac-01",
        "person": "asmith",
        "name": "A. Smith",
        "role": "casino_supervisor",
        "act": CommandAct(verb=verb, args=changes.pop("args", {})),
        "nonce": f"{number:032x}",
        "issued": utc(now_s),
        "expires": utc(now_s + changes.pop("valid_s", 20.0)),
        "key": KEY.public.id,
    }
    return CommandMessage(**{**fields, **changes})


def signed(verb: str = "ack-alarm", now_s: float = NOW_S, **changes: Any) -> bytes:
    """Return the payload of a command, signed with the right key."""
    return KEY.sign(command(verb, now_s, **changes))


class CommandBench(DeskBench):
    """A desk with the intake of commands; `replies` are the newest last."""

    def __init__(self) -> None:
        super().__init__()
        self.own.next_no = 1
        self.table.open()
        self.replies: list[CommandReply] = []
        self.payloads: list[bytes] = []
        self.stored: list[Stored] = []
        self.problem: str | None = None
        self.now_s = 0.0
        self.intake = self.new_intake()

    def new_intake(self) -> FloorCommands:
        intake = FloorCommands("test", self.desk, {"bac-01": self.table}, lambda: self.problem, self._reply)
        intake.key = KEY.public
        return intake

    def _reply(self, table: str, payload: bytes) -> None:
        assert table == "bac-01"
        self.payloads.append(payload)
        self.replies.append(msgspec.json.decode(payload, type=CommandReply))

    def at(self) -> Moment:
        return Moment(self.now_s, utc(NOW_S + self.now_s))

    def put(self, payload: bytes, table: str = "bac-01") -> None:
        """Let the intake take a message; nothing is committed."""
        self.intake.received(command_topic("test", table), payload)
        self.intake.step(self.at())

    def give(self, payload: bytes, table: str = "bac-01") -> CommandReply | None:
        """Let the intake take a message, store what results, and return the newest reply to it."""
        before = len(self.replies)
        self.put(payload, table)
        for _ in range(3):
            self.store()
        return self.replies[-1] if len(self.replies) > before else None

    def store(self) -> None:
        """Make the waiting entries durable."""
        for entry in self.own.waiting:
            self.stored.append(Stored(*entry, seq=len(self.stored) + 1, hash=b""))
        self.own.waiting.clear()
        self.desk.committed(self.at())

    def entries(self, topic: str) -> list[dict[str, Any]]:
        return [msgspec.json.decode(entry.payload) for entry in self.stored if entry.topic == topic]

    def refused(self) -> dict[str, int]:
        counts: dict[str, int] = self.intake.status()["refused"]
        return counts


def disputed(bench: CommandBench) -> bytes:
    """Deal a coup that is disputed; return the command that decides it."""
    bench.table.dispute()
    return signed("decide", clause="12.13", coup="1/1", args={"coup": "1/1", "verdict": "void"})
