"""path: from the last card of a coup to its MQTT message, against a bare publish and receive on the same broker."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from sabot_tools.bench.figure import Figure, at_most
from sabot_tools.stand.local_site import LocalSite, SitePlan

_COUPS = 40


def figures() -> Iterator[Figure]:
    """Measure with one table, every part a process of its own."""
    with tempfile.TemporaryDirectory() as work, LocalSite(SitePlan(Path(work), speed=20)) as site:
        coups: list[float] = []
        bare: list[float] = []
        while len(coups) < _COUPS:
            site.step()
            for message in site.take_inbox():
                if message.topic.endswith("/coup"):
                    coups.append(message.at_s - site.tables["bac-01"].coup_received())
                    bare.append(_bare_round_trip_s(site))
    what = f"median {median(coups) * 1e3:.1f} ms against {median(bare) * 1e3:.1f} ms, longest {max(coups) * 1e3:.1f} ms"
    yield at_most("path.coup_over_bare_mqtt", median(coups) / median(bare), 10, what)


def _bare_round_trip_s(site: LocalSite) -> float:
    """Publish a message and wait until the same client receives it; the dealers do nothing meanwhile."""
    start = time.monotonic()
    site.publish_to_self(b"ping")
    while not (found := [message for message in site.inbox if message.payload == b"ping"]):
        site.step_mqtt()
    site.inbox.remove(found[0])
    return found[0].at_s - start
