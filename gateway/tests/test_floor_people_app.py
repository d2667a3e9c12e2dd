"""People at a running floor service: changes over the control socket, acts with a log-in, and a loop that goes on."""

import json
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from floor_rig import BASE, INCREMENT, JACKPOT, Rig, display, rig, server
from sabot_floor.commands.log import LOG as COMMANDS
from sabot_floor.jackpots.batch import log_name
from sabot_floor.people import audit
from sabot_floor.people.checker import MOST_WAITING
from sabot_floor.people.log import LOG

__all__ = ["rig", "server"]
FIRST_PIN = "577215"  # of the administrator
PINS = {"asmith": "730155", "bjones": "correct horse"}


def ask(rig: Rig, verb: str, by: str = "", **args: Any) -> dict[str, Any]:
    """Send a request to the control socket, and let the service turn until it has answered."""
    with caller(rig, verb, by, **args) as sock:
        return answer(rig, sock)


def caller(rig: Rig, verb: str, by: str = "", **args: Any) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(str(rig.work_dir / "1.sock"))
    sock.sendall(json.dumps({"verb": verb, "by": by, "args": args}).encode() + b"\n")
    sock.setblocking(False)
    return sock


def answer(rig: Rig, sock: socket.socket) -> dict[str, Any]:
    received = bytearray()

    def complete() -> bool:
        try:
            received.extend(sock.recv(65_536))
        except BlockingIOError:
            return False
        return received.endswith(b"\n")

    rig.until(complete)
    found: dict[str, Any] = json.loads(received)
    return found


def login(person: str, secret: str = "") -> dict[str, str]:
    return {"person": person, "secret": secret or PINS[person]}


def done(rig: Rig, verb: str, by: str = "", **args: Any) -> str:
    found = ask(rig, verb, by, **args)
    assert found["ok"], found
    return str(found["say"])


def refused(rig: Rig, verb: str, by: str = "", **args: Any) -> str:
    found = ask(rig, verb, by, **args)
    assert not found["ok"], found
    return str(found["say"])


def staffed(rig: Rig, **more: Any) -> Rig:
    """Start a service with two Area Managers."""
    rig.start(**more)
    for person, name, role in (("asmith", "A. Smith", "area_manager"), ("bjones", "B. Jones", "TG Area Manager")):
        done(rig, "user-add", person=person, name=name)
        done(rig, "user-role", person=person, rulebook="crown-baccarat", role=role)
        done(rig, "user-pin", person=person, secret=FIRST_PIN)
        done(rig, "user-own-pin", login=login(person, FIRST_PIN), secret=PINS[person])
    return rig


def entries(rig: Rig, log: str) -> list[dict[str, Any]]:
    return [json.loads(one.payload) for one in rig.store().entries(log)]


def test_the_log_of_a_jackpot_names_the_people_who_logged_in(rig: Rig) -> None:
    staffed(rig)
    done(rig, "user-badge", person="bjones", code="00417733")
    args: dict[str, Any] = {"jackpot": JACKPOT, "table": "bac-01"}
    done(rig, "withdraw", **args, reason="dark", login=login("asmith"))
    done(rig, "restore", **args, login=login("badge", "00417733"))
    withdrawn, restored = (
        one["entry"] for one in entries(rig, log_name(JACKPOT)) if one.get("entry", {}).get("kind") in WITHDRAWALS
    )
    assert (withdrawn["by"], withdrawn["person"], withdrawn["role"]) == ("A. Smith", "asmith", "area_manager")
    assert (restored["by"], restored["person"], restored["role"]) == ("B. Jones", "bjones", "area_manager")
    acts = [one["act"] for one in entries(rig, LOG) if one["kind"] == "login"]
    assert acts == [*["change own PIN"] * 2, f"withdraw {JACKPOT}", f"restore {JACKPOT}"]
    assert display(rig) == BASE
    assert audit.verify(rig.store()).faults == []


WITHDRAWALS = ("withdrawn", "restored")


def test_an_adjustment_needs_two_people_with_two_secrets(rig: Rig) -> None:
    staffed(rig)
    args: dict[str, Any] = {"jackpot": JACKPOT, "amount": 500, "reason": "r", "id": "adjust-0001"}
    both: dict[str, Any] = {"login": login("asmith"), "second_login": login("bjones")}
    assert "Both people log in" in refused(rig, "adjust", **args, login=login("asmith"))
    assert "Two different people" in refused(rig, "adjust", **args, login=login("asmith"), second_login=login("asmith"))
    wrong = login("bjones", "111222")
    assert "bjones is wrong" in refused(rig, "adjust", **args, login=login("asmith"), second_login=wrong)
    done(rig, "user-role", person="bjones", rulebook="crown-baccarat", role="dealer")
    assert "13.4.9(b)" in refused(rig, "adjust", **args, **both)
    done(rig, "user-role", person="bjones", rulebook="crown-baccarat", role="casino_manager")
    assert display(rig) == BASE
    done(rig, "adjust", **args, **both)
    assert display(rig) == BASE + 500
    adjusted = entries(rig, log_name(JACKPOT))[-1]["entry"]
    assert (adjusted["by"], adjusted["people"]) == (["A. Smith", "B. Jones"], ["asmith", "bjones"])


def test_role_and_state_of_the_record_decide(rig: Rig) -> None:
    staffed(rig)
    args: dict[str, Any] = {"jackpot": JACKPOT, "table": "bac-01", "reason": "dark"}
    done(rig, "user-role", person="asmith", rulebook="crown-baccarat", role="dealer")
    assert "a Dealer may not" in refused(rig, "withdraw", **args, login=login("asmith"))
    done(rig, "user-role", person="asmith", rulebook="crown-baccarat")
    assert "asmith has no role in crown-baccarat" in refused(rig, "withdraw", **args, login=login("asmith"))
    done(rig, "user-disable", person="bjones")
    assert "bjones is disabled" in refused(rig, "withdraw", **args, login=login("bjones"))
    done(rig, "user-enable", person="bjones")
    for _ in range(5):
        assert "is wrong" in refused(rig, "withdraw", **args, login=login("bjones", "111222"))
    assert "locked out until" in refused(rig, "withdraw", **args, login=login("bjones"))
    assert "no jackpot none" in refused(rig, "withdraw", **args | {"jackpot": "none"}, login=login("bjones"))
    assert rig.meter().not_offered == {}
    listed = json.loads(json.dumps(ask(rig, "user-list")["data"]))["people"]
    assert [bool(one["locked_until"]) for one in listed] == [False, True]
    refusals = [(one["person"], one["verb"], one["args"]) for one in entries(rig, COMMANDS)]
    asked = ("jackpot withdraw", {"jackpot": JACKPOT})
    assert refusals == [("asmith", *asked)] * 2 + [("bjones", *asked)] * 7  # disabled, five failures, locked out


def test_typed_names_are_refused_where_a_log_in_is_required(rig: Rig) -> None:
    staffed(rig, people_required=True)
    args: dict[str, Any] = {"jackpot": JACKPOT, "table": "bac-01", "reason": "dark"}
    assert "only with a log-in" in refused(rig, "withdraw", "A. Smith", **args, role="area_manager")
    done(rig, "withdraw", **args, login=login("asmith"))


def test_typed_names_are_taken_where_it_is_not(rig: Rig) -> None:
    rig.start()
    args: dict[str, Any] = {"jackpot": JACKPOT, "table": "bac-01", "reason": "dark"}
    done(rig, "withdraw", "A. Smith", **args, role="area_manager")
    assert "person" not in entries(rig, log_name(JACKPOT))[-2]["entry"]


@pytest.mark.parametrize(
    ("verb", "args", "says"),
    [
        ("user-add", {"person": "x", "name": " . "}, "Give the person's name"),
        ("user-role", {"person": "asmith", "rulebook": "none", "role": "x"}, "none"),
        ("user-role", {"person": "asmith", "rulebook": "crown-baccarat", "role": "king"}, "has no role 'king'"),
        ("user-pin", {"person": "asmith", "secret": "123456"}, "Too simple"),
        ("user-pin", {"person": "nobody", "secret": "730155"}, "There is no person nobody"),
        ("user-badge", {"person": "asmith", "code": "123"}, "6 to 128 characters"),
    ],
)
def test_a_wrong_change_is_refused_with_a_sentence(rig: Rig, verb: str, args: dict[str, Any], says: str) -> None:
    rig.start()
    done(rig, "user-add", person="asmith", name="A. Smith")
    before = len(entries(rig, LOG))
    assert says in refused(rig, verb, **args)
    assert len(entries(rig, LOG)) == before


def test_only_some_accounts_may_change_people(rig: Rig) -> None:
    app = rig.start()
    found: list[Any] = []
    request = app._control._parse_line(b'{"verb": "user-add", "args": {"person": "x", "name": "X"}}')
    app._answers.begin(request, "dealer7", found.append)
    assert "Account dealer7 may not change people" in found[0].say
    app._answers.begin(app._control._parse_line(b'{"verb": "user-list"}'), "dealer7", found.append)
    assert found[1].ok
    app._answers.begin(request, "root", found.append)
    assert found[2].ok
    assert entries(rig, LOG)[-1]["by"] == "root"


def test_the_loop_goes_on_while_a_secret_is_checked(rig: Rig) -> None:
    """The thread is held up for as long as the test likes: increments are counted and others answered."""
    staffed(rig)
    app, free = rig.apps[0], threading.Event()
    assert app._checker.submit(free.wait, lambda _: None)
    args: dict[str, Any] = {"jackpot": JACKPOT, "table": "bac-02", "reason": "dark", "login": login("asmith")}
    waiting = [caller(rig, "withdraw", **args) for _ in range(MOST_WAITING)]
    table = rig.table()
    rig.send(table.increment(), table.increment())
    rig.settle()
    assert display(rig) == BASE + 2 * INCREMENT
    assert ask(rig, "status")["ok"]
    assert "Too many people log in" in answer(rig, waiting.pop())["say"]
    free.set()
    first = [answer(rig, sock) for sock in waiting]
    assert [one["ok"] for one in first] == [True] + [False] * (MOST_WAITING - 2)  # withdrawn once
    for sock in waiting:
        sock.close()


def test_two_workers_count_failures_together(rig: Rig, tmp_path: Path) -> None:
    staffed(rig)
    rig.start("2")
    args: dict[str, Any] = {"jackpot": JACKPOT, "table": "bac-01", "reason": "dark"}
    for _ in range(3):
        refused(rig, "withdraw", **args, login=login("asmith", "111222"))
    (tmp_path / "1.sock").rename(tmp_path / "one.sock")
    (tmp_path / "2.sock").rename(tmp_path / "1.sock")
    for _ in range(2):
        refused(rig, "withdraw", **args, login=login("asmith", "111222"))
    assert "locked out" in refused(rig, "withdraw", **args, login=login("asmith"))


def test_a_refused_attempt_has_role_act_clause_and_table_also_by_a_name_as_typed(rig: Rig) -> None:
    staffed(rig, people_required=True)
    done(rig, "user-role", person="asmith", rulebook="crown-baccarat", role="dealer")
    args: dict[str, Any] = {"jackpot": JACKPOT, "table": "bac-01", "reason": "dark"}
    refused(rig, "withdraw", **args, login=login("asmith"))
    refused(rig, "withdraw", "E. Low", **args, role="area_manager")
    refused(rig, "accept-gateway", "E. Low", gateway="00aa", table="bac-01", reason="r", role="area_manager")
    found = [
        (one["person"], one["role"], one["act"], one["clause"], one["table"], one["verb"])
        for one in entries(rig, COMMANDS)
    ]
    assert found == [
        ("asmith", "dealer", "jackpot_withdraw", "13.4.9(a)", "bac-01", "jackpot withdraw"),
        ("E. Low", "area_manager", "jackpot_withdraw", "13.4.9(a)", "bac-01", "jackpot withdraw"),
        ("E. Low", "area_manager", "", "", "bac-01", "floor accept-gateway"),
    ]


def test_a_name_as_typed_that_the_book_refuses_leaves_a_trace(rig: Rig) -> None:
    rig.start()
    refused(rig, "withdraw", "E. Low", jackpot=JACKPOT, table="bac-01", reason="dark", role="dealer")
    (one,) = entries(rig, COMMANDS)
    assert (one["person"], one["role"], one["act"], one["table"]) == ("E. Low", "dealer", "jackpot_withdraw", "bac-01")


def test_a_refused_attempt_to_make_good_has_the_table_of_what_was_missed(rig: Rig) -> None:
    rig.start()
    assert rig.ask("withdraw", "E. Low", jackpot=JACKPOT, table="bac-01", reason="dark", role="area_manager").ok
    coup = rig.table().increment()
    rig.send(coup)
    rig.settle()
    for missed in ("bac-01/1/1", coup.id):
        refused(rig, "make-good", "D. Low", jackpot=JACKPOT, missed=missed, role="dealer")
    found = [(one["act"], one["clause"], one["table"]) for one in entries(rig, COMMANDS)]
    assert found == [("jackpot_make_good", "13.4.9(b)", "bac-01")] * 2
