"""Control sockets: any line becomes a request of the gateway or of the floor, or a sentence; a request is answered.

The first byte chooses the daemon and, for the gateway, how far the table is. The rest is the line.
"""

from collections.abc import Iterable

import msgspec
from desk_bench import DISPUTED, DeskBench
from sabot_floor import requests as floor
from sabot_gateway.operator import requests as gateway
from sabot_gateway.operator.requests import TableRequest
from sabot_gateway.operator.verbs import VERBS
from sabot_service.messages import Answer, RequestError
from sabot_service.moment import Moment

from fuzzing import floor_app, json_mutator
from fuzzing.examples import example
from fuzzing.oracle import FindingError, require

MOST_BYTES = 4096
_TIME = "2026-01-02T03:04:05.006Z"
_MOST_WAITS = 10  # of a second: for the hash of a secret


def run(data: bytes) -> None:
    """Every answer is one line of JSON with a sentence, and only a RequestError refuses a line."""
    mode, line = data[:1], data[1:].partition(b"\n")[0]
    answers = _of_floor(line) if mode and mode[0] & 1 else _of_gateway(line, mode[0] >> 1 if mode else 0)
    for answer in answers:
        encoded = msgspec.json.encode(answer)
        require(b"\n" not in encoded and (answer.ok or answer.say), f"a refusal without a sentence: {encoded[:100]!r}")


def _of_floor(line: bytes) -> list[Answer]:
    try:
        request = floor.parse(line)
    except RequestError as error:
        return [Answer(False, str(error))]
    answers, service = list[Answer](), floor_app.service()
    service.app._answers.begin(request, "root", answers.append)
    for _ in range(_MOST_WAITS):
        if answers:
            return answers
        service.serve(1.0)
    raise FindingError("a request of the floor has no answer")


def _of_gateway(line: bytes, mode: int) -> list[Answer]:
    try:
        request = gateway.parse(line)
    except RequestError as error:
        return [Answer(False, str(error))]
    return _asked(request, mode) if isinstance(request, TableRequest) else []


def _asked(request: TableRequest, mode: int) -> list[Answer]:
    """Return the answers of a desk: to this request, and to the same one again."""
    bench = DeskBench()
    if mode & 1:
        bench.table.open()
    if mode & 2:
        bench.table.follow(*DISPUTED[: 1 + (mode >> 3)])
    if mode & 4:
        bench.table.serve()
    for now_s in (0.0, 1.0):
        bench.desk.take(request, "floor", bench.table, bench.answers.append, Moment(now_s, _TIME))
        bench.commit()
        bench.commit()
    bench.desk.expire(Moment(60.0, _TIME))
    bench.commit()
    return bench.answers


def mutate(data: bytes, most: int, seed: int) -> bytes | None:
    """Return another request."""
    made = json_mutator.mutated(data[1:], most - 1, seed)
    return None if made is None else data[:1] + made


def seeds() -> Iterable[bytes]:
    """A request for every verb, with every argument empty, and some as people make them."""
    for mode, verbs in ((0, VERBS), (1, floor.VERBS)):
        for name, kind in verbs.items():
            args = example(kind)
            for table in ("bac-01", "") if mode == 0 else ("",):
                line = {
                    "verb": name,
                    "table": table,
                    "by": "A. Smith",
                    "clause": "12.13" if table else "",
                    "args": args,
                }
                yield bytes([mode | 14]) + msgspec.json.encode(line)
    decide = {"coup": "1/1", "verdict": "confirmed", "winner": "player"}
    for verb, args in (("decide", decide), ("void", {}), ("confirm", {}), ("key-card", {"card": "8S"})):
        line = {"verb": verb, "table": "bac-01", "by": "A. Smith", "clause": "12.13", "args": args}
        yield bytes([62]) + msgspec.json.encode(line)
    yield b"\0" + b'{"verb":"status","args":{"a":' + b"[" * 2000
    yield b"\1" + b'{"verb":"status","x":' + b'{"a":' * 800
