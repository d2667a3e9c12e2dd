"""Coups as text: lines and the summary."""

from sabot_protocol.topics import CoupMessage
from sabot_tools.text.coups import Painter, Summary


def coup(**changes: object) -> CoupMessage:
    fields: dict[str, object] = {
        "id": "u-1", "unit": "u", "event_no": 1, "table": "bac-01", "shoe": 2, "coup": 7, "time": "", "rulebook": "",
        "kind": "live", "status": "verified", "winner": "banker", "player": ["TH", "2C"], "banker": ["9S", "KD"],
        "player_points": 2, "banker_points": 9, "player_pair": False, "banker_pair": False, "natural": True,
        "last_coup": False, "shoe_time_ms": 0,
    }  # fmt: skip
    return CoupMessage(**{**fields, **changes})  # type: ignore[arg-type]


def test_a_line_without_colour() -> None:
    assert Painter(colour=False).line(coup(), 0.0042) == (
        "bac-01  shoe 2 coup   7   Player 10♥ 2♣      2   Banker 9♠ K♦       9   BANKER natural"
        "                     4.2 ms"
    )


def test_colour_only_on_a_terminal() -> None:
    assert "\033[31m10♥" in Painter(colour=True).line(coup(), None)
    assert "\033" not in Painter(colour=False).line(coup(), None)


def test_remarks() -> None:
    line = Painter(colour=False).line(coup(status="disputed", player_pair=True, last_coup=True, natural=False), None)
    assert line.endswith("BANKER DISPUTED, player pair, last coup")


def test_the_summary_counts_coups_pairs_and_latency() -> None:
    summary = Summary()
    for number, winner in enumerate(("player", "banker", "banker", "tie")):
        summary.add(coup(winner=winner, player_pair=number == 0), 0.001 * (number + 1))
    assert summary.text() == (
        "4 coups · Player 1 · Banker 2 · Tie 1 · pairs 1 · disputed 0 · alarms 0 · "
        "latency 2.5 ms median, 4.0 ms longest"
    )


def test_a_coup_in_doubt_without_a_result_is_not_void() -> None:
    painter, summary = Painter(colour=False), Summary()
    doubtful, void = coup(winner=None, status="disputed", natural=False), coup(winner=None, kind="void", natural=False)
    assert painter.line(doubtful, None).endswith("NONE   DISPUTED")
    assert painter.line(void, None).endswith("VOID")
    for one in (doubtful, void, void):
        summary.add(one, None)
    assert "Tie 0 · Void 2 · None 1 · pairs 0 · disputed 1" in summary.text()
