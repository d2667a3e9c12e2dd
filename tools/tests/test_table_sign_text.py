"""The text of `sabot sign show`."""

from sabot_tools.text.table_sign import lines

SIGN = {
    "table": "bac-01",
    "area": "Main floor",
    "game": "Even Money Baccarat",
    "currency": "AUD",
    "per": "player",
    "limits": {"minimum": "100", "maximum": "5,000"},
    "old": {"minimum": "25", "maximum": "5,000"},
    "coming": {"minimum": "200", "maximum": "5,000", "at": "21:30"},
    "more": {"differential": "10,000"},
    "personal": [{"place": "3", "minimum": "500", "maximum": "50,000"}],
    "next_game": "Baccarat",
    "next_game_at": "22:00",
    "closure": {"closed": False, "at": "23:00", "coups": 0},
    "wagers": [
        {"title": "Banker", "minimum": "100", "maximum": "5,000", "payout": "", "note": "",
         "pays": [{"when": "Banker wins with 6", "odds": "1 to 2"}]},
        {"title": "Tiger", "minimum": "5", "maximum": "200", "payout": "9,000", "note": "a note",
         "pays": [{"when": "", "odds": "12 to 1"}]},
    ],
    "notices": [{"say": "A notice.", "clause": "2.5"}, {"say": "Another.", "clause": ""}],
    "jackpots": [{"title": "Lucky Tie", "lines": ["Void coups do not count."]}],
    "problems": ["ante: star-baccarat has none"],
}  # fmt: skip


def test_everything_on_the_sign_is_printed() -> None:
    assert list(lines(SIGN)) == [
        "bac-01: Even Money Baccarat, Main floor",
        "Minimum 100, maximum 5,000 AUD, for each player",
        "Players who were here before: minimum 25, maximum 5,000",
        "Table differential: 10,000",
        "Place 3: minimum 500, maximum 50,000",
        "From 21:30: minimum 200, maximum 5,000",
        "From 22:00: Baccarat",
        "This table closes at 23:00",
        "Banker: 100 to 5,000",
        "  1 to 2: Banker wins with 6",
        "Tiger: 5 to 200, pays at most 9,000",
        "  12 to 1",
        "  a note",
        "! A notice. (2.5)",
        "! Another.",
        "Jackpot Lucky Tie",
        "  Void coups do not count.",
        "problem: ante: star-baccarat has none",
    ]


def test_a_closed_table_and_one_that_closes_after_coups() -> None:
    bare = {"table": "t", "currency": "AUD", "per": "player"}
    assert list(lines({**bare, "closure": {"closed": True, "at": "", "coups": 0}}))[-1] == "This table is closed"
    assert list(lines({**bare, "closure": {"closed": False, "at": "", "coups": 2}}))[-1] == (
        "This table closes after 2 coups"
    )
