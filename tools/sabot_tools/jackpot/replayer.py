"""Replayer: answers lines about one jackpot with the engine of the floor service."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Any

import msgspec
from sabot_floor.jackpots.engine import Applied, Entry, apply, decode, encode, open_jackpot, open_wins, ranks
from sabot_floor.jackpots.engine import entries as entry
from sabot_floor.jackpots.engine.hits import moment
from sabot_floor.jackpots.engine.views import not_offered
from sabot_protocol.jackpots import draws
from sabot_protocol.jackpots.contributions import ContributionError
from sabot_protocol.jackpots.messages import IncrementMessage, RecordedMessage, Win
from sabot_protocol.jackpots.parameters import Parameters, Random
from sabot_protocol.topics import WAGERED

from sabot_tools.jackpot import lines
from sabot_tools.jackpot.acts import entries_of
from sabot_tools.jackpot.coups import GATEWAY, Coups, Dealt
from sabot_tools.text.json_lines import BadLineError

_START = datetime(2000, 1, 1, tzinfo=UTC)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HEAD = "0" * 64


class Replayer:
    """One jackpot from its first entry on; a line that cannot be applied changes nothing."""

    def __init__(self, parameters: Parameters) -> None:
        self._now = _START
        self._number = 0
        self._coups = Coups()
        opened = entry.Opened(time=self._time(), parameters=parameters, commitment=draws.commitment(_secret(1)))
        self._state = open_jackpot(opened)
        self._draws = 1

    def answer(self, line: dict[str, Any]) -> bytes:
        """Return the answer to a line, from behind its id; BadLineError if nothing of it was applied."""
        self._number += 1
        before = self._now
        try:
            parsed = lines.parse(line)
            return self._answer(parsed, _note(self._state.parameters, parsed, line))
        except BadLineError:
            self._now = before
            raise

    def _answer(self, parsed: lines.AnyLine, note: str) -> bytes:
        if parsed.currency and parsed.currency != self._state.parameters.currency:
            raise BadLineError(f"currency: {parsed.currency} is not {self._state.parameters.currency}, the jackpot's")
        self._see(parsed.time, "time")
        before = self._state.in_
        results = self._results(parsed)
        answer = {"increment": self._state.in_ - before, **self.levels(), **self._lists()}
        answer["paid"] = [part for result in results for win in result.wins for part in _parts(win)]
        faults = [fault.say for result in results for fault in result.faults if fault.active]
        if faults:
            answer["faults"] = faults
        if note:
            answer["note"] = note
        return msgspec.json.encode(answer)[1:]

    def _results(self, parsed: lines.AnyLine) -> list[Applied]:
        match parsed:
            case lines.CoupLine():
                return self._coup(parsed)
            case lines.CorrectsLine():
                return self._corrects(parsed)
            case lines.RecordWinLine():
                return self._record_win(parsed)
            case lines.DrawLine():
                return self._draw(parsed)
            case lines.ConfirmLine(confirm=win):
                self._refuse_later_win(win)
        return self._apply(*entries_of(self._state, parsed, self._time(), self._number))

    def _refuse_later_win(self, win: str) -> None:
        """Refuse to pay a win before those that were recorded before it."""
        hit = self._state.open.get(win)
        refused = ranks.refuse_confirm(self._state, hit) if hit is not None and hit.state == "pending" else None
        if refused:
            raise BadLineError(refused.say)

    def levels(self) -> dict[str, Any]:
        """Return the meters, and whether they balance."""
        return {"meters": self._state.meters(), "balanced": self._state.balanced()}

    def _lists(self) -> dict[str, Any]:
        state = self._state
        pending = [_pending(win) for win in open_wins(state) if win.state == "pending"] if state.open else []
        missed = [{"coup": one.coup_id or one.id, "table": one.table, "amount": one.amount} for one in state.missed]
        withdrawn = not_offered(state)
        return {"pending": pending, "missed": missed, **({"not_offered": withdrawn} if withdrawn else {})}

    def _see(self, time: str, field: str) -> datetime:
        """Take the time of a line: the newest is the clock of the replay."""
        if not time:
            return self._now
        try:
            found = moment(time)
        except ValueError as error:
            raise BadLineError(f"{field}: {error}") from error
        self._now = max(self._now, found.astimezone(UTC))
        return found

    def _time(self) -> str:
        return _text(self._now)

    def _apply(self, *made: Entry) -> list[Applied]:
        """Apply entries, all or none."""
        saved = encode(self._state) if len(made) > 1 else b""
        done = []
        for one in made:
            result = apply(self._state, one)
            if not isinstance(result, Applied):
                if saved:
                    self._state = decode(saved)
                raise BadLineError(result.say)
            done.append(result)
        return done

    def _coup(self, line: lines.CoupLine) -> list[Applied]:
        parameters = self._state.parameters
        if line.table not in parameters.tables:
            raise BadLineError(f"table: {line.table!r} does not take part; it is one of {', '.join(parameters.tables)}")
        coup = self._coups.read(line, parameters)
        message = self._increment(coup)
        done = self._apply(*self._entries(message))
        self._keep(coup, message)
        return done

    def _corrects(self, line: lines.CorrectsLine) -> list[Applied]:
        before, after = self._coups.read_correction(line, self._state.parameters)
        reversing = self._coups.reverse(self._state.parameters, before, self._time())
        saved = self._coups.sent(before.table)
        if reversing:
            self._coups.send(reversing)
        try:
            message = self._increment(after)
            done = self._apply(*self._entries(reversing, message))
        except BadLineError:
            self._coups.put_back(before.table, saved)
            raise
        self._keep(after, message)
        return done

    def _entries(self, *messages: IncrementMessage | None) -> list[Entry]:
        return [entry.Increment(self._time(), message) for message in messages if message]

    def _increment(self, coup: Dealt) -> IncrementMessage | None:
        try:
            return self._coups.increment(self._state.parameters, coup, self._time())
        except ContributionError as error:
            raise BadLineError(str(error)) from error

    def _keep(self, coup: Dealt, message: IncrementMessage | None) -> None:
        if message:
            self._coups.send(message)
        self._coups.keep(coup, message)

    def _record_win(self, line: lines.RecordWinLine) -> list[Applied]:
        """Record a win; without `at` it is recorded after everything in the lines before."""
        if line.at:
            at = line.at
            self._see(at, "at")
        else:
            self._now += timedelta(microseconds=1)
            at = self._time()
        coup, hit = self._coups.find(line.record_win), self._state.open.get(line.record_win)
        message = RecordedMessage(
            id=f"{line.record_win}/recorded",
            unit="",
            event_no=0,
            table=coup.table if coup else "",
            shoe=1,
            coup=coup.number if coup else 0,
            time=self._time(),
            rulebook="",
            gateway=GATEWAY,
            jackpot=self._state.parameters.id,
            coup_id=line.record_win,
            outcome=hit.outcome if hit else "",
            at=at,
            by=line.by,
            stakes=line.wagers or {},
        )
        return self._apply(entry.Recorded(self._time(), message, _receipt(at)))

    def _draw(self, line: lines.DrawLine) -> list[Applied]:
        trigger = self._state.parameters.trigger
        if not isinstance(trigger, Random):
            raise BadLineError(f"draw: jackpot {self._state.parameters.id} is not a random one")
        found = draws.candidates(trigger, self._state.parameters.tables, not_offered(self._state))
        try:
            made = draws.draw(_secret(self._draws), found, _HEAD, _secret(self._draws + 1))
        except draws.DrawError as error:
            raise BadLineError(f"draw: {error}") from error
        self._now += timedelta(microseconds=1)
        done = self._apply(entry.Drawn(time=self._time(), id=line.draw, draw=made, by=line.by, role=line.role))
        self._draws += 1
        return done


def _receipt(at: str) -> entry.Receipt | None:
    """Return the receipt of a record in a log of one gateway: its times are in the order of its entries."""
    try:
        return entry.Receipt((moment(at) - _EPOCH) // timedelta(microseconds=1), rules=entry.RULES)
    except ValueError:
        return None  # the engine says what is wrong


def _note(parameters: Parameters, parsed: lines.AnyLine, line: dict[str, Any]) -> str:
    """Return a warning about a coup whose stakes are not known."""
    if not isinstance(parsed, lines.CoupLine) or parsed.kind not in WAGERED or "wagers" in line:
        return ""
    if parameters.funding == "operator":
        return ""
    return "wagers are not given: counted as none; a gateway raises jackpot_not_incremented. Without any write {}"


@lru_cache(maxsize=16)
def _text(time: datetime) -> str:
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _secret(number: int) -> bytes:
    return sha256(f"sabot jackpot replay {number}".encode()).digest()


def _pending(win: Win) -> dict[str, Any]:
    return {
        "coup": win.win,
        "table": win.table,
        "outcome": win.outcome,
        "percent": win.percent,
        "value": win.value,
        "rounded": win.rounded,
        "prize": win.prize,
        "shares": win.shares,
        "at": win.at,
    }


def _parts(win: Win) -> list[dict[str, int]]:
    if win.state != "paid":
        return []
    return [{"wager": place, "amount": amount} for place, amount in enumerate(win.shares)]
