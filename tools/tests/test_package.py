"""The package of a table PC: what is in it, with which modes, and that the programs that read its parts take them."""

import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import built_package
import pytest
from sabot_gateway.ops import example
from sabot_tools.package import deb, manual, steps, tree

ROOT = Path(__file__).parents[2]
SERVICES = ("gateway", "floor", "backup", "ship", "drill")
UNITS = [f"sabot-{name}.service" for name in SERVICES]
MOST_EXPOSURE = 20  # in tenths: `systemd-analyze security` rates from 0.0 to 10.0
needs_analyze = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
needs_man = pytest.mark.skipif(shutil.which("man") is None, reason="no man here")


def run(*command: str | Path) -> str:
    """Return what a program writes; the test fails if the program does."""
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_package.package(tmp_path_factory)


@pytest.fixture(scope="module")
def root(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack the package, files and control."""
    folder = tmp_path_factory.mktemp("unpacked")
    run("dpkg-deb", "--raw-extract", package, folder)
    return folder


def test_two_builds_give_the_same_bytes(package: Path, tmp_path: Path) -> None:
    assert built_package.build(tmp_path).read_bytes() == package.read_bytes()


def test_every_file_belongs_to_root_and_nobody_else_can_write_it(package: Path) -> None:
    rows = [line.split() for line in run("dpkg-deb", "--contents", package).splitlines()]
    assert len(rows) > 1000
    assert {row[1] for row in rows} == {"root/root"}
    assert {row[0] for row in rows} == {"drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x", "lrwxrwxrwx"}
    assert [row[5] for row in rows if row[0] == "-rwxr-xr-x"] == ["./opt/sabot/bin/sabot"]


def test_no_path_of_the_building_machine_is_in_it(root: Path) -> None:
    paths = [str(place).encode() for place in (ROOT, sys.prefix, sys.base_prefix, Path.home())]
    ours = [path for path in paths if path not in (b"/", b"/usr", b"/root")]
    files = [file for file in root.rglob("*") if file.is_file() and not file.is_symlink()]
    assert ours
    assert [file for file in files if any(path in file.read_bytes() for path in ours)] == []


def test_what_dpkg_reads(root: Path) -> None:
    control = (root / "DEBIAN/control").read_text()
    minor = sys.version_info.minor
    assert f"Depends: python3 (>= 3.{minor}), python3 (<< 3.{minor + 1}), libc6 (>= " in control
    assert "{" not in control
    assert not (root / "DEBIAN/conffiles").exists()  # nothing below /etc is the package's: dpkg never asks about it
    assert not (root / "etc").exists()
    for name in ("preinst", "postinst", "prerm", "postrm"):
        run("sh", "-n", root / "DEBIAN" / name)


def test_the_script_takes_the_steps_of_the_installer(root: Path) -> None:
    script = (root / "DEBIAN/postinst").read_text()
    taken = [step for step in steps.of_package(steps.GATEWAY) if step.there in script and step.command in script]
    assert len(taken) == 6
    of_wheel = steps.of_wheel(steps.GATEWAY, example.directory(), steps.PROGRAM)
    assert taken == of_wheel[: len(taken)]


def test_units_and_rule_are_those_of_the_examples(root: Path) -> None:
    timed = [f"sabot-{name}.{kind}" for name in ("backup", "ship", "drill") for kind in ("service", "timer")]
    units = [(name, "systemd/system") for name in ("sabot-gateway.service", *timed)]
    for name, place in (*units, ("60-sabot.rules", "udev/rules.d")):
        assert (root / "usr/lib" / place / name).read_bytes() == (example.directory() / name).read_bytes()


def test_a_page_that_another_page_of_the_package_names_is_in_it_too(root: Path) -> None:
    pages = {page.name: page.read_text() for page in (root / "usr/share/doc/sabot-gateway").glob("*.md")}
    named = {name for text in pages.values() for name in re.findall(r"\]\(([A-Z_]+\.md)\)", text)}
    assert {"BACKUP.md", "OPERATIONS.md"} <= named <= set(pages)


def test_no_link_of_a_page_is_dead(root: Path) -> None:
    folder = root / "usr/share/doc/sabot-gateway"
    for page in folder.glob("*.md"):
        targets = {target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text())}
        dead = [target for target in targets if target and "://" not in target and not (folder / target).exists()]
        assert dead == [], page.name


def test_a_page_and_an_example_name_no_file_of_a_checkout_as_if_it_were_here(root: Path) -> None:
    """What only a checkout has stands beside its program, `.venv/bin/`, or is called `of a checkout`."""
    folder = root / "usr/share/doc/sabot-gateway"
    for page in [*folder.glob("*.md"), *(file for file in (folder / "examples").rglob("*") if file.is_file())]:
        for line in page.read_text().splitlines():
            named = re.findall(r"(?<![\w-])gateway/(?:examples/|[A-Z_]+\.md)", line)
            assert not named or ".venv/bin/" in line or "of a checkout" in line, (page.name, line)
    text = (folder / "INSTALL.md").read_text()
    for path in re.findall(r"/usr/share/doc/sabot-gateway/examples/[\w.-]+\.(?:service|rules|conf|acl)", text):
        assert (root / path.lstrip("/")).exists(), path


def test_a_build_that_fails_leaves_no_package_and_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "x.deb"
    package.write_bytes(b"the one before")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "dpkg-deb"
    program.write_text('#!/bin/sh\nfor last; do :; done\nprintf half >"$last"\nexit 2\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(subprocess.CalledProcessError):
        deb._pack(tmp_path / "root", package, deb.QUICK, 0)
    assert package.read_bytes() == b"the one before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "x.deb"]


def test_the_link_and_the_program_are_where_the_unit_looks(root: Path) -> None:
    assert os.readlink(root / "usr/bin/sabot") == steps.PROGRAM
    assert (
        f"ExecStart={steps.PROGRAM} gateway run" in (root / "usr/lib/systemd/system/sabot-gateway.service").read_text()
    )
    assert (root / steps.PROGRAM[1:]).read_text().startswith(f"#!{tree.PREFIX}/bin/python3\n")


def test_the_program_runs_with_nothing_but_the_package(root: Path, tmp_path: Path) -> None:
    packages = root / tree.SITE_PACKAGES.relative_to("/")
    isolated = [sys.executable, "-I", "-S", "-c"]
    code = f"import sys; sys.path.insert(0, {str(packages)!r}); from sabot_tools.cli import main; main()"
    config = tmp_path / "gateway.toml"
    subprocess.run([*isolated, code, "gateway", "init", "--config", str(config)], check=True, capture_output=True)
    assert config.read_text().startswith("# A gateway")


@needs_analyze
@pytest.mark.parametrize("unit", UNITS)
def test_the_sandbox_of_a_unit_leaves_little_exposed(unit: str, tmp_path: Path) -> None:
    """Broker, control socket and serial ports are what it needs; systemd rates that at 1.5, and all of it at 9.6."""
    analyze = ["systemd-analyze", "security", "--offline=yes", "--no-pager", f"--threshold={MOST_EXPOSURE}"]
    said = run(*analyze, example.directory() / unit)
    rated = re.search(r"exposure level for \S+: (\d+)\.(\d)", said)
    assert rated
    assert int(rated[1]) * 10 + int(rated[2]) < MOST_EXPOSURE


@needs_analyze
@pytest.mark.parametrize("unit", UNITS)
def test_systemd_knows_every_line_of_a_unit(unit: str, tmp_path: Path) -> None:
    text = (example.directory() / unit).read_text().replace(steps.PROGRAM, "/bin/true")
    (tmp_path / unit).write_text(text)
    said = run("systemd-analyze", "verify", "--man=no", tmp_path / unit)
    assert [line for line in said.splitlines() if unit in line] == []


def test_serial_ports_are_allowed_by_the_numbers_that_linux_has_fixed() -> None:
    """admin-guide/devices.txt of Linux: 4 ttyS, 166 ttyACM, 188 ttyUSB, 204 low-density ports (ttyAMA)."""
    unit = (example.directory() / "sabot-gateway.service").read_text()
    assert re.findall(r"^DeviceAllow=char-(\d+) rw$", unit, re.MULTILINE) == ["4", "166", "188", "204"]
    assert "DevicePolicy=closed\n" in unit


@needs_man
def test_every_page_of_the_manual_renders_without_a_warning(root: Path) -> None:
    pages = sorted((root / "usr/share/man").rglob("*.gz"))
    assert {"sabot.1.gz", "sabot-gateway.8.gz", "sabot-table.1.gz"} <= {page.name for page in pages}
    for page in pages:
        shown = subprocess.run(
            ["man", "--warnings", "--local-file", page],
            env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100", "MANPAGER": "cat"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert shown.stderr == ""
        assert "NAME\n" in shown.stdout


def test_the_manual_has_every_command_and_option(root: Path) -> None:
    text = gzip.decompress((root / "usr/share/man/man8/sabot-gateway.8.gz").read_bytes()).decode().replace("\\-", "-")
    for word in ("INSTALL", "--dry-run", "CHECK", "--json", "RUN", "--config PATH", "STATUS", "INIT", "--force"):
        assert f"{word}\n" in text, word
    assert "sabot gateway check --config /etc/sabot/gateway.toml" in text


def test_bash_completes_actions_and_commands(root: Path) -> None:
    script = root / "usr/share/bash-completion/completions/sabot"
    asked = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sabot; echo "${COMPREPLY[@]}"'
    assert run("bash", "-c", asked, script, "sabot", "ga") == "gateway\n"
    assert run("bash", "-c", asked, script, "sabot", "gateway", "") == "check init install run status\n"
    assert run("bash", "-c", asked, script, "sabot", "gateway", "status", "--") == "\n"
    assert "generate" not in manual.table_pc_actions()
