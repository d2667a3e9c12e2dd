"""`sabot shoe` as a person uses it to try a gateway: pasted config, pty and TCP, restarts of either side, mishaps."""

import json
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sabot_gateway.ledger import Reader
from sabot_protocol import recording
from sabot_sim.rigs import build
from sabot_sim.rigs.signed_image import signed_image
from support.site_watcher import contiguous, sabot
from support.try_out import TryOut

FAST = ("--speed", "100")


@pytest.fixture
def at_home(tmp_path: Path) -> Iterator[TryOut]:
    made = TryOut(tmp_path)
    yield made
    made.close()


def each_shoe_contiguous(lines: list[str]) -> bool:
    """Return True if the shoes of these lines are 1, 2 … and the coups of each are, without a gap."""
    found = [tuple(map(int, numbers)) for line in lines for numbers in re.findall(r"shoe (\d+) coup +(\d+)", line)]
    shoes = {shoe: [coup for of, coup in found if of == shoe] for shoe, _ in found}
    return len(found) == len(lines) and contiguous(list(shoes)) and all(map(contiguous, shoes.values()))


def events(site: TryOut) -> list[int]:
    """Numbers of the shoe's events in the ledger, the chain being intact."""
    with closing(Reader(site.work_dir / "ledger.db")) as ledger:
        ledger.verify_chain()
        return [entry.event_no for entry in ledger.entries() if entry.frame and entry.event_no is not None]


@pytest.mark.parametrize("line", [("--rulebook", "crown-baccarat"), ("--tcp", "0", "--rulebook", "star-rapid")])
def test_the_pasted_config_brings_the_coups_to_a_subscriber(at_home: TryOut, line: tuple[str, ...]) -> None:
    shoe = at_home.start(*FAST, "--coups", "5", *line)
    waits = re.search(r"sabot shoe: waiting for a gateway on (\S+); the shoe stays locked until", shoe.notes())
    assert waits is not None
    assert f'port = "{waits[1]}"' in shoe.config()
    at_home.gateway(shoe.config())
    at_home.until(lambda: shoe.process.poll() is not None)
    assert shoe.process.returncode == 0, shoe.notes()
    assert shoe.left() == []
    at_home.until(lambda: len(at_home.coups()) == 5)
    assert shoe.coups() == at_home.coups()
    assert contiguous(events(at_home))


@pytest.mark.parametrize("book", ["star-baccarat", "nz-baccarat"])
def test_gateway_check_finds_the_shoe_behind_the_pasted_lines(at_home: TryOut, book: str) -> None:
    shoe = at_home.start(*FAST, "--rulebook", book)
    at_home.paste(shoe.config())
    checked = sabot("gateway", "check", "--config", str(at_home.config))
    assert checked.returncode == 0, checked.stdout
    assert "shoe 5ab0000000000001, without a key" in checked.stdout


@pytest.mark.parametrize("line", [(), ("--tcp", "0")], ids=["pty", "tcp"])
def test_a_gateway_that_is_restarted_or_killed_has_every_coup_once(at_home: TryOut, line: tuple[str, ...]) -> None:
    shoe = at_home.start(*FAST, *line)
    for sessions, kill in enumerate((False, True, False), 1):
        at_home.gateway(shoe.config())
        at_home.until(lambda: shoe.notes().count("reads the log from event") >= sessions)  # noqa: B023
        at_home.more_coups(3)  # some may come from the ledger of the gateway before
        at_home.end_gateway(kill=kill)
    assert shoe.stop(signal.SIGINT) == 0
    assert shoe.left() == []
    assert len(at_home.coups()) >= 9
    assert all(one == other for one, other in zip(at_home.coups(), shoe.coups(), strict=False))
    assert each_shoe_contiguous(shoe.coups())
    assert contiguous(events(at_home))


def test_with_a_state_directory_the_log_continues_after_a_power_cut(at_home: TryOut, tmp_path: Path) -> None:
    link, state = tmp_path / "line", tmp_path / "state"
    options = (*FAST, "--pty", str(link), "--state", str(state))
    lines: list[str] = []

    def names() -> list[str]:
        return [alarm["name"] for alarm in at_home.received("alarm")]

    for restarts, number in enumerate((signal.SIGTERM, signal.SIGKILL, signal.SIGINT)):
        shoe = at_home.start(*options)
        assert f'port = "{link}"' in shoe.config()
        if number == signal.SIGTERM:
            at_home.gateway(shoe.config())
        at_home.until(lambda: len(names()) - names().count("reject") >= restarts)  # noqa: B023 - its boot is in the log
        at_home.more_coups(4)
        assert shoe.stop(number) == (-9 if number == signal.SIGKILL else 0)
        assert shoe.left() == [] or number == signal.SIGKILL
        link.unlink(missing_ok=True)  # of one that was killed it names a pty that is soon somebody else's
        lines += [line for line in shoe.coups() if line not in lines]
    assert not link.is_symlink()
    assert at_home.coups() == lines[: len(at_home.coups())]
    assert {line.split("coup")[0] for line in lines} == {"bac-01  shoe 1 "}
    assert each_shoe_contiguous(at_home.coups())
    assert contiguous(events(at_home))
    assert [name for name in names() if name != "reject"] == ["shoe_restarted"] * 2
    # One simulated draw in 1,700 has a spike on a wire just after the card; hands begin anew with each start of a shoe.
    assert {alarm["shoe_says"] for alarm in at_home.received("alarm") if alarm["name"] == "reject"} <= {"noise"}


def test_a_shoe_with_a_key_is_authenticated_and_a_capture_shows_no_key(at_home: TryOut, tmp_path: Path) -> None:
    keys, key_file, out = tmp_path / "keys", tmp_path / "key.bin", tmp_path / "line.shoe"
    unit = "5ab00000000000aa"
    assert sabot("keys", "new", unit, "--dir", str(keys), "--shoe", str(key_file)).returncode == 0
    shoe = at_home.start(*FAST, "--tcp", "0", "--unit", unit, "--key", str(key_file))
    at_home.gateway(shoe.config(), head=f'keys = "{keys}"\n')
    at_home.until(lambda: at_home.coups())
    status = at_home.status()
    assert (status["unit"], status["authenticated"]) == (unit, True)
    options = ("--seconds", "3", "--out", str(out), "--config", str(at_home.config))
    captured = sabot("table", "bac-01", "capture", *options)
    assert captured.returncode == 0, captured.stderr
    records = recording.read(recording.Reader(), [out.read_bytes()])
    held = b"".join(one.data for one in records if isinstance(one, recording.Line))
    key = key_file.read_bytes()
    assert len(key) == 32
    for secret in (key, key.hex().encode(), key[::-1]):
        assert secret not in held + out.read_bytes()
    shown = sabot("inspect", str(out), "--key", str(key_file))
    verdicts = {json.loads(line).get("authenticated") for line in shown.stdout.splitlines()}
    assert verdicts == {"unknown"}  # the HELLO of the session was before


def test_a_gateway_pushes_firmware_to_a_shoe_that_rests(at_home: TryOut, tmp_path: Path) -> None:
    """As published for real shoes: the image has no part of a bench."""
    publisher, image, state = tmp_path / "publisher", tmp_path / "shoe.img", tmp_path / "state"
    assert sabot("keys", "firmware", str(publisher)).returncode == 0
    files = build.slot_image() | {"note.py": b"# newer\n"}
    files["image.bin"] = build.image_digest(files)
    image.write_bytes(signed_image(publisher / "firmware.key", files).file_bytes())
    options = ("--speed", "400", "--rest", "3600", "--state", str(state))
    shoe = at_home.start(*options, "--firmware-key", str(publisher / "firmware.pub"))
    at_home.gateway(shoe.config(), head=f'firmware_key = "{publisher}/firmware.pub"\n')
    at_home.until(lambda: "shoe 1 is closed" in shoe.notes())
    config = ("--config", str(at_home.config))
    by = ("--by", "A. Smith", *config)
    pushed = sabot("firmware", "push", "bac-01", "--image", str(image), *by)
    assert pushed.returncode == 0, pushed.stderr + shoe.notes()
    assert files["image.bin"].hex() in sabot("firmware", "status", "bac-01", *config).stdout
    assert "sabot shoe: the shoe has restarted from slot b" in shoe.notes()
    assert shoe.stop(signal.SIGTERM) == 0
    again = at_home.start(*options, "--pty", str(tmp_path / "line-0"))  # it keeps image and key, as a real one
    at_home.until(lambda: "reads the log from event" in again.notes())
    assert files["image.bin"].hex() in sabot("firmware", "status", "bac-01", *config).stdout
    assert sabot("table", "bac-01", "open-shoe", *by).returncode == 0
    at_home.more_coups(1)
    assert again.stop(signal.SIGTERM) == 0
    assert (state / "slot").read_text() == "b="
    assert contiguous(events(at_home))


def test_mishaps_reach_the_gateway_and_the_shoe_continues(at_home: TryOut) -> None:
    shoe = at_home.start(*FAST, "--tcp", "0", "--mishaps", "--seed", "3", "--patience", "0.2", "--coups", "60")
    at_home.gateway(shoe.config())
    at_home.until(lambda: shoe.process.poll() is not None)
    assert shoe.process.returncode == 0, shoe.notes()
    at_home.until(lambda: len(at_home.coups()) >= 60)
    kinds = set(re.findall(r"mishap: (.+)", shoe.notes()))
    assert len(kinds) >= 3
    assert {alarm["name"] for alarm in at_home.received("alarm")} & {
        "reject",
        "misread_card",
        "fault_card",
        "fault_lid",
    }
    winners = [coup["winner"] for coup in at_home.received("coup") if coup["kind"] == "live" and not coup["corrects"]]
    assert len(winners) > 30


def test_an_unread_card_is_keyed_in_at_the_gateway(at_home: TryOut) -> None:
    shoe = at_home.start(*FAST, "--tcp", "0", "--mishaps", "--seed", "3", "--patience", "0")
    at_home.gateway(shoe.config())
    for _ in range(60):
        at_home.until(lambda: at_home.received("alarm") and at_home.status()["fault"] not in (None, "none"))
        fault = at_home.status()["fault"]
        unread = re.findall(r"mishap: (\w+) comes out face up", shoe.notes())
        by = ("--by", "A. Smith", "--config", str(at_home.config))
        if fault == "card" and unread:
            break
        sabot("table", "bac-01", "clear-fault", fault, *by)
    keyed = sabot("table", "bac-01", "key-card", unread[-1], *by)
    assert keyed.returncode == 0, keyed.stderr
    assert keyed.stdout.startswith(f"Done. {unread[-1]} counts as the card that was not read")
    at_home.until(lambda: f"{unread[-1]} was handled at the gateway" in shoe.notes())
    before = len(at_home.coups())
    at_home.until(lambda: len(at_home.coups()) > before or at_home.status()["fault"] not in (None, "none"))
    assert not [alarm for alarm in at_home.received("alarm") if alarm["name"] == "discrepancy"]


def test_a_second_gateway_at_the_tcp_port_is_refused(at_home: TryOut) -> None:
    shoe = at_home.start(*FAST, "--tcp", "0")
    at_home.gateway(shoe.config())
    at_home.until(lambda: at_home.coups())
    found = re.search(r"socket://127.0.0.1:(\d+)", shoe.config())
    assert found is not None
    with socket.create_connection(("127.0.0.1", int(found[1])), 20) as other:
        assert other.recv(1) == b""
    at_home.more_coups(1)
    assert "a second gateway tried to connect and was refused" in shoe.notes()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_while_it_waits(at_home: TryOut, number: int) -> None:
    shoe = at_home.start()
    at_home.until(lambda: len(shoe.left()) == 2)  # the firmware, and its directory
    assert shoe.stop(number) == 0
    assert shoe.left() == []
    assert shoe.coups() == []
    assert re.fullmatch(r"sabot shoe: waiting for a gateway on \S+/line-0; .*\n", shoe.notes())


def test_wrong_options_are_refused_with_a_sentence(at_home: TryOut, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    state = tmp_path / "state"
    at_home.start("--state", str(state), "--unit", "5AB00000000000AA")
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        for options, why in {
            ("--state", str(state)): "another shoe is running there; give each shoe its own directory",
            ("--tcp", str(port)): "Address already in use; choose another port",
            ("--tcp", "99999"): "choose another port",
            ("--pty", str(tmp_path / "there")): "a file of this name exists; choose another",
            ("--pty", "/nowhere/line"): "No such file or directory; choose a path",
            ("--decks", "9"): "decks = 9: star-baccarat allows",
            ("--rulebook", "macau"): "macau",
            ("--key", str(tmp_path / "there")): "is not a key file",
            ("--key", "/nowhere"): "/nowhere",
        }.items():
            ran = sabot("shoe", *options)
            assert (ran.returncode, ran.stdout) == (1, ""), options
            assert why in ran.stderr
            assert "Traceback" not in ran.stderr
        for wrong in (("--unit", "12"), ("--tcp", "x"), ("--tcp", "0", "--pty", "y"), ("--speed", "0")):
            assert sabot("shoe", *wrong).returncode == 2
    assert (tmp_path / "there").read_text() == "mine"
    at_home.shoes[0].stop(signal.SIGTERM)
    assert (
        "belongs to unit 5ab00000000000aa" in sabot("shoe", "--state", str(state), "--unit", "5ab0000000000001").stderr
    )
