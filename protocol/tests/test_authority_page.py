"""AUTHORITY.md: what a supervisor reads there, against the printed rules."""

import pytest
from sabot_protocol import authority
from sabot_protocol.documents import authority_page

PAGE = authority_page.document()


def chapter(title: str) -> list[str]:
    """The lines of one rulebook."""
    return PAGE.split(f"\n## {title}", 1)[1].split("\n## ", 1)[0].splitlines()


@pytest.mark.parametrize(
    ("title", "line"),
    [
        (
            "The Star Sydney, Baccarat",
            "| Void a coup and check the cards: missing or foreign card<br>`void_foreign_card`, **enforced** "
            "| Casino Supervisor *must* (role not named) |  | 12.11 | Surveillance, Inspector |",
        ),
        (
            "The Star Sydney, Rapid",
            "| Key in a card, value and suit<br>`key_in_card`, **enforced** "
            "| Dealer, and another person approves: Casino Supervisor |  | 11.8.12 |  |",
        ),
        (
            "Crown Melbourne",
            "|  | Casino Manager or above | the game is Three Card Baccarat | 12.6.1 |  |",
        ),
        (
            "Crown Melbourne",
            "| Notice of the closure of a table | players, by a sign or notice at the table "
            "| at least 3 coups before | 15.8 |",
        ),
        (
            "The Star Sydney, Premium",
            "| Each over- or underpayment above the limit | NICC | at the end of the month, above $1,000 | 14.17.2 |",
        ),
        (
            "The Star Sydney, Premium",
            "| Compromised promotion | Inspector | within 48 hours | 16.11 |",
        ),
        (
            "New Zealand",
            "\\* ruled in division 1 (2.1), which is not part of this text.",
        ),
        (
            "The Star Sydney, Baccarat",
            "- **Gaming Supervisor** `gaming_supervisor`: counts as Casino Supervisor (1.1)",
        ),
    ],
)  # fmt: skip
def test_a_line(title: str, line: str) -> None:
    assert line in chapter(title)


def test_every_act_of_a_book_is_in_its_chapter_once() -> None:
    text = "\n".join(chapter("Crown Melbourne"))
    for act, found in authority.load("crown-baccarat").act.items():
        assert text.count(f"`{act}`") == (0 if found.silent else 1), act


def test_the_texts_stay_inside_their_cells() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("|")]
    assert len(rows) > 300
    assert {row.count("|") for row in rows} == {5, 6}
