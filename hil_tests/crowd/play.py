"""Play: one table of the crowd, step by step: the dealer's hands, people who ask, and somebody who tidies up."""

import random
from typing import Any, Final

import msgspec
from sabot_protocol import rulebooks
from sabot_protocol.cards import DECK
from sabot_protocol.fields import Fault
from sabot_protocol.table_of_play import FIRST_FOUR
from sabot_service.messages import Answer, Request
from sabot_sim.rigs.play import StepAnswer
from sabot_tools.text.json_lines import BadLineError
from sabot_tools.text.steps import step_of

from crowd.acts import CANDIDATES, Acts, Ask, clauses_of
from crowd.hands import Luck, TrueHands, decks_of, shown
from crowd.judge import Judge
from crowd.pages import Pages
from crowd.site import BOOKS, JACKPOTS, Site
from crowd.staff import Member, Staff

_STATES: Final = ("closed", "burning", "dealing", "complete", "checking")
_ASKS, _SENSE, _PAYS = 0.25, 0.25, 0.1  # how often somebody interferes, settles what is open, or turns to a jackpot
_TURNS, _LOOKS = 0.06, 0.03  # how often somebody turns cards, or looks at pages
_LOOKS_AT_HANDS = 0.15  # while whole hands lie face down
_LOOKS_AT_ALARMS = 0.25  # while an alarm is active and a card lies face down
_BELOW = 0.3  # how often a step is tried from the lowest role up, not from its own
_MOST_TIDIED, _STUCK = 40, 60
Line = dict[str, Any]


class CrowdTable:
    """One table; `step` does one thing at it, and returns it as a line for the log.

    One class because each of its acts chooses by chance among the people, cards and coups of one table.
    """

    def __init__(self, site: Site, name: str, rng: random.Random, judge: Judge, pages: Pages, luck: Luck) -> None:
        self.site, self.name, self.book, self._rng, self._judge = site, name, BOOKS[name], rng, judge
        self.staff, self._pages, self._luck = Staff(rng, self.book), pages, luck
        self.strangers = Staff(rng, rng.choice([book for book in BOOKS.values() if book != self.book]))
        self.acts = Acts(rng, self.staff)
        self._profile = rulebooks.load(self.book).profile(None, 1)
        self._hands = self._new_hands()
        self._idle = 0

    def _new_hands(self) -> TrueHands:
        return TrueHands(self._rng, self.name, decks_of(self.book), self._luck)

    def step(self) -> Line:
        """Do one thing, wait until everybody has it, and let the judge see it."""
        rng = self._rng
        self.site.now_s += rng.uniform(0.5, 20)
        ways = ((_ASKS, self._interfere), (_SENSE, self.tidy), (_PAYS, self._jackpot), (_TURNS, self._turn))
        weights = [weight for weight, _ in ways]
        line = rng.choices([way for _, way in ways] + [self._deal], [*weights, 1 - sum(weights)])[0]()
        self.site.settle()
        self._judge.see()
        if rng.random() < self._looks():
            self._look()
        return {"table": self.name, **line}

    def _looks(self) -> float:
        """Return how often somebody looks: more while whole hands lie face down, or an alarm may name a card."""
        seen = self._judge.tables[self.name]
        hidden = len(seen.on_table.hidden())
        if hidden and any(one["state"] != "cleared" for one in seen.alarms.values()):
            return _LOOKS_AT_ALARMS
        return _LOOKS_AT_HANDS if hidden >= len(FIRST_FOUR) else _LOOKS

    def _interfere(self) -> Line:
        return self._asked(self.acts.random(self._status()))

    def _turn(self) -> Line:
        """Have somebody turn cards of a hand; only people who deal or supervise here can."""
        rng, on_table = self._rng, self._judge.tables[self.name].on_table
        side, person, kind = rng.choice(("player", "banker")), self.staff.anybody(), rng.choice(("dealer", "pit"))
        cards = rng.choice((2, on_table.hand(side) or 2))
        body = {"table": self.name, "coup": f"{on_table.shoe}/{on_table.coup}", "side": side, "cards": cards}
        answer = self._pages.post(person, kind, "/turned", body)
        if answer["ok"]:
            self._judge.turned(self.name, person, side, cards)
        return {"turned": side, "cards": cards, "by": person.role, "ok": answer["ok"], "say": answer["say"]}

    def _look(self) -> None:
        """Have somebody look at pages; and a supervisor at what is open."""
        rng, judge, pages = self._rng, self._judge, self._pages
        person = rng.choice((None, *(self.staff.anybody() for _ in range(4)), self.strangers.anybody()))
        kind, on_table = rng.choice(("dealer", "pit", "pit")), judge.tables[self.name].on_table
        found = pages.look(rng, self.name, person, kind, f"{on_table.shoe}/{on_table.coup}")
        judge.looked(self.name, person, kind, found)
        supervisor = self.staff.in_order()[-1]

        def shown() -> bool:
            return not judge.shown_open(pages.newest(supervisor, "pit"), pages.newest(supervisor, "wall"))

        self.site.until(shown, "pit console and wall show what is open")

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
        if line.get("power"):
            self.site.gateway.cut_power(self.name)
            return {"hands": line}
        if "state" in line:
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
            self._try("record", {"act": "replace_unfit_cards"})  # after cards that were revealed it ends the wait
        if answer["state"] == "checking":
            return self._try("deck-check", {"on": 0})
        self._hands = self._new_hands()
        line = self._hands.next(answer)
        done = self._try("open-shoe", {name: value for name, value in line.items() if name != "command"})
        if self._state().state != 0:
            self._idle = 0
            done = self._go_on() or done
        if self._idle > _STUCK:
            raise TimeoutError(f"{self.name}: no shoe can be opened: {done}; {self._status()}")
        return done

    def _go_on(self) -> Line:
        """Go on at the new shoe with a coup that left another, with its cards or, by mistake, with a wrong one."""
        for number, (table, cards) in self._judge.left.items():
            if BOOKS[table] == self.book and table != self.name:
                wrong = {next(iter(cards)): self._rng.choice(DECK)} if cards and self._rng.random() < 0.3 else {}
                return self._try("import-coup", {"coup_no": number, "cards": cards | wrong})
        return {}

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
        unrecorded = [one for one in eye.triggers if one["coup_id"] not in eye.recorded]
        won = [one for one in unrecorded if one["table"] == self.name]
        if won and rng.random() < 0.7:
            one = rng.choice(won)
            stakes = {JACKPOTS[self.book].wager: [rng.randrange(500, 5000) for _ in range(rng.randint(0, 3))]}
            args = {"jackpot": one["jackpot"], "coup": f"{one['shoe']}/{one['coup']}", "stakes": stakes}
            return self._asked(Ask("record-win", args, "", self.staff.with_role("dealer")))
        waiting = [one for one in eye.pending(self.book) if one["state"] == "pending"]
        others = any(BOOKS[one["table"]] == self.book for one in unrecorded)
        if not waiting or (others and rng.random() < 0.7):  # mostly all are recorded before one is paid
            return {"none": True}
        args = {"jackpot": JACKPOTS[self.book].id, "win": rng.choice(waiting)["win"]}
        by, verb = rng.choice(self.staff.in_order()), rng.choices(("confirm", "invalid"), (9, 1))[0]
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
        below = self._rng.random() < _BELOW
        return people[0 if below else first : first + 3] if step else people

    def _clauses(self, verb: str) -> list[str]:
        acts = (*CANDIDATES.get(verb, ()), "void_misdeal") if verb in CANDIDATES else ()
        return [clause for act in acts for clause in clauses_of(self.book, act)][:1]

    def _asked(self, ask: Ask) -> Line:
        """Ask, by the way that the request names; return it with its answer."""
        answer = self._through_socket(ask) if ask.local else self._through_floor(ask)
        people = () if ask.local else tuple(one for one in (ask.by, ask.asks) if one)
        self._judge.answered(self.name, people, {"verb": ask.verb, **ask.args}, answer.say)
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
