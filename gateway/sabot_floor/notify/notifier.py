"""Notifier: the notifications of one worker: messages in, entries of the log, notices to the senders, outcomes back."""

from collections import deque
from collections.abc import Sequence
from typing import Any

import structlog
from sabot_protocol.topics import IncidentMessage
from sabot_service.moment import Moment, utc
from sabot_service.rate_limit import LogLimiter

from sabot_floor.config import Config
from sabot_floor.inbox import Arrived
from sabot_floor.notify import delivery, jackpots, messages, opening
from sabot_floor.notify import state as states
from sabot_floor.notify.delivery import Outcome
from sabot_floor.notify.due_times import seconds
from sabot_floor.notify.history import LOG
from sabot_floor.notify.jackpots import Read
from sabot_floor.notify.messages import Received
from sabot_floor.notify.notices import Notice
from sabot_floor.notify.planner import Planner
from sabot_floor.notify.senders.sending import Senders
from sabot_floor.notify.state import State
from sabot_floor.store import Decision, Entry, Head, Store, StoreError

_EVERY_S = 1.0
_LOOK_EVERY_S = 5.0  # at incidents that came into the store without a message
_MOST_SHOWN = 5

log: structlog.stdlib.BoundLogger = structlog.get_logger()


class _Turn:
    """What one transaction decides; `decide` can be called again."""

    def __init__(
        self,
        found: Sequence[Received],
        outcomes: Sequence[Outcome],
        busy: set[str],
        now_s: float,
        jackpots: Sequence[Read] = (),
    ) -> None:
        self.found, self.outcomes, self.busy, self.now_s = found, outcomes, busy, now_s
        self.jackpots = jackpots
        self.state, self.claimed = State(), list[Notice]()


class Notifier:
    """Does nothing without channels. An error in here, other than of the store, stops no other part of the service."""

    def __init__(self, config: Config, store: Store, senders: Senders | None = None) -> None:
        self._channels = {channel.name: channel for channel in config.notify}
        self._site, self._worker, self._store = config.site, config.worker, store
        self._planner = Planner(config.site, config.notify, config.calendar())
        self._senders = senders or Senders(config.notify)
        self._outcomes: list[Outcome] = []  # not stored yet
        self._next_s, self._look_s = 0.0, 0.0
        self._limiter = LogLimiter()
        self._state = State()  # as this worker saw it last
        self._rejected, self._newest = 0, deque[str](maxlen=_MOST_SHOWN)
        self._problem = ""

    def filters(self) -> list[str]:
        """Return the topics to subscribe to."""
        return messages.filters(self._site) if self._channels else []

    def turn(self, arrived: Sequence[Arrived], at: Moment) -> None:
        """Store what the messages and the time bring, then send; StoreError if nothing of it could be stored."""
        if not self._channels:
            return
        found = self._parse(arrived, at)
        self._outcomes += self._senders.outcomes()
        if not found and not self._outcomes and at.now_s < self._next_s:
            return
        self._next_s = at.now_s + _EVERY_S
        try:
            looks = at.now_s >= self._look_s
            before = self._look(at) if looks else []
            read = jackpots.unread(self._store, self._known()) if looks else []
            outcomes, now_s = tuple(self._outcomes), seconds(at.time) or 0.0
            self._carry_out(_Turn([*before, *found], outcomes, self._senders.busy(), now_s, read))
            self._problem = ""
        except StoreError:
            raise
        except Exception as error:
            self._outcomes.clear()
            self._problem = f"internal error in the notifications ({type(error).__name__}); report it with the log"
            if self._limiter.take("turn", at.now_s) is not None:
                log.exception("internal error in the notifications; the messages of this turn notify nobody")

    def _look(self, at: Moment) -> list[IncidentMessage]:
        """Return the incidents in the store that came without a message: before the start, or by a rebuild."""
        self._look_s = at.now_s + _LOOK_EVERY_S
        return opening.unknown_incidents(self._store, self._known())

    def _known(self) -> State:
        return states.decode((self._store.head(LOG) or Head()).state)

    def _parse(self, arrived: Sequence[Arrived], at: Moment) -> list[Received]:
        found: list[Received] = []
        for one in arrived:
            parsed = messages.parse(self._site, one)
            if isinstance(parsed, str):
                self._rejected += 1
                self._newest.append(parsed)
                if self._limiter.take("rejected", at.now_s) is not None:
                    log.warning(f"refused: {parsed}")
            elif parsed is not None:
                found.append(parsed)
        return found

    def _carry_out(self, turn: _Turn) -> None:
        if turn.found or turn.outcomes or turn.jackpots or self._is_due(turn):
            self._store.append(LOG, lambda head: self._decide(turn, head))
            self._outcomes.clear()
            self._log_failures(turn)
            self._senders.submit(turn.claimed)
        self._state = turn.state

    def _is_due(self, turn: _Turn) -> bool:
        """Return True if the time alone, or another worker, has made something to do."""
        head = self._store.head(LOG) or Head()
        return self._decide(turn, head).state != head.state

    def _decide(self, turn: _Turn, head: Head) -> Decision:
        state, now_s = states.decode(head.state), turn.now_s
        entries: list[Entry] = [entry for one in turn.outcomes for entry in delivery.settle(state, one, now_s)]
        for message in turn.found:
            entries += self._planned(state, message, now_s)
        if turn.jackpots:
            entries += jackpots.take(state, turn.jackpots, list(self._channels.values()), self._site, now_s)
        entries += self._planner.due(state, now_s)
        turn.claimed, given_up = delivery.claim(state, self._worker, self._channels, turn.busy, now_s)
        turn.state = state
        return Decision([*entries, *given_up], states.encode(state))

    def _planned(self, state: State, message: Received, now_s: float) -> list[Entry]:
        """Return what a message causes; whatever is in it, it costs no more than itself."""
        try:
            return self._planner.take(state, message, now_s)
        except Exception as error:
            self._rejected += 1
            self._newest.append(f"{message.table}: {type(error).__name__} in a message. Nobody is notified; report it")
            if self._limiter.take("planned", now_s) is not None:
                log.exception("a message could not be planned; report it with this log", table=message.table)
            return []

    def _log_failures(self, turn: _Turn) -> None:
        for one in turn.outcomes:
            if one.result == "failed" and self._limiter.take(f"failed {one.notice.channel}", turn.now_s) is not None:
                log.warning(
                    f"not sent by {one.notice.channel}: {one.say}; it is tried again", subject=one.notice.subject
                )

    def is_sending(self) -> bool:
        """Return True while a receiver has a notice, and its outcome is not stored."""
        return bool(self._senders.busy() or self._outcomes)

    def idle(self) -> bool:
        """Return True if nothing waits to be sent, or for its outcome."""
        return not self.is_sending() and not self._state.queue

    def status(self) -> dict[str, Any] | None:
        """Return what became of the notices of each channel, and what waits; None without channels."""
        if not self._channels:
            return None
        return {
            "problem": self._problem or None,
            "incidents": len(self._state.watched),
            "not_watched": self._state.unwatched,
            "too_old": self._state.too_old,
            "rejected": self._rejected,
            "newest_rejected": list(self._newest),
            "channels": [self._channel_status(name) for name in self._channels],
        }

    def _channel_status(self, name: str) -> dict[str, Any]:
        tally, flood = self._state.tally(name), self._state.floods.get(name)
        waiting = [one for one in self._state.queue.values() if one.notice.channel == name]
        return {
            "name": name,
            "kind": type(self._channels[name]).__struct_config__.tag,
            "waiting": len(waiting),
            "oldest": utc(min(one.since_s for one in waiting)) if waiting else None,
            "next": utc(min(max(one.next_s, tally.next_s) for one in waiting)) if waiting else None,
            "in_summary": sum(flood.held.values()) + flood.more if flood is not None else 0,
            **{key: getattr(tally, key) for key in ("sent", "failed", "given_up")},
            "last_sent": tally.last_sent or None,
            "problem": tally.problem or None,
            "problem_time": tally.problem_time or None,
        }

    def close(self) -> None:
        """Stop sending; what is claimed and not sent is sent after the next start."""
        self._senders.close()
