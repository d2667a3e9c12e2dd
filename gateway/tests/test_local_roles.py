"""Roles of groups at the control socket: who may do what by the rulebook; refusals are in the ledger, too."""

import grp
import os
import socket
from pathlib import Path
from typing import Any

import msgspec
import pytest
from desk_bench import DeskBench
from floor import Floor
from sabot_gateway import config as configs
from sabot_gateway.config import Config, Table
from sabot_gateway.operator.attempts import ATTEMPT, OUTCOME
from sabot_gateway.operator.local_roles import Granted, LocalRoles
from sabot_gateway.operator.requests import TableRequest, parse
from sabot_gateway.ops.check import role_facts
from sabot_protocol import authority
from sabot_protocol.inputs.config_file import ConfigError
from sabot_service.control import _groups
from sabot_service.messages import Answer, Request

ROOT, DAEMON, BIN = "root", "daemon", "bin"  # groups that every Linux has
STAR = LocalRoles({DAEMON: "dealer", BIN: ("casino_supervisor", "area_manager"), ROOT: "inspector"})


def gid(group: str) -> int:
    return grp.getgrnam(group).gr_gid


def check(roles: LocalRoles, verb: str, *groups: str, book: str = "star-baccarat", **more: Any) -> Granted:
    bench = DeskBench()
    bench.table.verifier.rulebook = book
    request = parse(msgspec.json.encode(Request(**{"verb": verb, "table": "bac-01", "by": "A. Smith", **more})))
    assert isinstance(request, TableRequest)
    return roles.check(request, bench.table, [gid(group) for group in groups])


@pytest.mark.parametrize(
    ("book", "verb", "groups", "role"),
    [  # by people.md: P-39, P-37, P-44, P-02; empty: refused
        ("star-baccarat", "void", (BIN,), "casino_supervisor"),
        ("star-baccarat", "void", (DAEMON,), ""),
        ("star-baccarat", "void", (DAEMON, BIN), "casino_supervisor"),  # the highest of several
        ("star-baccarat", "no-more-bets", (DAEMON,), "dealer"),
        ("star-baccarat", "no-more-bets", (ROOT,), ""),
        ("star-baccarat", "this-no-bet", (DAEMON,), ""),
        ("star-baccarat", "this-no-bet", (BIN,), "casino_supervisor"),
        ("star-baccarat", "deck-check", (ROOT,), "inspector"),
        ("star-baccarat", "deck-check", (ROOT, DAEMON), "inspector"),  # a dealer may not
        ("star-rapid", "void", (BIN,), ""),  # AGM
        ("crown-baccarat", "no-bet", (BIN,), "area_manager"),
        ("crown-baccarat", "no-bet", (DAEMON,), ""),
    ],
)
def test_the_rulebook_decides_what_the_role_of_a_group_may(
    book: str, verb: str, groups: tuple[str, ...], role: str
) -> None:
    more = {"args": {"on": 1}} if verb == "deck-check" else {}
    granted = check(STAR, verb, *groups, book=book, **more)
    assert (granted.role if not granted.refused else "") == role, granted


def test_without_roles_everything_is_granted_as_before() -> None:
    assert check(LocalRoles({}), "void") == Granted("", "")


def test_an_account_without_a_role_may_do_nothing_root_included() -> None:
    roles = LocalRoles({DAEMON: "dealer"})
    granted = check(roles, "ack-alarm", ROOT)
    assert granted.role == ""
    assert granted.refused.startswith("this account has no role at bac-01. Join one of the groups daemon")
    assert "has no role at bac-01" in check(LocalRoles({"no-such-group": "dealer"}), "ack-alarm", ROOT).refused


def test_where_two_people_are_needed_the_second_approves_with_the_role_of_the_account() -> None:
    key: dict[str, Any] = {"args": {"card": "8H"}, "book": "star-rapid"}  # P-46: a dealer with a casino supervisor
    assert "two people are needed" in check(STAR, "key-card", BIN, **key).refused
    assert check(STAR, "key-card", BIN, second="B. Jones", **key) == Granted("casino_supervisor")
    assert "cannot approve it" in check(STAR, "key-card", BIN, second="A. Smith", **key).refused
    assert "may not approve" in check(STAR, "key-card", DAEMON, second="B. Jones", **key).refused


def test_the_person_who_approves_is_the_one_who_decides() -> None:
    request = parse(msgspec.json.encode(Request("ack-alarm", "bac-01", "B. Jones", second="A. Smith")))
    assert isinstance(request, TableRequest)
    assert (request.by, request.asks) == ("A. Smith", "B. Jones")


def test_the_gateway_itself_needs_a_role_that_decides_what_no_rule_covers() -> None:
    assert STAR.check_any(["star-baccarat"], [gid(BIN)]) == ""
    assert "too low" in STAR.check_any(["star-baccarat"], [gid(DAEMON)])
    assert LocalRoles({}).check_any(["star-baccarat"], []) == ""


def test_roles_are_ranked_by_the_order_of_the_book() -> None:
    given = ("dealer", "inspector", "casino_supervisor", "nobody")
    assert authority.ranked("star-baccarat", given) == ["casino_supervisor", "dealer", "inspector"]


def test_the_groups_are_those_of_the_kernel() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert _groups(ours) == {os.getegid(), *os.getgroups()}


# With a daemon


@pytest.fixture
def floor(tmp_path: Path) -> Any:
    from contextlib import ExitStack

    own = grp.getgrgid(os.getegid()).gr_name
    with ExitStack() as stack:
        yield Floor(stack, tmp_path, "bac-01", roles={own: "dealer"})


def test_a_refusal_is_in_the_ledger_with_the_role_and_a_reload_changes_it(floor: Floor) -> None:
    answers = [_ask(floor), _ask(floor, "no-more-bets", "7.1")]
    floor.reload(msgspec.structs.replace(floor.config, roles={next(iter(floor.config.roles)): "casino_supervisor"}))
    floor.step(3)
    answers.append(_ask(floor))
    assert answers[0].say.startswith("Acknowledge refused: a Dealer may not do this"), answers[0].say
    assert "Dealer may not" not in answers[1].say  # the role is enough
    assert "Dealer" not in answers[2].say
    entries = [(entry.topic, msgspec.json.decode(entry.payload)) for entry in floor.entries()]
    attempts = [message for topic, message in entries if topic == ATTEMPT]
    assert [one["role"] for one in attempts] == ["dealer", "dealer", "casino_supervisor"]
    assert {one["origin"] for one in attempts} == {"local"}
    outcomes = [message for topic, message in entries if topic == OUTCOME]
    assert [(one["attempt"], one["say"]) for one in outcomes] == [
        (one["id"], answer.say) for one, answer in zip(attempts, answers, strict=True)
    ]
    status = floor.app._requests.status(floor.app._at())
    newest = status["newest_requests"][0]
    assert (newest["verb"], newest["role"], newest["origin"], newest["ok"]) == ("ack-alarm", "dealer", "local", False)
    assert status["roles"] is None


def _ask(floor: Floor, verb: str = "ack-alarm", clause: str = "") -> Answer:
    """Ask at the daemon's socket."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(str(floor.config.control_path()))
        sock.sendall(msgspec.json.encode(Request(verb, "bac-01", "A. Smith", clause)) + b"\n")
        sock.setblocking(False)
        got = bytearray()

        def answered() -> bool:
            try:
                got.extend(sock.recv(65536))
            except BlockingIOError:
                return False
            return True

        floor.until(answered)
    return msgspec.json.decode(bytes(got), type=Answer)


# The config


def config(roles: dict[str, Any], *books: str) -> Config:
    tables = tuple(Table(f"t{number}", "/dev/null", book) for number, book in enumerate(books, 1))
    return Config("test", "ledger.db", "mqtt://localhost", tables, roles=roles)


@pytest.mark.parametrize(
    ("roles", "books", "says"),
    [
        ({ROOT: "deeler"}, ("star-baccarat",), "roles.root: no rulebook of the tables has a role 'deeler'"),
        ({ROOT: "casino_supervisor"}, ("star-baccarat", "crown-baccarat"), "crown-baccarat of table t2 has none"),
        ({"no-such-group": "dealer"}, ("star-baccarat",), "this PC has no such group"),
    ],
)
def test_a_wrong_role_or_group_is_found_with_the_next_step(
    roles: dict[str, Any], books: tuple[str, ...], says: str
) -> None:
    facts = list(role_facts(config(roles, *books)))
    assert any(fact.status == "wrong" and says in fact.says for fact in facts), facts


def test_right_roles_are_shown_and_missing_ones_warned_of() -> None:
    books = ("star-baccarat", "crown-baccarat")
    right = config({ROOT: ("casino_supervisor", "casino_manager"), DAEMON: "dealer"}, *books)
    assert configs.role_problems(right) == []
    (fact,) = role_facts(right)
    assert (fact.status, fact.says) == ("ok", "root: casino_supervisor or casino_manager; daemon: dealer")
    (warning,) = role_facts(config({}, *books))
    assert warning.status == "warning"
    assert "may do everything at every table" in warning.says


def test_the_config_takes_a_role_or_a_list_of_roles(tmp_path: Path) -> None:
    path = tmp_path / "gateway.toml"
    text = 'site = "a"\nledger = "l.db"\nbroker = "mqtt://h"\n'
    table = '[[table]]\nname = "t"\nport = "/dev/null"\nrulebook = "star-baccarat"\n'
    path.write_text(f'{text}[roles]\nroot = "dealer"\nbin = ["dealer", "inspector"]\n{table}')
    assert configs.load(path).roles == {"root": "dealer", "bin": ("dealer", "inspector")}
    path.write_text(f"{text}[roles]\nroot = 3\n{table}")
    with pytest.raises(ConfigError, match="write a table of groups and roles"):
        configs.load(path)
