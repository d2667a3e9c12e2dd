"""The table of a recording: its rules, cards, shoe's key and time of day."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sabot_gateway.config import Config, Table
from sabot_protocol import messages, rulebooks
from sabot_protocol.rulebooks import Rulebook
from sabot_service.broker import Broker

TABLE: Final = "bac-01"


@dataclass(frozen=True)
class TableSetup:
    """The table that a recording was made at."""

    rulebook: str = "star-baccarat"
    decks: int | None = None
    card_set: int = 1
    options: dict[str, str] = field(default_factory=dict)
    key: bytes | None = None
    started_s: float = 1_767_225_600.0  # 2026-01-01

    def book(self) -> Rulebook:
        """Return the rulebook."""
        return rulebooks.load(self.rulebook)

    def table(self, port: str) -> Table:
        """Return the table for the gateway's config; each option belongs to the shoe or to the wagers."""
        shoe_axes = self.book().shoe.choice
        return Table(
            name=TABLE,
            port=port,
            rulebook=self.rulebook,
            decks=self.decks,
            card_set=self.card_set,
            shoe={axis: value for axis, value in self.options.items() if axis in shoe_axes},
            options={axis: value for axis, value in self.options.items() if axis not in shoe_axes},
        )

    def profile_hash(self) -> bytes:
        """Return the hash of the profile that the gateway sends to the shoe."""
        table = self.table("")
        return messages.profile_hash(self.book().profile(table.decks, table.card_set, table.shoe))

    def config(self, site: str, port: str, broker: Broker, work_dir: Path, keys: Path) -> Config:
        """Return the config of a gateway with this table and its files in `work_dir`."""
        return Config(
            site=site,
            ledger=str(work_dir / "ledger.db"),
            broker=str(broker),
            table=(self.table(port),),
            keys=str(keys) if self.key else None,
        )
