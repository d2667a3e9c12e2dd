"""What a table offers, as its status has it."""

from sabot_gateway.config import Table, setup_of
from sabot_protocol import rulebooks


def test_what_the_config_names_and_what_it_leaves_open() -> None:
    table = Table(
        "bac-01",
        "/dev/ttyS0",
        "star-baccarat",
        game="even_money",
        wagers=("tie", "tiger"),
        shoe={"dealing": "face_up"},
    )
    setup = setup_of(table)
    assert (setup.decks, setup.wagers, setup.shoe) == (8, ["tie", "tiger"], {"dealing": "face_up"})
    assert (setup.game, setup.options) == ("even_money", {})


def test_a_table_that_names_no_wagers_offers_all_of_its_game() -> None:
    setup = setup_of(Table("bac-02", "/dev/ttyS1", "crown-baccarat"))
    assert setup.game == next(iter(rulebooks.load("crown-baccarat").game))
    assert setup.options.keys() == rulebooks.load("crown-baccarat").option.keys()
    assert {"player", "banker", "tie", "run_banker", "dragon_tail_banker_late"} <= set(setup.wagers)
