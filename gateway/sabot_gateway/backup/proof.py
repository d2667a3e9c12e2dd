"""Proof: what heads that were kept elsewhere prove about a ledger: complete, entries missing, or another one."""

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from sabot_protocol.inputs.plain_text import counted
from sabot_protocol.topics import LedgerMessage

from sabot_gateway.ledger import heads
from sabot_gateway.ledger.reader import Reader


class Proof(NamedTuple):
    """The heads of this ledger: how many, the newest, which entries are missing by it, and what contradicts."""

    compared: int = 0
    others: int = 0  # heads of other ledgers, or with a wrong signature
    newest: LedgerMessage | None = None
    last: int = 0  # entry of the ledger
    contradictions: tuple[str, ...] = ()

    def missing(self) -> int:
        """Return how many entries are missing at the end."""
        return max(self.newest.entry - self.last, 0) if self.newest else 0

    def say(self) -> str:
        """Return what the heads prove, as a sentence."""
        if self.newest is None:
            others = (
                f"{counted(self.others, 'head')} of another ledger, or not signed by its key; " if self.others else ""
            )
            return f"{others}no head was compared: nothing proves that no entry is missing"
        shown = f"{counted(self.compared, 'head')} compared, the newest of entry {self.newest.entry}"
        shown += f" of {self.newest.time}" if self.newest.time else ""
        if self.contradictions:
            return f"{shown}: {self.contradictions[0]}"
        if self.missing():
            return f"{shown}: entries {self.last + 1} to {self.newest.entry} are missing"
        return f"{shown}: no entry up to it is missing"


def of(path: Path, known: list[LedgerMessage], key: bytes | None) -> Proof:
    """Compare a ledger with heads; with its key only those that it signed count."""
    with closing(Reader(path)) as reader:
        gateway, (last, _) = reader.gateway(), reader.newest()
        own = [head for head in known if head.gateway == gateway and (key is None or heads.is_signed(head, key))]
        accepted = reader.accepted() if own else []
        wrong = [
            text
            for head in own
            if head.entry <= last
            and (text := heads.contradiction(reader, head)) is not None
            and not heads.excused(head, accepted)
        ]
    newest = max(own, key=lambda head: (head.entry, head.time), default=None)
    return Proof(len(own), len(known) - len(own), newest, last, tuple(dict.fromkeys(wrong)))
