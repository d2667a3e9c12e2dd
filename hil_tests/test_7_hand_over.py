"""A coup in progress moves from one table's shoe to another's by the `sabot` command, as Rapid 11.8.15 has it."""

from typing import Any

from support.site_watcher import SiteWatcher, WatchSite
from test_7_control import sabot_table

CLAUSE = ("--by", "A. Smith", "--clause", "11.8.15")
MISDEALT = ("--by", "A. Smith", "--clause", "11.8.1.3")


def at(watcher: SiteWatcher, table: str, *words: str, clause: tuple[str, ...] = CLAUSE) -> str:
    """A supervisor's command that is done; what it answers."""
    done = sabot_table(watcher, "table", table, *words, *clause)
    assert (done.returncode, done.stderr) == (0, ""), words
    return done.stdout


def handed_over(watcher: SiteWatcher, table: str) -> list[dict[str, Any]]:
    """The alarms of coups that left or came."""
    alarms = watcher.messages("alarm", table)
    return [alarm for alarm in alarms if (alarm["name"], alarm["state"]) == ("handed_over", "raised")]


def is_over(watcher: SiteWatcher, table: str) -> bool:
    """Return True if the exported coup was imported somewhere."""
    alarms = watcher.messages("alarm", table)
    return any((alarm["name"], alarm["state"]) == ("handed_over", "cleared") for alarm in alarms)


def of_the_coup(watcher: SiteWatcher, table: str) -> list[dict[str, Any]]:
    """The cards of the coup that was exported last."""
    watcher.run_until(lambda watcher: bool(handed_over(watcher, table)))
    (left,) = handed_over(watcher, table)
    cards = [
        card
        for card in watcher.messages("cards", table)
        if (card["shoe"], card["coup"]) == (left["shoe"], left["coup"])
    ]
    assert [card["card"] for card in cards] == left["shoe_says"].split()
    return cards


def exported(watcher: SiteWatcher, table: str) -> list[dict[str, Any]]:
    """Repeat the export until a coup is in progress, since the dealer does not wait; return its cards."""
    for _ in range(30):
        done = sabot_table(watcher, "table", table, "tell", "export-coup", *CLAUSE)
        if done.returncode == 0:
            cards = of_the_coup(watcher, table)
            laid = " ".join(f"{card['slot']}={card['card']}" for card in cards)
            typed = f"`sabot table TABLE import-coup {cards[0]['coup']} {laid} --by NAME --clause N`"
            assert done.stdout.startswith("Done. ")
            assert typed in done.stdout
            assert typed.replace(laid, "SLOT=CARD …") in handed_over(watcher, table)[0]["say"]
            return cards
    raise AssertionError("no coup was in progress in thirty tries")


def new_shoe(watcher: SiteWatcher, table: str) -> None:
    """Hold the exit, end the shoe on the table, whatever it is at, and open one: its burn is due."""
    at(watcher, table, "tell", "lock")
    if sabot_table(watcher, "table", table, "tell", "close-shoe", *CLAUSE).returncode:
        at(watcher, table, "void", "--new-cards", clause=MISDEALT)
    at(watcher, table, "open-shoe", "--decks", "8", "--burn", "one")


def test_a_coup_moves_between_two_tables_of_one_gateway(watch_site: WatchSite) -> None:
    watcher = watch_site(tables=2, rulebook="star-rapid", speed=2.0)
    watcher.run_until(lambda watcher: all(len(watcher.messages("coup", table)) >= 2 for table in ("bac-01", "bac-02")))
    watcher.run_until(lambda watcher: watcher.newest("bac-02/hand").get("phase") == "dealing")
    new_shoe(watcher, "bac-02")
    cards = exported(watcher, "bac-01")
    number, laid = cards[0]["coup"], [f"{card['slot']}={card['card']}" for card in cards]
    assert at(watcher, "bac-02", "import-coup", str(number), *laid).startswith(f"Done. Coup {number} goes on here")
    watcher.run_until(lambda watcher: is_over(watcher, "bac-01"))
    again = sabot_table(watcher, "table", "bac-02", "import-coup", str(number), *laid, *CLAUSE)
    assert (
        again.stderr
        == f"sabot: Import coup refused: coup {number} of bac-01 goes on at bac-02 already. Deal it there.\n"
    )
    before = len(watcher.messages("coup", "bac-02"))
    at(watcher, "bac-02", "tell", "unlock")
    watcher.run_until(lambda watcher: len(watcher.messages("coup", "bac-02")) >= before + 2)
    moved, following = watcher.messages("coup", "bac-02")[before : before + 2]
    assert (moved["coup"], following["coup"]) == (number, number + 1)
    assert (moved["kind"], moved["status"], following["status"]) == ("live", "verified", "verified")
    first = cards[0]
    assert moved["began"] == f"bac-01/{first['unit']}/{first['shoe']}/{number}"
    dealt = [*moved["player"], *moved["banker"]]
    assert {card["card"] for card in cards} <= set(dealt)
    results = [
        coup for coup in watcher.messages("coup", "bac-01") if (coup["shoe"], coup["coup"]) == (first["shoe"], number)
    ]
    assert results == []
    alarms = [alarm for table in ("bac-01", "bac-02") for alarm in watcher.messages("alarm", table)]
    assert [alarm["say"] for alarm in alarms if alarm["name"] == "discrepancy"] == []
    (left,) = handed_over(watcher, "bac-01")
    assert "It is not void, and its wagers stand." in left["say"]
    watcher.run_until(lambda watcher: watcher.messages("coup", "bac-01")[-1]["shoe"] > first["shoe"])


def test_a_shoe_that_is_not_new_takes_no_coup(watch_site: WatchSite) -> None:
    watcher = watch_site(tables=2, rulebook="star-rapid", speed=2.0)
    watcher.run_until(lambda watcher: all(len(watcher.messages("coup", table)) >= 1 for table in ("bac-01", "bac-02")))
    done = sabot_table(watcher, "table", "bac-02", "import-coup", "12", "player_1=9S", *CLAUSE)
    assert done.returncode == 1
    assert "Open a new shoe with `sabot table bac-02 open-shoe --decks 8 --by NAME`" in done.stderr


def test_a_book_without_a_clause_for_it_keeps_its_wagers(watch_site: WatchSite) -> None:
    watcher = watch_site(rulebook="star-rapid", speed=20.0)
    watcher.run_until(lambda watcher: len(watcher.messages("coup")) >= 1)
    done = sabot_table(watcher, "table", "bac-01", "this-no-bet", "--by", "A. Smith", "--clause", "7.3")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "sabot: No bet for this coup refused: star-rapid has no clause by which a coup in progress"
    )
