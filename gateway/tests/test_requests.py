"""Requests: every verb has its struct, and any bytes are a request or a RequestError."""

import json
from typing import Any

import msgspec
import pytest
from desk_bench import Table
from hypothesis import given, settings
from hypothesis import strategies as st
from sabot_gateway.operator.requests import GatewayRequest, TableRequest, parse
from sabot_gateway.operator.verbs import TABLE_VERBS, VERBS
from sabot_gateway.operator.verbs.gateway import Status
from sabot_gateway.operator.verbs.verb import ShoeVerb
from sabot_gateway.shoe.refusals import for_angel_eye
from sabot_gateway.shoe.session import frame_bytes
from sabot_protocol.inputs.plain_text import plain
from sabot_protocol.messages import COMMANDS
from sabot_service.messages import Request, RequestError

GOOD: dict[str, dict[str, Any]] = {
    "invalidate": {"coup": "3/17", "cause": "fraud", "reason": "a marked card"},
    "end-shoe": {"cause": "shuffle"},
    "decide": {"coup": "3/17", "verdict": "confirmed", "winner": "banker"},
    "ack-alarm": {"alarm": "5ab0000000000001-16-discrepancy"},
    "confirm": {"coup": "3/17"},
    "push-firmware": {"image": "shoe.img", "sha256": "5a" * 32},
    "void": {"coup": "17", "reason": "short_shoe", "then": "new_cards"},
    "key-card": {"card": "8H", "flags": {"face_up": True}},
    "authorise": {"times": 2},
    "no-bet": {"kind": "dummy"},
    "open-shoe": {"decks": 8, "burn": "one"},
    "clear-fault": {"fault": "card"},
    "clear-error": {"card": "keep"},
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
    "stakes": {"stakes": {"tie": [100, 300]}},
    "step": {"incident": "discrepancy", "step": "decide", "note": "seen", "settled": False},
    "withdraw": {"incident": "wrong_payment", "reason": "typed twice"},
    "dispute": {"patron": "B. Lee", "note": "says the Banker won", "coup": "3/17"},
    "payment": {"direction": "over", "amount_cents": 250_000, "date": "2026-05-01", "intentional": True},
    "record": {"act": "close_table", "facts": {"notice_given": True}, "at": "2026-05-01T22:00Z", "done": []},
    "record-win": {"jackpot": "lucky-tie", "coup": "3/17", "stakes": {"tie": [100, 300]}},
}


def line(verb: str, args: object = None, **more: object) -> bytes:
    request = {"verb": verb, "table": "bac-01", "by": "A. Smith", "clause": "12.13", **more}
    return json.dumps(request if args is None else {**request, "args": args}).encode()


def refusal(line: bytes) -> str:
    with pytest.raises(RequestError) as refused:
        parse(line)
    return str(refused.value)


@pytest.mark.parametrize("verb", TABLE_VERBS)
def test_each_table_verb_becomes_a_request_and_a_command_that_the_codec_takes(verb: str) -> None:
    request = parse(line(verb, GOOD.get(verb)))
    assert isinstance(request, TableRequest)
    assert (request.name, request.table, request.by, request.clause) == (verb, "bac-01", "A. Smith", "12.13")
    if isinstance(request.verb, ShoeVerb) and not for_angel_eye(request.verb.command):
        kind, data = request.verb.command, request.verb.data(Table())
        assert kind in COMMANDS
        frame_bytes("command", {"command_id": 1, "kind": kind, "data": data}, 0, 0.0)


def test_accepting_a_ledger_needs_a_name_and_a_reason_and_takes_no_table() -> None:
    gateway = {"table": "", "clause": ""}
    request = parse(line("accept-ledger", {"reason": " disk\nexchanged "}, **gateway))
    assert isinstance(request, GatewayRequest)
    assert (request.by, request.verb.reason) == ("A. Smith", "disk exchanged")
    assert "takes no table, no clause and no second person" in refusal(line("accept-ledger", {"reason": "why"}))
    assert "needs the reason why entries are missing" in refusal(line("accept-ledger", {"reason": "\x1b"}, **gateway))
    assert "Give your name" in refusal(line("accept-ledger", {"reason": "why"}, **gateway, by=""))
    assert "has no argument 'by'" in refusal(line("accept-ledger", {"reason": "why", "by": "B. Jones"}, **gateway))


def test_every_command_but_those_of_the_gateway_itself_has_a_verb() -> None:
    commands = {verb.command for verb in VERBS.values() if issubclass(verb, ShoeVerb)}
    assert set(COMMANDS) - commands == {"set_time", "switch_image"}
    assert refusal(line("set-time")) == "Unknown verb 'set-time': see `sabot table --help`."


@pytest.mark.parametrize("verb", VERBS)
def test_an_unknown_argument_is_refused_by_every_verb(verb: str) -> None:
    bare = {"table": "", "by": "", "clause": ""} if verb == "status" else {}
    assert f"{verb} has no argument 'hard': it takes " in refusal(
        line(verb, {**GOOD.get(verb, {}), "hard": True}, **bare)
    )
    assert "unknown field `who`" in refusal(line(verb, GOOD.get(verb), who="me", **bare))


@pytest.mark.parametrize(("name", "value"), [("table", "bac-01"), ("by", "A. Smith"), ("clause", "1")])
def test_status_takes_no_table_no_name_and_no_clause(name: str, value: str) -> None:
    bare = {"table": "", "by": "", "clause": ""}
    assert parse(line("status", **bare)) == Status()
    assert refusal(line("status", **bare | {name: value})) == "status takes no table, no name and no clause."


# Wrong for every argument of every verb.
WRONG: tuple[object, ...] = ({"a": "b"}, [1], 1.5, True, -1, 10**400, "", "x" * 500, "\x00", "\u202e", "3/17\n")


# Free text, which is cleaned, and flags: some of those are right.
FREE = ("note", "patron", "date", "at", "settled", "intentional", "image")


@pytest.mark.parametrize(("verb", "name"), [(verb, name) for verb, args in GOOD.items() for name in args])
def test_a_value_of_a_wrong_type_is_refused(verb: str, name: str) -> None:
    free = name in FREE or (verb, name) in (("withdraw", "reason"), ("invalidate", "reason"))
    for value in (value for value in WRONG if not free or not isinstance(value, str | bool)):
        assert refusal(line(verb, {**GOOD[verb], name: value})).startswith(f"{verb}: ")


@pytest.mark.parametrize("path", ["", "a\0b", "a\nb", "a\u202eb", "x" * 1025])
def test_the_path_of_an_image_has_nothing_that_no_path_has(path: str) -> None:
    refusal(line("push-firmware", {**GOOD["push-firmware"], "image": path}))


@pytest.mark.parametrize(
    ("line_", "why"),
    [
        (
            line("decide", {**GOOD["decide"], "winner": "house"}),
            "unknown winner 'house': expected player, banker or tie",
        ),
        (line("decide", {**GOOD["decide"], "verdict": "void"}), "a void coup has no winner"),
        (line("decide", {"verdict": "void"}), "missing required field `coup`"),
        (line("key-card", {"card": "9X"}), "card '9X' is not a card: expected value and suit, such as 8H, TD or AS"),
        (line("irregularity", {"case": "bad_order", "facts": {"exposed": True}}), "unknown fact 'exposed'"),
        (line("import-coup", {"coup_no": 1, "cards": {"burn": "8H"}}), "unknown slot 'burn'"),
        (line("clear-fault", {"fault": "none"}), "unknown fault 'none'"),
        (line("clear-error", {"card": "burn"}), "unknown card 'burn': expected keep or discard"),
        (line("void", by=" "), "Give your name: --by NAME"),
        (line("void", by="x" * 65), "at most 64 characters"),
        (line("void", by="\u202e\u200b"), "Give your name: --by NAME"),
        (line("void", by="..."), "Give your name: --by NAME"),
        (line("void", clause="1" * 65), "The clause is too long: at most 64 characters"),
        (line("void", table="bac-01\n"), "is not a table name"),
        (line("void", table="../bac"), "is not a table name"),
        (b'{"verb": "lock", "table": "a", "table": "b"}', "an object has the same key twice"),
        (b'{"verb": "void", "args": {"coup": "1", "coup": "2"}}', "an object has the same key twice"),
        (b'{"verb": NaN}', "Bad request"),
        (b'{"verb": "\\ud800"}', "Bad request"),
        (b'{"args": ' + b'{"a":' * 800 + b"1" + b"}" * 801, "Bad request"),
        (b'{"verb": "void", "args": ' + b"[" * 4000, "nested too deeply"),
        (b"", "Bad request"),
        (b"\xff\xfe", "Bad request"),
    ],
)
def test_the_refusal_names_what_is_wrong(line_: bytes, why: str) -> None:
    assert why in refusal(line_)


def test_control_characters_are_removed_from_what_people_type() -> None:
    typed = "\x1b[31mA.\x1b[0m\r\n\tSmi\u202eth\x00\x7f\x9b2J \u2066e\u0301\u2069"
    request = parse(line("lock", by=typed, clause="12.13\x1b]0;x\x07"))
    assert isinstance(request, TableRequest)
    assert (request.by, request.clause) == ("A. Smith é", "12.13")


# Any input


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


def parse_any(line: bytes) -> None:
    """A parsed request can always be stored; anything else is a RequestError."""
    try:
        request = parse(line)
    except RequestError:
        return
    if isinstance(request, TableRequest):
        msgspec.json.encode(request).decode()
        assert request.by.isprintable()
        assert request.clause.isprintable()


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_a_refusal(line: bytes) -> None:
    parse_any(line)


@given(fields)
@settings(max_examples=300)
def test_any_json_is_a_request_or_a_refusal(request: dict[str, Any]) -> None:
    parse_any(json.dumps(request).encode())


@given(st.text())
def test_plain_text_is_printable_and_stable(text: str) -> None:
    found = plain(text)
    assert found.isprintable()
    assert plain(found) == found
    assert found == found.strip()


def test_the_clients_request_is_the_line_that_the_daemon_parses() -> None:
    sent = Request("void", "bac-01", "A. Smith", "12.13", {"reason": "misdeal"})
    request = parse(msgspec.json.encode(sent))
    assert isinstance(request, TableRequest)
    assert request.name == "void"
