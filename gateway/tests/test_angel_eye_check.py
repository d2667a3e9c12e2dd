"""`sabot gateway check` of a table with an Angel Eye: what is set, what needs our own shoe, what comes on its port."""

import socket
import threading
from pathlib import Path

import pytest
from sabot_gateway import config as configs
from sabot_gateway.config import Config, Table
from sabot_gateway.ops import angel_eye, check
from sabot_gateway.ops.probe import port_facts
from sabot_protocol.angel_eye import build
from support.patience import PATIENCE_S

CARD = build.card("1", "player", 1, "8S")


def eye(port: str = "/dev/ttyUSB0", **more: object) -> Table:
    fields: dict[str, object] = {"name": "bac-01", "port": port, "rulebook": "star-baccarat", "driver": "angel-eye"}
    return Table(**{**fields, **more})  # type: ignore[arg-type]


def test_what_is_set_and_what_needs_our_own_shoe() -> None:
    plays, settings, resent, own_shoe = check.table_facts(eye(shoe={"dealing": "face_up"}))
    assert (plays.status, settings.status, resent.status, own_shoe.status) == ("ok", "ok", "ok", "warning")
    assert settings.says == (
        "Angel Eye at 4800 baud, 8 data bits, no parity, 1 stop bit; read only (commands = false); the shoe's result "
        "confirms a coup that agrees with it"
    )
    assert resent.says == "a card that is sent again after an overdraw is kept for the next coup"
    for missing in ("draw order", "journal", "key", "authenticated", "sensors", "deck check", "handed over"):
        assert missing in own_shoe.says
    assert "never tried on hardware" in own_shoe.says


def test_what_is_set_otherwise() -> None:
    table = eye("socket://10.0.0.7:4001", baud=9600, commands=True, confirm="dealer", resent_card="ignore")
    _, settings, resent, speed, _ = check.table_facts(table)
    assert (
        "at 9600 baud, 8 data bits, no parity, 1 stop bit, which is set at the converter; people may" in settings.says
    )
    assert "a person confirms each coup" in settings.says
    assert resent.says == "a card that is sent again changes nothing"
    assert (speed.status, speed.says) == ("warning", "baud = 9600: the usual speed of an Angel Eye is 4800")


def test_a_book_in_which_the_dealer_confirms_wants_the_setting_for_it() -> None:
    warned = [fact.says for fact in check.table_facts(eye(rulebook="star-rapid")) if "confirm =" in fact.says]
    assert len(warned) == 1
    assert "star-rapid settles no coup before the dealer has confirmed it (7.7.4.9, 7.7.4.10, 8.1)" in warned[0]
    assert not [
        fact for fact in check.table_facts(eye(rulebook="star-rapid", confirm="dealer")) if "confirm =" in fact.says
    ]


@pytest.mark.parametrize(
    ("book", "clause"),
    [("star-baccarat", "12.12"), ("star-premium", "5.5"), ("nz-baccarat", "5.14, 12.10"), ("crown-baccarat", "10.9")],
)
def test_a_result_that_displays_show_before_the_cards_are_turned_is_refused(book: str, clause: str) -> None:
    wagers = ("player", "banker", "tie")
    for refused in ({}, {"confirm": "result"}, {"shoe": {"dealing": "face_down"}}):
        (problem,) = configs.table_problems(eye(rulebook=book, wagers=wagers, **refused))
        assert 'confirm = "result" shows cards and result as soon as the shoe sends them' in problem
        assert f"that would expose them ({clause})" in problem
    for other in ({"confirm": "dealer"}, {"shoe": {"dealing": "face_up"}}):
        assert configs.table_problems(eye(rulebook=book, wagers=wagers, **other)) == []
        facts = check.table_facts(eye(rulebook=book, wagers=wagers, **other))
        assert [fact.status for fact in facts] == ["ok", "ok", "ok", "warning"]


def test_our_own_shoe_has_no_such_facts() -> None:
    assert len(list(check.table_facts(Table("bac-01", "/dev/ttyACM0", "star-baccarat")))) == 1


def found(data: bytes) -> tuple[str, str]:
    line = angel_eye.LineCheck()
    line.take(data, 1.0)
    return line.found("/dev/ttyUSB0", 3.0)


def test_silence_is_normal_and_bytes_without_a_frame_are_not() -> None:
    status, says = found(b"")
    assert (status, "Nothing came in 3 seconds, which is normal while no card is drawn" in says) == ("ok", True)
    status, says = found(b"\xf8\x00\x87")
    assert (status, "no frame of an Angel Eye: check the speed (4800 is usual)" in says) == ("wrong", True)


def test_a_line_with_7_data_bits_is_wrong_though_frames_without_data_pass() -> None:
    status, says = found(bytes(byte & 0x7F for byte in build.frame("1", "P") + CARD))
    assert (status, "set to 7 data bits" in says) == ("wrong", True)


def test_frames_that_7_data_bits_pass_prove_nothing() -> None:
    status, says = found(build.frame("1", "P") * 3)
    assert (status, "frames of an Angel Eye: 3; none of them was a card or a result" in says) == ("warning", True)


def test_damaged_frames_are_counted() -> None:
    status, says = found(CARD + CARD.replace(b"\x44", b"\x45") + CARD)
    assert (status, "frames of an Angel Eye: 2, damaged: 1; check the cable" in says) == ("warning", True)


def test_the_port_is_listened_to_and_nothing_is_sent(tmp_path: Path) -> None:
    received = list[bytes]()

    def converter() -> None:
        line, _ = server.accept()
        with line:
            line.sendall(CARD * 3)
            received.append(line.recv(1))  # empty when the probe has gone

    with socket.create_server(("127.0.0.1", 0)) as server:
        shoe = threading.Thread(target=converter)
        shoe.start()
        table = eye(f"socket://127.0.0.1:{server.getsockname()[1]}")
        config = Config("test", str(tmp_path / "ledger.db"), "mqtt://127.0.0.1:9", (table,))
        (fact,) = port_facts(config, lambda unit: 0, bytes(8), lambda unit: [])
        shoe.join(PATIENCE_S)
    assert (fact.status, fact.says) == ("ok", f"{table.port}: frames of an Angel Eye: 3")
    assert received == [b""]


def test_a_converter_that_allows_no_more_clients_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        full = threading.Thread(target=lambda: server.accept()[0].close())
        full.start()
        table = eye(f"socket://127.0.0.1:{server.getsockname()[1]}")
        config = Config("test", str(tmp_path / "ledger.db"), "mqtt://127.0.0.1:9", (table,))
        (fact,) = port_facts(config, lambda unit: 0, bytes(8), lambda unit: [])
        full.join(PATIENCE_S)
    assert (fact.status, fact.says.endswith("check its power, and how many clients it allows")) == ("wrong", True)
