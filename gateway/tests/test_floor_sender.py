"""Commands that the floor gives: who may, what is signed and sent, replies, repeats, restarts; the log has it all."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor_commands_bench import KEY, NOW_S
from floor_stores import edit
from sabot_floor.commands import audit
from sabot_floor.commands.desk import GIVE_UP_S, CommandDesk
from sabot_floor.commands.log import LOG, CommandLog
from sabot_floor.commands.verbs import TableCommand
from sabot_floor.people.state import Person
from sabot_floor.people.verbs import Login
from sabot_floor.store import Decision, Store, StoreError, open_store
from sabot_floor.store import Entry as LogEntry
from sabot_protocol import commands
from sabot_protocol.commands import CommandReply
from sabot_service.messages import Answer
from sabot_service.moment import Moment, utc

STAR, RAPID = "star-baccarat", "star-rapid"
SMITH = Person("asmith", "A. Smith", {STAR: "casino_supervisor", RAPID: "casino_supervisor"})
JONES = Person("bjones", "B. Jones", {STAR: "dealer", RAPID: "dealer"})
STRANGER = Person("cwong", "C. Wong", {"crown-baccarat": "casino_manager"})
ONLINE = {"state": "online", "time": "2026-11-17T12:00:00.000Z"}


class Bench:
    """A desk with a store; the test is gateway, broker, people and clock."""

    def __init__(self, store: Store) -> None:
        self.store, self.now_s, self.online = store, 0.0, True
        self.sent: list[tuple[str, bytes]] = []
        self.answers: list[Answer] = []
        self.tokens = itertools.count(1)
        self.desk = self.start()
        self.status("status", **ONLINE)
        self.status("bac-01/status", **ONLINE, rulebook=STAR)
        self.status("rap-01/status", **ONLINE, rulebook=RAPID)

    def start(self) -> CommandDesk:
        return CommandDesk(
            "test", "1", CommandLog(self.store), KEY, lambda topic, payload: self.sent.append((topic, payload)),
            lambda: self.online, lambda: f"{next(self.tokens):032x}",
        )  # fmt: skip

    def at(self) -> Moment:
        return Moment(self.now_s, utc(NOW_S + self.now_s))

    def status(self, topic: str, **fields: Any) -> None:
        self.desk.tables.received(f"sabot/v1/test/{topic}", msgspec.json.encode(fields))

    def give(self, *people: Person, verb: str = "void", table: str = "bac-01", **args: Any) -> None:
        clause = args.pop("clause", "12.1.2")
        request = TableCommand(table=table, command=verb, login=Login("x", "y"), args=args, clause=clause)
        self.desk.begin(request, people, "root", self.answers.append, self.at())

    def refusal(self, *people: Person, **more: Any) -> str:
        """Give a command that must be refused here; return the sentence, which the log has too."""
        sent, answers = len(self.sent), len(self.answers)
        self.give(*people, **more)
        assert (len(self.sent), len(self.answers)) == (sent, answers + 1)
        newest = self.entries()[-1]
        assert (newest["kind"], newest["person"], newest["by"]) == ("refused", people[0].id, "root")
        assert (self.answers[-1].ok, self.answers[-1].say) == (False, f"Refused: {newest['say']}")
        say: str = newest["say"]
        return say

    def reply(self, *, ok: bool = True, say: str = "Done.", topic: str = "bac-01/cmd/reply", **changes: Any) -> None:
        command, digest = commands.read(self.sent[-1][1]).id, commands.digest(self.sent[-1][1])
        fields: dict[str, Any] = {"id": command, "digest": digest, "table": "bac-01", "time": "t", "local_time": "t"}
        message = CommandReply(**{**fields, "ok": ok, "say": say, **changes})
        self.desk.received(f"sabot/v1/test/{topic}", msgspec.json.encode(message), self.at())

    def entries(self) -> list[dict[str, Any]]:
        return [msgspec.json.decode(entry.payload) for entry in self.store.entries(LOG)]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with open_store(str(tmp_path / "floor.db")) as store:
        yield Bench(store)
        assert audit.verify(store).faults == []


# What is sent


def test_a_command_is_stored_signed_and_sent_and_the_reply_answers_the_person(bench: Bench) -> None:
    bench.give(SMITH, coup="3/17")
    ((topic, payload),) = bench.sent
    message = commands.read(payload)
    KEY.public.check(message)
    assert topic == "sabot/v1/test/bac-01/cmd"
    assert (message.site, message.table, message.act.verb, message.act.args) == (
        "test", "bac-01", "void", {"coup": "3/17"},
    )  # fmt: skip
    assert (message.person, message.name, message.role) == ("asmith", "A. Smith", "casino_supervisor")
    assert (message.coup, message.clause, message.asks) == ("3/17", "12.1.2", "")
    assert (message.issued, message.expires) == ("2027-01-15T08:00:00.000Z", "2027-01-15T08:00:10.000Z")
    (asked,) = bench.entries()
    wanted = {
        "kind": "asked", "id": message.id, "person": "asmith", "role": "casino_supervisor", "verb": "void",
        "act": "void_misdeal", "rulebook": STAR, "table": "bac-01", "by": "root", "worker": "1",
    }  # fmt: skip
    assert {name: asked[name] for name in wanted} == wanted
    assert bench.answers == []
    bench.reply(say="Coup 3/17 is void.")
    assert bench.answers == [Answer(True, "Coup 3/17 is void.")]
    answered = bench.entries()[-1]
    assert (answered["kind"], answered["id"], answered["ok"], answered["say"]) == (
        "answered", message.id, True, "Coup 3/17 is void.",
    )  # fmt: skip


def test_ids_and_nonces_are_never_the_same(bench: Bench) -> None:
    bench.desk = CommandDesk(
        "test", "1", CommandLog(bench.store), KEY, lambda topic, payload: bench.sent.append((topic, payload)),
        lambda: True,
    )  # fmt: skip
    bench.status("status", **ONLINE)
    bench.status("bac-01/status", **ONLINE, rulebook=STAR)
    for _ in range(8):
        bench.give(SMITH)
    messages = [commands.read(payload) for _, payload in bench.sent]
    assert len({one.id for one in messages} | {one.nonce for one in messages}) == 16


def test_where_two_people_are_needed_the_first_asks_and_the_second_approves(bench: Bench) -> None:
    assert "two people are needed" in bench.refusal(SMITH, table="rap-01", verb="key-card", card="8H")  # P-46
    assert "cannot approve it" in bench.refusal(SMITH, SMITH, table="rap-01", verb="key-card", card="8H")
    assert "may not approve" in bench.refusal(SMITH, JONES, table="rap-01", verb="key-card", card="8H")
    bench.give(JONES, SMITH, table="rap-01", verb="key-card", card="8H", clause="")
    message = commands.read(bench.sent[-1][1])
    assert (message.name, message.role, message.asks, message.asks_role) == (
        "A. Smith", "casino_supervisor", "B. Jones", "dealer",
    )  # fmt: skip
    asked = bench.entries()[-1]
    assert (asked["person"], asked["asks_person"]) == ("asmith", "bjones")


def test_it_is_sent_again_every_second_until_the_reply(bench: Bench) -> None:
    bench.give(SMITH)
    for _ in range(30):
        bench.now_s += 0.1
        bench.desk.step(bench.at())
    assert 3 <= len(bench.sent) <= 4
    assert len(set(bench.sent)) == 1
    bench.online = False
    bench.now_s += 2.0
    bench.desk.step(bench.at())
    bench.online = True
    count = len(bench.sent)
    bench.reply()
    bench.reply()  # to a repeat
    bench.now_s += 2.0
    bench.desk.step(bench.at())
    assert (len(bench.sent), len(bench.answers)) == (count, 1)
    assert [entry["kind"] for entry in bench.entries()] == ["asked", "answered"]


def test_without_a_reply_the_person_is_answered_that_it_is_not_known(bench: Bench) -> None:
    bench.give(SMITH)
    bench.now_s = GIVE_UP_S - 0.1
    bench.desk.step(bench.at())
    assert bench.answers == []
    bench.now_s = GIVE_UP_S
    bench.desk.step(bench.at())
    assert "not known whether it was carried out" in bench.answers[0].say
    assert [entry["kind"] for entry in bench.entries()] == ["asked", "unanswered"]
    bench.reply()  # too late
    assert len(bench.entries()) == 2


@pytest.mark.parametrize(
    "wrong", [{"digest": "0" * 32}, {"id": "floor-other"}, {"topic": "bac-02/cmd/reply"}, {"topic": "x/cmd/reply"}]
)
def test_a_reply_to_something_else_answers_nobody(bench: Bench, wrong: dict[str, Any]) -> None:
    bench.give(SMITH)
    bench.reply(**wrong)
    bench.desk.received("sabot/v1/test/bac-01/cmd/reply", b"{", bench.at())
    assert bench.answers == []


def test_after_a_restart_what_had_no_reply_is_stored_so(bench: Bench) -> None:
    bench.give(SMITH)
    bench.desk = bench.start()
    bench.desk.recall(bench.at())
    asked, unanswered = bench.entries()
    assert (unanswered["kind"], unanswered["id"]) == ("unanswered", asked["id"])
    assert "was stopped before the gateway replied" in unanswered["say"]
    bench.desk.recall(bench.at())
    assert len(bench.entries()) == 2


# What is refused


@pytest.mark.parametrize(
    ("book", "verb", "args", "role", "allowed"),
    [  # by people.md: P-39, P-37, P-44, P-41; A-80
        (STAR, "void", {}, "casino_supervisor", True),
        (STAR, "void", {}, "gaming_supervisor", True),  # counts as a casino supervisor, 1.1
        (STAR, "void", {}, "dealer", False),
        (STAR, "void", {"reason": "short_shoe"}, "dealer", True),  # the rule works without approval
        (STAR, "void", {"reason": "short_shoe"}, "inspector", False),
        (RAPID, "void", {}, "casino_supervisor", False),  # AGM
        ("star-premium", "no-bet", {}, "casino_supervisor", False),  # AGM
        ("crown-baccarat", "no-bet", {}, "higher_duties_dealer", True),
        ("crown-baccarat", "no-bet", {}, "dealer", False),
        (STAR, "lock", {}, "dealer", False),
    ],
)
def test_the_rulebook_of_the_table_decides_who_may(
    bench: Bench, book: str, verb: str, args: dict[str, Any], role: str, allowed: bool
) -> None:
    bench.status("bac-01/status", **ONLINE, rulebook=book)
    bench.give(Person("asmith", "A. Smith", {book: role}), verb=verb, **args)
    assert [entry["kind"] for entry in bench.entries()] == ["asked" if allowed else "refused"]
    assert len(bench.sent) == allowed


def test_what_only_the_gateway_can_decide_is_left_to_it(bench: Bench) -> None:
    for verb in ("irregularity", "open-shoe", "burn-card", "step", "future-verb"):
        bench.give(JONES, verb=verb)
    assert len(bench.sent) == 5
    bench.reply(ok=False, say="there is no command 'future-verb'", reason="unknown_verb")
    assert bench.answers == [Answer(False, "there is no command 'future-verb'")]
    assert bench.entries()[-1]["reason"] == "unknown_verb"


def test_a_person_without_a_role_in_the_tables_rulebook_is_refused(bench: Bench) -> None:
    say = bench.refusal(STRANGER)
    assert say.startswith("cwong has no role in star-baccarat")
    assert "`sabot users role cwong star-baccarat ROLE`" in say


def test_a_table_that_cannot_take_it_is_refused_with_the_next_step(bench: Bench) -> None:
    assert bench.refusal(SMITH, table="bac-99") == ("No gateway of test has a table bac-99; there are bac-01, rap-01.")
    bench.status("bac-01/status", state="offline", time="t", problem="not in the config any more")
    assert "No gateway serves bac-01: not in the config any more" in bench.refusal(SMITH)
    bench.status("bac-01/status", **ONLINE, rulebook=STAR, gateway="pit-1")
    assert "is offline: nothing was sent" in bench.refusal(SMITH)
    bench.status("gateway/pit-1/status", **ONLINE)
    bench.give(SMITH)
    assert len(bench.sent) == 1
    bench.status("gateway/pit-1/status", state="offline", time="2026-11-17T13:00:00.000Z")
    assert "offline since 2026-11-17T13:00:00.000Z" in bench.refusal(SMITH)
    assert "at the table PC" in bench.refusal(SMITH)
    bench.status("gateway/pit-1/status", **ONLINE)
    bench.online = False
    assert "not connected to the broker" in bench.refusal(SMITH)


def test_without_a_key_nothing_is_sent(bench: Bench) -> None:
    bench.desk._key = None
    assert "`sabot keys floor DIR`" in bench.refusal(SMITH)


def test_too_long_and_too_many_commands_are_refused(bench: Bench) -> None:
    assert "more than 8192 bytes" in bench.refusal(SMITH, verb="future-verb", text="x" * 8192)
    for _ in range(32):
        bench.give(SMITH)
    assert "too many commands wait" in bench.refusal(SMITH)


def test_a_flood_of_refusals_fills_no_disk_and_is_counted(bench: Bench) -> None:
    for _ in range(500):
        bench.give(JONES)
    assert len(bench.entries()) == 20
    bench.now_s += 3.0
    bench.give(JONES)
    assert bench.entries()[-1]["left_out"] == 480
    assert bench.desk.status()["refused"] == 501


def test_garbage_statuses_change_nothing(bench: Bench) -> None:
    for payload in (b"{", b'{"state": "gone"}', b"[" * 100_000, b"\xff"):
        bench.desk.tables.received("sabot/v1/test/bac-01/status", payload)
    bench.give(SMITH)
    assert len(bench.sent) == 1
    for number in range(3000):
        bench.status(f"t{number}/status", **ONLINE, rulebook=STAR)
    assert len(bench.desk.tables._tables) == 2000


# The store


def test_nothing_is_sent_that_cannot_be_stored_and_an_outcome_is_stored_later(bench: Bench) -> None:
    broken = _Broken(bench.store)
    bench.desk._log = broken
    bench.give(SMITH)
    assert (bench.sent, bench.answers[0].say) == ([], "Nothing was sent: the disk is full.")
    broken.full = False
    bench.give(SMITH)
    broken.full = True
    bench.reply()
    assert bench.answers[1].ok
    assert [entry["kind"] for entry in bench.entries()] == ["asked"]
    broken.full = False
    bench.desk.step(bench.at())
    assert [entry["kind"] for entry in bench.entries()] == ["asked", "answered"]


class _Broken(CommandLog):
    """A log whose disk is full."""

    full = True

    def append(self, entries: Any) -> None:
        if self.full:
            raise StoreError("the disk is full")
        super().append(entries)


def test_an_entry_that_was_changed_or_made_up_is_found(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    with open_store(url) as store:
        bench = Bench(store)
        bench.give(SMITH)
        bench.reply()
        made_up = bench.entries()[-1] | {"id": "floor-x"}
        entry = LogEntry("commands-3", "answered", msgspec.json.encode(made_up), made_up["time"])
        store.append(LOG, lambda head: Decision([entry], head.state))
        assert audit.verify(store).faults == ["entry 3 (answered): command floor-x is not open"]
        edit(url, "UPDATE entries SET payload = replace(payload, 'asmith', 'bjones') WHERE log = 'commands'")
        assert "entry 1" in audit.verify(store).faults[0]
