"""The audit of pinned versions against indexes of our own: what is found, what is not, and what is not offered."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import audit
import pytest

PINS = "# pins\nGood_Name==1.0\nbad==2.0.post1\n"
HTML = (
    '<a href="x#sha256=0" data-requires-python="&gt;=3">{0}-{1}.tar.gz</a> <a href="y"{2}>{0}-{1}-py3-none-any.whl</a>'
)
Pages = dict[str, tuple[str, str]]


def html(yanked: str = "") -> Pages:
    """Return an index as PEP 503 and PEP 592 describe it."""
    return {
        "/simple/good-name/": ("text/html", HTML.format("good_name", "1.0", "")),
        "/simple/bad/": (
            "text/html",
            HTML.format("bad", "2.0.post1", yanked) + HTML.format("bad", "3.0", " data-yanked"),
        ),
    }


def as_json(vulnerabilities: list[object], yanked: object) -> Pages:
    """Return an index with the JSON of PEP 691 and the JSON of each release."""
    kind, pages = "application/vnd.pypi.simple.v1+json", Pages()
    for name, version in (("good-name", "1.0"), ("bad", "2.0.post1")):
        bad = name == "bad"
        files = [{"filename": f"{name}-{version}.tar.gz", "yanked": yanked if bad else False}]
        pages[f"/simple/{name}/"] = kind, json.dumps({"files": files})
        known = json.dumps({"vulnerabilities": vulnerabilities if bad else []})
        pages[f"/pypi/{name}/{version}/json"] = "application/json", known
    return pages


@contextmanager
def serving(pages: Pages) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, text = pages.get(self.path, ("text/plain", ""))
            self.send_response(200 if text else 404)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://user:secret@127.0.0.1:{server.server_port}/simple"
        server.shutdown()


CVE: list[object] = [{"id": "PYSEC-1", "fixed_in": ["2.1"]}]
CHECKED = ["vulnerabilities: 2 of 2 pins checked", "withdrawn releases: 2 of 2 pins checked"]
NOT_OFFERED = "vulnerabilities: 0 of 2 pins checked; not offered for 2"


@pytest.mark.parametrize(
    ("pages", "status", "said"),
    [
        (as_json([], False), 0, CHECKED),
        (as_json(CVE, False), 1, ["bad==2.0.post1: vulnerable: PYSEC-1, fixed in 2.1", *CHECKED]),
        (as_json([], "broken wheel"), 1, ["bad==2.0.post1: withdrawn: broken wheel", *CHECKED]),
        (html(), 2, [NOT_OFFERED, CHECKED[1]]),
        (html(' data-yanked="why"'), 1, ["bad==2.0.post1: withdrawn: why", NOT_OFFERED, CHECKED[1]]),
        ({}, 2, [NOT_OFFERED, "withdrawn releases: 0 of 2 pins checked; not offered for 2"]),
    ],
)
def test_the_status_tells_nothing_found_from_found_and_from_not_offered(
    pages: Pages, status: int, said: list[str]
) -> None:
    with serving(pages) as root:
        found = audit.audited(root, PINS)
    assert (list(audit.lines(found)), audit.status(found)) == (said, status)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, r"https://[a-z]+\.org/simple"),
        ({"PIP_INDEX_URL": "https://mirror.example/simple/"}, r"https://mirror\.example/simple"),
    ],
)
def test_without_settings_the_index_of_pip_itself_is_asked(settings: dict[str, str], expected: str) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    ran = subprocess.run(
        [sys.executable, "-c", "import audit; print(audit.index())"],
        env={**kept, "PIP_CONFIG_FILE": os.devnull, **settings},
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.fullmatch(expected, ran.stdout.strip())


def test_every_pin_of_ours_is_read() -> None:
    text = audit.PINS.read_text()
    assert len(audit.pins(text)) == sum("==" in line for line in text.splitlines()) > 50
