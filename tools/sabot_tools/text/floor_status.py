"""Status of the floor service as text: the service, a line per jackpot, then what is wrong."""

from typing import Any

from sabot_protocol.jackpots.currency import number, written

_COLUMNS = ("jackpot", "display", "in", "wins", "hits", "overflow", "reserve", "entries", "problem")


def status_lines(status: dict[str, Any]) -> list[str]:
    """Return the lines: two for the service, one per jackpot, then one per problem."""
    store, broker = status["store"], status["broker"]
    return [
        f"site {status['site']}, worker {status['worker']}, {status['time']}",
        f"{store['place']}; broker {broker['url']}: " + ("connected" if broker["connected"] else "not connected"),
        "",
        *table_lines(_COLUMNS, [_row(meter) for meter in status["jackpots"]]),
        *_problems(status),
    ]


def table_lines(columns: tuple[str, ...], rows: list[dict[str, str]]) -> list[str]:
    """Return rows under their headings, in columns as wide as needed."""
    lines = [{name: name for name in columns}, *rows]
    widths = {name: max(len(line[name]) for line in lines) for name in columns}
    return ["  ".join(line[name].ljust(widths[name]) for name in columns).rstrip() for line in lines]


def _row(message: dict[str, Any]) -> dict[str, str]:
    meters, currency = message["meters"], message["currency"]
    money = {name: number(meters[name], currency) for name in ("in", "wins", "overflow", "reserve")}
    not_offered = ", ".join(message.get("not_offered", {}))
    problem = message.get("problem", "") or (f"not offered at {not_offered}" if not_offered else "")
    return {
        **money,
        "jackpot": message["jackpot"],
        "display": written(meters["display"], currency),
        "hits": str(meters["hits"]),
        "entries": str(message["entry"]),
        "problem": problem or "-",
    }


def _ahead(broker: dict[str, Any]) -> str:
    waits = f"floor: {broker['ahead']} messages wait for others that should have come before them"
    if "ahead_s" not in broker:  # a service of an earlier release
        return waits
    return f"{waits}, the first for {broker['ahead_s']} s; after {broker['patience_s']} s those are taken as missing"


def _problems(status: dict[str, Any]) -> list[str]:
    """Return what a person should act on."""
    lines = [f"floor: {part['problem']}" for part in (status["store"], status["broker"]) if part["problem"]]
    if status["broker"]["ahead"]:
        lines.append(_ahead(status["broker"]))
    for jackpot, counts in status["refused"].items():
        refused = ", ".join(f"{count} {reason}" for reason, count in counts.items() if reason != "repeat")
        lines += [f"refused{f' of {jackpot}' if jackpot else ''}: {refused}"] if refused else []
    return [*lines, *(f"refused: {sentence}" for sentence in status["newest_refusals"][-5:])]
