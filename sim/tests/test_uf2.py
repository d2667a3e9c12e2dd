"""The image of the emulated chip: where it is searched, and downloads from servers of every kind."""

import shutil
import ssl
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import sabot_sim
import trustme
from sabot_sim.chip.uf2 import (
    HOW_TO_GET_UF2,
    RP2040_FAMILY,
    Patience,
    Uf2Error,
    cache_dir,
    fetch,
    find_uf2,
    payload,
    version_in,
)
from sabot_sim.rigs.rig import BenchError

RP2350_FAMILY = 0xE48BFF59
NAME = "RPI_PICO-20250415-v1.25.0.uf2"
HASTY = Patience(silence_s=5.0, whole_s=60.0, pauses_s=(0.0, 0.0))
DEAF = Patience(silence_s=0.2, whole_s=60.0, pauses_s=(0.0,))


def uf2(text: bytes, family: int = RP2040_FAMILY) -> bytes:
    """Return a UF2 file as https://github.com/microsoft/uf2 describes it, 256 bytes a block."""
    parts = [text[at : at + 256].ljust(256, b"\0") for at in range(0, len(text), 256)]
    heads = (
        struct.pack("<8I", 0x0A324655, 0x9E5D5157, 0x2000, 0x10000000 + 256 * i, 256, i, len(parts), family)
        for i in range(len(parts))
    )
    return b"".join(
        head + part + bytes(220) + struct.pack("<I", 0x0AB16F30) for head, part in zip(heads, parts, strict=True)
    )


GOOD = uf2(bytes(250) + b"3.4.0; MicroPython v1.25.0 on 2025-04-15" + bytes(900))  # its version lies in two blocks


class Handler(BaseHTTPRequestHandler):
    """Answers by path; `requests` lists the paths."""

    requests: list[str]
    ended: threading.Event
    leads_to = ""

    def log_message(self, *args: object) -> None:
        """Be quiet."""

    def do_GET(self) -> None:
        """What the path says."""
        self.requests.append(self.path)
        kind = self.path.split("/")[1]
        answers = {
            "good": GOOD,
            "truncated": GOOD[:-100],
            "blocks": GOOD[:-512],
            "family": uf2(b"MicroPython v1.25.0 on 2025-04-15", RP2350_FAMILY),
            "version": uf2(b"MicroPython v1.24.1 on 2024-11-29"),
            "other": uf2(b"CircuitPython 9"),
            "page": b"<html>" + bytes(506),
        }
        if kind == "late":
            kind = "good" if len(self.requests) > 2 else "broken"
        if kind in answers:
            self._answer(200, answers[kind])
        elif kind == "endless":
            self._endless()
        elif kind == "silent":
            self.ended.wait()
        elif kind == "half":
            self._half()
        elif kind == "elsewhere":
            self._answer(302, b"")
        else:
            self._answer(503 if kind == "broken" else 404, b"")

    def _answer(self, status: int, data: bytes, size: int | None = None) -> None:
        self.send_response(status)
        if status == 302:
            self.send_header("Location", f"{self.leads_to}/good/{NAME}")
        self.send_header("Content-Length", str(len(data) if size is None else size))
        self.end_headers()
        self.wfile.write(data)

    def _half(self) -> None:
        """Stops in the middle, and stays."""
        self._answer(200, GOOD[:700], len(GOOD))
        self.ended.wait()

    def _endless(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while not self.ended.is_set():
                self.wfile.write(GOOD)
        except OSError:  # the client has closed the connection
            pass


@contextmanager
def serving(context: ssl.SSLContext | None = None, leads_to: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a server, and the list of paths requested from it."""
    requests, ended = list[str](), threading.Event()
    handler = type("Own", (Handler,), {"requests": requests, "ended": ended, "leads_to": leads_to})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"{'https' if context else 'http'}://localhost:{server.server_port}", requests
    finally:
        ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    with serving() as found:
        yield found


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own."""
    monkeypatch.delenv("SABOT_UF2", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "sabot"


# Looked for


def test_the_image_is_searched_in_the_documented_places(
    alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = alone / "RPI_PICO-1.uf2"
    cached.parent.mkdir(parents=True)
    cached.touch()
    assert find_uf2() == cached
    other = tmp_path / "other.uf2"
    other.touch()
    monkeypatch.setenv("SABOT_UF2", str(other))
    assert find_uf2() == other
    assert find_uf2(str(cached)) == cached
    with pytest.raises(BenchError, match="nowhere"):
        find_uf2("nowhere.uf2")


@pytest.mark.parametrize("unset", ["", "relative/path"])
def test_without_a_folder_for_caches_it_is_the_usual_one(unset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", unset)
    monkeypatch.setenv("HOME", "/home/a")
    assert cache_dir() == Path("/home/a/.cache/sabot")


# Checked


def test_a_good_image() -> None:
    assert payload(GOOD).startswith(bytes(250) + b"3.4.0; MicroPython")
    assert version_in(GOOD) == "v1.25.0"


def test_every_damaged_header_is_found() -> None:
    for at in (*range(32), *range(508, 512)):
        if at in range(8, 20):  # flags that mean nothing here, the address, the size of the payload
            continue
        with pytest.raises(Uf2Error):
            payload(GOOD[:at] + bytes([GOOD[at] ^ 0x40]) + GOOD[at + 1 :])


# Fetched


def test_a_download_is_whole_and_under_its_name(server: tuple[str, list[str]], tmp_path: Path) -> None:
    folder = tmp_path / "new" / "cache"
    path = fetch(f"{server[0]}/good/{NAME}", folder, HASTY)
    assert (path, path.read_bytes()) == (folder / NAME, GOOD)
    assert list(folder.iterdir()) == [path]
    assert len(server[1]) == 1


@pytest.mark.parametrize(
    ("kind", "tries", "says"),
    [
        ("missing", 1, "Not Found"),
        ("broken", 3, "Service Unavailable"),
        ("truncated", 3, r"2460 bytes are not whole blocks of 512: the file is truncated or not UF2"),
        ("blocks", 3, r"block 0 of 4 is numbered 0 of 5: the file is truncated"),
        ("page", 3, "block 0 is not UF2"),
        ("endless", 3, "more than 4194304 bytes: this is not an image of a Pico"),
        ("family", 3, "block 0 is for the family 0xe48bff59; the RP2040 is 0xe48bff56"),
        ("version", 1, r"it is MicroPython v1\.24\.1, not v1\.25\.0"),
        ("other", 1, "it contains no MicroPython"),
    ],
)
def test_what_is_no_image_is_refused_and_nothing_stays(
    server: tuple[str, list[str]], tmp_path: Path, kind: str, tries: int, says: str
) -> None:
    with pytest.raises(Uf2Error, match=rf"^http://localhost:\d+/{kind}/{NAME}: .*{says}"):
        fetch(f"{server[0]}/{kind}/{NAME}", tmp_path, HASTY)
    assert list(tmp_path.iterdir()) == []
    assert len(server[1]) == tries


@pytest.mark.parametrize("kind", ["silent", "half"])
def test_a_server_that_falls_silent_is_left(server: tuple[str, list[str]], tmp_path: Path, kind: str) -> None:
    with pytest.raises(Uf2Error, match="timed out"):
        fetch(f"{server[0]}/{kind}/{NAME}", tmp_path, DEAF)
    assert list(tmp_path.iterdir()) == []
    assert len(server[1]) == 2


def test_an_endless_trickle_has_an_end(server: tuple[str, list[str]], tmp_path: Path) -> None:
    with pytest.raises(Uf2Error, match="bytes in 0 s, and not complete"):
        fetch(f"{server[0]}/endless/{NAME}", tmp_path, Patience(5.0, 0.0, ()))


def test_a_server_that_recovers(server: tuple[str, list[str]], tmp_path: Path) -> None:
    assert fetch(f"{server[0]}/late/{NAME}", tmp_path, HASTY).read_bytes() == GOOD
    assert len(server[1]) == 3


def test_nobody_there(tmp_path: Path) -> None:
    with serving() as (url, _):
        pass
    with pytest.raises(Uf2Error, match="Connection refused"):
        fetch(f"{url}/good/{NAME}", tmp_path, HASTY)


# HTTPS


@pytest.fixture
def trusted() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Of a server, and of a client that trusts it."""
    authority = trustme.CA()
    of_server, of_client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    authority.issue_cert("localhost").configure_cert(of_server)
    authority.configure_trust(of_client)
    return of_server, of_client


def test_over_https(trusted: tuple[ssl.SSLContext, ssl.SSLContext], tmp_path: Path) -> None:
    with serving(trusted[0]) as (url, requests):
        assert fetch(f"{url}/good/{NAME}", tmp_path, HASTY, trusted[1]).read_bytes() == GOOD
        with pytest.raises(Uf2Error, match="certificate verify failed"):
            fetch(f"{url}/good/{NAME}", tmp_path, HASTY)
        assert len(requests) == 1


def test_https_is_not_redirected_to_http(trusted: tuple[ssl.SSLContext, ssl.SSLContext], tmp_path: Path) -> None:
    with (
        serving() as (plain, _),
        serving(trusted[0], plain) as (url, _),
        pytest.raises(Uf2Error, match=r"it redirects to http://localhost:.*, which is not HTTPS"),
    ):
        fetch(f"{url}/elsewhere/{NAME}", tmp_path, HASTY, trusted[1])


# Said


def run_main(*args: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "sabot_sim.chip.uf2", *args], capture_output=True, text=True, check=False
    )


def test_a_new_machine_downloads_once(
    server: tuple[str, list[str]], alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    shutil.copytree(Path(sabot_sim.__file__).parent, project / "sim" / "sabot_sim")
    monkeypatch.setenv("PYTHONPATH", str(project / "sim"))  # there is no image beside it
    url, digest = f"{server[0]}/good/{NAME}", sha256(GOOD).hexdigest()
    used = f"emulated RP2040: MicroPython v1.25.0, {alone / NAME}, SHA-256 {digest}\n"
    assert run_main(url).stdout == f"no MicroPython image found: downloading {url}\n{used}"
    assert run_main(url).stdout == used
    assert len(server[1]) == 1
    (alone / NAME).unlink()
    ran = run_main(f"{server[0]}/missing/{NAME}")
    assert ran.returncode == 0, "the tests run without it"
    assert ran.stderr == f"{server[0]}/missing/{NAME}: Not Found\n{HOW_TO_GET_UF2}\n"


def test_which_image_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = tmp_path / NAME
    image.write_bytes(GOOD)
    monkeypatch.setenv("SABOT_UF2", str(image))
    ran = run_main()
    assert ran.stdout == f"emulated RP2040: MicroPython v1.25.0, {image}, SHA-256 {sha256(GOOD).hexdigest()}\n"
    assert ran.returncode == 0


def test_a_named_image_that_is_none_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = tmp_path / NAME
    image.write_bytes(GOOD[:-1])
    monkeypatch.setenv("SABOT_UF2", str(image))
    ran = run_main()
    assert ran.returncode == 1
    assert ran.stderr.startswith(f"{image}: 2559 bytes are not whole blocks")
    monkeypatch.setenv("SABOT_UF2", str(tmp_path / "nowhere"))
    assert run_main().returncode == 1
