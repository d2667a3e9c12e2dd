"""The daemon as an installer meets it: two of them at once, a damaged ledger, a config read again, a clean stop."""

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from sabot_gateway.ledger import Reader
from sabot_service.client import ask
from sabot_service.messages import Request
from sabot_tools.stand.local_site import daemon_command
from support.site_watcher import SiteWatcher, WatchSite, contiguous, sabot


def log_of(watcher: SiteWatcher, name: str) -> str:
    return (watcher.site.plan.work_dir / f"{name}.log").read_text()


def stop(watcher: SiteWatcher) -> None:
    """As systemd does it; the daemon ends by itself, with status 0."""
    watcher.site.children.release(watcher.site.gateway)
    watcher.site.gateway.terminate()
    assert watcher.site.gateway.wait() == 0


class Second:
    """Another gateway beside the site's, for the same ports."""

    def __init__(self, watcher: SiteWatcher, ledger: Path | None = None, control: Path | None = None) -> None:
        self.work_dir = watcher.site.plan.work_dir / "second"
        self.work_dir.mkdir()
        self.config, self.ledger = self.work_dir / "gateway.toml", ledger or self.work_dir / "ledger.db"
        self.control = control or self.work_dir / "control.sock"
        text = watcher.site.gateway_config().replace('site = "demo"', f'site = "other"\ncontrol = "{self.control}"')
        self.config.write_text(text.replace(str(watcher.site.ledger_path), str(self.ledger)))

    def events(self) -> list[int]:
        """Event numbers of the shoe in its ledger."""
        with closing(Reader(self.ledger)) as ledger:
            ledger.verify_chain()
            return [entry.event_no for entry in ledger.entries() if entry.frame and entry.event_no is not None]

    def problem(self) -> str | None:
        """Return the problem of the first table from its control socket."""
        answer = ask(self.control, Request("status"))
        problem: str | None = msgspec.json.decode(answer.data)["tables"][0]["problem"]
        return problem


def test_a_second_gateway_on_the_same_port_reports_it_busy_and_takes_over(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(2)
    second = Second(watcher)
    watcher.site.children.start("second", daemon_command(second.config))
    watcher.run_until(lambda watcher: "is busy: another program has it" in log_of(watcher, "second"))
    watcher.run_for_coups(2)
    assert "is busy: another program has it; end that program, or the second gateway" in str(second.problem())
    assert second.events() == []
    sessions = log_of(watcher, "gateway").count("shoe connected")
    stop(watcher)
    first = watcher.ledger_events()
    watcher.run_until(lambda watcher: len(second.events()) > len(first) + 20)
    assert sessions == 1
    assert contiguous(first)
    assert contiguous(second.events())


@pytest.mark.parametrize("shared", ["ledger", "control"])
def test_a_second_gateway_with_the_same_ledger_or_socket_ends_at_once_with_the_reason(
    watch_site: WatchSite, shared: str
) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    ledger = watcher.site.ledger_path
    second = (
        Second(watcher, ledger) if shared == "ledger" else Second(watcher, control=ledger.with_name("control.sock"))
    )
    ended = sabot("gateway", "run", "--config", str(second.config))
    assert ended.returncode == 1
    expected = {
        "ledger": "another gateway or command writes it (process",
        "control": "another gateway uses this socket",
    }
    assert expected[shared] in ended.stderr
    assert "Traceback" not in ended.stderr
    watcher.run_for_coups(1)
    assert watcher.gateway_status()["ledger"]["problem"] is None


def test_a_changed_byte_in_the_ledger_is_found_at_the_start_and_named(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(5)
    stop(watcher)
    ledger = watcher.site.ledger_path
    entry, place = middle_of_an_entry(ledger)
    data = bytearray(ledger.read_bytes())
    data[place] ^= 0x01
    ledger.write_bytes(data)
    started = sabot("gateway", "run", "--config", str(watcher.site.config_path))
    verified = sabot("ledger", "verify", str(ledger))
    for run in (started, verified):
        assert run.returncode == 1
        assert str(ledger) in run.stderr
        assert f"entry {entry} is not what was written" in run.stderr
        assert "Traceback" not in run.stderr
    data[place] ^= 0x01
    ledger.write_bytes(data)
    watcher.site.start_gateway()
    watcher.run_for_coups(2)
    assert contiguous(watcher.ledger_events())


def middle_of_an_entry(ledger: Path) -> tuple[int, int]:
    """The number of an entry in the middle, and where its payload lies in the file."""
    with closing(sqlite3.connect(f"file:{ledger}?immutable=1", uri=True)) as db:
        seq, payload = db.execute(
            "SELECT seq, payload FROM entries WHERE topic = 'coup' AND seq >= (SELECT max(seq) / 2 FROM entries)"
        ).fetchone()
    return seq, ledger.read_bytes().index(payload) + len(payload) // 2


def test_a_ledger_that_a_kill_left_with_half_a_write_starts_again(watch_site: WatchSite) -> None:
    """The kernel completes a write once begun, so the effect of a power cut is written by hand."""
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(3)
    watcher.site.kill_gateway()
    log = watcher.site.ledger_path.with_name("ledger.db-wal")
    whole = log.read_bytes()
    assert len(whole) > 8192
    log.write_bytes(whole + whole[-4120:-2000])  # a transaction that was never committed
    watcher.site.start_gateway()
    watcher.run_for_coups(3)
    assert contiguous(watcher.ledger_events())
    assert contiguous([message["coup"] for message in watcher.messages("coup")])


def write_config(watcher: SiteWatcher, text: str) -> None:
    watcher.site.config_path.write_text(text)
    watcher.site.gateway.send_signal(signal.SIGHUP)


def without(text: str, table: str) -> str:
    """The config without one table."""
    head, *tables = text.split("\n[[table]]\n")
    return "\n[[table]]\n".join([head, *(part for part in tables if f'name = "{table}"' not in part)])


def swapped(text: str, one: str, other: str) -> str:
    return text.replace(one, "+").replace(other, one).replace("+", other)


def sessions(watcher: SiteWatcher, table: str) -> int:
    """How often a shoe was greeted at a table."""
    return sum(
        "shoe connected" in line and f"table={table} " in line for line in log_of(watcher, "gateway").splitlines()
    )


def test_a_config_read_again_adds_removes_and_changes_tables_beside_one_that_deals_on(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0, tables=3)
    for table in watcher.site.plan.table_names():
        watcher.run_for_coups(2, table)
    whole = watcher.site.gateway_config()
    write_config(watcher, without(whole, "bac-02"))
    watcher.run_until(lambda watcher: "config read again" in log_of(watcher, "gateway"))
    watcher.run_until(lambda watcher: watcher.messages("status", "bac-02")[-1]["state"] == "offline")
    watcher.run_for_coups(3)
    ports = [watcher.site.tables[table].bench.port for table in ("bac-02", "bac-03")]
    swapped = (
        whole.replace(f'"{ports[0]}"', '"+"').replace(f'"{ports[1]}"', f'"{ports[0]}"').replace('"+"', f'"{ports[1]}"')
    )
    write_config(watcher, swapped)
    watcher.run_until(lambda watcher: log_of(watcher, "gateway").count("config read again") == 2)
    units = {table: watcher.messages("coup", table)[0]["unit"] for table in ("bac-02", "bac-03")}
    watcher.run_until(lambda watcher: watcher.messages("coup", "bac-03")[-1]["unit"] == units["bac-02"])
    watcher.run_until(lambda watcher: watcher.messages("coup", "bac-02")[-1]["unit"] == units["bac-03"])
    watcher.run_for_coups(3)
    assert sessions(watcher, "bac-01") == 1
    assert all(map(contiguous, watcher.events_by_unit().values()))
    line = watcher.gateway_status()["tables"][0]["line"]
    assert {name: count for name, count in line.items() if count and name not in ("repeated", "strays")} == {}
    assert contiguous([message["coup"] for message in watcher.messages("coup")])


def test_a_config_with_an_error_is_refused_and_changes_nothing(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0, tables=2)
    for table in watcher.site.plan.table_names():
        watcher.run_for_coups(1, table)
    whole = watcher.site.gateway_config()
    write_config(watcher, without(whole, "bac-02").replace("rulebook", "rulebok"))
    watcher.run_until(lambda watcher: "the config stays as it was" in log_of(watcher, "gateway"))
    assert "did you mean `rulebook`?" in log_of(watcher, "gateway")
    for table in watcher.site.plan.table_names():
        watcher.run_for_coups(2, table)
        assert sessions(watcher, table) == 1


def test_a_stop_is_clean(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(3)
    stop(watcher)
    watcher.run_until(lambda watcher: watcher.site_status()[-1]["state"] == "offline")
    assert "gateway stopped" in log_of(watcher, "gateway")
    work_dir, ledger = watcher.site.plan.work_dir, watcher.site.ledger_path
    left = {path.name for path in work_dir.glob("ledger.db*")}
    assert left == {"ledger.db", "ledger.db-head", "ledger.db-key", "ledger.db-lock"}
    assert not (work_dir / "control.sock").exists()
    verified = sabot("ledger", "verify", str(ledger))
    assert (verified.returncode, verified.stderr) == (0, "")
    assert "intact" in verified.stdout
    watcher.run_until_received()
    assert watcher.received_ids("bac-01") == watcher.stored("bac-01")


def test_a_hangup_signal_during_the_start_is_kept_and_ends_nothing(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    stop(watcher)
    lock = watcher.site.ledger_path.with_name("ledger.db-lock")
    lock.unlink()
    watcher.site.start_gateway()
    watcher.run_until(lambda _: lock.exists())  # it opens its ledger, and serves no table yet
    for _ in range(20):
        watcher.site.gateway.send_signal(signal.SIGHUP)
    watcher.run_for_coups(2)
    assert "config read again" in log_of(watcher, "gateway")
