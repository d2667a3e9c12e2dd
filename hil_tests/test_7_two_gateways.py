"""Wins at the tables of two gateway daemons whose clocks differ: real ledgers, a real broker and the floor's engine.

Each daemon reads its own shoe from a pty and has its own clock; no time that a PC shows may decide who is paid what.
Time nearly stands still while a message is on its way, so a busy machine delays nothing.

By hand, Crown (003 13.4.7): base 1,000.00 and two coups of 0.25, payable in whole dollars; bac-01 has the coloured
Lucky Tie (15 %), bac-02 the suited one (100 %). bac-01 first: 15 % of 1,001.00, then all of 850.35, rounded up.
bac-02 first: 1,001.00, then 15 % of the new 1,000.00.
New Zealand (002 18.17): base 500.00 and two coups of 0.10, payable in whole dollars; a coloured pair pays 12.5 %, the
perfect one 100 %. bac-01 first: 12.5 % of 501.00 = 62.625, of which the fraction of a cent stays; then all of 437.58,
rounded up. bac-02 first: 501.00, then 12.5 % of the new 500.00.
"""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from floor import Floor
from floor_rig import Relay, Rig, server
from sabot_floor.jackpots import audit
from sabot_gateway.shoe import parse
from sabot_protocol.jackpots.messages import PendingMessage, Win
from sabot_service.messages import Answer, Request
from sabot_tools.stand.broker import LocalBroker
from shoe_events import cards, event, result
from support.patience import PATIENCE_S

__all__ = ["server"]
TEN_MINUTES, DAY = 600.0, 86_400.0
WAIT_S = 0.002  # that passes in a turn while a message is on its way: a commit waits for its time
CLOCKS: dict[str, tuple[float, float]] = {  # by how much the clocks of bac-01 and bac-02 are ahead
    "right": (0.0, 0.0),
    "bac-01 is ahead": (TEN_MINUTES, 0.0),
    "bac-01 is behind": (-TEN_MINUTES, 0.0),
    "bac-02 is ahead": (0.0, 3 * DAY),
    "both are wrong": (-90.0, 75.0),
    "bac-02 is in 1970": (0.0, -time.time() + 100.0),
}


@dataclass(frozen=True)
class Site:
    """A jackpot of a book, and the hands of bac-01 and bac-02 that win it."""

    book: str
    jackpot: str
    toml: str
    hands: tuple[str, str]
    result: tuple[str, int, int, dict[str, bool]]
    stakes: dict[str, list[int]]
    prizes: dict[str, list[tuple[str, int]]]  # by who records first
    role: str


HEAD = 'tables = ["bac-01", "bac-02"]\nequipment = ["console", "display", "handset"]\nrounding = 100\n'
CROWN = Site(
    "crown-baccarat",
    "lucky-tie",
    '[[jackpot]]\nid = "lucky-tie"\ntitle = "Lucky Tie"\nrulebook = "crown-baccarat"\ncurrency = "AUD"\n'
    f'in_force = "2020-01-01"\nincrement = 25\nbase = 100_000\nunreasonable = 25\nqualifying = ["tie"]\n{HEAD}'
    '[jackpot.trigger]\nkind = "lucky_tie"\noption = "option_1"\n'
    "percent = { suited = 100, coloured = 15, non_coloured = 8 }\n",
    ("8H 8D 8H 8D", "8S 8S 8S 8S"),
    ("tie", 6, 6, {"player_pair": True, "banker_pair": True}),
    {"tie": [100]},
    {
        "bac-01": [("bac-01", 150_15), ("bac-02", 851_00)],
        "bac-02": [("bac-02", 1001_00), ("bac-01", 150_00)],
    },
    "area_manager",
)
NEW_ZEALAND = Site(
    "nz-baccarat",
    "pairs",
    '[[jackpot]]\nid = "pairs"\ntitle = "Pairs"\nrulebook = "nz-baccarat"\ncurrency = "NZD"\nincrement = 10\n'
    f'base = 50_000\nunreasonable = 100\nqualifying = ["perfect_pair_player"]\n{HEAD}'
    '[jackpot.trigger]\nkind = "outcome"\nwager = "perfect_pair_player"\n'
    'percent = { perfect = 100, coloured = "12.5" }\n',
    ("8H 9C 8D KD", "8H 9C 8H KD"),
    ("banker", 6, 9, {"player_pair": True, "natural": True}),
    {"perfect_pair_player": [100]},
    {
        "bac-01": [("bac-01", 62_62), ("bac-02", 438_00)],
        "bac-02": [("bac-02", 501_00), ("bac-01", 62_50)],
    },
    "casino_supervisor",
)


class Gateway:
    """A daemon of one table, with its ledger, its clock, and a way to the broker that can be cut."""

    def __init__(self, stack: ExitStack, rig: Rig, site: Site, number: int) -> None:
        self.stack, self.rig, self.site, self.table, self.name = stack, rig, site, f"bac-0{number}", f"pit-{number}"
        self.relay = Relay(rig.server.address)
        stack.callback(self.relay.close)
        folder = rig.work_dir / self.name
        folder.mkdir()
        self.daemon = Floor(
            stack, folder, self.table, rulebook=site.book, first=number, site=rig.site, gateway=self.name,
            broker=str(self.relay.broker), jackpots=str(rig.work_dir / "jackpots.toml"),
            jackpot_key=str(rig.work_dir / "jackpot.key"),
        )  # fmt: skip
        self.linked = True
        self.id = self.daemon.app._ledger.gateway_id().hex()

    def ahead(self, seconds: float) -> None:
        """Set the clock of the PC."""
        self.daemon.clock = lambda: time.time() + seconds

    def step(self, pass_s: float) -> None:
        if self.linked:
            self.relay.step()
        else:
            self.relay.cut()
        self.daemon.step(pass_s=pass_s)

    def log(self, kind: str, /, **data: Any) -> None:
        line = self.daemon.lines[self.table]
        line.write(line.shoe.logged(event(line.next_no, kind, **data)))
        line.next_no += 1

    def open_shoe(self) -> None:
        self.daemon.greet()
        self.log("shoe_opened", shoe_no=1, card_set=1, decks=8, burn="none")

    def deal(self, number: int) -> None:
        """Deal the winning hand of this table, and confirm it."""
        line, (winner, player, banker, flags) = self.daemon.lines[self.table], self.site.result
        made = [*cards(line.next_no, self.site.hands[number])]
        made.append(result(line.next_no + len(made), winner, player, banker, **flags))
        line.next_no += len(made)
        line.write(*(line.shoe.logged(one) for one in made))
        self.log("button", shoe_no=1, coup_no=1, button="confirm")

    def ask(self, verb: str, **args: Any) -> Callable[[], Answer | None]:
        """Have a dealer ask at the control socket; return what has its answer, which comes with the commit."""
        caller = self.stack.enter_context(socket.socket(socket.AF_UNIX))
        caller.connect(str(self.daemon.config.control_path()))
        caller.sendall(msgspec.json.encode(Request(verb, table=self.table, by="D. Lee", args=args)) + b"\n")
        received = bytearray()

        def answer() -> Answer | None:
            with suppress(BlockingIOError):
                received.extend(caller.recv(65_536, socket.MSG_DONTWAIT))
            return msgspec.json.decode(received, type=Answer) if received.endswith(b"\n") else None

        return answer

    def restart(self) -> None:
        """Kill the daemon, and start it again with its ledger; its shoe answers."""
        self.daemon.app.crash()
        self.daemon.start()
        self.daemon.app.begin()
        self.daemon.greet()
        for line in self.daemon.lines.values():  # the gateway compares the shoe's log with its ledger
            held = [entry for entry in self.daemon.entries() if entry.unit == line.unit and entry.frame]
            line.write(*(line.shoe.logged(parse.event(line.unit, parse.frame(entry.frame))) for entry in held))


class World:
    """The floor service and two gateways; time passes in all of them together."""

    def __init__(self, stack: ExitStack, server: LocalBroker, work_dir: Path, site: Site) -> None:
        self.site, self.rig = site, Rig(stack, server, work_dir, str(work_dir / "floor.db"))
        (work_dir / "jackpots.toml").write_text(site.toml)
        (work_dir / "jackpot.key").touch(mode=0o600)
        (work_dir / "jackpot.key").write_text(f"{bytes(range(32)).hex()}\n")
        self.gateways: list[Gateway] = []
        self.start_floor()
        self.gateways = [Gateway(stack, self.rig, site, number) for number in (1, 2)]
        for gateway in self.gateways:
            gateway.daemon.app.begin()

    def start_floor(self) -> None:
        self.rig.client.messages.clear()
        self.rig.client.on = lambda name, jackpot="": self.on(name)  # type: ignore[method-assign]
        self.rig.start(jackpot_key=str(self.rig.work_dir / "jackpot.key"))

    def on(self, name: str) -> list[dict[str, Any]]:
        topic = self.rig.topic("jackpot", self.site.jackpot, name)
        return [msgspec.json.decode(payload) for found, payload in self.rig.client.messages if found == topic]

    def step(self, pass_s: float) -> None:
        self.rig.step(pass_s)
        for gateway in self.gateways:
            gateway.step(pass_s)

    def until(self, done: Callable[[], object], pass_s: float = WAIT_S) -> None:
        give_up_s = time.monotonic() + PATIENCE_S
        while not done():
            self.step(pass_s)
            assert time.monotonic() < give_up_s, self.on("fault")

    def heard_s(self, gateway: Gateway) -> float:
        """Return when the floor has taken the newest beat of a gateway."""
        found = self.rig.apps[0].collector.receipts._gateways.get(gateway.id)
        return found.beats[-1][0] if found and found.beats else -1.0

    def live(self, seconds: int) -> None:
        """Let seconds pass; each ends when the floor has heard who is linked."""
        for _ in range(seconds):
            began_s = self.rig.now_s
            for _ in range(5):
                self.step(0.22)
            self._until_heard(began_s)

    def _until_heard(self, since_s: float) -> None:
        self.until(lambda: all(self.heard_s(one) >= since_s for one in self.gateways if one.linked))

    def play(self) -> None:
        """Deal the winning hand at each table, until the floor has counted both."""
        for gateway in self.gateways:
            gateway.open_shoe()
        self.until(lambda: all(self.heard_s(one) > 0 for one in self.gateways), pass_s=0.05)
        for number, gateway in enumerate(self.gateways):
            gateway.deal(number)
        self.until(lambda: self.on("meter")[-1]["meters"]["in"] == self.rig.apps[0].logs.parameters()[0].increment * 2)

    def record(self, table: str) -> None:
        """Have a dealer record the win; while its gateway is linked, until the floor has it."""
        gateway = self.gateways[int(table[-1]) - 1]
        answer_of = gateway.ask("record-win", jackpot=self.site.jackpot, stakes=self.site.stakes)
        self.until(lambda: answer_of())
        answer = answer_of()
        assert answer is not None
        assert answer.ok, answer.say
        if gateway.linked:
            self.until(lambda: table in {win.table for win in self.pending()})

    def pending(self) -> list[Win]:
        found = self.on("pending")
        return (
            [win for win in msgspec.convert(found[-1], PendingMessage).wins if win.state == "pending"] if found else []
        )

    def wrong_clocks(self) -> dict[str, bool]:
        """Return the tables whose gateway was named for its clock; True while it is wrong."""
        return {one["table"]: one.get("active", True) for one in self.on("fault") if one["name"] == "clock"}

    def ask(self, verb: str, by: str, table: str, **args: Any) -> Answer:
        args = {"jackpot": self.site.jackpot, "win": f"{table}/1/1", "role": self.site.role, **args}
        return self.rig.ask(verb, by, **args)

    def pay(self, first: str) -> None:
        """Have everything paid in order; the amounts are those by hand."""
        before, *_ = others = [table for table, _ in self.site.prizes[first]]
        assert not self.ask("confirm", "A. Smith", others[1], notified="B. Jones").ok
        for table, prize in self.site.prizes[first]:
            answer = self.ask("confirm", "A. Smith", table, notified="B. Jones")
            assert answer.ok, answer.say
            (win,) = msgspec.json.decode(answer.data)["wins"]
            assert (win["table"], win["prize"]) == (table, prize)
        assert before == first
        verdict = audit.verify(self.rig.store(), self.site.jackpot)
        assert verdict.faults == []
        assert verdict.state is not None
        assert verdict.state.balanced()


@pytest.fixture
def world(server: LocalBroker, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(stack, server, tmp_path, getattr(request, "param", CROWN))


@pytest.mark.parametrize(
    ("world", "clocks", "first"),
    [
        (CROWN, "right", "bac-01"),
        (CROWN, "bac-01 is ahead", "bac-01"),
        (CROWN, "bac-01 is behind", "bac-02"),
        (CROWN, "bac-02 is in 1970", "bac-01"),
        (NEW_ZEALAND, "bac-02 is ahead", "bac-02"),
        (NEW_ZEALAND, "both are wrong", "bac-01"),
    ],
    indirect=["world"],
    ids=lambda value: value.jackpot if isinstance(value, Site) else value,
)
def test_who_records_first_is_paid_first_whatever_the_clocks_show(world: World, clocks: str, first: str) -> None:
    for gateway, ahead in zip(world.gateways, CLOCKS[clocks], strict=True):
        gateway.ahead(ahead)
    world.play()
    second = "bac-02" if first == "bac-01" else "bac-01"
    for table in (first, second):
        world.live(1)
        world.record(table)
    assert [(win.table, win.prize) for win in world.pending()] == world.site.prizes[first]
    assert [win.undecided for win in world.pending()] == [[], []]
    world.live(2)
    wrong = {one.table for one, ahead in zip(world.gateways, CLOCKS[clocks], strict=True) if ahead}
    assert world.wrong_clocks() == dict.fromkeys(wrong, True)
    world.pay(first)


@pytest.mark.parametrize("ahead", [3600.0, -30 * DAY, 4.0])
def test_a_clock_that_jumps_just_before_the_record_changes_nothing(world: World, ahead: float) -> None:
    world.play()
    world.live(2)
    world.record("bac-01")
    world.live(1)
    world.gateways[1].ahead(ahead)
    world.record("bac-02")
    world.live(2)
    assert [(win.table, win.prize) for win in world.pending()] == world.site.prizes["bac-01"]
    assert [win.undecided for win in world.pending()] == [[], []]
    assert world.wrong_clocks() == ({"bac-02": True} if abs(ahead) > 5 else {})
    world.pay("bac-01")


def test_a_clock_that_drifts_is_named_once_it_is_seconds_off(world: World) -> None:
    world.play()
    for tenths in range(0, 80, 10):
        world.gateways[0].ahead(-tenths / 10)
        world.live(1)
    assert world.wrong_clocks() == {"bac-01": True}
    world.record("bac-02")
    world.live(1)
    world.record("bac-01")
    assert [(win.table, win.prize) for win in world.pending()] == world.site.prizes["bac-02"]
    world.gateways[0].ahead(0.0)
    world.live(2)
    assert world.wrong_clocks() == {"bac-01": False}


@pytest.mark.parametrize(
    ("world", "ahead", "killed"),
    [(CROWN, 0.0, False), (CROWN, -TEN_MINUTES, True), (NEW_ZEALAND, TEN_MINUTES, False)],
    indirect=["world"],
    ids=lambda value: value.jackpot if isinstance(value, Site) else str(value),
)
def test_a_record_that_was_cut_off_waits_for_a_person(world: World, ahead: float, killed: bool) -> None:
    """bac-02 records first, cut off from the broker; its gateway may even be killed before the cable is back."""
    world.gateways[1].ahead(ahead)
    world.play()
    world.live(2)
    world.gateways[1].linked = False
    world.live(6)
    world.record("bac-02")
    if killed:
        world.gateways[1].restart()
    world.live(4)
    world.record("bac-01")
    world.live(2)
    world.gateways[1].linked = True
    world.until(lambda: len(world.pending()) == 2, pass_s=0.05)
    assert [(win.table, len(win.undecided)) for win in world.pending()] == [("bac-01", 0), ("bac-02", 1)]
    for table in ("bac-01", "bac-02"):
        assert "not decided" in world.ask("confirm", "A. Smith", table, notified="B. Jones").say
    order = {"before": "bac-01/1/1", "reason": "video of 20:15"}
    assert not world.ask("order", "D. Lee", "bac-02", **order).ok
    answer = world.ask("order", "O. Berg", "bac-02", **order)
    assert answer.ok, answer.say
    assert not world.ask("confirm", "O. Berg", "bac-02", notified="B. Jones").ok
    world.pay("bac-02")


def test_a_restart_of_the_floor_between_two_records_changes_nothing(world: World) -> None:
    world.gateways[0].ahead(TEN_MINUTES)
    world.play()
    world.live(2)
    world.record("bac-01")
    world.live(1)
    world.rig.kill(world.rig.apps[0])
    world.start_floor()
    world.live(2)
    world.record("bac-02")
    assert [(win.table, win.prize) for win in world.pending()] == world.site.prizes["bac-01"]
    assert [win.undecided for win in world.pending()] == [[], []]
    world.pay("bac-01")
