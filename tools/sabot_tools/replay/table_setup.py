"""House: the table that a recording was made at: its rules, its cards, its shoe's key, its time."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sabot_gateway.config import Config, Table
from sabot_gateway.publish.broker import Broker
from sabot_protocol import messages, rulebooks
from sabot_protocol.rulebooks import Rulebook

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
        """The rules."""
        return rulebooks.load(self.rulebook)

    def table(self, port: str) -> Table:
        """As the gateway's config has it; an option is one of the shoe's or one of the wagers'."""
        dealing = self.book().shoe.choice
        return Table(
            name=TABLE,
            port=port,
            rulebook=self.rulebook,
            decks=self.decks,
            card_set=self.card_set,
            shoe={axis: value for axis, value in self.options.items() if axis in dealing},
            options={axis: value for axis, value in self.options.items() if axis not in dealing},
        )

    def profile_hash(self) -> bytes:
        """Of what the shoe is told."""
        table = self.table("")
        return messages.profile_hash(self.book().profile(table.decks, table.card_set, table.shoe))

    def config(self, site: str, port: str, broker: Broker, work_dir: Path, keys: Path) -> Config:
        """Of a gateway at this table, with all its files there, and the keys of the shoes where they have some."""
        return Config(
            site=site,
            ledger=str(work_dir / "ledger.db"),
            broker=str(broker),
            table=(self.table(port),),
            keys=str(keys) if self.key else None,
        )
