"""Dashboard: the panels for Grafana, from one table; `sabot generate` writes examples/grafana/sabot.json from it."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

_WIDTH, _HEIGHT, _COLUMNS = 8, 7, 3
_SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}
_T: Final = 'table=~"$table"'


class Panel(NamedTuple):
    """A picture of one query or of several: the query, and how its lines are named."""

    title: str
    unit: str  # as Grafana calls it
    queries: tuple[tuple[str, str], ...]
    help: str = ""
    rare: bool = False  # True: no data is a good sign, or a service is missing on this PC


class Row(NamedTuple):
    """Panels under one heading."""

    title: str
    panels: tuple[Panel, ...]


def _quantiles(metric: str, name: str = "") -> tuple[tuple[str, str], ...]:
    rate = f"sum by (le) (rate({metric}_bucket[5m]))"
    return tuple((f"histogram_quantile({q}, {rate})", f"{name}{q:.0%}") for q in (0.5, 0.99))


ROWS: Final = (
    Row("Tables", (
        Panel("Tables online", "short", (("sum(sabot_table_online)", "online"), ("count(sabot_table_online)", "all"))),
        Panel("Coups a minute", "short",
              ((f"sum by (table) (rate(sabot_coups_total{{{_T}}}[5m])) * 60", "{{table}}"),)),
        Panel("Events a second", "short", ((f"rate(sabot_events_total{{{_T}}}[5m])", "{{table}}"),)),
        Panel("Active alarms", "short", (("sum by (severity) (sabot_alarms_active)", "{{severity}}"),)),
        Panel("Open incidents and disputed coups", "short",
              (("sum(sabot_incidents_open)", "incidents"), ("sum(sabot_coups_disputed)", "disputed coups"))),
        Panel("Rejected cards an hour", "short",
              ((f"sum by (table, reason) (increase(sabot_card_rejects_total{{{_T}}}[1h])) or sabot_table_online * 0",
                "{{table}} {{reason}}"),)),
    )),
    Row("Lines", (
        Panel("Events sent again", "short", ((f"increase(sabot_link_resends_total{{{_T}}}[10m])", "{{table}}"),)),
        Panel("Frames with a wrong checksum", "short",
              ((f"increase(sabot_frames_bad_crc_total{{{_T}}}[10m])", "{{table}}"),)),
        Panel("Forged frames", "short",
              ((f"sum by (table) (increase(sabot_frames_forged_total{{{_T}}}[10m]))", "{{table}}"),)),
    )),
    Row("Latency", (
        Panel("Edge to gateway", "s",
              tuple((f"histogram_quantile({q}, sum by (le, table) (rate(sabot_edge_delay_seconds_bucket{{{_T}}}[5m])))",
                     f"{{{{table}}}} {q:.0%}") for q in (0.5, 0.99)),
              "Beyond the quickest card of the last minutes."),
        Panel("Read to durable commit", "s", _quantiles("sabot_commit_seconds")),
        Panel("Read to the broker's PUBACK", "s", _quantiles("sabot_puback_seconds")),
    )),
    Row("Sensors and wear", (
        Panel("Margin of the sensors", "percentunit",
              ((f"sabot_sensor_margin_ratio{{{_T}}}", "{{table}} {{sensor}}"),), "Mean of the last shoe."),
        Panel("Speed of the cards", "velocityms",
              ((f"sabot_card_speed_meters_per_second{{{_T}}}", "{{table}} {{sensor}}"),), "Mean of the last shoe."),
        Panel("Shoes until a part fails", "short", ((f"sabot_forecast_shoes{{{_T}}}", "{{table}} {{part}}"),),
              "By its trend; without a trend there is no line.", rare=True),
        Panel("Free heap of the shoes", "bytes", ((f"sabot_shoe_heap_free_bytes{{{_T}}}", "{{table}}"),)),
        Panel("Flash of the shoes used", "percentunit", ((f"sabot_shoe_flash_worn_ratio{{{_T}}}", "{{table}}"),)),
        Panel("Longest round of the shoes", "s", ((f"sabot_shoe_round_most_seconds{{{_T}}}", "{{table}}"),)),
    )),
    Row("Ledger, broker, PC", (
        Panel("Entries not yet published", "short", (("sabot_ledger_unpublished_entries", "{{instance}}"),)),
        Panel("Entries a second", "short", (("rate(sabot_ledger_entries_total[5m])", "{{instance}}"),)),
        Panel("Ledger and room on its disk", "bytes",
              (("sabot_ledger_bytes", "ledger {{instance}}"), ("sabot_disk_free_bytes", "free {{instance}}"))),
        Panel("Broker connected, gateway held", "short",
              (("sabot_broker_connected", "connected {{instance}}"), ("sabot_gateway_held", "held {{instance}}"))),
        Panel("Offset of the clock", "s", (("sabot_clock_offset_seconds", "{{instance}}"),),
              "Without chrony or systemd-timesyncd there is no line.", rare=True),
        Panel("Processor and memory", "short",
              (('rate(process_cpu_seconds_total{job=~"sabot.*"}[5m])', "cores {{job}}"),
               ('process_resident_memory_bytes{job=~"sabot.*"} / 1e9', "GB {{job}}"))),
    )),
    Row("Floor service", (
        Panel("Messages a second", "short", (("rate(sabot_floor_messages_total[5m])", "{{instance}}"),)),
        Panel("Messages that wait", "short", (("sabot_floor_messages_waiting", "{{instance}}"),)),
        Panel("Connected, held, pages open", "short",
              (("sabot_floor_broker_connected", "connected"), ("sabot_floor_held", "held"),
               ("sabot_floor_page_streams", "pages"))),
    )),
)  # fmt: skip


def queries(*, rare: bool = True) -> Iterator[tuple[str, str]]:
    """Yield title and query of every panel, with every table in place of the variable; those `rare`, or not."""
    for row in ROWS:
        for panel in row.panels:
            if rare or not panel.rare:
                yield from ((panel.title, query.replace("$table", ".*")) for query, _ in panel.queries)


def document() -> str:
    """Return the file for Grafana."""
    panels: list[dict[str, Any]] = []
    top = 0
    for row in ROWS:
        panels.append({"type": "row", "title": row.title, "collapsed": False, "panels": [],
                       "gridPos": {"x": 0, "y": top, "w": 24, "h": 1}})  # fmt: skip
        for number, panel in enumerate(row.panels):
            down, across = divmod(number, _COLUMNS)
            place = {"x": across * _WIDTH, "y": top + 1 + down * _HEIGHT, "w": _WIDTH, "h": _HEIGHT}
            panels.append(_panel(panel, place))
        top += 1 + -(-len(row.panels) // _COLUMNS) * _HEIGHT
    for number, one in enumerate(panels, 1):
        one["id"] = number
    made = {
        "title": "Sabot", "uid": "sabot", "tags": ["sabot"], "timezone": "", "schemaVersion": 38, "version": 1,
        "refresh": "30s", "time": {"from": "now-6h", "to": "now"}, "editable": True, "annotations": {"list": []},
        "templating": {"list": _variables()}, "panels": panels,
    }  # fmt: skip
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _panel(panel: Panel, place: dict[str, int]) -> dict[str, Any]:
    targets = [
        {"refId": chr(ord("A") + number), "expr": query, "legendFormat": legend, "datasource": _SOURCE}
        for number, (query, legend) in enumerate(panel.queries)
    ]
    return {
        "type": "timeseries", "title": panel.title, "description": panel.help, "gridPos": place, "targets": targets,
        "datasource": _SOURCE, "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
    }  # fmt: skip


def _variables() -> list[dict[str, Any]]:
    """Return what is chosen at the top: the Prometheus server, and the tables."""
    tables = "label_values(sabot_table_online, table)"
    return [
        {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Prometheus"},
        {"name": "table", "type": "query", "label": "Table", "datasource": _SOURCE, "query": tables, "refresh": 2,
         "multi": True, "includeAll": True, "allValue": ".*", "current": {"text": "All", "value": "$__all"}},
    ]  # fmt: skip
