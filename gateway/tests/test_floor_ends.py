"""Ends of wins at the floor service: what the pit sees if a record comes too late, and what a person is answered."""

from floor_rig import JACKPOT, Rig, rig, server

__all__ = ["rig", "server"]


def test_a_record_of_an_invalid_win_ends_in_a_fault(rig: Rig) -> None:
    rig.start()
    table = rig.table()
    won = table.increment(trigger="suited")
    rig.send(won)
    rig.settle()
    act = {"jackpot": JACKPOT, "win": "bac-01/1/1", "role": "area_manager"}
    assert rig.ask("invalid", "A. Smith", **act, reason="no wager on Tie").ok
    rig.send(table.recorded(won, stakes={"tie": [100]}))
    rig.until(lambda: rig.client.on("fault"), pass_s=0.2)
    assert "was deemed invalid at" in rig.client.on("fault")[-1]["say"]


def test_a_confirmation_without_a_qualifying_wager_is_answered_as_one_that_paid_nothing(rig: Rig) -> None:
    rig.start()
    table = rig.table()
    won = table.increment(trigger="suited")
    rig.send(won, table.recorded(won, stakes={}))
    rig.until(lambda: rig.client.on("win"))
    act = {"jackpot": JACKPOT, "win": "bac-01/1/1", "role": "area_manager", "notified": "B. Jones"}
    answer = rig.ask("confirm", "A. Smith", **act)
    assert answer.ok
    assert answer.say.startswith("Nothing was paid: no qualifying wager was recorded. bac-01 1/1, suited: invalid.")
