"""Firmware over the wire on the emulated chip: pushes with the power cut, once in `make test`, else at random cycles.

SABOT_CHIP_UPDATE_CUTS=20 .venv/bin/pytest hil_tests/test_8_update.py -m chip_full -s (`make update-cuts-chip`).
"""

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from sabot_protocol import firmware
from sabot_protocol.firmware import PublisherKey, SignedImage
from sabot_sim.chip.chip import Chip
from sabot_sim.chip.emulators import JS, chosen, new_chip
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_sim.rigs import build
from sabot_sim.rigs.signed_image import signed_image
from sabot_tools.bench.chip_table import ChipTable, PowerCut
from sabot_tools.stand.minimal_gateway import MinimalGateway

UF2 = find_uf2()
pytestmark = pytest.mark.skipif(UF2 is None, reason=HOW_TO_GET_UF2)
CUTS = int(os.environ.get("SABOT_CHIP_UPDATE_CUTS", "2"))
SEED = int(os.environ.get("SABOT_UPDATE_SEED", "1"))
START_US = 20_000_000
LEFT_BYTES = 4096  # of the image that is pushed in the short test; the rest came before
UNPACKING_S = 0.5  # half of the files are unpacked by then
SOON_S, LATER_S = (0.05, 4.0), (4.0, 45.0)  # of a life: a start takes 1.3 s, a whole push 40


class Bench:
    """A shoe with slots on the chip, a publisher of two images, and a gateway that pushes the one that does not run."""

    def __init__(self, folder: Path, left_bytes: int | None = None) -> None:
        """With `left_bytes` all but so much of the second image is received already."""
        assert UF2 is not None
        self.key: PublisherKey = firmware.make_keys(folder)
        one = build.slot_image()
        two = one | {"note.py": b"# two\n"}
        two["image.bin"] = build.image_digest(two)
        images = [signed_image(folder / "firmware.key", files) for files in (one, two)]
        self.images: dict[bytes, SignedImage] = {image.image_hash: image for image in images}
        received = {"update/manifest": images[1].manifest(), "update/image": images[1].archive[: -(left_bytes or 0)]}
        files = build.shoe_image() | {"firmware.pub": self.key.raw} | (received if left_bytes else {})
        self.chip: Chip = new_chip(UF2, files)
        self.gateway = MinimalGateway()
        self.stage, self.cut_in = "start", ""
        self.pushed = 0

    def life(self, cut_s: float | None, cut_in: str = "") -> bool:
        """Switch on and push the other image until it runs, or until the power is cut: then return True.

        It is cut after so many seconds, or shortly after a stage has begun.
        """
        self.cut_in = cut_in
        table = ChipTable(self.chip, self.gateway, None if cut_s is None else round(cut_s * 1e9))
        self.gateway.restart()
        try:
            self._push(table)
        except PowerCut:
            return True
        finally:
            self.chip.power_cycle()
        return False

    def _push(self, table: ChipTable) -> None:
        self.stage, link = "start", self.gateway.link
        link.firmware.key = lambda: self.key
        table.run_until(lambda: bool(table.hellos), START_US)
        running = table.hellos[0]["image_hash"]
        assert running in self.images, "the shoe runs an image that nobody has made"
        table.run_until(lambda: bool(link.firmware.running) and link.caught_up(), START_US)
        (wanted,) = self.images.keys() - {running}
        link.firmware.begin(self.images[wanted], "", allow_older=False, other_protocol=False)
        while link.firmware.active():
            self.stage = str(link.firmware.status()["state"] or link.firmware.phase)
            if self.stage == self.cut_in and table.cut_ns is None:
                table.cut_ns = self.chip.now_ns + round(UNPACKING_S * 1e9)
            table.step()
        assert link.firmware.phase == "running", link.firmware.say
        table.run_for(200_000)
        self.pushed += 1


@pytest.mark.benches("rp2040")
def test_a_shoe_whose_power_is_cut_while_it_unpacks_starts_and_takes_the_image(tmp_path: Path, bench: str) -> None:
    if chosen().name != JS:
        pytest.skip("a push takes minutes in this emulator: `make update-cuts-chip`")
    made = Bench(tmp_path, LEFT_BYTES)
    assert made.life(None, cut_in="unpacking")
    assert (made.stage, made.pushed) == ("unpacking", 0)
    assert not made.life(None)
    assert made.pushed == 1


@pytest.mark.chip_full
def test_a_shoe_whose_power_is_cut_during_pushes_always_starts(tmp_path: Path) -> None:
    rng, bench = random.Random(SEED), Bench(tmp_path)
    cuts: Counter[str] = Counter()
    while cuts.total() < CUTS:
        cut_s = rng.uniform(*(SOON_S if rng.random() < 0.4 else LATER_S))
        if bench.life(cut_s):
            cuts[bench.stage] += 1
            print(f"cut {cuts.total()} after {cut_s:.9f} s: {bench.stage}", flush=True)
    pushed = bench.pushed
    assert not bench.life(None)
    print(f"{cuts.total()} cuts: {dict(cuts)}; {pushed} pushes ended between them")
