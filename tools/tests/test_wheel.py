"""The wheel: installed into an empty environment it has all its files."""

import json
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
from sabot_protocol import rulebooks

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(folder)], cwd=ROOT, check=True, capture_output=True)
    (found,) = folder.glob("sabot-*-py3-none-any.whl")
    return found


@pytest.fixture(scope="module")
def sabot(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into an environment of its own, which sees the dependencies of this one; return `sabot`."""
    home = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    install = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return home / "bin" / "sabot"


def test_the_wheel_has_every_file_of_its_packages(wheel: Path) -> None:
    names = set(ZipFile(wheel).namelist())
    for package in map(Path, PACKAGES):
        listed = subprocess.run(["git", "ls-files", str(package)], cwd=ROOT, capture_output=True, text=True, check=True)
        files = [str(Path(name).relative_to(package.parent)) for name in listed.stdout.split("\n") if name]
        assert files
        assert set(files) <= names
    assert any(name.startswith("sabot_gateway/examples/") for name in names)


def test_the_wheel_has_the_whole_firmware(wheel: Path) -> None:
    names = set(ZipFile(wheel).namelist())
    listed = subprocess.run(["git", "ls-files", "firmware/*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = {name for name in listed.stdout.split() if not name.startswith("firmware/tests/")}
    assert "firmware/main.py" in files
    assert {f"sabot_sim/{name}" for name in files} <= names


def test_the_firmware_is_played_from_the_wheel(sabot: Path, tmp_path: Path) -> None:
    play = "from sabot_tools.bench import shoe_player; print(len(shoe_player.log(0, 500)))"
    done = [str(sabot.with_name("python")), "-c", play]
    assert subprocess.run(done, cwd=tmp_path, capture_output=True, text=True, check=True).stdout == "500\n"


def test_sabot_runs_from_the_wheel(sabot: Path, tmp_path: Path) -> None:
    asked = subprocess.run([sabot, "--help"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "settle" in asked.stdout
    python, where = sabot.with_name("python"), "import sabot_gateway, sabot_protocol; print(sabot_gateway.__file__)"
    found = subprocess.run([python, "-c", where], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert Path(found.stdout.strip()).is_relative_to(sabot.parents[1])


@pytest.mark.parametrize("rulebook", rulebooks.ids())
def test_coups_are_settled_from_the_wheel(sabot: Path, tmp_path: Path, rulebook: str) -> None:
    line = '{"id": 0, "stock": ["4S","6H","KD","KC","9C"]}\n'
    settle = [str(sabot), "settle", "--rulebook", rulebook]
    done = subprocess.run(settle, cwd=tmp_path, input=line, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["id"] == 0
