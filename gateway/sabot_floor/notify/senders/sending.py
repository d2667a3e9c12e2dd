"""Sending: a notice through its channel; one thread a channel, so that a receiver that hangs delays no other."""

from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread

from sabot_floor.notify.channels import AnyChannel, Mail, Webhook
from sabot_floor.notify.delivery import Outcome
from sabot_floor.notify.notices import Notice, short
from sabot_floor.notify.senders import mail, syslog, webhook
from sabot_floor.notify.senders.connection import SendError

_STOP_S = 0.5
Send = Callable[[AnyChannel, Notice], Outcome]


def send(channel: AnyChannel, notice: Notice) -> Outcome:
    """Send one notice and wait for the receiver; nothing is raised."""
    try:
        said, problem = _send(channel, notice)
    except SendError as error:
        return Outcome(notice, "failed", short(str(error), 300))
    except Exception as error:
        return Outcome(notice, "failed", f"internal error: {type(error).__name__}; report it with this channel's kind")
    return Outcome(notice, "sent", said, problem)


def _send(channel: AnyChannel, notice: Notice) -> tuple[str, str]:
    if isinstance(channel, Webhook):
        return webhook.send(channel, notice), ""
    if isinstance(channel, Mail):
        return mail.send(channel, notice)
    return syslog.send(channel, notice), ""


class Senders:
    """One thread for each channel that has had something to send; `outcomes` is emptied by the floor's loop."""

    def __init__(self, channels: Sequence[AnyChannel], send: Send = send) -> None:
        self._channels, self._send = {channel.name: channel for channel in channels}, send
        self._work: dict[str, SimpleQueue[list[Notice] | None]] = {}
        self._threads: list[Thread] = []
        self._done: SimpleQueue[Outcome] = SimpleQueue()
        self._open: dict[str, int] = {}  # by channel: notices without an outcome

    def busy(self) -> set[str]:
        """Return the channels that are sending."""
        return {name for name, count in self._open.items() if count}

    def submit(self, notices: Sequence[Notice]) -> None:
        """Send these; only channels that are not busy may be given any."""
        by_channel: dict[str, list[Notice]] = {}
        for notice in notices:
            by_channel.setdefault(notice.channel, []).append(notice)
        for name, batch in by_channel.items():
            self._open[name] = self._open.get(name, 0) + len(batch)
            self._queue(name).put(batch)

    def _queue(self, name: str) -> "SimpleQueue[list[Notice] | None]":
        if name not in self._work:
            self._work[name] = SimpleQueue()
            thread = Thread(target=self._serve, args=(name,), name=f"notify-{name}", daemon=True)
            self._threads.append(thread)
            thread.start()
        return self._work[name]

    def _serve(self, name: str) -> None:
        while (batch := self._work[name].get()) is not None:
            failed = False
            for notice in batch:
                outcome = Outcome(notice, "released") if failed else self._send(self._channels[name], notice)
                failed = failed or outcome.result == "failed"
                self._done.put(outcome)

    def outcomes(self) -> list[Outcome]:
        """Return what has been sent, or failed, since the last call."""
        found: list[Outcome] = []
        while True:
            try:
                found.append(self._done.get_nowait())
            except Empty:
                break
            self._open[found[-1].notice.channel] -= 1
        return found

    def close(self) -> None:
        """End the threads; one that waits for a receiver ends with the process."""
        for queue in self._work.values():
            queue.put(None)
        for thread in self._threads:
            thread.join(_STOP_S / len(self._threads))
