"""The setup of a siege: broker, daemon, honest tables and a subscriber, all real, and honest play."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sabot_service.broker import Broker
from sabot_tools.stand.children import Children
from sabot_tools.stand.ports import HOST, free_port
from support.brokers import Site

from siege import lab, probe
from siege.honest import House, Plan, Table
from siege.lab import Daemon
from siege.probe import Probe
from siege.spec import Spec
from siege.subscriber import Subscriber, forged

SITE = "siege"
ALL_GROUPS = ("shoes", "control", "mqtt", "files")
_NATS = """\
server_name: siege
listen: "127.0.0.1:-1"
jetstream {{ store_dir: "{store}" }}
mqtt {{ listen: "127.0.0.1:{port}", ack_wait: "2s" }}
"""
_BOOKS = ("star-baccarat", "crown-baccarat", "nz-baccarat")
_WITHOUT_KEY = 2  # the table whose shoe has none
_HOSTILE_PORTS = 8
_KEYED_UNITS = 12
_BEGINS_WITHIN_S = 30.0


@dataclass(frozen=True)
class Order:
    """What to run."""

    work_dir: Path
    seed: int = 1
    broker: str = "nats"
    baseline_s: float = 10.0
    siege_s: float = 30.0
    broker_s: float = 0.0
    kill_s: float = 0.0
    groups: tuple[str, ...] = ALL_GROUPS
    acts: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    verify_every_s: float = 30.0
    drain_s: float = 40.0  # for what is under way at the end
    stalled_s: float = 3.0  # a table whose coup is in flight for longer is stalled
    log: Callable[[str], None] = print


class Ground:
    """A context manager: the broker runs inside; `begin` starts the daemon."""

    def __init__(self, order: Order) -> None:
        self.order = order
        order.work_dir.mkdir(parents=True, exist_ok=True)
        self.site, self.children = Site(order.work_dir), Children(order.work_dir)
        self.began_s = time.monotonic()
        self.ledger = order.work_dir / "ledger.db"
        self.heads_path = order.work_dir / "heads.jsonl"

    def __enter__(self) -> "Ground":
        """Broker, ports and subscriber are up."""
        self.house = House([self._table(number) for number in range(len(_BOOKS))])
        self.broker = self.start_broker(free_port())
        self.spec = self._spec()
        self._write_keys()
        self.daemon = Daemon(self.children, self.spec)
        topics = [f"sabot/v1/{SITE}/{table.plan.table}/coup" for table in self.house.tables]
        self.subscriber = Subscriber(self.broker.port, [*topics, probe.TOPIC])
        self.collector = Subscriber(self.broker.port, [f"sabot/v1/{SITE}/ledger"], name="collector")
        self.probe = Probe(self.broker.port)
        for client in (self.subscriber, self.collector, self.probe):
            client.start()
        self.heads = self.heads_path.open("ab", buffering=0)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop everything."""
        for client in (self.subscriber, self.collector, self.probe):
            client.stop()
        self.house.server.close()
        self.children.stop()
        self.site.children.stop()
        self.heads.close()

    def begin(self) -> None:
        """Start the daemon with the honest tables alone, and wait until each has dealt a coup that arrived."""
        self.spec.config.write_text(self.spec.config_text([]))
        self.daemon.start()
        if not self.until(lambda: all(table.arrived for table in self.house.tables), _BEGINS_WITHIN_S):
            raise RuntimeError(f"the honest tables do not begin. The daemon's last output: {self.daemon.last_output()}")

    def start_broker(self, port: int) -> Broker:
        """A broker on this port, with what it kept there before."""
        if self.order.broker != "nats":
            return self.site.start(self.order.broker, port=port)
        config = _NATS.format(store=self.order.work_dir / "jetstream", port=port)
        return self.site.run("nats", config, Broker(HOST, port))

    def deal(self) -> None:
        """One turn of honest play; heads of the ledger are kept as they come."""
        for head in self.collector.take():
            if not forged(head.payload):
                self.heads.write(head.payload.replace(b"\n", b" ") + b"\n")
        self.probe.send()
        self.house.step([arrival for arrival in self.subscriber.take() if not self.probe.take(arrival)])
        self.daemon.look()

    def enter(self, phase: str) -> None:
        """Count what is sent from now on for this phase."""
        self.probe.phase = phase
        self.house.phase(phase)

    def play(self, seconds: float) -> None:
        """Play honestly for this long."""
        self.until(lambda: False, seconds)

    def until(self, done: Callable[[], bool], seconds: float) -> bool:
        """Play honestly until the condition holds; return False if it does not within this time."""
        ends_s = time.monotonic() + seconds
        while not done():
            if time.monotonic() > ends_s:
                return False
            self.deal()
        return True

    def all_still(self) -> bool:
        """Return True when no honest coup is in flight."""
        return not any(table.missing() or table.shoe.journal.waiting for table in self.house.tables)

    def clock(self) -> str:
        """Seconds since the beginning, as progress lines show them."""
        return f"[{time.monotonic() - self.began_s:6.1f} s]"

    def _table(self, number: int) -> Table:
        rng = random.Random(f"{self.order.seed} key {number}")
        unit = f"5ab0{self.order.seed & 0xFFFF:04x}{number + 1:08x}"
        plan = Plan(f"h{number + 1}", unit, _BOOKS[number], "" if number == _WITHOUT_KEY else rng.randbytes(32).hex())
        return Table(plan, self.order.seed, lab.protocol_hash())

    def _spec(self) -> Spec:
        rng = random.Random(f"{self.order.seed} units")
        return Spec(
            seed=self.order.seed,
            seconds=0.0,
            work_dir=str(self.order.work_dir),
            site=SITE,
            broker_port=self.broker.port,
            protocol_hash=lab.protocol_hash(),
            honest=[table.known() for table in self.house.tables],
            hostile={f"x{number:02}": free_port() for number in range(1, _HOSTILE_PORTS + 1)},
            units={f"bad0{rng.getrandbits(48):012x}": rng.randbytes(32).hex() for _ in range(_KEYED_UNITS)},
            groups=[],
            acts=list(self.order.acts),
            without=list(self.order.without),
        )

    def _write_keys(self) -> None:
        self.spec.keys.mkdir(mode=0o700, exist_ok=True)
        keys = {**self.spec.units, **{one.unit: one.key for one in self.spec.honest if one.key}}
        for unit, key in keys.items():
            path = self.spec.keys / f"{unit}.key"
            path.touch(mode=0o600)
            path.write_text(key + "\n")
