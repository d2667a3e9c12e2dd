"""Status of the daemon as text: the gateway, a line per table, then what is wrong."""

from typing import Any

from sabot_protocol import authority, rulebooks
from sabot_protocol.command_acts import ACTS
from sabot_protocol.inputs.plain_text import counted
from sabot_protocol.jackpots.currency import written

from sabot_tools.text.incidents import open_line

_COLUMNS = ("table", "state", "unit", "shoe", "coup", "alarms", "disputed", "rulebook")

_MORE = {  # what there is more of, and where it is
    "more_alarms": ("more active alarm", "older or less severe: see `sabot ledger show`"),
    "more_disputed": ("older disputed coup", "in the ledger; listed once these are decided"),
    "more_incidents": ("more open incident", "not listed: see `sabot ledger show`"),
}

_UNKNOWN = {  # of an Angel Eye
    "shoe": "what was dealt before it was connected",
    "coup": "the coup on the table",
    "lock": "whether it is locked",
    "error": "whether it is in error",
}


def status_lines(status: dict[str, Any]) -> list[str]:
    """Return the lines: three for the gateway, one per table, then one per problem."""
    ledger, broker = status["ledger"], status["broker"]
    published = "all published" if not broker["behind"] else f"{broker['behind']} entries not yet published"
    return [
        f"site {status['site']}, gateway {status['gateway']}, {status['time']}",
        f"ledger: {ledger['entries']} entries, {published}; broker {broker['url']}: "
        + ("connected" if broker["connected"] else "not connected")
        + _latency(broker["latency"]),
        *([f"clock: {status['clock']}"] if status.get("clock") else []),  # a daemon of an earlier release has none
        "",
        *_rows([_row(table) for table in status["tables"]]),
        *_firmware(status),
        *_jackpots(status),
        *_commands(status),
        *_requests(status),
        *_problems(status),
    ]


def _latency(figures: dict[str, Any]) -> str:
    """Return the time from reading an event to the broker's acknowledgement."""
    if not figures["entries"]:
        return ""
    return f"; latency {figures['p50_ms']} ms median, {figures['p99_ms']} ms 99 % of {figures['entries']} entries"


def _row(table: dict[str, Any]) -> dict[str, str]:
    unit = table["unit"] or "-"
    without = "Angel Eye" if table.get("driver") == "angel-eye" else "no key"
    return {
        "table": table["table"],
        "state": table["state"],
        "unit": unit if table["authenticated"] or unit == "-" else f"{unit} ({without})",
        "shoe": str(table["shoe"] or "-"),
        "coup": str(table["coup"] or "-"),
        "alarms": str(len(table["alarms"]) + table["more_alarms"] or "-"),
        "disputed": str(len(table["disputed"]) + table["more_disputed"] or "-"),
        "rulebook": table["rulebook"],
    }


def _rows(rows: list[dict[str, str]]) -> list[str]:
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in _COLUMNS}
    lines = [{name: name for name in _COLUMNS}, *rows]
    return ["  ".join(line[name].ljust(widths[name]) for name in _COLUMNS).rstrip() for line in lines]


def _firmware(status: dict[str, Any]) -> list[str]:
    """Return for each table what its shoe runs, and a push that is in progress or has ended."""
    lines = []
    for table in status["tables"]:
        found = table.get("firmware") or {}  # a daemon of an earlier release has none
        running = found.get("running")
        if running:
            push = f"; push of {found['version']}: {found['say'] or found['phase']}" if found["phase"] != "none" else ""
            lines.append(f"firmware of {table['table']}: {running['version']}, image {running['image']}{push}")
    return ["", *lines] if lines else []


def _jackpots(status: dict[str, Any]) -> list[str]:
    """Return for each jackpot its parameters, and what each table has contributed."""
    lines = []
    for jackpot in status.get("jackpots", []):  # a daemon of an earlier release has none
        in_force, waiting = jackpot["in_force"], jackpot["waiting"]
        now = f"version {in_force['version']} ({in_force['digest']}) in force" if in_force else "not in force yet"
        then = _waits(in_force, waiting) if waiting else ""
        lines.append(f"jackpot {jackpot['jackpot']}: {now}{then}{_floor(jackpot)}")
        lines += [
            f"  {table['table']}: {one['count']} increments, total {written(one['total'], one['currency'])}"
            for table in status["tables"]
            for one in table["jackpots"]
            if one["jackpot"] == jackpot["jackpot"]
        ]
    return ["", *lines] if lines else []


def _waits(in_force: dict[str, Any] | None, waiting: dict[str, Any]) -> str:
    """Return what becomes of other parameters in the file."""
    what = f"; version {waiting['version']} ({waiting['digest']})"
    if in_force and waiting["version"] <= in_force["version"]:
        return f"{what} is in the file, and never used: give it a version above {in_force['version']}"
    return f"{what} waits until the floor uses it"


def _commands(status: dict[str, Any]) -> list[str]:
    """Return how many requests came from the floor service and from the control socket, and what was refused."""
    counts = status.get("commands")  # a daemon of an earlier release has none
    if not counts or not (counts["floor_key"] or counts["refused"]):
        return []
    key = f"key {counts['floor_key']}" if counts["floor_key"] else "no floor_key in the config"
    refused = ", ".join(f"{reason} {count}" for reason, count in counts["refused"].items()) or "none"
    done = f"{counts['accepted']} accepted, {counts['repeated']} repeated, refused: {refused}"
    return ["", f"commands of the floor ({key}): {done}; local requests: {counts['local']}"]


def _requests(status: dict[str, Any]) -> list[str]:
    """Return the newest requests of people since the start: who, by which role, and whether local or from the floor."""
    lines = [
        f"  {one['time']} {one['table']} {one['verb']} by {one['by']}{f' ({role})' if (role := one['role']) else ''}, "
        f"{'local, account ' + one['user'] if one['origin'] == 'local' else 'from the floor'}: "
        f"{'done' if one['ok'] else 'not done'}"
        for one in status.get("newest_requests", [])  # a daemon of an earlier release has none
    ]
    return ["", "newest requests:", *lines] if lines else []


def _floor(jackpot: dict[str, Any]) -> str:
    """Return what is wrong between the floor and this gateway, if anything."""
    if jackpot["floor"] is None:
        return "; no meter of the floor has come"
    known = [one["digest"] for one in (jackpot["in_force"], jackpot["waiting"]) if one]
    return "" if jackpot["floor"] in known else f"; the floor uses {jackpot['floor']}: give both the same file"


def _problems(status: dict[str, Any]) -> list[str]:
    """Return what a person should act on."""
    lines = [f"gateway: {part['problem']}" for part in (status["ledger"], status["broker"]) if part["problem"]]
    lines += [f"gateway: {status['roles']}"] if status.get("roles") else []
    if status["broker"]["overwritten"]:
        lines.append(
            f"gateway: {status['broker']['overwritten']} messages of other clients on its topics were overwritten; "
            "check the broker's users and permissions"
        )
    for table in status["tables"]:
        if table["problem"]:
            lines.append(f"{table['table']}: {table['problem']}")
        if table["next_step"]:
            lines.append(f"{table['table']}: {table['next_step']}")
        if table["unit"] and table.get("unknown"):
            unknown = ", ".join(_UNKNOWN[name] for name in table["unknown"])
            lines.append(f"{table['table']}: the Angel Eye has not reported {unknown}")
        if table.get("forecast"):
            lines.append(f"{table['table']}: {table['forecast']}")
        lines += [_dispute(table, coup) for coup in table["disputes"]]
        lines += [
            f"{table['table']}: {alarm['severity']}, {alarm['state']} {alarm['time']}: {alarm['say']} "
            f"({alarm['alarm']})"
            for alarm in table["alarms"]
        ]
        lines += [open_line(table["table"], incident) for incident in table.get("incidents", [])]
        for more, (noun, where) in _MORE.items():
            lines += [f"{table['table']}: {counted(table[more], noun)}, {where}"] if table.get(more) else []
    return ["", *lines] if lines else []


def _dispute(about: dict[str, Any], coup: dict[str, Any]) -> str:
    table, place = about["table"], f"{coup['shoe']}/{coup['coup']}"
    book = about["rulebook"]
    clause = (authority.load(book).act[ACTS["decide"]].clause if book in rulebooks.ids() else "") or "N"
    return (
        f"{table}: coup {place} is disputed since {coup['time']} ({coup['id']}): decide it with `sabot table {table} "
        f"decide --coup {place} --verdict confirmed|void --by NAME --clause {clause}`"
    )
