"""Signs at a running floor service: a log-in, the role in the table's book, the log, and its check."""

from typing import Any

import msgspec
from floor_rig import Rig, rig, server
from sabot_floor.commands.log import LOG as COMMANDS
from sabot_floor.signs import audit
from sabot_floor.signs.limits import TableLimits
from sabot_floor.signs.log import LOG
from sabot_protocol.topics import StatusMessage, TableSetup
from test_floor_people_app import ask, done, entries, login, refused, staffed

__all__ = ["rig", "server"]


def with_table(rig: Rig) -> None:
    """Start a floor with people and a table of Crown whose gateway has published what it offers."""
    staffed(rig, table=(TableLimits("bac-01", minimum="25", maximum="5,000"),), time_zone="Australia/Melbourne")
    setup = TableSetup(game="traditional", wagers=["player", "banker", "tie"], decks=8)
    status = StatusMessage(state="online", time="", rulebook="crown-baccarat", setup=setup)
    rig.client.publish(rig.topic("bac-01", "status"), msgspec.json.encode(status), retain=True)
    rig.until(lambda: rig.apps[0]._commands.tables.status("bac-01"))


def test_a_person_changes_the_sign_of_a_table(rig: Rig) -> None:
    with_table(rig)
    said = done(rig, "sign", table="bac-01", change="minimum", minimum="50", login=login("asmith"))
    assert said.startswith("bac-01: minimum 50, maximum 5,000 from ")
    assert said.endswith("(6.7, s.66(2)).")
    shown = ask(rig, "show-sign", table="bac-01")["data"]
    assert shown["limits"]["minimum"] == "25"
    assert shown["coming"]["minimum"] == "50"
    assert [wager["title"] for wager in shown["wagers"]] == ["Player", "Banker", "Tie"]
    assert [jackpot["title"] for jackpot in shown["jackpots"]] == ["Lucky Tie"]
    configured, changed = entries(rig, LOG)
    assert (configured["kind"], changed["kind"], changed["person"]) == ("configured", "limits", "asmith")
    assert audit.verify(rig.store()).faults == []


# By the book of Crown (P-16, P-24, P-61, P-77; s.66(2)).
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"change": "minimum", "minimum": "50"}, "raise_minimum", "6.7"),
    ({"change": "minimum", "minimum": "50", "keep_old": True}, "raise_minimum", "6.7"),
    ({"change": "minimum", "minimum": "20"}, "alter_limits", "6.7"),
    ({"change": "minimum", "minimum": "fifty"}, "", ""),
    ({"change": "one-minimum"}, "alter_limits", "6.7"),
    ({"change": "game", "game": "tie"}, "change_game", ""),
    ({"change": "personal", "place": "3", "minimum": "1", "maximum": "9"}, "personal_limits", "6.6, 6.5"),
    ({"change": "cancel", "what": "closure"}, "close_table", "15.8"),
    ({"change": "cancel"}, "alter_limits", "6.7"),
]


def test_every_change_that_is_refused_has_its_act_and_clause_in_the_log_of_commands(rig: Rig) -> None:
    with_table(rig)
    for change, _, _ in REFUSED:
        refused(rig, "sign", table="bac-01", **change, login={"person": "asmith", "secret": "730156"})
    found = [(entry["act"], entry["clause"]) for entry in entries(rig, COMMANDS)]
    assert found == [(act, clause) for _, act, clause in REFUSED]


def test_a_wrong_secret_and_a_low_role_change_nothing(rig: Rig) -> None:
    with_table(rig)
    done(rig, "user-role", person="bjones", rulebook="crown-baccarat", role="dealer")
    wrong = {"person": "asmith", "secret": "730156"}
    assert "wrong" in refused(rig, "sign", table="bac-01", change="close", login=wrong)
    assert "may not do this" in refused(rig, "sign", table="bac-01", change="close", login=login("bjones"))
    assert len(entries(rig, LOG)) == 1
    asked = [(entry["verb"], entry["table"], entry["person"], entry["role"]) for entry in entries(rig, COMMANDS)]
    assert [one[:3] for one in asked] == [("sign close", "bac-01", "asmith"), ("sign close", "bac-01", "bjones")]
    assert asked[1][3] == "dealer"
    assert {(entry["act"], entry["clause"]) for entry in entries(rig, COMMANDS)} == {("close_table", "15.8")}
    assert "no gateway has published" in refused(rig, "sign", table="x", change="close", login=login("asmith"))
