"""`sabot gateway install` and `sabot floor install`: the steps as data, and a dry run that changes nothing."""

import os
import subprocess
from pathlib import Path

import pytest
from sabot_floor import config as floor_config
from sabot_gateway import config as gateway_config
from sabot_gateway.ops import example
from sabot_tools.cli import app
from sabot_tools.package import installer, steps
from typer.testing import CliRunner

SERVICES = [steps.GATEWAY, steps.FLOOR]
pytestmark = pytest.mark.skipif(Path("/usr/bin/sabot").exists(), reason="the package is installed on this machine")


def of_wheel(service: steps.Service) -> list[steps.Step]:
    return steps.of_wheel(service, example.directory(), str(installer.program()))


@pytest.mark.parametrize("service", SERVICES)
def test_a_dry_run_prints_every_step_and_changes_nothing(service: steps.Service) -> None:
    places = [Path(place) for place in ("/etc/sabot", service.data, "/etc/udev/rules.d/60-sabot.rules")]
    before = [place.exists() for place in places]
    ran = CliRunner().invoke(app, [service.action, "install", "--dry-run"])
    assert ran.exit_code == 0
    assert [place.exists() for place in places] == before
    lines = ran.stdout.splitlines()
    for step in of_wheel(service):
        assert step.command in lines or f"# nothing to do: {step.what}" in lines
    assert f"Nothing was changed. To do it: sudo {installer.program()} {service.action} install" in ran.stderr


@pytest.mark.parametrize("service", SERVICES)
def test_a_shell_reads_every_step(service: steps.Service) -> None:
    subprocess.run(["sh", "-n", "-c", steps.shell(of_wheel(service))], check=True)


def test_a_path_with_blanks_and_quotes_stays_one_word() -> None:
    odd = Path("/srv/it's here")
    for step in steps.files(steps.GATEWAY, odd, f"{odd}/bin/sabot"):
        subprocess.run(["sh", "-n", "-c", step.there], check=True)
        subprocess.run(["sh", "-n", "-c", step.command], check=True)


def test_a_step_that_is_done_is_not_done_again(tmp_path: Path) -> None:
    made = tmp_path / "made"
    step = steps.Step("a file", f"[ -e {made} ]", f"echo once >>{made}")
    for _ in range(2):
        installer.take(steps.GATEWAY, step, dry_run=False)
    assert made.read_text() == "once\n"


def test_a_step_that_fails_ends_the_installation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Exception, match="1"):
        installer.take(steps.GATEWAY, steps.Step("a file", "false", f"ls {tmp_path}/none"), dry_run=False)
    said = capsys.readouterr().err
    assert "sabot gateway install: a file: " in said
    assert "run the same command again" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("service", SERVICES)
def test_the_config_has_the_paths_of_a_pc(service: steps.Service, tmp_path: Path) -> None:
    """The step as it is, with another directory and a group that every machine has."""
    (step,) = steps.config(service, str(installer.program()))
    command = step.command.replace("/etc/sabot", str(tmp_path)).replace("root:sabot", "root:daemon")
    subprocess.run(["sh", "-c", command], check=True)
    path = tmp_path / f"{service.action}.toml"
    assert path.stat().st_mode & 0o777 == 0o640
    if service == steps.GATEWAY:
        read, _ = gateway_config.read(path)
        assert read is not None
        assert read.ledger == "/var/lib/sabot/ledger.db"
    else:
        floor, _ = floor_config.read(path)
        assert floor is not None
        assert floor.store == "/var/lib/sabot-floor/floor.db"
