"""A clean root: an empty Debian in a folder, booted with its own systemd and without a network."""

import os
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest
from support.patience import PATIENCE_S

SUITE = "bookworm"
INCLUDE = "python3,systemd,systemd-sysv,udev,dbus,sudo"
# Fetched, not installed: the machine has no network once it runs.
LATER = "mosquitto python3-venv"
BOOT = r"""
set -e
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs tmpfs sys/fs/cgroup
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  umount sys/fs/cgroup
  mount -t cgroup2 cgroup2 sys/fs/cgroup
else
  mkdir sys/fs/cgroup/systemd sys/fs/cgroup/devices
  mount -t cgroup -o none,name=systemd,xattr cgroup sys/fs/cgroup/systemd
  mount -t cgroup -o devices cgroup sys/fs/cgroup/devices
fi
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/pts dev/shm
for one in null zero full random urandom tty; do touch dev/$one; mount --bind /dev/$one dev/$one; done
mount --bind /dev/pts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ip link set lo up
exec chroot "$root" env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  /lib/systemd/systemd --unit=multi-user.target --log-target=null --show-status=no
"""


def made(folder: Path) -> Path:
    """Make the root with mmdebstrap, or copy the one of SABOT_CLEAN_ROOT; skip the test where that cannot be done."""
    if os.geteuid():
        pytest.skip("needs root: it boots a Debian of its own in a folder")
    missing = [name for name in ("mmdebstrap", "unshare", "nsenter", "ip") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    if "SABOT_CLEAN_ROOT" in os.environ:
        return _named(copied(Path(os.environ["SABOT_CLEAN_ROOT"]), folder))
    fetch = f'--customize-hook=chroot "$1" apt-get -qq install --download-only --no-install-recommends -y {LATER}'
    options = ["--quiet", "--variant=apt", f"--include={INCLUDE}", "--skip=cleanup/apt", fetch, SUITE]
    ran = subprocess.run(["mmdebstrap", *options, folder], capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.skip(f"no clean root: {ran.stderr[-500:]}")
    return _named(folder)


def _named(folder: Path) -> Path:
    """Give the machine the files that Debian's installer writes; and have apt install only what was fetched."""
    (folder / "etc/hostname").write_text("table-pc\n")
    (folder / "etc/hosts").write_text("127.0.0.1 localhost table-pc\n")
    (folder / "etc/apt/apt.conf.d/50lean").write_text('APT::Install-Recommends "false";\n')
    return folder


def copied(root: Path, folder: Path) -> Path:
    """Copy a root that no machine runs on."""
    subprocess.run(["cp", "--archive", root, folder], check=True)
    return folder


class Machine:
    """A booted root."""

    def __init__(self, root: Path) -> None:
        self.root = root
        spaces = ["--mount", "--pid", "--cgroup", "--uts", "--ipc", "--net", "--fork", "--kill-child"]
        command = ["unshare", *spaces, "sh", "-c", BOOT, "sh", str(root)]
        self._boot = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        self.wait_for("systemctl is-system-running", "running")
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._boot.kill()
        self._boot.wait()

    def pid(self) -> int:
        """Return the pid of its systemd."""
        children = Path(f"/proc/{self._boot.pid}/task/{self._boot.pid}/children").read_text().split()
        assert children, f"the root did not boot: {self._boot.communicate(timeout=5)[1]}"
        return int(children[0])

    def ask(self, script: str) -> "subprocess.CompletedProcess[str]":
        """Run a script as its root, in the folder /root."""
        inside = ["nsenter", "--target", str(self.pid()), "--all", "--root", "--wdns=/root"]
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        command = [*inside, "bash", "-e", "-o", "pipefail", "-c", script]
        return subprocess.run(
            command, env=environment, cwd="/", capture_output=True, text=True, check=False, timeout=300
        )

    def run(self, script: str) -> str:
        """Return what a script writes; the test fails if the script does."""
        ran = self.ask(script)
        assert ran.returncode == 0, f"{script}\n{ran.stdout}{ran.stderr}"
        return ran.stdout + ran.stderr

    def wait_for(self, script: str, expected: str) -> str:
        """Ask until the answer has the expected text; fail with the last answer."""
        deadline, answer = time.monotonic() + PATIENCE_S, ""
        while time.monotonic() < deadline:
            ran = self.ask(script) if self._booting() else None
            answer = ran.stdout + ran.stderr if ran else "no systemd yet"
            if expected in answer:
                return answer
            time.sleep(0.2)
        raise AssertionError(f"{script}: no {expected!r} in {answer}")

    def _booting(self) -> bool:
        """Return whether its first process is systemd already."""
        assert self._boot.poll() is None, self._boot.communicate()[1]
        children = Path(f"/proc/{self._boot.pid}/task/{self._boot.pid}/children").read_text().split()
        return bool(children) and Path(f"/proc/{children[0]}/comm").read_text() == "systemd\n"
