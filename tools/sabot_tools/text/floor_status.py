"""Status of the floor service as text: the service, a line per jackpot and per gateway, then what is wrong."""

import shlex
from typing import Any

from sabot_protocol.inputs.plain_text import counted
from sabot_protocol.jackpots.currency import number, written

from sabot_tools.text.notifications import channel_lines

_COLUMNS = ("jackpot", "display", "in", "wins", "hits", "overflow", "reserve", "entries", "problem")


def status_lines(status: dict[str, Any], config: str = "") -> list[str]:
    """Return the lines: two for the service, one per jackpot, gateway and channel, then one per problem.

    `config` is the service's file, for the next steps; empty if they are to be without.
    """
    store, broker = status["store"], status["broker"]
    return [
        f"site {status['site']}, worker {status['worker']}, {status['time']}",
        f"{store['place']}; broker {broker['url']}: " + ("connected" if broker["connected"] else "not connected"),
        "",
        *(
            table_lines(_COLUMNS, [_row(meter) for meter in status["jackpots"]])
            if status["jackpots"]
            else ["no jackpots"]
        ),
        *(_gateway(one, config) for one in status.get("projection", {}).get("gateways", [])),
        *channel_lines(status.get("notify")),
        *_web(status.get("web")),
        *_problems(status),
    ]


def _web(web: dict[str, Any] | None) -> list[str]:
    """Return a line about the pages, none if there are none."""
    if not web:
        return []
    counts = {
        "refused": "refused",
        "dropped": "dropped, since they did not read",
        "broken": "views failed: see the log",
    }
    more = "".join(f"; {web[name]} {text}" for name, text in counts.items() if web.get(name))
    return [f"pages at {web['url']}: {counted(web['streams'], 'stream')}{more}"]


def _jackpots(meters: list[dict[str, Any]]) -> list[str]:
    return table_lines(_COLUMNS, [_row(meter) for meter in meters]) if meters else ["no jackpots"]


def _gateway(one: dict[str, Any], config: str) -> str:
    """Return how much of a gateway's ledger the projection has, and the next step."""
    have = f"gateway {one['gateway']}: entries up to {one['covered_to']}{_head(one)}"
    if one.get("contradictions"):
        have += f"; {counted(one['contradictions'], 'entry', 'entries')} with two different messages"
    if not one["gaps"] and not one["more_gaps"]:
        return f"{have}; no gap"
    gaps = ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in one["first_gaps"])
    more = (
        f" and {counted(one['gaps'] - len(one['first_gaps']), 'more gap')}"
        if one["gaps"] > len(one["first_gaps"])
        else ""
    )
    older = "; there were more than can be kept, so older entries may be missing too" if one["more_gaps"] else ""
    rebuild = f"sabot floor rebuild --ledger FILE{f' --config {shlex.quote(config)}' if config else ''}"
    step = f"give the ledger of this gateway to `{rebuild}`; what was pruned there stays missing"
    return f"{have}; missing: {gaps}{more}{older}. Next: {step}"


def _head(one: dict[str, Any]) -> str:
    """Return how the newest head of a gateway's ledger, which comes once a minute, compares with what is here."""
    if not one["head"]:
        return ""
    if one["head"] < one["covered_to"]:
        return f"; the newest head of its ledger is older, of entry {one['head']}"
    if one["head"] == one["covered_to"]:
        return "; the newest head of its ledger is of the same entry"
    return (
        f"; the newest head of its ledger is of entry {one['head']}: those between are not published, or not here yet"
    )


def _beyond(gateway: str, entry: int) -> str:
    return (
        f"projection: gateway {gateway}: entries up to {entry} came before a head of its ledger that ends before them: "
        "not proved, or forged"
    )


_COUNTS = {
    "other_gateway": ("message", "messages", "of a gateway that does not speak for the table: below"),
    "contradicted": (
        "entry",
        "entries",
        "for which two different messages came: see the log, then `sabot floor rebuild --ledger FILE`, which decides",
    ),
    "beyond": ("message", "messages", "of entries far behind the newest head of their ledger: forged"),
    "unplaced": ("message", "messages", "without a place in a ledger: update the gateway that sent it"),
    "unreadable": ("entry", "entries", "not readable, so not in the projection: report it with the ledger"),
    "refused": ("entry", "entries", "refused by the store: `sabot floor rebuild --ledger FILE` tries again"),
}


def _projection_problems(counts: dict[str, int]) -> list[str]:
    found = ((counts.get(name, 0), *words) for name, words in _COUNTS.items())
    return [f"projection: {counted(count, one, many)} {says}" for count, one, many, says in found if count]


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
    wait = "message waits" if broker["ahead"] == 1 else "messages wait"
    waits = f"floor: {broker['ahead']} {wait} for others that should have come before"
    if "ahead_s" not in broker:  # a service of an earlier release
        return waits
    return f"{waits}, the first for {broker['ahead_s']} s; after {broker['patience_s']} s those are taken as missing"


def _commands(counts: dict[str, Any]) -> list[str]:
    """Return a line about the commands to tables, if any was asked for."""
    shown = {"sent": "sent", "done": "done", "not_done": "refused by gateways", "refused": "refused here"}
    more = {"unanswered": "without a reply", "waiting": "waiting", "unstored": "outcomes not in the log yet"}
    parts = [f"{counts[name]} {text}" for name, text in (shown | more).items() if counts.get(name)]
    return [f"commands: {', '.join(parts)}"] if parts else []


def _open_wins(jackpot: str, counts: dict[str, int]) -> list[str]:
    """Return what people must settle about the wins of a jackpot."""
    says = {
        "difference": "of its pay-outs were not what was due, and nobody has settled the difference",
        "order": "of its wins came late, and nobody has decided their order: none of them can be paid",
    }
    see = f"sabot jackpot show {jackpot}"
    return [f"jackpot {jackpot}: {counts[name]} {say}: {see}" for name, say in says.items() if counts.get(name)]


def _problems(status: dict[str, Any]) -> list[str]:
    """Return what a person should act on."""
    lines = [f"floor: {part['problem']}" for part in (status["store"], status["broker"]) if part["problem"]]
    if (status.get("web") or {}).get("problem"):
        lines.append(f"pages: {status['web']['problem']}")
    if status["broker"]["ahead"]:
        lines.append(_ahead(status["broker"]))
    projection = status.get("projection", {})
    lines += _projection_problems(projection.get("counts", {}))
    lines += [f"projection: {said}" for said in projection.get("refused", [])]
    lines += [f"tables: {said}" for said in status.get("same_units", [])]
    lines += [_beyond(gateway, entry) for gateway, entry in projection.get("beyond", {}).items()]
    lines += _commands(status.get("commands", {}))
    lines += [line for jackpot, counts in status.get("open_wins", {}).items() for line in _open_wins(jackpot, counts)]
    for jackpot, counts in status["refused"].items():
        refused = ", ".join(f"{count} {reason}" for reason, count in counts.items() if reason != "repeat")
        lines += [f"refused{f' of {jackpot}' if jackpot else ''}: {refused}"] if refused else []
    return [*lines, *(f"refused: {sentence}" for sentence in status["newest_refusals"][-5:])]
