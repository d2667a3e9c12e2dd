"""A live table for pages: the firmware on the VM, a gateway process, and a dealer's hands that a test moves."""

from pathlib import Path
from typing import Any

from sabot_sim.dealing.dealer import LOCK
from sabot_sim.rigs.stimulus import stimulus
from sabot_sim.rigs.vm import VmShoe
from sabot_sim.scenarios.script import Script
from sabot_tools.replay.recording_file import bursts
from sabot_tools.stand.children import Children
from sabot_tools.stand.local_site import daemon_command

from support.screens import SITE, ScreenSite, wait_for


class LiveTable:
    """One table of a site with its own gateway; it runs by the real clock, and the shoe reads as fast as it can."""

    def __init__(self, site: ScreenSite, work_dir: Path, name: str, book: str, unit: int, **table: Any) -> None:
        work_dir.mkdir(parents=True, exist_ok=True)
        self.name, self._children, self._script = name, Children(work_dir), Script(1)
        self.unit, self.log, self.control = f"{0x5AB0 << 48 | unit:016x}", work_dir / "gateway.log", work_dir / "c.sock"
        self._shoe = VmShoe(self.unit, work_dir / "shoe", self._spawn)
        self._t_us = self._levels = self._played = 0
        self._shoe.play([(0, 0)])
        config = work_dir / "gateway.toml"
        more = "".join(f"{key} = {value}\n" for key, value in table.items())
        config.write_text(
            f'site = "{SITE}"\ngateway = "{name}"\nledger = "{work_dir}/ledger.db"\nbroker = "{site.broker.address}"\n'
            f'floor_key = "{site.floor_pub}"\ncontrol = "{self.control}"\n\n[[table]]\nname = "{name}"\n'
            f'port = "{self._shoe.port}"\nrulebook = "{book}"\n{more}'
        )
        self._children.start("gateway", daemon_command(config))

    def _spawn(self, args: list[str], *, pass_fds: tuple[int, ...], env: dict[str, str]) -> Any:
        return self._children.start("shoe", args, pass_fds=pass_fds, env=env)

    def open(self) -> None:
        """Put in new cards, press New shoe until the shoe has its profile and opens, and burn one card."""
        wait_for(self._opened)
        self.deal("KS")

    def _opened(self) -> bool:
        self.press("new_shoe")
        return not (self._shoe.outputs or 0) & LOCK

    def deal(self, cards: str) -> None:
        """Draw these cards."""
        self._script.pull(cards)
        self._play()

    def mishap(self, name: str, card: str) -> None:
        """Draw a card with a mishap on its way."""
        self._script.mishap(name, card)
        self._play()

    def press(self, *buttons: str) -> None:
        """Press these buttons of the shoe."""
        for button in buttons:
            self._script.press(button)
        self._play()

    def _play(self) -> None:
        """Play what was added to the script, and wait until the shoe has taken it."""
        new, self._played = self._script.records[self._played :], len(self._script.records)
        for edges, until_us, _act in bursts(new):
            records = stimulus(edges, self._t_us, self._levels, until_us)
            self._t_us, self._levels = until_us, records[-1][1]
            self._shoe.play(records)
        self._script.wait(1)
        wait_for(self._taken)

    def _taken(self) -> bool:
        self._children.check()
        return self._shoe.settled()

    def close(self) -> None:
        """Stop gateway and shoe."""
        self._children.stop()
        self._shoe.close()
