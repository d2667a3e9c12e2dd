"""Play: one table of the crowd, step by step: the dealer's hands, people who ask, and somebody who tidies up."""

import random
from typing import Any, Final

import msgspec
from sabot_protocol import rulebooks
from sabot_protocol.fields import Fault
from sabot_protocol.service.messages import Answer, Request
from sabot_sim.rigs.play import StepAnswer
from sabot_tools.text.json_lines import BadLineError
from sabot_tools.text.steps import step_of

from crowd.acts import CANDIDATES, Acts, Ask, clauses_of
from crowd.hands import TrueHands, decks_of, shown
from crowd.judge import Judge
from crowd.site import BOOKS, JACKPOTS, Site
from crowd.staff import Member, Staff

_STATES: Final = ("closed", "burning", "dealing", "complete", "checking")
_ASKS, _SENSE, _PAYS = 0.25, 0.25, 0.05  # how often somebody interferes, settles what is open, or turns to a jackpot
_MOST_TIDIED, _STUCK = 40, 60
Line = dict[str, Any]


class CrowdTable:
    """One table; `step` does one thing at it, and returns it as a line for the log."""

    def __init__(self, site: Site, name: str, rng: random.Random, judge: Judge) -> None:
        self.site, self.name, self.book, self._rng, self._judge = site, name, BOOKS[name], rng, judge
        self.staff = Staff(rng, self.book)
        self.acts = Acts(rng, self.staff)
        self._profile = rulebooks.load(self.book).profile(None, 1)
        self._hands = self._new_hands()
        self._idle = 0

    def _new_hands(self) -> TrueHands:
        return TrueHands(self._rng, self.book, decks_of(self.book))

    def step(self) -> Line:
        """Do one thing, wait until everybody has it, and let the judge see it."""
        rng = self._rng
        self.site.now_s += rng.uniform(0.5, 20)
        chance = rng.random()
        if chance < _ASKS:
            line = self._asked(self.acts.random(self._status()))
        elif chance < _ASKS + _SENSE:
            line = self.tidy()
        elif chance < _ASKS + _SENSE + _PAYS:
            line = self._jackpot()
        else:
            line = self._deal()
        self.site.settle()
        self._judge.see()
        return {"table": self.name, **line}

    def _state(self) -> StepAnswer:
        return self.site.gateway.shoes[self.name].step("state")

    def _deal(self) -> Line:
        """Let the dealer do the next thing; a shoe that cannot go on is followed by the next."""
        seen = self._judge.tables[self.name]
        answer = shown(self._state(), _STATES, Fault.decmapping, seen.results)
        seen.results = []
        if answer["state"] in ("closed", "checking"):
            return self._open(answer)
        line = self._hands.next(answer)
        if "command" in line:
            return self._asked(self.acts.of_line(line, answer["fault"]))
        if line.get("power") or "state" in line:
            return {"none": True}
        seen.unread += len(self._hands.unread_out)
        self._hands.unread_out.clear()
        try:
            self.site.gateway.do(self.name, *step_of(line, self._profile, {}))
        except BadLineError as error:
            return {"bad": str(error)}
        return {"hands": line}

    def _open(self, answer: Line) -> Line:
        """Put in new cards and open; who may is tried from below; what is still open is settled first now and then."""
        self._idle += 1
        if self._idle > 3:
            self.tidy(_MOST_TIDIED)
        if answer["state"] == "checking":
            return self._try("deck-check", {"on": 0})
        self._hands = self._new_hands()
        line = self._hands.next(answer)
        done = self._try("open-shoe", {name: value for name, value in line.items() if name != "command"})
        if self._state().state != 0:
            self._idle = 0
        if self._idle > _STUCK:
            raise TimeoutError(f"{self.name}: no shoe can be opened: {done}; {self._status()}")
        return done

    def tidy(self, most: int = 3) -> Line:
        """Do what a trained supervisor would: acknowledge, decide disputes, record the steps that are open."""
        done: list[Line] = []
        status = self._status()
        if status["alarms"]:
            done.append(self._try("ack-alarm", {}))
        if status.get("fault") not in (None, "", "none"):
            done.append(self._try("clear-fault", {"fault": status["fault"]}))
        for one in status["disputes"][:most]:
            done.append(self._decide(one))
        for incident in status["incidents"][:most]:
            for step in [one for one in incident["steps"] if not one.get("done")][:most]:
                done.append(self._try("step", {"incident": incident["incident"], "step": step["name"]}, step))
        return {"tidy": done}

    def _jackpot(self) -> Line:
        """Record a win of this table that nobody has recorded; or have somebody confirm any win, or deem it invalid."""
        rng, eye = self._rng, self.site.eye
        won = [one for one in eye.triggers if one["table"] == self.name and one["coup_id"] not in eye.recorded]
        if won and rng.random() < 0.7:
            one = rng.choice(won)
            stakes = {JACKPOTS[self.book].wager: [rng.randrange(500, 5000) for _ in range(rng.randint(0, 3))]}
            args = {"jackpot": one["jackpot"], "coup": f"{one['shoe']}/{one['coup']}", "stakes": stakes}
            return self._asked(Ask("record-win", args, "", self.staff.with_role("dealer")))
        waiting = [one for one in eye.pending(self.book) if one["state"] == "pending"]
        if not waiting:
            return {"none": True}
        args = {"jackpot": JACKPOTS[self.book].id, "win": rng.choice(waiting)["win"]}
        by, verb = rng.choice(self.staff.in_order()), rng.choice(("confirm", "confirm", "confirm", "invalid"))
        args |= {"notified": self.staff.anybody().id} if verb == "confirm" else {"reason": "by chance"}
        answer = self.site.ask_floor(Request(verb, args={**args, "login": _login(by)}))
        return {"verb": f"jackpot-{verb}", "args": args, "by": by.role, "ok": answer.ok, "say": answer.say}

    def _decide(self, one: Any) -> Line:
        coup = one if isinstance(one, str) else f"{one['shoe']}/{one['coup']}"
        return self._try("decide", {"coup": coup, "verdict": self._rng.choice(("confirmed", "void"))})

    def _try(self, verb: str, args: Line, step: Line | None = None) -> Line:
        """Have people ask from the lowest role up, until it is done; by the clause that the step or the book has."""
        clauses = [step["clause"].split(",")[0]] if step and step.get("clause") else self._clauses(verb)
        line: Line = {}
        for person in self._people(step):
            for clause in [*clauses, ""]:
                asks = None if person.role == "dealer" else self.staff.with_role("dealer")
                for second in (None, asks):
                    line = self._asked(Ask(verb, args, clause, person, second))
                    if line["ok"]:
                        return line
        return line

    def _people(self, step: Line | None) -> list[Member]:
        people = self.staff.in_order()
        first = next((number for number, one in enumerate(people) if step and one.role == step.get("role")), 0)
        return people[first : first + 3] if step else people

    def _clauses(self, verb: str) -> list[str]:
        acts = (*CANDIDATES.get(verb, ()), "void_misdeal") if verb in CANDIDATES else ()
        return [clause for act in acts for clause in clauses_of(self.book, act)][:1]

    def _asked(self, ask: Ask) -> Line:
        """Ask, by the way that the request names; return it with its answer."""
        answer = self._through_socket(ask) if ask.local else self._through_floor(ask)
        by = {"by": ask.by.role, "asks": ask.asks.role if ask.asks else "", "local": ask.local}
        return {"verb": ask.verb, "args": ask.args, "clause": ask.clause, **by, "ok": answer.ok, "say": answer.say}

    def _through_floor(self, ask: Ask) -> Answer:
        """The first person who logs in asks, the second approves."""
        people = [ask.asks, ask.by] if ask.asks else [ask.by]
        logins = [_login(one) for one in people]
        args: Line = {"table": self.name, "command": ask.verb, "clause": ask.clause, "args": ask.args}
        args["login"] = logins[0]
        args |= {"second_login": logins[1]} if len(logins) > 1 else {}
        return self.site.ask_floor(Request("table", args=args))

    def _through_socket(self, ask: Ask) -> Answer:
        return self.site.ask_gateway(Request(ask.verb, self.name, ask.by.name, ask.clause, ask.args))

    def _status(self) -> Line:
        found = self.site.status(self.name)
        return msgspec.to_builtins(found)  # type: ignore[no-any-return]


def _login(one: Member) -> Line:
    return {"person": "badge", "secret": one.badge}
