"""A whole site for pages that give commands: broker, floor service, gateway and shoes are real; a thread deals."""

import threading
from pathlib import Path
from typing import Any

import msgspec
from sabot_gateway.ledger import Reader
from sabot_service.client import ask
from sabot_service.daemons import FLOOR
from sabot_service.messages import Request
from sabot_sim.dealing.dealer import Dealer
from sabot_sim.dealing.table import SimTable
from sabot_sim.dealing.troubled_dealer import Trouble, TroubledDealer
from sabot_tools.stand.local_site import LocalSite, SitePlan

from support.patience import PATIENCE_S
from support.screens import answers, wait_for

PIN, FIRST_PIN = "730155", "577215"  # the own one, and that of the administrator
_SPEED = 40.0


class LiveSite:
    """Tables bac-01, bac-02 … with these rulebooks; at each one trouble happens after some coups, and it waits."""

    def __init__(self, work_dir: Path, books: tuple[str, ...], troubles: tuple[str, ...], web: str = "") -> None:
        plan = SitePlan(
            work_dir, tables=len(books), books=books, speed=_SPEED, web_port=0, floor_tables=web, site="live"
        )
        self.site = LocalSite(plan)
        self._stop, self._error = threading.Event(), ""
        self.site.__enter__()
        for table, trouble in zip(self.site.tables.values(), troubles, strict=True):
            known = table.dealer
            assert isinstance(table, SimTable)
            assert isinstance(known, Dealer)
            table.dealer = TroubledDealer(
                known.deck, known.card_set, known.rng, enters_result=known.enters_result, troubles=(trouble,)
            )
        assert self.site.floor is not None
        self.url = f"http://127.0.0.1:{self.site.floor.web_port}"
        self._thread = threading.Thread(target=self._deal, name="dealers", daemon=True)
        self._thread.start()
        wait_for(lambda: answers(f"{self.url}/words"), self._trouble)

    def _deal(self) -> None:
        try:
            while not self._stop.is_set():
                self.site.step()
                self.site.take_inbox()
        except Exception as error:
            self._error = repr(error)

    def _trouble(self) -> str:
        return self._error or (self.site.plan.work_dir / "floor.log").read_text()

    def person(self, person: str, name: str, **roles: str) -> None:
        """Add a person with the PIN; `roles` by rulebook, - written as _."""
        assert self.site.floor is not None
        changes: list[tuple[str, dict[str, str]]] = [("user-add", {"name": name}), ("user-pin", {"secret": FIRST_PIN})]
        changes += [("user-role", {"rulebook": book.replace("_", "-"), "role": role}) for book, role in roles.items()]
        for verb, args in changes:
            answer = ask(self.site.floor.socket_path, Request(verb, args={"person": person, **args}), FLOOR)
            assert answer.ok, answer.say
        own = Request("user-own-pin", args={"login": {"person": person, "secret": FIRST_PIN}, "secret": PIN})
        answer = ask(self.site.floor.socket_path, own, FLOOR)
        assert answer.ok, answer.say

    def trouble(self, table: str) -> Trouble:
        """Wait until something has happened at a table, and return it."""
        dealer = self.site.tables[table].dealer
        assert isinstance(dealer, TroubledDealer)
        wait_for(lambda: dealer.happened, self._trouble)
        return dealer.happened[-1]

    def hold(self, table: str) -> None:
        """Let the dealer of a table deal no more: its last coups stay on the pages."""
        self.site.waiting.add(table)

    def entries(self, topic: str, table: str) -> list[dict[str, Any]]:
        """Return what the gateway's ledger has of a topic, the oldest first."""
        reader = Reader(self.site.ledger_path)
        try:
            return [
                msgspec.json.decode(entry.payload)
                for entry in reader.since(0, 1_000_000)
                if entry.topic == topic and entry.table == table
            ]
        finally:
            reader.close()

    def close(self) -> None:
        """End everything."""
        self._stop.set()
        self._thread.join(PATIENCE_S)
        self.site.close()
