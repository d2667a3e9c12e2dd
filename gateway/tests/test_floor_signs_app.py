"""Signs at a running floor service: a log-in, the role in the table's book, the log, and its check."""

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


def test_a_wrong_secret_and_a_low_role_change_nothing(rig: Rig) -> None:
    with_table(rig)
    done(rig, "user-role", person="bjones", rulebook="crown-baccarat", role="dealer")
    wrong = {"person": "asmith", "secret": "730156"}
    assert "wrong" in refused(rig, "sign", table="bac-01", change="close", login=wrong)
    assert "may not do this" in refused(rig, "sign", table="bac-01", change="close", login=login("bjones"))
    assert len(entries(rig, LOG)) == 1
    asked = [(entry["verb"], entry["table"], entry["person"]) for entry in entries(rig, COMMANDS)]
    assert asked == [("sign close", "bac-01", "asmith"), ("sign close", "bac-01", "bjones")]
    assert "no gateway has published" in refused(rig, "sign", table="x", change="close", login=login("asmith"))
