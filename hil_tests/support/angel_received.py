"""What an emulated Angel Eye sent to which connection, and what a gateway must have stored of it; read from the bytes.

The shoe keeps no log. What came while no gateway was there is gone, and so is what a killed gateway had not committed.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from sabot_sim.angel_eye.copies import Sent
from sabot_tools.stand.angel_eye_table import LiveAngelEye

from support.patience import crowd

# What came less than this before a kill may be lost with the gateway: the loop's turn, and then the commit.
_COMMITTED_WITHIN_S: Final = 1.0  # on an idle machine
_TWO: Final = 2  # of three copies bring a message
_LETTER, _PLACE, _CARD = 2, 3, 4  # bytes of a frame
_SUITS, _RANKS = "?DCSH", "?A23456789TJQK"
_WINNERS: Final = {1: "player", 2: "tie", 4: "banker"}


def committed_within_s() -> float:
    """Return how long before a kill a message must have come to be in the ledger."""
    return _COMMITTED_WITHIN_S * crowd()


@dataclass
class ReceivedFrame:
    """A frame: the connection that was open when it was sent; when the second good copy was out, and to which."""

    sent: Sent
    began: int | None
    twice_s: float | None = None
    ended: int | None = None

    @property
    def letter(self) -> str:
        """Its type."""
        return chr(self.sent.frame[_LETTER])

    @property
    def place(self) -> tuple[int, int]:
        """Target and index of a card."""
        return self.sent.frame[_PLACE] >> 4 & 7, self.sent.frame[_PLACE] & 15

    @property
    def card(self) -> str:
        """The card."""
        byte = self.sent.frame[_CARD]
        return _RANKS[byte & 15] + _SUITS[byte >> 4 & 7]


@dataclass
class ReceivedCoup:
    """The frames of a coup, from the Player's first card to the result."""

    frames: list[ReceivedFrame] = field(default_factory=list)

    def message(self) -> dict[str, Any]:
        """Return what a message about it must have."""
        hands: dict[int, list[str]] = {0: [], 1: []}
        for frame in self.frames[:-1]:
            hands[frame.place[0]].append(frame.card)
        result = self.frames[-1].sent.frame[_PLACE]
        return {
            "player": hands[0],
            "banker": hands[1],
            "winner": _WINNERS[result >> 4 & 7],
            "player_pair": bool(result & 1),
            "banker_pair": bool(result & 2),
        }

    def same(self, message: dict[str, Any]) -> bool:
        """Return True if a message has the cards, winner and pairs that were dealt."""
        return all(message[name] == value for name, value in self.message().items())


@dataclass
class ReceivedLine:
    """Call `step` after each turn of the site."""

    table: LiveAngelEye
    frames: list[ReceivedFrame] = field(default_factory=list)
    connection: int = 0
    connected: bool = False
    closed_s: dict[int, float] = field(default_factory=dict)  # by connection: what came later may be lost
    now_s: float = 0.0

    def step(self, now_s: float) -> None:
        """Note clients that came or left, and frames that were sent."""
        before_s, connected, self.now_s = self.now_s, bool(self.table.bench.clients), now_s
        if connected and not self.connected:
            self.connection += 1
        if self.connected and not connected:
            self.closed_s.setdefault(self.connection, before_s - committed_within_s())  # it may have ended just after
        self.connected = connected
        sent, open_now = self.table.truth.sent, self.connection if connected else None
        self.frames += [ReceivedFrame(sent[place], open_now) for place in range(len(self.frames), len(sent))]
        for frame in reversed(self.frames):
            if frame.twice_s is not None:
                break
            if frame.sent.good >= _TWO:
                frame.twice_s, frame.ended = now_s, open_now

    def nothing_stored_from(self, at_s: float) -> None:
        """Note that the ledger refuses everything since then, and that this gateway is killed before it can be used."""
        self.closed_s[self.connection] = at_s - committed_within_s()

    def must_be_stored(self, frame: ReceivedFrame, *, settled: bool) -> bool:
        """Return True if two copies came in one connection, and in good time before its end; settled: it is at rest."""
        if frame.twice_s is None or frame.began is None or frame.began != frame.ended:
            return False
        last_s = frame.twice_s if settled else self.now_s - committed_within_s()
        return frame.twice_s <= self.closed_s.get(frame.began, last_s)

    def coups(self) -> list[ReceivedCoup]:
        """Return the coups that have a result, as they were sent."""
        found, now = list[ReceivedCoup](), ReceivedCoup()
        for frame in self.frames:
            if frame.letter == "D" and frame.place[0] in (0, 1):
                now = ReceivedCoup() if frame.place == (0, 1) else now
                now.frames.append(frame)
            elif frame.letter == "G" and now.frames:
                now.frames.append(frame)
                found.append(now)
                now = ReceivedCoup()
        return found

    def whole(self, coup: ReceivedCoup, *, settled: bool) -> bool:
        """Return True if the gateway must have every frame of a coup, in one connection."""
        in_one = len({one.began for one in coup.frames}) == 1
        return in_one and all(self.must_be_stored(one, settled=settled) for one in coup.frames)

    def differences(self, messages: list[dict[str, Any]], *, settled: bool) -> list[str]:
        """Compare the messages on `coup`: whole coups verified once and in order as dealt, others never verified."""
        found, rest = list[str](), self.coups()
        for message in messages:
            if message["status"] == "verified":
                passed = next((place for place, coup in enumerate(rest) if coup.same(message)), None)
                if passed is None:
                    found.append(f"coup {message['id']} is verified, but was not dealt so, or not in this order")
                    continue
                found += self._missing(rest[:passed], settled=settled)
                rest = rest[passed + 1 :]
            elif not message.get("flags") or message.get("winner"):
                found.append(f"coup {message['id']} is {message['status']} without a flag, or with a winner")
        return found + self._missing(rest, settled=settled)

    def _missing(self, coups: list[ReceivedCoup], *, settled: bool) -> list[str]:
        whole = [coup for coup in coups if self.whole(coup, settled=settled)]
        return [f"a coup came whole and is not verified: {coup.message()}" for coup in whole]
