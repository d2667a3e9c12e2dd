"""The published schemas: complete, valid, open to additions, and strict with ourselves."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from sabot_protocol import schemas
from sabot_protocol.topics import JackpotTopic, TopicName

PROTOCOL = Path(__file__).parents[1]
ASYNCAPI = json.loads((PROTOCOL / "asyncapi.json").read_text())
NAMES = get_args(TopicName)
JACKPOT_NAMES = get_args(JackpotTopic)

CARD: dict[str, Any] = {
    "id": "5ab0000000000001-12",
    "unit": "5ab0000000000001",
    "event_no": 12,
    "table": "bac-01",
    "shoe": 1,
    "coup": 3,
    "time": "2026-01-01T00:00:00.000Z",
    "rulebook": "0123456789abcdef",
    "slot": "player_1",
    "card": "8H",
    "speed_mm_s": 512,
    "margin": 0.83,
    "shoe_time_ms": 4711,
    "notes": [],
}


def published(name: str) -> dict[str, Any]:
    """The file that integrators read."""
    found: dict[str, Any] = json.loads((PROTOCOL / "schemas" / f"{name}.json").read_text())
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_topic_has_a_schema_that_is_one(name: str) -> None:
    schema = published(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert '"additionalProperties": false' not in json.dumps(schema)


def test_cards_is_an_array_of_cards() -> None:
    validator = Draft202012Validator(published("cards"))
    assert validator.is_valid([CARD, CARD])
    assert not validator.is_valid(CARD)
    assert not validator.is_valid([{**CARD, "margin": "good"}])
    assert not validator.is_valid([{key: value for key, value in CARD.items() if key != "id"}])


def test_a_consumer_takes_a_field_that_it_does_not_know_and_we_publish_none() -> None:
    newer = [{**CARD, "colour": "red"}]
    assert Draft202012Validator(published("cards")).is_valid(newer)
    strict = Draft202012Validator(schemas.strict(published("cards")))
    assert strict.is_valid([CARD])
    assert not strict.is_valid(newer)


def test_a_status_is_online_or_offline() -> None:
    validator = Draft202012Validator(published("status"))
    assert validator.is_valid({"state": "online", "time": "2026-01-01T00:00:00.000Z"})
    assert not validator.is_valid({"state": "asleep", "time": "2026-01-01T00:00:00.000Z"})


INCIDENT: dict[str, Any] = {
    **{name: CARD[name] for name in ("id", "unit", "event_no", "table", "shoe", "coup", "time", "rulebook")},
    "incident": "5ab0000000000001-40",
    "kind": "discrepancy",
    "state": "open",
    "say": "Coup 3: shoe and cards disagree.",
    "clause": "12.13",
    "opened": "2026-01-01T00:00:00.000Z",
    "facts": {"amount_cents": 250_000, "intentional": False, "patron": "A. Patron"},
    "steps": [{"name": "decide", "say": "Confirm or void the coup.", "act": "decide_discrepancy"}],
}


@pytest.mark.parametrize(
    ("key", "bad"), [("state", "settled"), ("steps", [{"name": "decide"}]), ("facts", {"x": [1]}), ("opened", 3)]
)
def test_an_incident_has_its_whole_state(key: str, bad: object) -> None:
    strict = Draft202012Validator(schemas.strict(published("incident")))
    assert list(strict.iter_errors(INCIDENT)) == []
    assert not strict.is_valid({**INCIDENT, key: bad})
    listed = {"table": "bac-01", "time": INCIDENT["time"], "incidents": [INCIDENT]}
    of_table = Draft202012Validator(schemas.strict(published("open")))
    assert list(of_table.iter_errors(listed)) == []
    assert not of_table.is_valid({**listed, "incidents": [{**INCIDENT, key: bad}]})


HISTORY: dict[str, Any] = {
    "table": "bac-01",
    "time": "2026-01-01T00:00:00.000Z",
    "unit": "5ab0000000000001",
    "shoe": 1,
    "state": "open",
    "results": "B Pbn X",
    "coups": [1, 2, 4],
    "undecided": [3],
    "phase": "bets",
    "coup": 5,
    "kind": "no_bet",
    "last_coup": True,
    "last": {
        "coup": 4,
        "kind": "dummy",
        "winner": "tie",
        "time": "2026-01-01T00:00:00.000Z",
        "player": ["4S", "4D"],
        "banker": ["8H", "KC"],
        "player_points": 8,
        "banker_points": 8,
        "natural": True,
    },
}
HAND: dict[str, Any] = {
    **{name: HISTORY[name] for name in ("table", "time", "unit", "shoe", "coup", "kind", "last_coup")},
    "phase": "complete",
    "called": True,
    "cards": [{"slot": "player_1", "card": "8H"}, {"slot": "unused", "card": "2D", "notes": ["surplus", "exposed"]}],
    "player_points": 8,
    "due": "banker_1",
    "surplus": 1,
    "locked": True,
    "fault": "exit_forced",
    "next_step": "Open the lid.",
    "result": {"id": "x", "status": "disputed", "winner": None, "player_points": 8, "banker_points": 0},
    "authorisation_needed": True,
}


@pytest.mark.parametrize(
    ("name", "good", "key", "bad"),
    [
        ("history", HISTORY, "state", "?"),
        ("history", HISTORY, "phase", "dealing"),
        ("history", HISTORY, "last", {"coup": 4}),
        ("history", HISTORY, "coups", ["1"]),
        ("hand", HAND, "phase", "no_more_bets"),
        ("hand", HAND, "cards", ["8H"]),
        ("hand", HAND, "result", {}),
    ],
)
def test_a_state_for_screens_has_known_values(name: str, good: dict[str, Any], key: str, bad: object) -> None:
    strict = Draft202012Validator(schemas.strict(published(name)))
    assert list(strict.iter_errors(good)) == []
    assert not strict.is_valid({**good, key: bad})
    assert not strict.is_valid({**good, "colour": "red"})


INCREMENT: dict[str, Any] = {
    **{name: CARD[name] for name in ("id", "unit", "event_no", "table", "shoe", "coup", "time", "rulebook")},
    "gateway": "0123456789abcdef",
    "jackpot": "lucky-tie",
    "parameters": "0123456789abcdef",
    "currency": "AUD",
    "amount": 25,
    "count": 1,
    "total": 25,
    "coup_id": "5ab0000000000001-13",
    "kind": "live",
    "stakes": {"tie": [100, 300]},
}
METER: dict[str, Any] = {
    "jackpot": "lucky-tie",
    "title": "Lucky Tie",
    "time": "2026-01-01T00:00:00.000Z",
    "entry": 7,
    "hash": "00",
    "parameters": "0123456789abcdef",
    "version": 1,
    "currency": "AUD",
    "meters": {"base": 0, "in": 25, "display": 25, "hits": 0, "wins": 0, "overflow": 0, "reserve": 0},
    "balanced": True,
    "not_offered": {"bac-01": "the display is dark"},
}


@pytest.mark.parametrize("name", ["increment", "recorded", *JACKPOT_NAMES])
def test_every_topic_of_a_jackpot_has_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(published(name))
    assert published(name)["title"] == ASYNCAPI["channels"][name]["address"].replace("{", "<").replace("}", ">")


@pytest.mark.parametrize(
    ("name", "good", "key", "bad"),
    [("increment", INCREMENT, "amount", 2.5), ("increment", INCREMENT, "kind", "?"), ("meter", METER, "meters", {})],
)
def test_amounts_of_a_jackpot_are_whole_numbers(name: str, good: dict[str, Any], key: str, bad: object) -> None:
    strict = Draft202012Validator(schemas.strict(published(name)))
    assert list(strict.iter_errors(good)) == []
    assert not strict.is_valid({**good, key: bad})
    assert not strict.is_valid({**good, "colour": "red"})
    assert not strict.is_valid({other: value for other, value in good.items() if other != key})


@pytest.mark.parametrize(
    ("topic", "name"),
    [
        ("status", "status"),
        ("ledger", "ledger"),
        ("beat", "beat"),
        ("gateway/pit-1/beat", "beat"),
        ("bac-01/beat", None),
        ("bac-01/status", "status"),
        ("bac-01/confirmed", "confirmed"),
        ("bac-01/jackpot/lucky-tie", "increment"),
        ("bac-01/jackpot/lucky-tie/recorded", "recorded"),
        ("jackpot/lucky-tie/meter", "meter"),
        ("jackpot/lucky-tie/win", "win"),
        ("jackpot/lucky-tie", None),
        ("jackpot/heads/people", "ledger"),
        ("jackpot/heads/jackpot/lucky-tie", "ledger"),
        ("bac-01/jackpot/lucky-tie/meter", None),
    ],
)
def test_the_schema_of_a_topic(topic: str, name: str | None) -> None:
    assert schemas.schema_of(f"sabot/v1/sydney/{topic}") == name


def test_the_asyncapi_document_names_every_topic_as_it_is_published() -> None:
    addresses = {channel["address"] for channel in ASYNCAPI["channels"].values()}
    assert addresses == {
        "sabot/v1/{site}/status",
        "sabot/v1/{site}/ledger",
        "sabot/v1/{site}/beat",
        *(f"sabot/v1/{{site}}/{{table}}/{name}" for name in NAMES),
        "sabot/v1/{site}/gateway/{gateway}/status",
        "sabot/v1/{site}/gateway/{gateway}/ledger",
        "sabot/v1/{site}/gateway/{gateway}/beat",
        "sabot/v1/{site}/{table}/jackpot/{jackpot}",
        "sabot/v1/{site}/{table}/jackpot/{jackpot}/recorded",
        "sabot/v1/{site}/{table}/cmd",
        "sabot/v1/{site}/jackpot/heads/{log}",
        "sabot/v1/{site}/jackpot/heads/jackpot/{jackpot}",
        "sabot/v1/{site}/{table}/cmd/reply",
        *(f"sabot/v1/{{site}}/jackpot/{{jackpot}}/{name}" for name in JACKPOT_NAMES),
    }
    retained = {
        operation["channel"]["$ref"].rpartition("/")[2]
        for operation in ASYNCAPI["operations"].values()
        if operation["bindings"]["mqtt"]["retain"]
    }
    of_gateways = {
        "gateway_status",
        "ledger",
        "named_gateway_status",
        "named_gateway_ledger",
        "log_head",
        "jackpot_log_head",
    }
    assert retained == {*of_gateways, "status", "shoe", "alarms", "open", "history", "hand", "meter", "pending"}
    unkept = {name for name, operation in ASYNCAPI["operations"].items() if operation["bindings"]["mqtt"]["qos"] == 0}
    assert unkept == {"say_beat", "say_named_gateway_beat"}
    assert {operation["action"] for operation in ASYNCAPI["operations"].values()} == {"send"}


def references(part: Any) -> list[str]:
    if isinstance(part, list):
        return [reference for one in part for reference in references(one)]
    if not isinstance(part, dict):
        return []
    own = [part["$ref"]] if "$ref" in part else []
    return own + references(list(part.values()))


def test_every_reference_of_the_asyncapi_document_leads_somewhere() -> None:
    assert len(references(ASYNCAPI)) > 30
    for reference in references(ASYNCAPI):
        place = ASYNCAPI
        for key in reference.removeprefix("#/").split("/"):
            place = place[key]
