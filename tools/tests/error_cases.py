"""The cases of test_errors.py: every action of `sabot` with wrong files, values and names."""

from typing import Any

import typer
from sabot_tools.cli import app

FILES = ("missing", "missing/x", "folder", "secret", "garbage", "garbage/x", "empty", "kept/x", "/dev/null")
BOOK = ("--rulebook", "star-baccarat")
ROULETTE = ("--rulebook", "star-rapid", "--set", "game=roulette")  # its odds need no enumeration
BY = ("--by", "A. Smith")
UNIT = "5ab0000000000001"


def _jackpot_acts() -> list[tuple[str, ...]]:
    """Return a case for every act of a person on a jackpot: no service runs."""
    who = (*BY, "--role", "area_manager")
    acts: list[tuple[str, ...]] = [
        ("confirm", "lucky-tie", "bac-01/3/17", *who),
        ("invalid", "lucky-tie", "bac-01/3/17", *who, "--reason", "a test"),
        ("adjust", "lucky-tie", "--amount", "500", *who, "--second", "B. Jones", "--reason", "a test"),
        ("adjust", "lucky-tie", "--amount", "5.00", *who, "--second", "B. Jones", "--reason", "a test"),
        ("withdraw", "lucky-tie", "bac-01", *who, "--reason", "a test"),
        ("restore", "lucky-tie", "bac-01", *who),
        ("make-good", "lucky-tie", "5ab0000000000001-812", *who),
        ("draw", "lucky-seat", *who),
        ("draw", "lucky-seat"),
        ("draw", "lucky-seat", "--as", "asmith"),
        ("draw", "lucky-seat", *who, "--as", "asmith"),
        ("draw", "lucky-seat", *BY),
        ("adjust", "lucky-tie", "--amount", "500", "--as", "asmith", "--reason", "a test"),
        ("adjust", "lucky-tie", "--amount", "500", *who, "--reason", "a test"),
    ]
    return [("jackpot", *act, "--control", "missing") for act in acts]


def _users() -> list[tuple[str, ...]]:
    """Return a case for every command about people: no service runs, and stdin is empty."""
    role = ("role", "asmith", "crown-baccarat")
    acts: list[tuple[str, ...]] = [
        *(("add", "asmith", "--name", "A. Smith"), ("add", "asmith"), ("list",)),
        *(role, (*role, "area_manager"), (*role, "area_manager", "--remove")),
        *((verb, "asmith") for verb in ("disable", "enable", "badge", "pin")),
        ("badge", "asmith", "--remove"),
    ]
    return [("users", *act, "--control", "missing") for act in acts]


def _signs() -> list[tuple[str, ...]]:
    """Return a case for every command about signs: no service runs, and stdin is empty."""
    who = ("--as", "asmith")
    acts: list[tuple[str, ...]] = [
        *(("show", "bac-01"), ("show",), ("minimum", "bac-01", "50"), ("minimum", "bac-01", "50", *who)),
        *(("one-minimum", "bac-01", *who), ("close", "bac-01", "--at", "21:30", *who)),
        *(("game", "bac-01", "even_money", *who), ("personal", "bac-01", "3", "--end", *who)),
        *(("restrict", "bac-01", "pair", *who), ("cancel", "bac-01", "closure", *who)),
    ]
    return [("sign", *act, "--control", "missing") for act in acts]


# `@` stands for each of FILES in turn.
FILE_CASES = [
    ("gateway", "run", "--config", "@"),
    ("gateway", "check", "--config", "@"),
    ("gateway", "status", "--config", "@"),
    ("gateway", "status", "--control", "@"),
    ("gateway", "init", "--config", "@"),
    ("inspect", "@"),
    ("inspect", "@", "--edges"),
    ("inspect", "garbage", "--key", "@"),
    ("inspect", "garbage", "--pcapng", "@"),
    ("floor", "run", "--config", "@"),
    ("floor", "check", "--config", "@"),
    ("floor", "status", "--config", "@"),
    ("floor", "accept", "--by", "A", "--role", "area_manager", "--reason", "r", "--config", "@"),
    ("floor", "status", "--control", "@"),
    ("floor", "init", "--config", "@"),
    ("floor", "verify", "--config", "@"),
    ("floor", "notify", "test", "--config", "@"),
    ("floor", "notify", "list", "--config", "@"),
    ("floor", "notify", "list", "--store", "@"),
    ("floor", "verify", "--store", "@"),
    ("floor", "dump", "--config", "@"),
    ("floor", "dump", "--store", "@"),
    ("floor", "rebuild", "--ledger", "missing", "--config", "@"),
    ("floor", "rebuild", "--ledger", "missing", "--store", "@"),
    ("jackpot", "sign", "--config", "@"),
    ("jackpot", "replay", "--config", "@"),
    ("jackpot", "show", "lucky-tie", "--config", "@"),
    ("jackpot", "show", "lucky-tie", "--control", "@"),
    ("jackpot", "history", "lucky-tie", "--store", "@"),
    ("jackpot", "verify", "--store", "@"),
    ("keys", "floor", "@"),
    ("keys", "jackpot", "@"),
    ("keys", "new", UNIT, "--dir", "@"),
    ("keys", "new", UNIT, "--dir", "new-keys", "--shoe", "@"),
    ("keys", "show", "--dir", "@"),
    ("keys", "show", UNIT, "--secret", "--dir", "@"),
    ("keys", "rotate", UNIT, "--dir", "@"),
    ("ledger", "verify", "@"),
    ("ledger", "verify", "garbage", "--heads", "@"),
    ("ledger", "verify", "garbage", "--key", "@"),
    ("ledger", "verify", "garbage", "--config", "@"),
    ("ledger", "show", "@"),
    ("ledger", "export", "@", "--format", "csv"),
    ("ledger", "export", "@", "--format", "jsonl", "--what", "coups"),
    ("ledger", "export", "garbage", "--format", "csv", "--out", "@"),
    ("ledger", "rebuild", "@"),
    ("ledger", "prune", "@", "--before", "2020-01-01"),
    ("ledger", "prune", "@", "--before", "2020-01-01", "--dry-run"),
    ("ledger", "accept", "@", *BY, "--reason", "a test"),
    ("odds", *ROULETTE, "--plot", "@"),
    ("optics", "plot", "--out", "picture.svg", "--edges", "@"),
    ("optics", "plot", "--out", "@"),
    ("record", "@", "--profile", "normal", "--cards", "1"),
    ("record", "@", "--scenario", "by_hand/zz"),
    ("record", "new.shoe", "--edges", "@"),
    ("record", "new.shoe", "--seconds", "0", "--port", "@"),
    ("record", "reads.shoe", "--profile", "normal", "--cards", "1", "--expected", "@"),
    ("report", "day", "2026-11-17", "--config", "@"),
    ("report", "day", "2026-11-17", "--store", "@"),
    ("report", "month", "2026-11", "--store", "@"),
    ("report", "shoe", "bac-01/3", "--store", "@"),
    ("report", "coup", "bac-01/3/17", "--store", "@"),
    ("report", "person", "A. Smith", "--store", "@"),
    ("replay", "@"),
    ("replay", "--accept", "@"),
    ("replay", "garbage", "--firmware", "@"),
    ("flash", "@"),
    ("flash", "/dev/null", "--key", "@"),
    ("roads", "--svg", "@"),
    ("shoe", "--key", "@"),
    ("table", "bac-01", "void", *BY, "--clause", "12.1.2", "--config", "@"),
    ("table", "bac-01", "void", *BY, "--clause", "12.1.2", "--control", "@"),
    ("users", "disable", "asmith", "--config", "@"),
    ("sign", "show", "bac-01", "--floor", "@"),
    ("users", "list", "--control", "@"),
    ("users", "list", "--store", "@"),
    ("users", "log", "--store", "@"),
    ("users", "log", "--config", "@"),
    ("watch", "--user", "u", "--password-file", "@"),
    ("watch", "--broker", "mqtts://localhost", "--ca-file", "@"),
    ("watch", "--broker", "mqtts://localhost", "--certificate-file", "@", "--key-file", "garbage"),
    ("watch", "--broker", "mqtts://localhost", "--certificate-file", "garbage", "--key-file", "@"),
]
VALUE_CASES = [
    ("zz",),
    ("--zz",),
    ("authority",),
    ("authority", "--rulebook", "zz"),
    ("angel-eye", "zz"),
    *(("angel-eye", verb, file) for verb in ("decode", "session") for file in ("missing", "folder", "secret")),
    ("angel-eye", "session"),
    ("angel-eye", "session", "garbage"),
    ("authority", "--rulebook", "crown-baccarat", "--operator", "zz"),
    ("bench", "zz"),
    ("bench", "figures", "--only", "zz"),
    ("bench", "optics", "--profile", "zz"),
    ("bench", "optics", "--bench", "zz"),
    ("bench", "optics", "--reads", "0"),
    ("cards", "--set", "9"),
    ("cards", "--set", "zz"),
    ("demo", "--coups", "0"),
    ("demo", "--rulebook", "zz"),
    ("demo", "--kind", "zz"),
    ("demo", "--broker", "zz"),
    ("demo", "--broker", "mqtt://user:password@host"),
    ("demo", "--speed", "nan"),
    ("demo", "--web-port", "70000"),
    ("demo", "--patience", "-1"),
    ("flash", "zz://zz"),
    ("floor", "accept", "--as", "asmith", "--reason", "a test", "--control", "missing"),
    ("floor", "accept", "--as", "asmith", *BY, "--reason", "a test", "--control", "missing"),
    ("floor", "accept", *BY, "--role", "area_manager", "--reason", "a test", "--control", "missing"),
    ("flash", "/dev/zz", "--check", "--erase"),
    ("floor", "notify", "zz"),
    ("floor", "notify", "list", "--last", "0"),
    ("gateway", "zz"),
    ("gateway", "init"),
    ("generate", "zz"),
    ("inspect", "--text", "--lua"),
    ("irregularity", "--rulebook", "zz"),
    *_jackpot_acts(),
    ("jackpot", "history", "lucky-tie", "--store", "postgresql://user:password@127.0.0.1:1/floor"),
    ("jackpot", "verify", "--store", "zz://zz"),
    ("keys", "new", "zz"),
    ("keys", "new", "../../zz"),
    ("keys", "show", "zz"),
    ("keys", "show", "--secret", "--dir", "folder"),
    ("keys", "rotate", UNIT, "--finish", "--shoe", "zz"),
    ("ledger", "verify", "garbage", "--broker", "zz"),
    ("ledger", "verify", "garbage", "--broker", "mqtt://127.0.0.1:1"),
    ("ledger", "show", "garbage", "--last", "0"),
    ("ledger", "prune", "garbage", "--before", "zz"),
    ("ledger", "prune", "garbage", "--before", "2999-01-01"),
    ("ledger", "export", "garbage", "--format", "zz"),
    ("ledger", "export", "garbage", "--format", "parquet"),
    *(
        (action, "--rulebook", book)
        for action in ("odds", "settle", "simulate", "play")
        for book in ("", "zz", "../zz")
    ),
    *((action, *BOOK, "--set", pair) for action in ("odds", "settle", "simulate", "play") for pair in ("zz", "zz=1")),
    *((action, *BOOK, "--decks", decks) for action in ("odds", "settle", "simulate") for decks in ("99", "-1", "zz")),
    ("simulate", *BOOK, "--coups", "0"),
    ("simulate", *BOOK, "--coups", "1", "--seed", "-1"),
    ("play", *BOOK, "--set", "decks=zz"),
    ("play", *BOOK, "--bench", "zz"),
    ("optics", "show", "--profile", "zz"),
    ("optics", "show", "--profile", "dirty", "--set", "9"),
    ("optics", "plot", "--profile", "zz", "--out", "picture.svg"),
    ("optics", "plot", "--out", "picture.gif"),
    ("optics", "plot", "--out", "folder/none/picture.png"),
    ("read", "--bench", "zz"),
    ("record",),
    ("record", "new.shoe"),
    ("record", "new.shoe", "--scenario", "zz"),
    ("record", "new.shoe", "--profile", "zz"),
    ("record", "new.shoe", "--port", "zz://zz"),
    ("record", "new.shoe", "--port", "socket://zz"),
    ("record", "new.shoe", "--port", "socket://127.0.0.1:1"),
    ("record", "new.shoe", "--port", "loop://", "--baud", "-1"),
    ("record", "garbage", "--scenario", "all"),
    ("report",),
    ("report", "zz"),
    ("report", "day"),
    ("report", "day", "zz", "--store", "garbage"),
    ("report", "day", "today", "--from", "yesterday", "--store", "garbage"),
    ("report", "day", "2026-11-17", "--to", "2026-11-18", "--store", "garbage"),
    ("report", "day", "--from", "2026-11-18", "--to", "2026-11-17", "--store", "garbage"),
    ("report", "day", "today", "--section", "zz", "--store", "garbage"),
    ("report", "day", "today", "--json", "--csv", "--store", "garbage"),
    ("report", "day", "today", "--csv", "--store", "garbage"),
    ("report", "day", "today", "--html", "page.html", "--section", "voids", "--store", "garbage"),
    ("report", "day", "today", "--gaming-day", "zz", "--store", "garbage"),
    ("report", "day", "today", "--time-zone", "zz", "--store", "garbage"),
    ("report", "month", "zz", "--store", "garbage"),
    ("report", "shoe", "zz", "--store", "garbage"),
    ("report", "coup", "bac-01/3", "--store", "garbage"),
    ("report", "person", "A. Smith", "--from", "zz", "--store", "garbage"),
    ("replay",),
    ("replay", "garbage", "--bench", "zz"),
    ("replay", "garbage", "--bench", "rp2040", "--firmware", "folder"),
    ("roads", "--json", "--text"),
    *(("shoe", f"--{name}", "zz") for name in ("rulebook", "decks", "unit", "tcp", "coups", "speed")),
    ("shoe", "--state", "garbage"),
    *(("shoe", "--kind", kind, "--tcp", "zz") for kind in ("zz", "sabot", "angel-eye")),
    *(
        ("shoe", "--kind", "angel-eye", f"--{name}", "zz")
        for name in ("cycle", "baud", "gap", "bcc", "naks", "burn", "data-bits")
    ),
    *(("shoe", "--kind", "angel-eye", *own) for own in (("--unit", UNIT), ("--card-set", "2"), ("--state", "new"))),
    *(("shoe", *line) for line in (("--interleaved",), ("--bad-line", "0.5"), ("--cycle", "1-9"))),
    ("shoe", "--kind", "angel-eye", "--pty", "folder"),
    ("shoe", "--kind", "angel-eye", "--key", "garbage"),
    ("shoe", "--pty", "folder"),
    ("table",),
    ("table", "bac-01"),
    ("table", "bac-01", "zz"),
    ("table", "", "void", *BY, "--clause", "12.1.2"),
    ("table", "bac-01", "void", "--clause", "12.1.2"),
    ("table", "bac-01", "void", "--clause", "12.1.2", "--floor", "missing"),
    ("table", "bac-01", "void", "--clause", "12.1.2", "--floor", "missing", "--as", "asmith"),
    ("table", "bac-01", "void", "--clause", "12.1.2", "--floor", "missing", "--as", "asmith", *BY),
    ("table", "bac-01", "capture", "--as", "asmith"),
    *_signs(),
    *_users(),
    ("users", "list", "--store", "zz://zz"),
    ("watch", "--broker", "zz"),
    ("watch", "--broker", "mqtt://user:password@host"),
    ("watch", "--broker", "mqtt://host:99999"),
    ("watch", "--broker", "mqtt://host", "--ca-file", "garbage"),
    ("watch", "--password-file", "garbage"),
    ("watch", "--broker", "mqtts://host", "--key-file", "garbage"),
    ("watch", "--site", "a/b"),
    ("watch", "--coups", "0"),
]
# Only where the extra is missing: with everything installed they do their work.
GATEWAY_CASES = [
    *(("bench", "figures", "--only", group) for group in ("firmware", "gateway", "path", "reader", "rules", "screens")),
    ("bench", "optics"),
    ("demo", "--port", "0"),
    ("odds", *BOOK),
    ("simulate", *BOOK),
    ("play", *BOOK),
    ("play", *BOOK, "--bench", "rp2040"),
    ("read",),
    ("optics", "plot", "--out", "picture.png"),
]


def _table_cases() -> list[tuple[str, ...]]:
    """Return a case for every verb of a table: no daemon runs, and ZZ is not a card."""
    group: Any = typer.main.get_command(app).get_command(None, "table")  # type: ignore[attr-defined]
    return [("table", "bac-01", verb, "ZZ", *BY, "--control", "missing") for verb in group.commands]


CASES = [
    *(tuple(file if word == "@" else word for word in case) for case in FILE_CASES for file in FILES),
    *VALUE_CASES,
    *_table_cases(),
]
# Nothing is wrong here: an empty capture, a ledger without an entry, a new file.
FINE = {
    ("inspect", "/dev/null"),
    ("inspect", "empty"),
    ("ledger", "verify", "empty"),
    ("ledger", "show", "empty"),
    ("ledger", "export", "empty", "--format", "csv"),
    ("ledger", "rebuild", "empty"),
    ("ledger", "prune", "empty", "--before", "2020-01-01"),
    ("gateway", "init", "--config", "missing"),
    ("floor", "init", "--config", "missing"),
    ("keys", "jackpot", "missing"),
    ("keys", "new", UNIT, "--dir", "missing"),
    ("keys", "new", UNIT, "--dir", "missing/x"),
    ("keys", "new", UNIT, "--dir", "folder"),
    *(("keys", "floor", directory) for directory in ("missing", "missing/x", "folder")),
    ("keys", "new", UNIT, "--dir", "new-keys", "--shoe", "missing"),
    ("keys", "show", "--dir", "folder"),
    ("odds", *ROULETTE, "--plot", "missing"),
    ("odds", *ROULETTE, "--plot", "garbage"),
    ("odds", *ROULETTE, "--plot", "empty"),
    ("odds", *ROULETTE, "--plot", "/dev/null"),
    ("record", "missing", "--profile", "normal", "--cards", "1"),
    ("record", "reads.shoe", "--profile", "normal", "--cards", "1", "--expected", "missing"),
}
