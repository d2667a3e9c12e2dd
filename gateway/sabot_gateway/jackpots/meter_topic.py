"""Meter topic: which parameters the floor service uses, as its retained meters name them."""

from collections.abc import Callable, Collection
from typing import Annotated

import msgspec
from msgspec import Meta
from sabot_protocol.inputs.bounded_json import decoded

_MOST_BYTES = 1 << 18  # of a message: the floor lists the tables where a jackpot is not offered
Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{16}\Z")]


class _Meter(msgspec.Struct):
    """What the gateway needs of a meter."""

    jackpot: str
    parameters: Digest


class MeterTopic:
    """Sans-I/O: payloads in, `uses` is called with the jackpot and the digest; anything else is ignored and counted."""

    def __init__(self, jackpots: Callable[[], Collection[str]], uses: Callable[[str, str], None]) -> None:
        self._jackpots, self._uses = jackpots, uses
        self.ignored = 0  # messages that are no meter of a jackpot of this gateway

    def received(self, topic: str, payload: bytes) -> None:
        """Take a message on sabot/v1/<site>/jackpot/<id>/meter."""
        meter, jackpot = decoded(payload, _Meter, _MOST_BYTES), topic.split("/")[-2]
        if meter is None or meter.jackpot != jackpot or jackpot not in self._jackpots():
            self.ignored += 1
        else:
            self._uses(jackpot, meter.parameters)
