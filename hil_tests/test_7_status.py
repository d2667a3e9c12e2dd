"""sabot status: what it looks for, what it shows of a real gateway and floor service, and its exit status."""

from pathlib import Path

from sabot_tools.cli import app
from support.site_watcher import SiteWatcher, WatchSite
from typer.testing import CliRunner, Result


def status(gateway: Path, floor: Path) -> Result:
    return CliRunner().invoke(app, ["status", "--config", str(gateway), "--floor", str(floor)])


def answers(watcher: SiteWatcher) -> bool:
    floor = watcher.site.floor
    return bool(floor and floor.socket_path.exists() and watcher.site.gateway_socket.exists())


def test_it_shows_each_service_of_this_machine_and_says_where_it_looked(watch_site: WatchSite, tmp_path: Path) -> None:
    gateway, floor, none = tmp_path / "gateway.toml", tmp_path / "floor.toml", tmp_path / "none.toml"
    ran = status(gateway, floor)
    assert ran.exit_code == 1
    assert f"gateway: none here; there is no {gateway}" in ran.output
    assert f"floor service: none here; there is no {floor}" in ran.output
    assert "`sabot gateway install`" in ran.output
    watcher = watch_site(web_port=0)
    watcher.run_until(answers)
    both = status(gateway, floor)
    assert both.exit_code == 0, both.output
    assert f"gateway of {gateway}\n" in both.output
    assert "bac-01" in both.output
    assert "no jackpots" in both.output
    assert status(gateway, none).exit_code == 0  # a table PC
    assert status(none, floor).exit_code == 0  # the machine of the floor
    watcher.site.kill_gateway()
    gone = status(gateway, floor)
    assert gone.exit_code == 1
    assert "no jackpots" in gone.output  # the other is shown all the same
    assert str(watcher.site.gateway_socket) in gone.output


def test_a_bare_status_looks_at_the_places_of_the_installers() -> None:
    ran = CliRunner().invoke(app, ["status"], env={"SABOT_CONFIG": None, "SABOT_FLOOR_CONFIG": None})
    assert "/etc/sabot/gateway.toml" in ran.output
    assert "/etc/sabot/floor.toml" in ran.output


def test_what_does_not_answer_is_named_with_the_command_that_asks_at_another_socket(tmp_path: Path) -> None:
    gateway, floor = tmp_path / "gateway.toml", tmp_path / "floor.toml"
    gateway.write_text(f'ledger = "{tmp_path}/ledger.db"\n')
    floor.write_text(f'store = "{tmp_path}/floor.db"\n')
    ran = status(gateway, floor)
    assert ran.exit_code == 1
    for command in ("gateway", "floor"):
        assert f"`sabot {command} status --control PATH` asks at another socket" in ran.output
        assert "--control" in CliRunner().invoke(app, [command, "status", "--help"]).output
