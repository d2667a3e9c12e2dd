"""The five rulebooks, and files that must be refused."""

from importlib.resources import files

import pytest
from sabot_protocol import messages, rulebooks


def test_the_five_books() -> None:
    assert rulebooks.ids() == ["crown-baccarat", "nz-baccarat", "star-baccarat", "star-premium", "star-rapid"]
    assert len({rulebooks.load(book).digest() for book in rulebooks.ids()}) == 5


@pytest.mark.parametrize(
    ("book", "decks", "table_2", "cut_first"),
    [
        ("star-baccarat", (3, 4, 6, 8), "9.4", True),
        ("star-premium", (3, 4, 6, 8), "9.4", True),
        ("nz-baccarat", (4, 5, 6, 7, 8), "9.4", True),
        ("crown-baccarat", (4, 5, 6, 7, 8), "8.3", False),
        ("star-rapid", (8,), "7.7.4.6", True),
    ],
)
def test_what_the_books_print(book: str, decks: tuple[int, ...], table_2: str, cut_first: bool) -> None:
    rules = rulebooks.load(book)
    assert rules.decks.allowed == decks
    assert rules.draw.table_2 == table_2
    assert rules.shoe.cut_first_card_is_last_coup.value is cut_first


def test_a_profile_fits_its_message() -> None:
    profile = rulebooks.load("crown-baccarat").profile(6, 2)
    parsed = messages.Profile.parse(messages.Profile.build(profile))
    assert (parsed.decks, parsed.card_set, parsed.burn) == (6, 2, "one")
    assert parsed.switches.cut_first_card_is_last_coup is False


def test_decks_that_the_book_does_not_allow() -> None:
    with pytest.raises(rulebooks.RulebookError, match=r"decks = 6: star-rapid allows 8 \(clause 2.5.4\)"):
        rulebooks.load("star-rapid").profile(6, 1)


def test_an_unknown_book() -> None:
    with pytest.raises(rulebooks.RulebookError, match="no rulebook 'macau': choose one of crown-baccarat"):
        rulebooks.load("macau")


GOOD = (files("sabot_protocol.rulebooks") / "star-rapid.toml").read_text()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('mode = "one"', 'mode = "two"', "shoe.burn.mode"),
        ('mode = "one"', 'mode = "one"\ncolour = 3', "colour"),
        ("default = 8", "default = 6", "decks.default 6 is not in decks.allowed"),
        ("value = true", 'value = "yes"', "cut_first_card_is_last_coup.value"),
        ('id = "star-rapid"', 'id = "other"', "the file name says otherwise"),
        ('title = "', 'title = 5 "', "star-rapid.toml"),
        ('table_1 = "7.7.4.5"\n', "", "table_1"),
    ],
)
def test_a_bad_file_is_refused_by_name_key_and_reason(old: str, new: str, says: str) -> None:
    assert old in GOOD
    with pytest.raises(rulebooks.RulebookError) as refused:
        rulebooks.parse("star-rapid.toml", GOOD.replace(old, new))
    assert says in str(refused.value)
    assert "rulebook star-rapid.toml" in str(refused.value)
