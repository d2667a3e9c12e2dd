"""Requests: every verb has its type, and no bytes whatever are more than a sentence."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sabot_gateway.operator.messages import Request
from sabot_gateway.operator.plain_text import plain
from sabot_gateway.operator.requests import (
    VERBS,
    Command,
    GatewayRequest,
    RequestError,
    Status,
    TableRequest,
    parse,
)
from sabot_gateway.shoe.session import frame_bytes
from sabot_protocol.messages import COMMANDS

GOOD: dict[str, dict[str, Any]] = {
    "decide": {"coup": "3/17", "verdict": "confirmed", "winner": "banker"},
    "ack-alarm": {"alarm": "5ab0000000000001-16-discrepancy"},
    "confirm": {"coup": "3/17"},
    "void": {"coup": "17", "reason": "short_shoe", "then": "new_cards"},
    "key-card": {"card": "8H", "flags": {"face_up": True}},
    "authorise": {"times": 2},
    "no-bet": {"kind": "dummy"},
    "open-shoe": {"decks": 8, "burn": "one"},
    "clear-fault": {"fault": "card"},
    "irregularity": {"case": "bad_order", "facts": {"reconstructible": True}},
    "import-coup": {
        "coup_no": 12,
        "kind": "live",
        "cards": {"player_1": "8H", "banker_1": "2C"},
        "decks": 8,
        "cards_out": 70,
        "coups_left": 0,
        "awaiting": 0,
    },
    "deck-check": {"on": 1, "decks": 8},
}


def line(verb: str, args: object = None, **more: object) -> bytes:
    asked = {"verb": verb, "table": "bac-01", "by": "A. Smith", "clause": "12.13", **more}
    return json.dumps(asked if args is None else {**asked, "args": args}).encode()


def refusal(asked: bytes) -> str:
    with pytest.raises(RequestError) as refused:
        parse(asked)
    return str(refused.value)


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("status", "accept-ledger", "capture")])
def test_each_verb_has_a_type_and_a_command_that_the_codec_takes(verb: str) -> None:
    request = parse(line(verb, GOOD.get(verb)))
    assert isinstance(request, TableRequest)
    assert (request.verb, request.table, request.by, request.clause) == (verb, "bac-01", "A. Smith", "12.13")
    if isinstance(request.act, Command):
        assert request.act.kind in COMMANDS
        frame_bytes("command", {"command_id": 1, "kind": request.act.kind, "data": request.act.data()}, 0, 0.0)


def test_a_ledger_is_accepted_by_a_person_with_a_reason_and_for_no_table() -> None:
    asked = {"table": "", "clause": ""}
    request = parse(line("accept-ledger", {"reason": " disk\nexchanged "}, **asked))
    assert isinstance(request, GatewayRequest)
    assert (request.by, request.act.reason) == ("A. Smith", "disk exchanged")
    assert "takes no table and no clause" in refusal(line("accept-ledger", {"reason": "why"}))
    assert "say why" in refusal(line("accept-ledger", {"reason": "\x1b"}, **asked))
    assert "say who you are" in refusal(line("accept-ledger", {"reason": "why"}, **asked, by=""))
    assert "takes no 'by'" in refusal(line("accept-ledger", {"reason": "why", "by": "B. Jones"}, **asked))


def test_what_people_cannot_ask_for_is_no_verb() -> None:
    asked = {act.kind for act in VERBS.values() if issubclass(act, Command)}
    assert set(COMMANDS) - asked == {"set_time"}
    assert refusal(line("set-time")) == "unknown verb 'set-time'; `sabot table --help` lists them"


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_ignores_an_argument_that_it_does_not_take(verb: str) -> None:
    bare = {"table": "", "by": "", "clause": ""} if verb == "status" else {}
    assert f"{verb} takes no 'hard'; it takes " in refusal(line(verb, {**GOOD.get(verb, {}), "hard": True}, **bare))
    assert "unknown field `who`" in refusal(line(verb, GOOD.get(verb), who="me", **bare))


@pytest.mark.parametrize(("name", "value"), [("table", "bac-01"), ("by", "A. Smith"), ("clause", "1")])
def test_status_is_asked_of_no_table(name: str, value: str) -> None:
    bare = {"table": "", "by": "", "clause": ""}
    assert parse(line("status", **bare)) == Status()
    assert refusal(line("status", **bare | {name: value})) == "status takes no table, no name and no clause"


# Wrong for every argument of every verb.
WRONG: tuple[object, ...] = ({"a": "b"}, [1], 1.5, True, -1, 10**400, "", "x" * 500, "\x00", "\u202e", "3/17\n")


@pytest.mark.parametrize(("verb", "name"), [(verb, name) for verb, args in GOOD.items() for name in args])
def test_a_value_of_a_wrong_type_is_a_sentence(verb: str, name: str) -> None:
    for value in WRONG:
        assert refusal(line(verb, {**GOOD[verb], name: value})).startswith(f"{verb}: ")


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (
            line("decide", {**GOOD["decide"], "winner": "house"}),
            "unknown winner 'house': expected player, banker or tie",
        ),
        (line("decide", {**GOOD["decide"], "verdict": "void"}), "a void coup has no winner"),
        (line("decide", {"verdict": "void"}), "missing required field `coup`"),
        (line("key-card", {"card": "9X"}), "card '9X' is no card: expected value and suit, such as 8H, TD or AS"),
        (line("irregularity", {"case": "bad_order", "facts": {"exposed": True}}), "unknown fact 'exposed'"),
        (line("import-coup", {"coup_no": 1, "cards": {"burn": "8H"}}), "unknown slot 'burn'"),
        (line("clear-fault", {"fault": "none"}), "unknown fault 'none'"),
        (line("void", by=" "), "say who you are: --by NAME"),
        (line("void", by="x" * 65), "at most 64 letters"),
        (line("void", by="\u202e\u200b"), "say who you are: --by NAME"),
        (line("void", by="..."), "say who you are: --by NAME"),
        (line("void", clause="1" * 65), "a clause has at most 64 letters"),
        (line("void", table="bac-01\n"), "is no name of a table"),
        (line("void", table="../bac"), "is no name of a table"),
        (b'{"verb": "lock", "table": "a", "table": "b"}', "a key stands twice in one object"),
        (b'{"verb": "void", "args": {"coup": "1", "coup": "2"}}', "a key stands twice in one object"),
        (b'{"verb": NaN}', "not a request"),
        (b'{"verb": "\\ud800"}', "not a request"),
        (b'{"args": ' + b'{"a":' * 800 + b"1" + b"}" * 801, "not a request"),
        (b'{"verb": "void", "args": ' + b"[" * 4000, "nested too deeply"),
        (b"", "not a request"),
        (b"\xff\xfe", "not a request"),
    ],
)
def test_what_is_wrong_with_a_request_is_said(asked: bytes, why: str) -> None:
    assert why in refusal(asked)


def test_what_people_type_is_stripped_of_control_characters() -> None:
    typed = "\x1b[31mA.\x1b[0m\r\n\tSmi\u202eth\x00\x7f\x9b2J \u2066e\u0301\u2069"
    request = parse(line("lock", by=typed, clause="12.13\x1b]0;x\x07"))
    assert isinstance(request, TableRequest)
    assert (request.by, request.clause) == ("A. Smith é", "12.13")


# Anything


leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10)
values = leaves | st.lists(leaves, max_size=2) | st.dictionaries(st.text(max_size=4), leaves, max_size=2)
names = st.sampled_from(["coup", "verdict", "winner", "fault", "decks", "on", "cards", "flags"])
fields = st.fixed_dictionaries(
    {"verb": st.sampled_from(list(VERBS)) | values},
    optional={
        "table": st.just("bac-01") | values,
        "by": st.text(max_size=10) | values,
        "clause": values,
        "args": st.dictionaries(names, values, max_size=3) | values,
    },
)


def answered(asked: bytes) -> None:
    """What was parsed can always be stored; what was not is refused in words."""
    try:
        request = parse(asked)
    except RequestError:
        return
    if isinstance(request, TableRequest):
        msgspec.json.encode(request).decode()
        assert request.by.isprintable()
        assert request.clause.isprintable()


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_a_sentence(asked: bytes) -> None:
    answered(asked)


@given(fields)
@settings(max_examples=300)
def test_any_json_is_a_request_or_a_sentence(asked: dict[str, Any]) -> None:
    answered(json.dumps(asked).encode())


@given(st.text())
def test_plain_text_is_plain(text: str) -> None:
    found = plain(text)
    assert found.isprintable()
    assert plain(found) == found
    assert found == found.strip()


def test_a_clients_request_is_the_line_that_the_daemon_reads() -> None:
    asked = Request("void", "bac-01", "A. Smith", "12.13", {"reason": "misdeal"})
    request = parse(msgspec.json.encode(asked))
    assert isinstance(request, TableRequest)
    assert request.verb == "void"
