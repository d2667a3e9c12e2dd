"""No password, PIN, badge or key is in a log, an error, a status, a store, a command line or an environment."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import structlog
from sabot_floor.web.accounts import LogInBody
from sabot_service.daemons import FLOOR, GATEWAY
from sabot_service.logs import configure_logging
from support.secret_site import PLAIN, SecretSite, forms


@contextmanager
def running(folder: Path) -> Iterator[SecretSite]:
    site = SecretSite(folder)
    site.start_broker()
    site.start("gateway")
    site.start("floor")
    try:
        site.wait(lambda: site.ask(GATEWAY, "status") and site.ask(FLOOR, "status"))
        yield site
    finally:
        site.children.stop()


def people_log_in(site: SecretSite) -> None:
    """Right, wrong, too simple and malformed secrets at the socket and at the pages."""
    site.ask(FLOOR, "user-add", person="vera", name="Vera")
    site.ask(FLOOR, "user-role", person="vera", rulebook="crown-baccarat", role="tg_area_manager")
    for secret in (PLAIN["simple PIN"], PLAIN["password"], PLAIN["PIN"]):
        site.ask(FLOOR, "user-pin", person="vera", secret=secret)
    site.ask(FLOOR, "user-badge", person="vera", code=PLAIN["badge"])
    for person, secret in (("vera", PLAIN["PIN"]), ("vera", PLAIN["other PIN"]), ("badge", PLAIN["badge"])):
        login = {"person": person, "secret": secret}
        site.ask(FLOOR, "confirm", jackpot="lucky-tie", win="w", login=login)
        site.ask(FLOOR, "confirm", jackpot="lucky-tie", win=1, login=login)
        site.ask(FLOOR, "table", table="bac-01", command="void", login=login, args={"x": 1})
        site.ask(FLOOR, "no-such-verb", login=login)
        site.post("/login", json.dumps(login).encode())
        site.post("/login", json.dumps({**login, "kind": secret, "more": [secret]}).encode())
        site.post("/login", json.dumps(login).encode()[:-2])
        site.post("/act", json.dumps({"do": "table", "second": login, "table": secret}).encode())
    site.ask(FLOOR, "user-pin", person="vera", secret=[PLAIN["other PIN"]])
    for old, new in ((PLAIN["PIN"], PLAIN["simple PIN"]), (PLAIN["PIN"], PLAIN["other PIN"])):
        site.ask(FLOOR, "user-own-pin", login={"person": "vera", "secret": old}, secret=new)
        site.post("/pin", json.dumps({"secret": old, "new": new}).encode())


def files_go_wrong(site: SecretSite) -> None:
    """Secrets that others can read, that are damaged, or that are wrong."""
    site.hide("jackpot.key", PLAIN["broker password"])
    os.kill(site.children.pid("gateway"), signal.SIGHUP)
    site.wait(lambda: "jackpot_key" in site.log("gateway"))
    site.hide("jackpot.key", site.keys["jackpot key"], 0o644)
    os.kill(site.children.pid("gateway"), signal.SIGHUP)
    site.wait(lambda: "others than its owner can use it" in site.log("gateway"))
    for name in ("gateway", "floor"):
        site.hide(f"{name}.password", f"{PLAIN['broker password']}\nmore")
    site.children.kill("broker")
    site.wait(lambda: all("in one line" in site.ask(one, "status") for one in (GATEWAY, FLOOR)))


def test_no_secret_is_in_anything_that_the_daemons_write(tmp_path: Path) -> None:
    with running(tmp_path) as site:
        site.wait(lambda: "refuses user floor" in site.ask(FLOOR, "status"))
        site.hide("floor.password", PLAIN["broker password"])
        site.wait(lambda: '"connected":true' in site.ask(FLOOR, "status"))
        people_log_in(site)
        site.shoe_with_wrong_key()
        files_go_wrong(site)
        assert site.found() == []
        assert len(list(site.written())) > 50
        aborted = site.children.pid("floor")
        os.kill(aborted, signal.SIGABRT)  # as a crash of a library: Python writes where every thread is
        site.wait(lambda: "Fatal Python error: Aborted" in site.log("floor"))
        assert [one for one in forms(PLAIN["PIN"]) if one in site.log("floor").encode()] == []


def test_the_search_finds_a_secret_in_every_form(tmp_path: Path) -> None:
    key = "0a" * 32
    texts = [key, key.upper(), "CgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgo=", repr(bytes.fromhex(key))]
    for text in texts:
        assert any(form in text.encode() for form in forms(key)), text
    assert any(form in b"%C3%A4b%20c" for form in forms("äb c"))


CONFIGS = {
    "gateway": [
        'broker = "mqtt://u:{}@h"',
        'broker = "u:{}@h"',
        'broker = "mqtt:u:{}@h:1"',
        'broker = "http://u:{}@h/x"',
    ],
    "floor": [
        'broker = "mqtt://h"\nstore = "postgresql://u:{}@127.0.0.1:1/d"',
        'broker = "mqtt://h"\nstore = "postgresql://u:{}\\u0007@127.0.0.1:1/d"',
        'broker = "mqtt://h"\nstore = "postgresql://u:a/{}@127.0.0.1:x/d"',
        'broker = "mqtt://h"\nstore = "mysql://u:{}@127.0.0.1/d"',
    ],
}


@pytest.mark.parametrize(("daemon", "lines"), [(name, one) for name, some in CONFIGS.items() for one in some])
def test_a_password_in_an_address_is_in_no_error(tmp_path: Path, daemon: str, lines: str) -> None:
    secret = "Marker-Url-4417"
    config = tmp_path / "it.toml"
    table = '[[table]]\nname = "bac-01"\nport = "socket://127.0.0.1:1"\nrulebook = "star-baccarat"\n'
    more = f'ledger = "ledger.db"\n{table}' if daemon == "gateway" else ""
    config.write_text(f'site = "sydney"\n{lines.format(secret)}\n{more}')
    command = [sys.executable, "-m", "sabot_tools", daemon, "check", "--config", str(config)]
    ended = subprocess.run(command, capture_output=True, check=False)
    assert ended.returncode != 0
    assert secret.encode() not in ended.stdout + ended.stderr


def fail_with(secret: str) -> None:
    kept = secret.upper()
    raise RuntimeError(f"no room for {len(kept)} bytes")


def test_a_traceback_in_the_log_has_no_values_of_variables(capfd: pytest.CaptureFixture[str]) -> None:
    before = structlog.get_config()
    try:
        configure_logging()
        try:
            fail_with("marker-local-91")
        except RuntimeError:
            structlog.get_logger().exception("internal error")
    finally:
        structlog.configure(**before)
    written = capfd.readouterr().err
    assert "no room for 15 bytes" in written
    assert "marker" not in written.lower().replace('fail_with("marker-local-91")', "")


def test_a_log_in_does_not_show_its_secret() -> None:
    assert "730155" not in repr(LogInBody("vera", "730155"))
