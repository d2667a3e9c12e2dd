"""The five rulebooks, and files that must be refused."""

from importlib.resources import files

import pytest
from msgspec.structs import replace
from sabot_protocol import irregularities, messages, rulebooks

ANY_ERROR = "player_overdraw banker_overdraw excess_card first_card_face_up"


def test_the_five_books() -> None:
    assert rulebooks.ids() == ["crown-baccarat", "nz-baccarat", "star-baccarat", "star-premium", "star-rapid"]
    assert len({rulebooks.load(book).digest() for book in rulebooks.ids()}) == 5


def test_the_hash_covers_the_rules_and_not_their_wording(monkeypatch: pytest.MonkeyPatch) -> None:
    book, cases = rulebooks.load("star-rapid"), irregularities.load("star-rapid").cases
    (row,) = cases["misread_card"]

    def digest(changed: irregularities.Row) -> bytes:
        other = irregularities.Book(book.id, {**cases, "misread_card": (changed,)})
        monkeypatch.setattr(irregularities, "load", lambda _: other)
        return book.digest()

    assert digest(replace(row, say="Key the card in.")) == digest(row)
    assert digest(replace(row, code="VOID")) != digest(row)
    assert digest(replace(row, clause="11.8.13")) != digest(row)


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
def test_values_printed_in_the_rulebooks(book: str, decks: tuple[int, ...], table_2: str, cut_first: bool) -> None:
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
    with pytest.raises(rulebooks.RulebookError, match="unknown rulebook 'macau': choose one of crown-baccarat"):
        rulebooks.load("macau")


GOOD = (files("sabot_protocol.rulebooks") / "star-rapid.toml").read_text()


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ('mode = "one"', 'mode = "two"', "shoe.burn.mode"),
        ('mode = "one"', 'mode = "one"\ncolour = 3', "colour"),
        ("default = 8", "default = 6", "decks.default 6 is not in decks.allowed"),
        ("value = true", 'value = "yes"', "cut_first_card_is_last_coup.value"),
        ('id = "star-rapid"', 'id = "other"', "id is 'other', which is not the file name"),
        ('title = "', 'title = 5 "', "star-rapid.toml"),
        ('table_1 = "7.7.4.5"\n', "", "table_1"),
        (
            'odds = "19/20"',
            'odds = "19 to 20"',
            "wager banker: win: odds: '19 to 20' is not a price: write 8 or 19/20",
        ),
        ('bet = "tie"', 'bet = "draw"', "wager tie: no bet 'draw'"),
        ('games = ["baccarat"]', 'games = ["bacarat"]', "no game 'bacarat'"),
        ('id = "pair_player"', 'id = "pair_banker"', "wager pair_banker is twice in game baccarat"),
        (
            'manual_entry = { value = "casino_supervisor"',
            'manual_entry = { value = "maybe"',
            "switch.manual_entry: 'maybe' is not one of",
        ),
        ("mid_shoe_burn", "mid_show_burn", "switch.mid_shoe_burn is missing"),
        ('win.win = { odds = "11", clause = "8.10" }', "", "no outcome wins"),
    ],
)
def test_a_bad_file_is_refused_with_file_key_and_reason(old: str, new: str, error: str) -> None:
    assert old in GOOD
    with pytest.raises(rulebooks.RulebookError) as refused:
        rulebooks.parse("star-rapid.toml", GOOD.replace(old, new))
    assert error in str(refused.value)
    assert "rulebook star-rapid.toml" in str(refused.value)


@pytest.mark.parametrize(
    ("book", "old", "new", "error"),
    [
        ("nz", 'exact_odds = "19/20"\n', "", "money.exact_odds: void_excess needs it, no other rounding has it"),
        ("nz", '"void_excess"', '"next_highest"', "money.exact_odds: void_excess needs it, no other rounding has it"),
        ("nz", 'exact_odds = "19/20"', 'exact_odds = "5 %"', "money.exact_odds: '5 %' is not a price"),
        ("nz", 'most_of_minimum = "1/8"', 'most_of_minimum = "-1"', "money.ante.most_of_minimum: '-1' is not a price"),
        ("crown", 'commission = "1/40"', 'commission = "0"', "money.differential.commission: '0' is not a price"),
        (
            "crown",
            'games = ["traditional"]\nwagers',
            'games = ["owl"]\nwagers',
            "money.differential.games: no game 'owl'",
        ),
        (
            "crown",
            'wagers = ["player", "banker"]',
            'wagers = ["owl"]',
            "money.differential.wagers: no wager 'owl' in game",
        ),
        (
            "crown",
            'initial_rank = "8"',
            'initial_rank = "18"',
            "jackpot.lucky_tie.initial_rank: '18' is not one of A, 2,",
        ),
        ("crown", "non_suited = [1", "mixed = [1", "jackpot.lucky_tie: option_2: unknown outcome 'mixed'"),
        ("crown", "[5, 20]", "[25, 20]", "jackpot.lucky_tie: option_1.coloured: 25 to 20 is not a range of percent"),
        ("crown", "[5, 20]", "[5, 120]", "jackpot.lucky_tie: option_1.coloured: 5 to 120 is not a range of percent"),
        ("crown", "[5, 20]", "[0, 20]", "jackpot.lucky_tie: option_1.coloured: 0 to 20 is not a range of percent"),
    ],
)
def test_bad_money_is_refused_with_file_key_and_reason(book: str, old: str, new: str, error: str) -> None:
    name = f"{book}-baccarat.toml"
    good = (files("sabot_protocol.rulebooks") / name).read_text()
    assert good.count(old) == 1
    with pytest.raises(rulebooks.RulebookError) as refused:
        rulebooks.parse(name, good.replace(old, new))
    assert f"rulebook {name}: {error}" in str(refused.value)


@pytest.mark.parametrize(
    ("book", "old", "new", "error"),
    [
        ("crown-baccarat", "allowed = [4,", "allowed = [0, 4,", "decks.allowed: 0 is no number of decks"),
        ("crown-baccarat", "decks = [1]", "decks = [-1]", "game.three_card.decks: -1 is no number of decks"),
        (
            "star-rapid",
            '["face_up"]',
            '["faceup"]',
            "shoe.choice.dealing.values: 'faceup' is not one of face_down, face_up",
        ),
        ("nz-baccarat", '"international"]', '"western"]', "shoe.choice.style.values: 'western' is not one of"),
        (
            "star-premium",
            '"9", "10"]',
            '"9", "ten"]',
            "wager player: tie: percent_of: 'ten' of option tie_percent is no",
        ),
        (
            "nz-baccarat",
            '["any_pair_{side}", "lucky_match_{side}"]',
            '["any_pairs_{side}"]',
            "wager perfect_pair_player.excludes: no wager 'any_pairs_player' in game standard",
        ),
        (
            "crown-baccarat",
            'parts = { pair_player = "1/4"',
            'parts = { pairs_player = "1/4"',
            "wager one_one_two_pair.parts: no wager 'pairs_player' in game traditional",
        ),
        (
            "crown-baccarat",
            'parts = { pair_player = "1/4"',
            'parts = { pair_player = "a quarter"',
            "wager one_one_two_pair: parts.pair_player: 'a quarter' is not a price",
        ),
        (
            "crown-baccarat",
            'parts = { pair_player = "1/4"',
            'parts = { pair_player = "1/2"',
            "wager one_one_two_pair: parts: the shares are 5/4 of the stake: they must be all of it",
        ),
        ("star-rapid", 'split = "17"', 'split = "17 to 1"', "roulette.odds.split: '17 to 1' is not a price"),
        ("star-rapid", 'street = "11", ', "", "roulette.odds.street is missing"),
        ("star-rapid", 'street = "5.1.3"\n', "", "roulette.clauses.street is missing"),
        ("star-rapid", '"split_5_8"', '"split_5_9"', "roulette.announced.tier: no wager 'split_5_9'"),
        ("star-rapid", 'tier = "5.2.1"\n', "", "roulette.announced_clauses.tier is missing"),
        (
            "star-rapid",
            "minutes = 1440",
            "minutes = -1440",
            "authority.report.promotion_terms: minutes: -1440 is below 0",
        ),
        (
            "crown-baccarat",
            "closure = { coups = 3",
            "closure = { coups = -3",
            "sign.notice.closure: coups: -3 is below 0",
        ),
        ("nz-baccarat", 'style = "international"', 'style = "western"', "sign.sentence 4: no style 'western'"),
        ("nz-baccarat", 'wagers = ["tiger",', 'wagers = ["lion",', "sign.sentence 7: no wager 'lion'"),
        (
            "nz-baccarat",
            'lucky_match = "11D.11"',
            'lucky_mash = "11D.11"',
            "sign.limited_payout: no wager 'lucky_mash'",
        ),
        ("star-rapid", 'minimum = "10"', 'minimum = "ten"', "demo.minimum: 'ten' is no amount: write 50 or 10,000"),
        ("crown-baccarat", '["8H", "8D", ', '["8H", "8X", ', "demo.jackpot.hands.lucky-tie"),
        (
            "nz-baccarat",
            'wager = "perfect_pair_player"\nrole',
            'wager = "owl"\nrole',
            "demo.jackpot.wager: no wager 'owl'",
        ),
    ],
)
def test_a_name_or_number_that_nothing_answers_to_is_refused(book: str, old: str, new: str, error: str) -> None:
    good = (files("sabot_protocol.rulebooks") / f"{book}.toml").read_text()
    assert old in good
    with pytest.raises(rulebooks.RulebookError) as refused:
        rulebooks.parse(f"{book}.toml", good.replace(old, new, 1))
    assert f"rulebook {book}.toml: {error}" in str(refused.value)


@pytest.mark.parametrize(
    ("switch", "star", "premium", "nz", "crown", "rapid"),
    [
        ("post_cut_dummy_coups", False, False, False, True, False),
        ("burn_modes", "one shown face_up", "one shown face_up", "one shown face_up", "one shown face_up", "one"),
        ("mid_shoe_burn", False, False, False, True, False),
        ("card_may_return_to_shoe", False, False, False, True, False),
        ("replace_before_excess_card", False, False, True, False, False),
        ("manual_entry", "silent", "silent", "silent", "silent", "casino_supervisor"),
        ("dummy_needs_authorisation", False, False, False, True, True),
        ("dummy_ordered_by", ANY_ERROR, ANY_ERROR, ANY_ERROR, "player_overdraw banker_overdraw first_card_face_up", ""),
        ("this_no_bet", True, True, False, True, False),
        ("over_max_policy", "to_maximum", "valid_in_full", "to_maximum", "to_maximum", "never_accepted"),
    ],
)
def test_where_the_books_differ(
    switch: str, star: bool | str, premium: bool | str, nz: bool | str, crown: bool | str, rapid: bool | str
) -> None:
    books = ("star-baccarat", "star-premium", "nz-baccarat", "crown-baccarat", "star-rapid")
    assert [rulebooks.load(book).switch[switch].value for book in books] == [star, premium, nz, crown, rapid]


def test_when_wagers_close() -> None:
    found = {
        book: (rulebooks.load(book).closing.event, rulebooks.load(book).closing.clause) for book in rulebooks.ids()
    }
    assert found == {
        "star-baccarat": ("first_card_removed", "5.4"),
        "star-premium": ("first_card_exposed", "5.5"),
        "nz-baccarat": ("no_more_bets_and_first_card_removed", "5.14"),
        "crown-baccarat": ("first_card_dealt", "5.4"),
        "star-rapid": ("end_of_wagering_period", "7.3"),
    }
