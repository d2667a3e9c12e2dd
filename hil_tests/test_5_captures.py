"""The captures in the tree: `sabot inspect` shows what was dealt, by seed and printed tables."""

import json
import random
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from sabot_protocol import messages, recording
from sabot_sim import stack
from sabot_sim.scenarios import draw_tables
from support.make_captures import CAPTURES, FOLDER
from support.site_watcher import contiguous, sabot

NAMES = sorted(path.stem for path in FOLDER.glob("*.shoe"))
WITH_KEY = [name for name in NAMES if "key" in CAPTURES[name]]
_PACKET = 6


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.shoe"


def sidecar(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path_of(name).with_suffix(".json").read_text())
    return found


def frames(name: str, *options: str) -> list[dict[str, Any]]:
    ran = sabot("inspect", str(path_of(name)), *options)
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert (ran.returncode, ran.stderr) == (0, f"sabot inspect: {len(found)} sound frames, damaged: none\n")
    return found


def bodies(found: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [frame["body"] for frame in found if frame["type"] == kind]


def logged(found: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [body["data"] for body in bodies(found, "event") if body["kind"] == kind]


def test_each_has_a_sidecar_and_is_of_this_protocol() -> None:
    assert sorted(CAPTURES) == NAMES
    for name in NAMES:
        reader = recording.Reader()
        assert list(recording.read(reader, [path_of(name).read_bytes()]))
        assert reader.metadata is not None
        assert reader.metadata["protocol"] == messages.protocol_hash().hex(), (
            "the wire has changed: run `make captures`"
        )
        assert (reader.metadata["source"], sidecar(name)) == ("gateway", CAPTURES[name])


@pytest.mark.parametrize("name", NAMES)
def test_the_cards_and_coups_are_those_of_the_seed(name: str) -> None:
    wanted, found = sidecar(name), frames(name)
    deck = stack.shuffled(wanted["decks"], random.Random(f"{wanted['seed']}-1"))
    cards = logged(found, "card")
    assert [card["card"] for card in cards] == deck[: len(cards)]
    assert [card["slot"] for card in cards].count("burn") == sum(burn["cards"] for burn in logged(found, "burn")) == 1
    dealt = [card["card"] for card in cards if 0 < card["coup_no"] <= wanted["coups"]]
    coups = logged(found, "coup")
    assert [coup["coup_no"] for coup in coups] == list(range(1, wanted["coups"] + 1))
    for coup in coups:
        player, banker = draw_tables.hands(dealt)
        dealt = dealt[len(player) + len(banker) :]
        points = draw_tables.points(player), draw_tables.points(banker)
        expected = (draw_tables.winner(player, banker), *points)
        assert (coup["winner"], coup["player_points"], coup["banker_points"]) == expected
    assert dealt == []


@pytest.mark.parametrize("name", NAMES)
def test_the_session_is_whole(name: str) -> None:
    wanted, found = sidecar(name), frames(name)
    numbers = [event["event_no"] for event in bodies(found, "event")]
    assert contiguous(numbers)
    hellos, welcomes = bodies(found, "hello"), bodies(found, "welcome")
    assert {hello["unit"] for hello in hellos} == {wanted["unit"]}
    assert [hello["boot_count"] for hello in hellos] == [1] * len(hellos)
    assert welcomes[-1]["shoe_nonce"] in [hello["shoe_nonce"] for hello in hellos]
    acknowledged = [ack["event_no"] for ack in bodies(found, "ack")]
    assert acknowledged == sorted(acknowledged)
    confirms = [event["event_no"] for event in bodies(found, "event") if event["data"].get("button") == "confirm"]
    assert len(confirms) == wanted["coups"]
    assert acknowledged[-1] >= confirms[-1]
    assert len(bodies(found, "set_profile")) >= 1
    types = [frame["type"] for frame in found]
    assert types.index("who") < types.index("welcome") < types.index("event")
    times = [frame["t_us"] for frame in found]
    assert times == sorted(times)
    senders = {frame["type"]: frame["from"] for frame in found}
    assert {kind for kind, sender in senders.items() if sender == "shoe"} <= {"hello", "event", "alive"}


@pytest.mark.parametrize("name", WITH_KEY)
def test_with_the_key_every_frame_of_the_session_is_authenticated(name: str, tmp_path: Path) -> None:
    key_file, other_file = tmp_path / "key.bin", tmp_path / "other.bin"
    key_file.write_bytes(bytes.fromhex(sidecar(name)["key"]))
    other_file.write_bytes(bytes(32))
    found = frames(name, "--key", str(key_file))
    assert {frame.get("authenticated") for frame in found if "mac" in frame} == {"yes"}
    assert {frame["type"] for frame in found if "mac" not in frame} <= {"who", "hello"}
    assert bytes.fromhex(sidecar(name)["key"]) not in b"".join(bytes.fromhex(frame["hex"]) for frame in found)
    assert sabot("inspect", str(path_of(name)), "--key", str(other_file)).returncode == 1


@pytest.mark.parametrize("name", NAMES)
def test_the_other_forms_have_as_many_frames(name: str, tmp_path: Path) -> None:
    count, out = len(frames(name)), tmp_path / "line.pcapng"
    text = sabot("inspect", str(path_of(name)), "--text").stdout
    assert len(text.splitlines()) == count
    assert re.search(rf" shoe +hello .* unit={sidecar(name)['unit']} ", text)
    assert sabot("inspect", str(path_of(name)), "--pcapng", str(out)).returncode == 0
    data, at, packets = out.read_bytes(), 0, 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        packets, at = packets + (kind == _PACKET), at + length
    assert packets == count
