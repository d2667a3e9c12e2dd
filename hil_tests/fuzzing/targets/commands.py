"""Commands: any payload that others publish to a gateway: a command of the floor, a head of the ledger, a meter.

The first byte chooses. 0: the rest is the payload of `cmd`. 1: the rest is JSON with fields of a command, which is then
signed with the right key, so that the desk is reached. 2: the retained head of the ledger. 3: a meter of a jackpot.
"""

from collections.abc import Iterable

import msgspec
from desk_bench import DISPUTED
from floor_commands_bench import KEY, OTHER_KEY, CommandBench, command
from msgspec.structs import replace
from sabot_gateway.jackpots.meter_topic import MeterTopic
from sabot_gateway.ledger import Ledger
from sabot_gateway.operator.verbs import VERBS
from sabot_gateway.publish.head_topic import HeadTopic
from sabot_protocol.commands import CommandMessage

from fuzzing import json_mutator, scratch
from fuzzing.oracle import require

MOST_BYTES = 8300


def run(data: bytes) -> None:
    """Every payload gets at most one reply, with a sentence; only a signed one does anything; nothing is logged."""
    kind, payload = data[0] % 4 if data else 0, data[1:]
    if kind == 1:
        _signed(payload)
    elif kind == 2:
        _head(payload)
    elif kind == 3:
        MeterTopic(lambda: ("lucky-tie",), lambda jackpot, digest: None).received("a/jackpot/lucky-tie/meter", payload)
    else:
        _given(payload, accepted=False)


def _given(payload: bytes, *other: bytes, accepted: bool) -> None:
    """Give a payload twice, then others that must not be accepted any more."""
    bench = CommandBench()
    bench.table.follow(*DISPUTED)
    bench.table.serve()
    bench.give(payload)
    before = len(bench.entries("attempt"))
    require(accepted or not before, "an unsigned command was accepted")
    for again in (payload, *(other if before else ())):
        bench.give(again)
        require(len(bench.entries("attempt")) == before, "a command was accepted twice, or its id or nonce")
    for reply in bench.replies:
        require(reply.say and reply.table == "bac-01", f"a reply without a sentence: {reply}")
    bench.now_s = 60.0
    bench.desk.expire(bench.at())
    bench.store()


def _signed(payload: bytes) -> None:
    try:
        changes = msgspec.json.decode(payload)
        made = msgspec.convert({**msgspec.to_builtins(command()), **changes}, CommandMessage)
        sealed, same_id = KEY.sign(made), KEY.sign(replace(made, name="B. Jones", nonce="f" * 32))
        same_nonce = KEY.sign(replace(made, name="B. Jones", id="another"))
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):  # no command can be made of it
        return
    _given(sealed, same_id, same_nonce, accepted=True)


def _head(payload: bytes) -> None:
    topic = HeadTopic(_ledger())
    topic.met_broker(0.0)
    topic.received(payload, 1.0)
    topic.take(5.0)
    topic.received(payload, 6.0)
    topic.take(70.0)
    require(topic.ledger.behind is None, "a head that this ledger did not sign held the gateway")


def _ledger() -> Ledger:
    """Return a ledger, made once: a head changes nothing in it."""
    if not _made:
        _made.append(Ledger(scratch.directory("ledger") / "ledger.db"))
    return _made[0]


_made: list[Ledger] = []


def mutate(data: bytes, most: int, seed: int) -> bytes | None:
    """Return another payload."""
    made = json_mutator.mutated(data[1:], most - 1, seed)
    return None if made is None else data[:1] + made


def seeds() -> Iterable[bytes]:
    """Signed commands of every verb, heads and meters."""
    for verb in VERBS:
        yield b"\1" + msgspec.json.encode({"act": {"verb": verb, "args": {}}, "clause": "12.13"})
    args = {"coup": "1/1", "verdict": "confirmed", "winner": "player"}
    yield b"\1" + msgspec.json.encode({"act": {"verb": "decide", "args": args}, "clause": "12.13", "coup": "1/1"})
    yield b"\0" + OTHER_KEY.sign(command())
    yield b"\0" + OTHER_KEY.sign(command("void", clause="12.1", key=KEY.public.id))
    yield b"\2" + msgspec.json.encode(_ledger().head())
    yield b"\3" + b'{"jackpot":"lucky-tie","parameters":"0123456789abcdef"}'
    for kind in range(4):
        yield bytes([kind]) + b'{"id":"x","deep":' + b"[" * 3000
