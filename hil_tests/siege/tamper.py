"""The ledger bench: honest play with kills, then every kind of tampering on a copy, and what finds it."""

import copy
import json
import re
import shutil
import struct
import subprocess
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from independent.shoe import Shoe, ignore

from siege.ground import SITE, Ground, Order
from siege.lab import outcome, sabot
from siege.subscriber import publish, retained
from siege.tampering.cases import CASES
from siege.tampering.ledgers import CLOSED, KILLED, LEDGER, Case, Copy, NotThereError
from siege.trial_start import TrialStart
from siege.verdict import as_it_must, verdict

_PLAY_S = 3.0
_STILL_WITHIN_S = 30.0
_LID, _FAULT = 3, 17
_CLAIMS = re.compile(r"entr(?:y|ies) (?:number )?\d+", re.IGNORECASE)


@dataclass
class Base:
    """A ledger at a moment, and the shoes of that moment."""

    folder: Path
    shoes: list[Shoe]
    heads: Path  # what the gateway has published of its chain, up to then
    retained: bytes  # the last of it


@dataclass
class Bench:
    """Prepares the ledgers once, then tries every case."""

    order: Order

    def run(self, only: Collection[str]) -> list[dict[str, Any]]:
        """Return one row per case."""
        with Ground(self.order) as ground:
            self.ground = ground
            self.bases = self._prepare()
            self.with_heads = "--heads" in sabot("ledger", "verify", "--help").stdout
            return [self._row(case) for case in CASES if not only or case.name in only]

    # -- honest play

    def _prepare(self) -> dict[str, Base]:
        ground = self.ground
        ground.begin()
        ground.enter("play")
        ground.play(_PLAY_S)
        ground.daemon.stop()
        self.old = self._keep("old")
        self._kill_twice()
        killed = self._base(KILLED)
        ground.daemon.start()
        ground.play(_PLAY_S)
        ground.house.rest(True)
        ground.until(ground.all_still, _STILL_WITHIN_S)
        self._alarm_in_the_ledger()
        ground.daemon.stop()
        return {KILLED: killed, CLOSED: self._base(CLOSED)}

    def _kill_twice(self) -> None:
        """The second time the broker has been away for a while, so that something waits to be published."""
        for away in (False, True):
            self.ground.daemon.start()
            self.ground.play(_PLAY_S)
            if away:
                self.ground.site.kill()
                self.ground.play(1.0)
            self.ground.daemon.kill()
        self.ground.start_broker(self.ground.broker.port)

    def _base(self, name: str) -> Base:
        """Ledger, shoes and heads of this moment; a collector of heads also keeps what stands at the broker."""
        self.ground.play(0.5)  # what is on its way from the broker
        standing = retained(self.ground.broker.port, SITE).get("ledger")
        if standing is not None:
            self.ground.heads.write(json.dumps(standing).encode() + b"\n")
        heads = self.order.work_dir / f"heads-{name}.jsonl"
        shutil.copy(self.ground.heads_path, heads)
        last = b"" if standing is None else json.dumps(standing).encode()
        return Base(self._keep(name), self._shoes(), heads, last)

    def _alarm_in_the_ledger(self) -> None:
        for table in self.ground.house.tables:
            table.shoe.log(self.ground.house.server.now_ms(), _FAULT, struct.pack("<BH", _LID, 0))
        self.ground.play(1.0)

    def _keep(self, name: str) -> Path:
        folder = self.order.work_dir / "kept" / name
        folder.mkdir(parents=True)
        for path in self.order.work_dir.glob(f"{LEDGER}*"):
            shutil.copy2(path, folder / path.name)
        return folder

    def _shoes(self) -> list[Shoe]:
        for table in self.ground.house.tables:
            table.shoe.first_sent = ignore
        return [copy.deepcopy(table.shoe) for table in self.ground.house.tables]

    # -- one case

    def _row(self, case: Case) -> dict[str, Any]:
        base = self.bases[case.base]
        folder = self.order.work_dir / "cases" / case.name
        shutil.copytree(base.folder, folder)
        tampered = Copy(folder, self.old)
        row: dict[str, Any] = {"case": case.name, "base": case.base}
        try:
            case.change(tampered)
        except NotThereError as error:
            return {**row, "verdict": "not there", "why": str(error), "as_it_must": True}
        row["heads_fit"] = tampered.fits(base.retained)
        row["verify"] = self._verify(tampered.ledger, base)
        row |= self._started(tampered, base)
        row["verdict"] = verdict(row)
        row["as_it_must"] = as_it_must(case, row)
        self.order.log(f"{'ok  ' if row['as_it_must'] else 'FAIL'} {case.name:45} {row['verdict']}")
        return row

    def _started(self, tampered: Copy, base: Base) -> dict[str, Any]:
        """Return what the daemon does with it; if it holds, also at the next start."""
        publish(self.ground.broker.port, f"sabot/v1/{SITE}/ledger", base.retained)
        found = {"start": TrialStart(self.ground, tampered.ledger, base.shoes).run()}
        found["verify_after_start"] = self._verify(tampered.ledger, base)
        if found["start"]["does"] == "holds":
            found["again"] = TrialStart(self.ground, tampered.ledger, base.shoes).run()
        return found

    def _verify(self, ledger: Path, base: Base) -> dict[str, Any]:
        plain = _found(sabot("ledger", "verify", str(ledger)))
        if self.with_heads:
            plain["heads"] = _found(sabot("ledger", "verify", str(ledger), "--heads", str(base.heads)))
        return plain


def _found(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return the outcome of `verify`, and whether it names an entry."""
    found = outcome(done)
    return {**found, "names_entry": bool(_CLAIMS.search(found["output"]))}
