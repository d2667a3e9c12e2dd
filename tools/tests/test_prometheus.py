"""Metrics, alert rules and dashboard against promtool; each rule fires on what it is for, and on nothing else."""

import json
import re
from pathlib import Path

import pytest
from sabot_floor import monitoring
from sabot_gateway.ops import dashboard, metrics
from sabot_service.metrics import Family, Histogram, Samples, Value, exposition
from sabot_tools.stand.prometheus import NoPrometheusError, program, promtool

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "gateway/examples"
RULES = EXAMPLES / "prometheus/alerts.yml"
FAMILIES = (*metrics.FAMILIES, *monitoring.FAMILIES)
_NAME = re.compile(r"\bsabot_[a-z0-9_]+")


@pytest.fixture(autouse=True, scope="module")
def tool() -> str:
    try:
        return program("promtool")
    except NoPrometheusError as error:
        pytest.skip(str(error))


def sample_names(family: Family) -> set[str]:
    """Return the names under which a family's samples are stored."""
    if family.kind == "histogram":
        return {f"{family.name}_{part}" for part in ("bucket", "sum", "count")}
    return {family.name}


def of_each(families: tuple[Family, ...]) -> Samples:
    """Return one sample of each family."""
    values: dict[str, Value] = {"histogram": Histogram(((0.1, 1), (1.0, 2)), 0.5, 2), "info": {"version": "1"}}
    return {one.name: [(one.labels, values.get(one.kind, 1.0))] for one in families}


@pytest.mark.parametrize("families", [metrics.FAMILIES, monitoring.FAMILIES])
def test_names_and_units_follow_the_conventions(families: tuple[Family, ...]) -> None:
    assert promtool("check", "metrics", given=exposition(families, of_each(families)).decode()) == (0, "")


def test_a_name_against_the_conventions_is_found() -> None:
    wrong = exposition(
        [Family("sabot_delay_milliseconds", "gauge", (), "Wrong.")], {"sabot_delay_milliseconds": [((), 1.0)]}
    )
    status, text = promtool("check", "metrics", given=wrong.decode())
    assert status
    assert "use base unit" in text


def test_the_example_config_and_its_rules_load() -> None:
    status, text = promtool("check", "config", str(EXAMPLES / "prometheus/prometheus.yml"))
    assert status == 0, text
    assert "24 rules found" in text


def test_every_query_of_the_dashboard_can_be_read(tmp_path: Path) -> None:
    rules = [{"record": f"panel:{number}", "expr": query} for number, (_, query) in enumerate(dashboard.queries())]
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    status, text = promtool("check", "rules", str(tmp_path / "rules.yml"))
    assert status == 0, text
    made = json.loads((EXAMPLES / "grafana/sabot.json").read_text())
    in_file = [target["expr"] for panel in made["panels"] for target in panel.get("targets", [])]
    assert [query.replace("$table", ".*") for query in in_file] == [query for _, query in dashboard.queries()]


def test_rules_and_dashboard_name_metrics_that_exist() -> None:
    there = {name for family in FAMILIES for name in sample_names(family)}
    text = RULES.read_text() + " ".join(query for _, query in dashboard.queries())
    assert set(_NAME.findall(text)) <= there


def test_the_operations_page_has_every_metric_and_every_rule() -> None:
    page = (ROOT / "gateway/OPERATIONS.md").read_text(encoding="utf-8")
    missing = [row for row in map(in_table, FAMILIES) if row not in page]
    assert missing == [], "put these rows into its tables"
    assert [name for name in FIRES if f"`{name}`" not in page] == []


def in_table(family: Family) -> str:
    labels = ", ".join(f"`{label}`" for label in family.labels)
    return f"| `{family.name}` | {family.kind} | {labels} | {family.help} |\n"


# What each rule is for: the series that make it fire, how long until then, and the same that must not.
FIRES: dict[str, tuple[dict[str, str], int, dict[str, str]]] = {
    "SabotDown": (
        {'up{job="sabot-gateway"}': "0x120"}, 2, {'up{job="sabot-gateway"}': "1x120", 'up{job="x"}': "0x120"},
    ),
    "SabotGatewayHeld": ({"sabot_gateway_held": "1x120"}, 2, {"sabot_gateway_held": "0x120"}),
    "SabotBrokerAway": ({"sabot_broker_connected": "0x120"}, 3, {"sabot_broker_connected": "1x120"}),
    "SabotTableOffline": (
        {'sabot_table_online{table="t"}': "0x120"}, 6, {'sabot_table_online{table="t"}': "0 0 0 1x110"},
    ),
    "SabotCriticalAlarm": (
        {'sabot_alarms_active{table="t",severity="critical"}': "1x120"}, 2,
        {'sabot_alarms_active{table="t",severity="warning"}': "9x120"},
    ),
    "SabotPublishingBehind": (
        {"sabot_ledger_unpublished_entries": "1001x120"}, 6, {"sabot_ledger_unpublished_entries": "1000x120"},
    ),
    "SabotCommitSlow": (
        {'sabot_commit_seconds_bucket{le="0.4"}': "0x120", 'sabot_commit_seconds_bucket{le="0.8"}': "0+9x120",
         'sabot_commit_seconds_bucket{le="+Inf"}': "0+9x120"}, 20,
        {'sabot_commit_seconds_bucket{le="0.4"}': "0+9x120", 'sabot_commit_seconds_bucket{le="+Inf"}': "0+9x120"},
    ),
    "SabotPublishSlow": (
        {'sabot_puback_seconds_bucket{le="0.8"}': "0x120", 'sabot_puback_seconds_bucket{le="1.6"}': "0+9x120",
         'sabot_puback_seconds_bucket{le="+Inf"}': "0+9x120"}, 20,
        {'sabot_puback_seconds_bucket{le="0.8"}': "0+9x120", 'sabot_puback_seconds_bucket{le="+Inf"}': "0+9x120"},
    ),
    "SabotDiskLow": ({"sabot_disk_free_bytes": "9e8x120"}, 6, {"sabot_disk_free_bytes": "2e9x120"}),
    "SabotDiskFullSoon": (
        {"sabot_disk_free_bytes": "5e9-1e6x120"}, 100, {"sabot_disk_free_bytes": "5e9-1e4x120"},
    ),
    "SabotCardsRejected": (
        {'sabot_card_rejects_total{table="t",reason="blank"}': "0+1x120"}, 60,
        {'sabot_card_rejects_total{table="t",reason="blank"}': "0x30 1x90"},
    ),
    "SabotLineDamaged": (
        {'sabot_frames_bad_crc_total{table="t"}': "0+9x120"}, 15, {'sabot_frames_bad_crc_total{table="t"}': "0+1x120"},
    ),
    "SabotFramesForged": (
        {'sabot_frames_forged_total{table="t",reason="forged"}': "0+1x120"}, 15,
        {'sabot_frames_forged_total{table="t",reason="forged"}': "3x120"},
    ),
    "SabotPartFailsSoon": (
        {'sabot_forecast_shoes{table="t",part="a"}': "40x120"}, 1,
        {'sabot_forecast_shoes{table="t",part="a"}': "41x120", 'sabot_forecast_shoes{table="t",part="flash"}': "3x120"},
    ),
    "SabotFlashWorn": (
        {'sabot_shoe_flash_worn_ratio{table="t"}': "0.9x120"}, 1,
        {'sabot_shoe_flash_worn_ratio{table="t"}': "0.89x120"},
    ),
    "SabotClockOffset": ({"sabot_clock_offset_seconds": "-0.6x120"}, 6, {"sabot_clock_offset_seconds": "0.4x120"}),
    "SabotClockNotSet": ({"sabot_clock_synchronized": "0x120"}, 61, {"sabot_clock_synchronized": "0x50 1x70"}),
    "SabotFloorHeld": ({"sabot_floor_held": "1x120"}, 2, {"sabot_floor_held": "0x120"}),
    "SabotFloorBrokerAway": ({"sabot_floor_broker_connected": "0x120"}, 3, {"sabot_floor_broker_connected": "1x120"}),
    "SabotForeignEntries": (
        {'sabot_floor_projection_skipped_total{reason="contradicted"}': "0x5 1x120"},
        6,
        {'sabot_floor_projection_skipped_total{reason="unplaced"}': "9x120"},
    ),
    "SabotFloorBehind": ({"sabot_floor_messages_waiting": "2000x120"}, 6, {"sabot_floor_messages_waiting": "999x120"}),
    "SabotJackpotOpen": (
        {'sabot_floor_wins_open{jackpot="lucky-tie",about="difference"}': "0x5 1x120"},
        6,
        {'sabot_floor_wins_open{jackpot="lucky-tie",about="difference"}': "0x120"},
    ),
    "SabotNoticesWaiting": (
        {'sabot_floor_notices_waiting{channel="pit"}': "1x120"}, 16,
        {'sabot_floor_notices_waiting{channel="pit"}': "1x10 0x110"},
    ),
    "SabotFloorDiskLow": ({"sabot_floor_disk_free_bytes": "1x120"}, 6, {"sabot_floor_disk_free_bytes": "2e9x120"}),
}  # fmt: skip


def test_every_rule_has_a_test() -> None:
    assert set(re.findall(r"- alert: (\w+)", RULES.read_text())) == set(FIRES)


def case(alert: str, series: dict[str, str], minutes: int, *, fires: bool) -> dict[str, object]:
    """Return a test of promtool: whether the alert fires; labels and texts are not compared."""
    expression = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}}) or vector(0)'
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [
            {"expr": expression, "eval_time": f"{minutes}m", "exp_samples": [{"labels": "{}", "value": int(fires)}]}
        ],
    }


def run_cases(cases: list[dict[str, object]], work_dir: Path) -> tuple[int, str]:
    file = work_dir / "test.yml"
    made = {"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": cases}
    file.write_text(json.dumps(made))
    return promtool("test", "rules", str(file))


def test_every_rule_fires_on_what_it_is_for(tmp_path: Path) -> None:
    cases = [case(alert, bad, minutes, fires=True) for alert, (bad, minutes, _) in FIRES.items()]
    status, text = run_cases(cases, tmp_path)
    assert status == 0, text


def test_no_rule_fires_on_less(tmp_path: Path) -> None:
    cases = [case(alert, good, minutes + 5, fires=False) for alert, (_, minutes, good) in FIRES.items()]
    status, text = run_cases(cases, tmp_path)
    assert status == 0, text


def test_a_rule_that_does_not_fire_is_found(tmp_path: Path) -> None:
    status, _ = run_cases([case("SabotGatewayHeld", {"sabot_gateway_held": "0x120"}, 2, fires=True)], tmp_path)
    assert status
