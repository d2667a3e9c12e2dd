"""Metrics: a table of families, and plain samples of them, as the text that Prometheus reads."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from prometheus_client import Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_YIELD_S = 0.0005  # between two families: the loop goes on meanwhile

Kind = Literal["counter", "gauge", "histogram", "info"]


class Family(NamedTuple):
    """One metric: a counter's name ends with `_total`."""

    name: str
    kind: Kind
    labels: tuple[str, ...]
    help: str


class Histogram(NamedTuple):
    """Upper ends in seconds with how many were not above each; the sum of all; and how many there are."""

    buckets: tuple[tuple[float, int], ...]
    sum_s: float
    total: int


Value = float | Histogram | dict[str, str]  # a dict for an info
Samples = dict[str, list[tuple[tuple[str, ...], Value]]]  # by name: values of the labels, and the value


class _One:
    """A collector of what is given."""

    def __init__(self, families: "Iterable[Metric]") -> None:
        self._families = families

    def collect(self) -> "Iterable[Metric]":
        return self._families


def exposition(families: Sequence[Family], samples: Mapping[str, Any]) -> bytes:
    """Return the text, a family at a time, and the metrics of this process; not for a loop that must not wait."""
    from prometheus_client import PROCESS_COLLECTOR, generate_latest

    parts = []
    for family in families:
        if samples.get(family.name):
            parts.append(generate_latest(_One([_metric(family, samples[family.name])])))
            time.sleep(_YIELD_S)
    return b"".join([*parts, generate_latest(_One(PROCESS_COLLECTOR.collect()))])


def _metric(family: Family, samples: Sequence[tuple[tuple[str, ...], Any]]) -> "Metric":
    from prometheus_client import core

    of_kind = {"counter": core.CounterMetricFamily, "gauge": core.GaugeMetricFamily, "info": core.InfoMetricFamily}
    if family.kind == "histogram":
        histogram = core.HistogramMetricFamily(family.name, family.help, labels=family.labels)
        for labels, value in samples:
            histogram.add_metric(labels, list(_ends(value)), value.sum_s)
        return histogram
    metric: Any = of_kind[family.kind](family.name.removesuffix("_info"), family.help, labels=family.labels)
    for labels, value in samples:
        metric.add_metric(labels, value)
    return metric  # type: ignore[no-any-return]


def _ends(value: Histogram) -> Iterator[tuple[str, int]]:
    """Yield the buckets as Prometheus writes them."""
    yield from ((f"{end:g}", count) for end, count in value.buckets)
    yield "+Inf", value.total
