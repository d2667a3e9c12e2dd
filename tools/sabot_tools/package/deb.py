"""Deb: the package of a table PC, built without a network from locked wheels; the same checkout gives the same bytes.

`python -m sabot_tools.package.deb dist` writes dist/sabot-gateway_VERSION_ARCHITECTURE.deb; `make deb` does that.
"""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory

from sabot_tools.package import inventory, licences, lock, manual, sbom, steps, tree
from sabot_tools.package.lock import ROOT, normal

NAME, EXTRA = "sabot-gateway", "gateway"
_FOLDER, _EXAMPLES = ROOT / "gateway" / "package", ROOT / "gateway" / "examples"
_MAINTAINER = "The Sabot authors <sabot@example.invalid>"
_OPTIONS = ("--root-owner-group", "--threads-max=1")
SMALL, QUICK = ("-Zxz", "-z6"), ("-Zgzip", "-z1")
_SCRIPTS = ("preinst", "postinst", "prerm", "postrm")
_DOC = Path("usr/share/doc") / NAME
_DOCUMENTS = (
    *("INSTALL.md", "OPERATIONS.md", "BACKUP.md", "ALARMS.md", "VERIFY.md", "LEDGER.md", "THREATS.md"),
    *("MQTT.md", "INTEGRATORS.md", "ANGEL_EYE.md", "JACKPOTS.md", "SCREENS.md", "REPORTS.md"),
)
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_PAGE, _EXAMPLE = re.compile(r"(?<![\w-])gateway/([A-Z_]+\.md)"), re.compile(r"(?<![\w-])gateway/examples/")
_BACKUP = ("backup", "ship", "drill")  # units that the package brings and does not enable
_UNITS = ("sabot-gateway.service", *(f"sabot-{name}.{kind}" for name in _BACKUP for kind in ("service", "timer")))
_FILES = {
    **{_EXAMPLES / unit: f"usr/lib/systemd/system/{unit}" for unit in _UNITS},
    _EXAMPLES / "60-sabot.rules": "usr/lib/udev/rules.d/60-sabot.rules",
    _FOLDER / "journald.conf": "usr/lib/systemd/journald.conf.d/50-sabot.conf",
    licences.PAGE: str(_DOC / licences.PAGE.name),
}


def build(folder: Path, wheel_folder: Path, version: str, epoch_s: int, packing: tuple[str, ...] = SMALL) -> Path:
    """Build the package into a folder; wheels are fetched into theirs if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    tree.fetch(wheel_folder, EXTRA)
    with TemporaryDirectory() as work:
        root, own = Path(work, "root"), Path(work, "wheel")
        own.mkdir()
        tree.own_wheel(own, epoch_s)
        packages = tree.fill(root, wheel_folder, own)
        _add_files(root, epoch_s)
        _add_lists(root, packages, wheel_folder, version, epoch_s)
        _set_modes(root)
        _add_control(root, version)
        package = folder / f"{NAME}_{version}_{architecture()}.deb"
        _pack(root, package, packing, epoch_s)
    return package


def _pack(root: Path, package: Path, packing: tuple[str, ...], epoch_s: int) -> None:
    """Write the file under another name, and give it its own when it is whole: there is a finished package or none."""
    part = package.with_name(f".{package.name}.{os.getpid()}")
    command = ["dpkg-deb", *_OPTIONS, *packing, "--build", str(root), str(part)]
    try:
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch_s)})
        part.replace(package)
    finally:
        part.unlink(missing_ok=True)


def architecture() -> str:
    """Return what dpkg calls this machine."""
    return subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout.strip()


def _add_files(root: Path, epoch_s: int) -> None:
    """Copy units, rules, documents and examples; write manual and completion; link the program."""
    for source, target in _FILES.items():
        _write(root / target, source.read_bytes())
    for name in _DOCUMENTS:
        _write(root / _DOC / name, _with_links(ROOT / "gateway" / name).encode())
    shutil.copytree(_EXAMPLES, root / _DOC / "examples")
    _write(root / _DOC / "changelog.gz", _packed((ROOT / "CHANGELOG.md").read_text()))
    pages = {"sabot.1": manual.overview(epoch_s)}
    pages |= {f"sabot-{name}.{manual.section(name)}": manual.page(name, epoch_s) for name in manual.table_pc_actions()}
    for name, text in pages.items():
        _write(root / f"usr/share/man/man{name[-1]}/{name}.gz", _packed(text))
    _write(root / "usr/share/bash-completion/completions/sabot", manual.completion().encode())
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/sabot").symlink_to(steps.PROGRAM)


def _with_links(page: Path) -> str:
    """Return a page whose links lead to what is in the package; of any other the file in a checkout is named."""

    def link(found: re.Match[str]) -> str:
        text, target = found[1], found[2].partition("#")[0]
        if not target or "://" in target or target in _DOCUMENTS or target.startswith("examples/"):
            return found[0]
        place = (page.parent / target).resolve().relative_to(ROOT)
        return text if text.strip("`") == str(place) else f"{text} (`{place}` of a checkout)"

    return "".join(map(_with_paths, _LINK.sub(link, page.read_text()).splitlines(keepends=True)))


def _with_paths(line: str) -> str:
    """Return a line that names pages and examples where the package has them; one about a checkout stays."""
    if ".venv/bin/" in line or "of a checkout" in line:
        return line
    return _PAGE.sub(r"\1", _EXAMPLE.sub(f"/{_DOC}/examples/", line))


def _add_lists(root: Path, packages: Path, wheel_folder: Path, version: str, epoch_s: int) -> None:
    """Write the SBOM and the licences of what is in the package."""
    items = inventory.all_items(packages, EXTRA, wheel_folder)
    (ours,) = (one for one in distributions(path=[str(packages)]) if normal(one.metadata["Name"]) == inventory.OURS)
    direct = inventory.needs(ours, lock.parsed(lock.path_of(EXTRA).read_text()), EXTRA)
    _write(root / _DOC / "sbom.cdx.json", sbom.document(NAME, version, items, direct, epoch_s).encode())
    _write(root / _DOC / "copyright", licences.copyright_text(packages, items).encode())


def _add_control(root: Path, version: str) -> None:
    """Write what dpkg reads: the control file, the scripts and the sums."""
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    size_kib = sum(path.stat().st_size + 1023 >> 10 for path in files)
    sums = "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n" for path in files)
    control, (major, minor) = (_FOLDER / "control").read_text(), tree.PYTHON.split(".")
    facts = {"python": tree.PYTHON, "next_python": f"{major}.{int(minor) + 1}", "libc": _libc()}
    facts |= {"version": version, "architecture": architecture(), "maintainer": _MAINTAINER, "size_kib": str(size_kib)}
    _write(root / "DEBIAN/control", control.format(**facts).encode())
    _write(root / "DEBIAN/md5sums", sums.encode())
    lines = steps.shell(steps.of_package(steps.GATEWAY))
    for name in _SCRIPTS:
        script = (_FOLDER / name).read_text().replace("{steps}", lines)
        _write(root / "DEBIAN" / name, script.encode())
        (root / "DEBIAN" / name).chmod(0o755)


def _libc() -> str:
    """Return the C library of this machine: what is compiled here may need one as new."""
    return (os.confstr("CS_GNU_LIBC_VERSION") or "glibc 2.36").split()[1]


def _set_modes(root: Path) -> None:
    """Give directories and programs 0755, and everything else 0644, whatever the umask of this machine is."""
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or (os.access(path, os.X_OK) and path.parent.name == "bin") else 0o644)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o644)


def _packed(text: str) -> bytes:
    return gzip.compress(text.encode(), 9, mtime=0)


def epoch_s() -> int:
    """Return the time of every file: SOURCE_DATE_EPOCH, or that of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    asked = ["git", "log", "-1", "--format=%ct"]
    return int(given or subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def wheels(extra: str = EXTRA) -> Path:
    """Return where the wheels of this Python and this lock are kept between builds."""
    locked = hashlib.sha256(lock.path_of(extra).read_bytes()).hexdigest()[:12]
    return ROOT / "build" / "package" / f"wheels-{tree.PYTHON}-{locked}"


def main() -> None:
    """Build the package of this checkout; a second argument is its version, unless that of pyproject.toml."""
    folder, *given = sys.argv[1:]
    version = given[0] if given else tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    print(f"building {NAME} {version} (about a minute)", file=sys.stderr)
    print(build(Path(folder), wheels(), version, epoch_s()))


if __name__ == "__main__":
    main()
