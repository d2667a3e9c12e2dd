"""`sabot shoe --kind angel-eye` as a person uses it to try a gateway: pasted config, TCP and pty, commands, mishaps."""

import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from support.site_watcher import sabot
from support.try_out import TryOut

ANGEL_EYE = ("--kind", "angel-eye", "--speed", "100")


@pytest.fixture
def at_home(tmp_path: Path) -> Iterator[TryOut]:
    made = TryOut(tmp_path)
    yield made
    made.close()


def hands(line: str) -> str:
    """Return a line without the number of the coup: one whose link was lost counts twice for the gateway."""
    return line[line.index("Player") :]


def test_the_pasted_config_brings_every_coup_to_a_subscriber(at_home: TryOut) -> None:
    shoe = at_home.start(*ANGEL_EYE, "--coups", "5", "--bad-line", "0.05", "--interleaved")
    waits = re.search(r"sabot shoe: waiting for a gateway on (\S+); then the dealer begins", shoe.notes())
    assert waits is not None
    assert f'port = "{waits[1]}"' in shoe.config()
    at_home.gateway(shoe.config())
    at_home.until(lambda: shoe.process.poll() is not None)
    assert shoe.process.returncode == 0, shoe.notes()
    at_home.until(lambda: len(at_home.coups()) == 5)
    assert shoe.coups() == at_home.coups()
    assert {coup["status"] for coup in at_home.received("coup")} == {"verified"}


def test_a_shoe_whose_gateway_is_late_waits_with_its_end(at_home: TryOut) -> None:
    """A pty that is closed loses what nobody has read."""
    shoe = at_home.start(*ANGEL_EYE, "--coups", "4")
    at_home.gateway(shoe.config())
    at_home.until(lambda: len(at_home.coups()) >= 2)
    at_home.daemon.send_signal(signal.SIGSTOP)
    at_home.until(lambda: len(shoe.coups()) == 4)
    with suppress(subprocess.TimeoutExpired):
        shoe.process.wait(1.0)  # one that does not wait has ended by now
    at_home.daemon.send_signal(signal.SIGCONT)
    at_home.until(lambda: shoe.process.poll() is not None)
    at_home.until(lambda: len(at_home.coups()) == 4)
    assert shoe.coups() == at_home.coups()


def test_a_person_locks_and_unlocks_the_shoe_and_another_system_listens(at_home: TryOut) -> None:
    shoe = at_home.start(*ANGEL_EYE, "--tcp", "0", "--bcc", "without-stx")
    at_home.gateway(f"{shoe.config()}\ncommands = true\n")
    at_home.until(lambda: at_home.coups())
    found = re.search(r"socket://127.0.0.1:(\d+)", shoe.config())
    assert found is not None
    with socket.create_connection(("127.0.0.1", int(found[1])), 20) as other:
        assert other.recv(1)
        by = ("--by", "A. Smith", "--config", str(at_home.config))
        locked = sabot("table", "bac-01", "tell", "lock", *by)
        assert locked.returncode == 0, locked.stderr
        at_home.until(lambda: "command OPLK02: ACK" in shoe.notes())
        assert "command OPLK02: NAK 02" in shoe.notes()  # the other form of the BCC was tried first
        assert sabot("table", "bac-01", "tell", "unlock", *by).returncode == 0
        assert shoe.notes().count("NAK") == 1  # and remembered
        at_home.more_coups(2)
    assert shoe.stop(signal.SIGINT) == 0
    assert shoe.left() == []


def test_mishaps_reach_the_gateway_and_no_coup_in_doubt_is_verified(at_home: TryOut) -> None:
    shoe = at_home.start(*ANGEL_EYE, "--tcp", "0", "--mishaps", "--seed", "4", "--patience", "0.1", "--coups", "25")
    at_home.gateway(shoe.config())
    at_home.until(lambda: shoe.process.poll() is not None)
    assert shoe.process.returncode == 0, shoe.notes()
    assert len(set(re.findall(r"mishap \w+ coup 1/\d+: (.+)", shoe.notes()))) >= 3
    verified = {coup["coup"] for coup in at_home.received("coup") if coup["status"] == "verified"}
    assert len(verified) > 5
    dealt = [hands(line) for line in shoe.coups()]
    published = [hands(line) for line in at_home.coups() if "DISPUTED" not in line]
    assert set(published) <= set(dealt)
    assert {alarm["name"] for alarm in at_home.received("alarm")} >= {"shoe_error"}
