"""Answers: what the floor service answers to each request."""

from collections.abc import Callable
from typing import Any

import msgspec
from sabot_service.messages import Answer
from sabot_service.moment import Moment
from sabot_service.mqtt import LoopClient

from sabot_floor.commands.desk import CommandDesk
from sabot_floor.commands.verbs import TableCommand
from sabot_floor.config import Config
from sabot_floor.hold import Hold
from sabot_floor.inbox import Inbox
from sabot_floor.jackpots import states
from sabot_floor.jackpots.behind import Behind
from sabot_floor.jackpots.collector import Collector
from sabot_floor.jackpots.desk import Desk
from sabot_floor.jackpots.logs import JackpotLogs
from sabot_floor.jackpots.order import PATIENCE_S
from sabot_floor.notify.notifier import Notifier
from sabot_floor.people.desk import PeopleDesk, Reply
from sabot_floor.people.state import Person
from sabot_floor.people.verbs import Login, UserVerb
from sabot_floor.projection import coverage
from sabot_floor.projection.feed import Feed
from sabot_floor.projection.gateway_desk import GatewayDesk
from sabot_floor.publish import Publisher
from sabot_floor.refused import RefusedActs
from sabot_floor.requests import Accept, AcceptGateway, Act, FloorRequest, Show, Signer, name_of
from sabot_floor.signs.desk import SignDesk
from sabot_floor.signs.verbs import ChangeSign, ShowSign
from sabot_floor.store import StoreError

_LOG_IN = (
    "This floor takes acts of people only with a log-in: give --as PERSON in place of --by and --role "
    "(`people_required` in its config)."
)


def _reached(config: Config) -> set[str]:
    """Return the parties that a channel reaches."""
    return {party for channel in config.notify for party in channel.to}


class Answers:
    """One answer for each request; acts are answered when they are durable."""

    def __init__(
        self,
        config: Config,
        logs: JackpotLogs,
        mqtt: LoopClient,
        inbox: Inbox,
        publisher: Publisher,
        collector: Collector,
        hold: Hold,
        behind: Behind,
        notifier: Notifier,
        people: PeopleDesk,
        commands: CommandDesk,
        clock: Callable[[], Moment],
        feed: Feed,
        signs: SignDesk,
    ) -> None:
        self._config, self._logs, self._mqtt, self._inbox = config, logs, mqtt, inbox
        self._publisher, self._collector, self._hold, self._behind = publisher, collector, hold, behind
        self._notifier = notifier
        self._desk, self._people, self._clock = (
            Desk(logs, collector.offline, people.people, _reached(config), config.people_required),
            people,
            clock,
        )
        self._feed, self._gateways_desk = feed, GatewayDesk(feed.gate.log, commands.tables.status, clock)
        self._commands, self._signs = commands, signs
        self._refused = RefusedActs(commands, logs, people.people, clock)
        self.web_status: Callable[[], dict[str, Any] | None] = lambda: None  # of the web part

    def begin(self, request: FloorRequest, account: str, reply: Reply) -> None:
        """Answer a request of an account by a call of `reply`, now or once its people have logged in."""
        match request.verb:
            case UserVerb() as verb:
                self._people.begin(verb, account, reply)
            case TableCommand() as command:
                self._command(command, account, reply)
            case ChangeSign() as change:
                self._sign(change, account, reply)
            case ShowSign() as show:
                reply(self._signs.show(show, self._clock()))
            case AcceptGateway(login=Login() as login) as accept:
                self._accept_gateway(accept, login, account, reply)
            case Accept(login=Login() as login) as accept:
                self._accept(accept, login, account, reply)
            case Show(login=Login() as login) as show:
                self._read(show, login, account, reply)
            case Act() as act if request.signer is None:
                self._log_in(act, account, reply)
            case _:
                reply(self._as_typed(request, account))

    def _as_typed(self, request: FloorRequest, account: str) -> Answer:
        """Answer a request without a log-in; an act that is refused to a name as typed is in the log of commands."""
        answer = self.answer(request, self._clock())
        if not answer.ok and isinstance(request.verb, Act):
            self._refused.jackpot(request.verb, request.signer, account, answer.say)
        elif not answer.ok and isinstance(request.verb, Accept):
            self._refused.accept(request.verb, request.by, account, answer.say)
        return answer

    def _log_in(self, act: Act, account: str, reply: Reply) -> None:
        """Have people log in for an act about a jackpot; every refusal is in the log of commands."""

        def logged(answer: Answer) -> None:
            if not answer.ok:
                self._refused.jackpot(act, None, account, answer.say)
            reply(answer)

        def then(people: list[Person]) -> None:
            signer = self._desk.signer(act, people)
            logged(Answer(False, signer) if isinstance(signer, str) else self._desk.act(act, signer, self._clock()))

        refused = self._refuse_behind() or self._desk.refuse_unknown(act.jackpot)
        if refused:
            reply(refused)
        else:
            self._people.log_in(act.logins(), f"{name_of(act)} {act.jackpot}", account, logged, then)

    def _read(self, show: Show, login: Login, account: str, reply: Reply) -> None:
        """Have a person log in who reads the console; a refusal is in the log of commands."""

        def logged(answer: Answer) -> None:
            if not answer.ok:
                self._refused.jackpot(show, None, account, answer.say)
            reply(answer)

        def then(people: list[Person]) -> None:
            logged(self._desk.refuse_reader(show.jackpot, people[0]) or self._desk.show(show.jackpot))

        refused = self._desk.refuse_unknown(show.jackpot)
        if refused:
            reply(refused)
        else:
            self._people.log_in([login], f"show {show.jackpot}", account, logged, then)

    def _accept(self, accept: Accept, login: Login, account: str, reply: Reply) -> None:
        logged = self._traced(accept, account, reply)

        def then(people: list[Person]) -> None:
            logged(self._behind.accept(accept, lambda jackpot: self._desk.signer_of(jackpot, people[0]), self._clock()))

        self._people.log_in([login], name_of(accept), account, logged, then)

    def _traced(self, accept: Accept, account: str, reply: Reply) -> Reply:
        """Return what replies, and stores a refusal of an acceptance in the log of commands."""

        def logged(answer: Answer) -> None:
            if not answer.ok:
                self._refused.accept(accept, "", account, answer.say)
            reply(answer)

        return logged

    def _accept_gateway(self, accept: AcceptGateway, login: Login, account: str, reply: Reply) -> None:
        logged = self._traced(accept, account, reply)

        def then(people: list[Person]) -> None:
            logged(self._gateways_desk.accept(accept, Signer(people[0].name, "", people[0].id), people[0].roles))

        self._people.log_in([login], name_of(accept), account, logged, then)

    def _command(self, command: TableCommand, account: str, reply: Reply) -> None:
        """Have people log in for a command to a table; every refusal is in the log of commands."""

        def refuse(answer: Answer) -> None:
            self._refused.command(command, account, answer.say)
            reply(answer)

        def then(people: list[Person]) -> None:
            self._commands.begin(command, people, account, reply, self._clock())

        problem = self._commands.problem(command)
        if problem:
            refuse(Answer(False, problem))
        else:
            self._people.log_in(command.logins(), command.title(), account, refuse, then)

    def _sign(self, change: ChangeSign, account: str, reply: Reply) -> None:
        """Have a person log in for a change of a sign; every refusal is in the log of commands."""

        def logged(answer: Answer) -> None:
            if not answer.ok:
                self._refused.sign(change, self._signs.attempted(change, self._clock()), account, answer.say)
            reply(answer)

        def then(people: list[Person]) -> None:
            logged(self._signs.act(change, people[0], account, self._clock()))

        self._people.log_in(change.logins(), change.title(), account, logged, then)

    def _refuse_behind(self) -> Answer | None:
        return Answer(False, f"Nothing was changed: {self._behind.problem}.") if self._behind.problem else None

    def answer(self, request: FloorRequest, at: Moment) -> Answer:
        """Return the answer to a request without a log-in; nothing has changed unless it is positive."""
        match request.verb:
            case AcceptGateway() as accept:
                if self._config.people_required:
                    return Answer(False, _LOG_IN)
                return self._gateways_desk.accept(accept, Signer(request.by, accept.role), {})
            case Accept() as accept:
                signer = Signer(request.by, accept.role)
                return self._behind.accept(accept, lambda jackpot: signer, at)
            case Act() as act:
                if request.signer is None or self._config.people_required:
                    return Answer(False, _LOG_IN)
                return self._refuse_behind() or self._desk.act(act, request.signer, at)
            case Show() as show:
                return self._desk.show(show.jackpot)
        return Answer(True, "", msgspec.Raw(msgspec.json.encode(self._status(at))))

    def _gateways(self) -> list[dict[str, Any]]:
        """Return how much of each ledger the projection has; nothing while the store cannot be read."""
        if self._hold.problem:
            return []
        try:
            return [one._asdict() for one in coverage.gateways(self._logs.store)]
        except StoreError:
            return []

    def _status(self, at: Moment) -> dict[str, Any]:
        standings = [self._logs.standing(jackpot) for jackpot in self._logs.served]
        problem, since = self._hold.problem or self._behind.problem or None, self._hold.since or None
        return {
            "site": self._config.site,
            "worker": self._config.worker,
            "time": at.time,
            "store": {"place": self._logs.store.place, "problem": problem, "since": since},
            "broker": {
                "url": str(self._mqtt.broker),
                "connected": self._mqtt.client.is_connected(),
                "problem": self._mqtt.problem,
                "waiting": self._inbox.waiting(),
                "ahead": len(self._collector.order),
                "ahead_s": round(self._collector.order.longest_s(at.now_s)),
                "patience_s": round(PATIENCE_S),
                "unreadable": self._inbox.unreadable,
                "given_up": self._inbox.given_up,
                "forgotten_coups": self._collector.missing.given_up,
                "republished": self._publisher.republished,
            },
            "projection": {
                "counts": dict(self._feed.counts),
                "gateways": self._gateways(),
                "beyond": self._feed.beyond,
                "refused": self._feed.gate.problems(),
            },
            "same_units": self._commands.tables.same_units.problems(at.now_s),
            "refused": self._collector.refusals.table(),
            "newest_refusals": list(self._collector.refusals.newest),
            "notify": self._notifier.status(),
            "web": self.web_status(),
            "jackpots": [states.meter_message(standing) for standing in standings if standing],
            "open_wins": self._logs.open_wins(),
        }
