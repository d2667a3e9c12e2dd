"""Dashboard demo: a whole site, a real Prometheus server that scrapes it, and every query of the dashboard asked."""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from urllib.error import URLError

from sabot_gateway.ops import dashboard
from sabot_protocol import rulebooks

from sabot_tools.stand import prometheus
from sabot_tools.stand.demo_plan import with_jackpots, with_pages
from sabot_tools.stand.local_site import LocalSite, SitePlan
from sabot_tools.stand.ports import free_port

_SPEED = 200.0  # a shoe is dealt in some ten seconds
_PATIENCE_S = 240.0
_ASK_EVERY_S = 2.0
_SCRAPE = """global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{rules}"]
scrape_configs:
  - {{job_name: sabot-gateway, static_configs: [{{targets: ["127.0.0.1:{gateway}"]}}]}}
  - {{job_name: sabot-floor, static_configs: [{{targets: ["127.0.0.1:{floor}"]}}]}}
"""
_RULES = Path(__file__).resolve().parents[3] / "gateway" / "examples" / "prometheus" / "alerts.yml"


def without_data(port: int) -> list[str]:
    """Return the queries that have no data yet; all of them while the server starts."""
    wanted = [query for _, query in dashboard.queries(rare=False)]
    try:
        return [query for query in wanted if not has_data(port, query)]
    except (URLError, OSError):
        return wanted


def has_data(port: int, query: str) -> bool:
    """Return True if a line of the query has a number."""
    return any(one["value"][1] != "NaN" for one in prometheus.query(port, query))


def run(tables: int, seed: int, work_dir: Path) -> int:
    """Play until every query has data; return 1 if some have none in time."""
    port, gateway, floor = free_port(), free_port(), free_port()
    plan = SitePlan(work_dir, tables, rulebooks.in_order()[0], _SPEED, seed, metrics=(gateway, floor))
    with LocalSite(with_pages(with_jackpots(plan, None), 0, trouble=False)) as site:
        config = work_dir / "prometheus.yml"
        config.write_text(_SCRAPE.format(rules=_RULES, gateway=gateway, floor=floor))
        site.children.start("prometheus", prometheus.server_command(config, work_dir / "data", port))
        missing = _play(site, port)
        for title, query in dashboard.queries():
            print(f"{len(prometheus.query(port, query)):4} lines  {title}: {query}")
        alerts = prometheus.query(port, "ALERTS")
        print(f"{len(alerts):4} alerts pending or firing: {sorted({one['metric']['alertname'] for one in alerts})}")
    for query in missing:
        print(f"no data: {query}", file=sys.stderr)
    return int(bool(missing))


def _play(site: LocalSite, port: int) -> list[str]:
    """Deal until every query has data, or for too long; return those without."""
    end_s, ask_s, missing = time.monotonic() + _PATIENCE_S, 0.0, [""]
    while missing and time.monotonic() < end_s:
        site.step()
        site.take_inbox()
        if time.monotonic() >= ask_s:
            missing, ask_s = without_data(port), time.monotonic() + _ASK_EVERY_S
    return missing


def main() -> int:
    """Run it as `make dashboard-demo` does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sabot-dashboard-") as work_dir:
        try:
            return run(given.tables, given.seed, Path(work_dir))
        except prometheus.NoPrometheusError as error:
            print(error, file=sys.stderr)
            return 1


if __name__ == "__main__":
    sys.exit(main())
