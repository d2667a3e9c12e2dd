"""History and hand from real firmware: no card is public before its result is confirmed, the burn card never."""

import re
from typing import Any

import msgspec
from support.site_watcher import SiteWatcher, WatchSite

CARD = re.compile(rb"\b[A2-9TJQK][SHDC]\b")
BURN = "5H"


def of_topic(watcher: SiteWatcher, name: str) -> list[dict[str, Any]]:
    """Return every message of a topic of the table, in the order received."""
    ends = f"/bac-01/{name}"
    return [msgspec.json.decode(one.payload) for one in watcher.received if one.topic.endswith(ends)]


def confirmed_coups(watcher: SiteWatcher) -> dict[tuple[int, int], dict[str, Any]]:
    """Return the messages on `confirmed`, by shoe and coup."""
    return {(one["shoe"], one["coup"]): one for one in watcher.messages("confirmed")}


def test_no_card_is_public_before_its_result_is_out(watch_site: WatchSite) -> None:
    deck = [BURN, *["9S", "2H", "KD", "3C"] * 2, *["8S", "2C", "8D", "7C"], *["9S", "2H", "KD", "3C"] * 20]
    watcher = watch_site(speed=20.0, deck=lambda _rng: list(deck))
    watcher.run_until(lambda watcher: len(watcher.newest("bac-01/history").get("coups", [])) >= 3)
    watcher.site.kill_gateway()
    watcher.site.start_gateway()
    watcher.run_until(lambda watcher: len(watcher.newest("bac-01/history").get("coups", [])) >= 6)
    histories = of_topic(watcher, "history")
    shown = {(one["shoe"], one["last"]["coup"]) for one in histories if "last" in one}
    watcher.run_until(lambda watcher: shown <= confirmed_coups(watcher).keys())
    confirmed = confirmed_coups(watcher)
    for one in histories:
        last = one.pop("last", None)
        assert CARD.findall(msgspec.json.encode(one)) == []
        if last:
            proof = confirmed[one["shoe"], last["coup"]]
            assert proof["time"] <= one["time"]
            assert (last["player"], last["banker"]) == (proof["player"], proof["banker"])
    first_shoe = [one for one in histories if one.get("shoe") == 1]
    assert first_shoe[-1]["results"].split()[:3] == ["Pn", "Pn", "Bpn"]
    hands = of_topic(watcher, "hand")
    assert any(one.get("cards") for one in hands)  # which of the states come depends on the pace
    assert BURN not in msgspec.json.encode(hands).decode()
    assert {one["phase"] for one in hands} & {"dealing", "complete"}
    assert "no_more_bets" in {one["phase"] for one in histories}
