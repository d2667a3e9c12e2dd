"""Cards dealt face down are on no surface before they are turned (displays.md, rule 2), but for Surveillance."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sabot_floor.web.channels import CHANNELS
from sabot_protocol import rulebooks
from sabot_protocol.assistant import GROUPS
from support.live_table import LiveTable
from support.mqtt_clients import MqttClient, step_until
from support.screens import SITE, ScreenSite, wait_for
from support.visitor import Visitor

ACL = Path(__file__).parents[1] / "gateway" / "examples" / "mosquitto.acl"
PIN = "730155"
FACE_DOWN = [book for book in rulebooks.ids() if "face_down" in rulebooks.load(book).shoe.choice["dealing"].values]
# Points, winner and what follows from them: by the names that messages and views have for them.
TELLING = ("winner", "player_points", "banker_points", "points", "player_pair", "banker_pair", "natural", "reasons")


NATURAL = "9C 2H KD 4S"  # Player 9, Banker 6
THIRD_CARDS = "3D 8C 2S 8H 7D 9H"  # Player 5, Banker 6: the Player draws, and the Banker to a 7


@pytest.fixture(scope="module", params=FACE_DOWN)
def table(request: Any, screen_site: ScreenSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveTable]:
    """Yield a table that deals face down, and people with every role that matters in its book."""
    book = request.param
    short = book.split("-")[0] + book.split("-")[1][0]
    lowest = rulebooks.load(book).authority.role[0].id
    for person, role in (("dora", lowest), ("boss", _highest(book)), ("cam", "surveillance"), ("ina", "inspector")):
        screen_site.person(f"{person}-{short}", PIN, **{book.replace("-", "_"): role})
    shoe = '{ dealing = "face_down" }'
    made = LiveTable(screen_site, tmp_path_factory.mktemp("hidden"), f"hid-{short}", book, 900 + len(book), shoe=shoe)
    made.open()
    yield made
    made.close()


def _highest(book: str) -> str:
    return [role.id for role in rulebooks.load(book).authority.role if not role.beside][-1]


def visitor(site: ScreenSite, table: LiveTable, person: str, kind: str) -> Visitor:
    made = Visitor(site.url)
    reply = made.log_in(f"{person}-{table.name.removeprefix('hid-')}", PIN, kind)
    assert reply.status == 200, reply.body
    return made


def surfaces(site: ScreenSite, table: LiveTable, coup: str) -> Iterator[tuple[str, bytes]]:
    """Yield the bytes of every surface that somebody other than Surveillance can read, by name."""
    people = {"nobody": Visitor(site.url)}
    people |= {who: visitor(site, table, who, "pit") for who in ("dora", "boss", "ina")}
    people["dealer"] = visitor(site, table, "dora", "dealer")
    for who, made in people.items():
        for name, channel in CHANNELS.items():
            path = f"{name}/{table.name}" if channel.keyed else name
            yield f"{who} at {path}", made.first_event(f"/events/{path}")
        for path in data_paths(table, coup):
            yield f"{who} at {path}", made.get(path).body
    for words in commands(site, table, coup):
        yield f"sabot {' '.join(words[:3])}", sabot(*words)
    for log in (site.work_dir / "floor.log", table.log):
        yield log.name, log.read_bytes()


def data_paths(table: LiveTable, coup: str) -> Iterator[str]:
    shoe, number = coup.split("/")
    yield from (f"/data/coup/{table.name}/{shoe}/{number}", f"/data/trends/{table.name}")
    yield f"/data/shoe/{table.name}?unit={table.unit}&shoe={shoe}"
    yield from (f"/data/assistant/{table.name}?case={case}" for cases in GROUPS.values() for case in cases)


def commands(site: ScreenSite, table: LiveTable, coup: str) -> Iterator[tuple[str, ...]]:
    """Yield commands of `sabot` that show something of a table."""
    shoe, _ = coup.split("/")
    for words in (("day", "today"), ("shoe", f"{table.name}/{shoe}"), ("coup", f"{table.name}/{coup}")):
        yield ("report", *words, "--json", "--config", str(site.config))
    yield ("floor", "status", "--json", "--config", str(site.config))
    yield ("gateway", "status", "--json", "--control", str(table.control))


def sabot(*words: str) -> bytes:
    done = subprocess.run([sys.executable, "-m", "sabot_tools", *words], capture_output=True, check=True)
    return done.stdout


def topics_of(user: str) -> list[str]:
    """Return what a user of the example may read."""
    text = ACL.read_text().replace("/sydney/", f"/{SITE}/")
    own = re.search(rf"^user {user}\n((?:topic .*\n)+)", text, re.MULTILINE)
    assert own
    return [line.split()[-1] for line in own[1].splitlines() if line.split()[1].startswith("read")]


def tells(body: bytes, hidden: list[str]) -> list[str]:
    """Return the cards that are in these bytes, and what tells points or winner of the coup in play."""
    text = body.decode(errors="replace")
    found = [card for card in hidden if re.search(rf"(?<![A-Za-z0-9]){card}(?![a-z0-9])", text)]
    whole = "".join(hidden)
    found += [whole] if whole and whole in text.replace(" ", "") else []
    for line in text.splitlines():
        found += _telling(_json(line.removeprefix("data: ")))
    return found


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _telling(found: Any) -> list[str]:
    if isinstance(found, list):
        return [word for one in found for word in _telling(one)]
    if not isinstance(found, dict):
        return []
    own = [
        f"{name} {value}" for name, value in found.items() if name in TELLING and value not in (None, "", 0, False, [])
    ]
    return own + [word for value in found.values() for word in _telling(value)]


def test_no_surface_shows_a_card_before_it_is_turned(screen_site: ScreenSite, table: LiveTable) -> None:
    cam, boss = (visitor(screen_site, table, who, "pit") for who in ("cam", "boss"))
    readers = [reader(screen_site, user) for user in ("pit-sydney", "display-sydney")]
    here, cards = new_coup(cam, table), NATURAL.split()
    table.deal(NATURAL)
    wait_for(lambda: hand(cam, table)["phase"] == "complete")
    wait_for(lambda: stored(table, screen_site, here))
    found = {name: shows for name, body in surfaces(screen_site, table, here) if (shows := tells(body, cards))}
    assert found == {}
    for client in readers:
        client.step(0.0)
        own = [payload for topic, payload in client.messages if f"/{table.name}/" in topic]
        assert own
        assert [word for payload in own for word in tells(payload, cards)] == []
    assert shown(cam, f"pit_table/{table.name}", cards) == cards  # Surveillance sees them
    turn(boss, table, here, "player", 2)
    wait_for(lambda: shown(boss, f"pit_table/{table.name}", cards) == ["9C", "KD"])
    assert b'"winner":"player"' not in boss.first_event(f"/events/dealer/{table.name}")
    turn(boss, table, here, "banker", 2)
    wait_for(lambda: shown(boss, f"pit_table/{table.name}", cards) == cards)
    assert b'"winner":"player"' in boss.first_event(f"/events/dealer/{table.name}")
    display = f"display/{table.name}"
    assert shown(Visitor(screen_site.url), display, cards) == []  # until the result is confirmed
    table.press("confirm")
    wait_for(lambda: shown(Visitor(screen_site.url), display, cards) == cards)


def test_a_third_card_is_hidden_and_what_it_would_tell_is_too(screen_site: ScreenSite, table: LiveTable) -> None:
    cam, boss = (visitor(screen_site, table, who, "pit") for who in ("cam", "boss"))
    here, cards = new_coup(cam, table), THIRD_CARDS.split()
    table.deal(" ".join(cards[:4]))
    wait_for(lambda: hand(cam, table)["due"] == "player_3")
    assert (hand(boss, table)["due"], hand(boss, table)["phase"]) == ("", "dealing")  # or the points would be known
    for side in ("player", "banker"):
        turn(boss, table, here, side, 2)
    wait_for(lambda: hand(boss, table)["due"] == "player_3")
    table.deal(cards[4])
    wait_for(lambda: hand(cam, table)["due"] == "banker_3")
    channels = [f"{name}/{table.name}" if one.keyed else name for name, one in CHANNELS.items()]
    assert {name: found for name in channels if (found := shown(boss, name, cards[4:5]))} == {}
    assert hand(boss, table)["due"] == ""
    turn(boss, table, here, "player", 3)
    wait_for(lambda: hand(boss, table)["due"] == "banker_3")
    table.deal(cards[5])
    wait_for(lambda: hand(cam, table)["phase"] == "complete")
    assert {name: found for name in channels if (found := shown(boss, name, cards[5:]))} == {}
    table.press("confirm")
    display = f"display/{table.name}"
    wait_for(lambda: shown(Visitor(screen_site.url), display, cards) == cards)


def stored(table: LiveTable, site: ScreenSite, coup: str) -> bool:
    """Return True once the store has the coup."""
    return visitor(site, table, "cam", "pit").get(f"/data/coup/{table.name}/{coup}").status == 200


def shown(made: Visitor, channel: str, cards: list[str]) -> list[str]:
    """Return those of these cards that are in the newest state of a channel."""
    return [card for card in cards if card in tells(made.first_event(f"/events/{channel}"), cards)]


def new_coup(made: Visitor, table: LiveTable) -> str:
    wait_for(lambda: hand(made, table)["phase"] == "bets")
    found = hand(made, table)
    return f"{found['shoe']}/{found['coup']}"


def hand(made: Visitor, table: LiveTable) -> Any:
    """Return the hand on the pit's panel, as this person sees it."""
    state = made.first_event(f"/events/pit_table/{table.name}").decode()
    return {"due": "", "phase": "", **(json.loads(state.split("data: ", 1)[1])["hand"] or {})}


def turn(made: Visitor, table: LiveTable, coup: str, side: str, cards: int) -> None:
    answer = made.post("/turned", {"table": table.name, "coup": coup, "side": side, "cards": cards}).json()
    assert answer["ok"], answer


def reader(site: ScreenSite, user: str) -> MqttClient:
    client = MqttClient(site.broker.address, user)
    for topic in topics_of(user):
        client.subscribe(topic)
    step_until(lambda: client.messages, client)
    return client
