"""sabot angel-eye: an answer for each line and for a session, in the form of the test data; bad lines named."""

import json
from pathlib import Path
from typing import Any

import pytest
from sabot_tools.actions.angel_eye import app
from typer.testing import CliRunner

FOLDER = Path(__file__).parents[2] / "protocol" / "vectors" / "angel_eye"
VECTORS = FOLDER / "vectors.jsonl"
CARD = {"seq": "1", "t": "D", "name": "card", "target": "player", "card": "8S", "index": 1}
NOTHING = {
    "messages": [],
    "repeats": 0,
    "rejected": {},
    "coups": [],
    "final": {"shoe": 1, "shoe_ending": False, "locked": None, "error": None},
}
CARD_HEX = "05 31 44 81 B8 03 34 46"


def run_decode(*lines: str) -> Any:
    return CliRunner().invoke(app, ["decode"], input="".join(f"{line}\n" for line in lines))


def ask(*lines: str) -> tuple[list[Any], int]:
    """Return the answers to some lines, and the exit status."""
    ran = run_decode(*lines)
    return [json.loads(line) for line in ran.stdout.splitlines()], ran.exit_code


def test_every_vector_from_a_file() -> None:
    ran = CliRunner().invoke(app, ["decode", str(VECTORS)])
    answers = {answer["id"]: answer for answer in map(json.loads, ran.stdout.splitlines())}
    vectors = [
        vector for line in VECTORS.read_text().splitlines() if (vector := json.loads(line))["dir"] == "from_shoe"
    ]
    assert ran.exit_code == 0
    assert len(vectors) > 90
    for vector in vectors:
        answer, expected = answers[vector["id"]], vector["expect"]
        assert answer["final"] == answer["final"] | expected.pop("final", {})
        assert answer == answer | expected


def test_commands_of_the_vectors_come_out_in_parts() -> None:
    vectors = [vector for line in VECTORS.read_text().splitlines() if (vector := json.loads(line))["dir"] == "to_shoe"]
    answers, status = ask(*map(json.dumps, vectors))
    assert (status, len(answers)) == (0, 6)
    for answer, vector in zip(answers, vectors, strict=True):
        assert answer == NOTHING | {"id": vector["id"], "fields": vector["fields"], **vector["expect"]}


@pytest.mark.parametrize(
    ("command", "text", "with_stx", "without_stx"),
    [
        ("LK01", "4F 50 4C 4B 30 31", "31 38", "31 41"),
        ("LK02", "4F 50 4C 4B 30 32", "31 42", "31 39"),
        ("EC00", "4F 50 45 43 30 30", "31 38", "31 41"),
        ("EC01", "4F 50 45 43 30 31", "31 39", "31 42"),
        ("EC02", "4F 50 45 43 30 32", "31 41", "31 38"),
        ("GP00", "4F 50 47 50 30 30", "30 39", "30 42"),
    ],
)
def test_every_command_in_both_forms_of_its_bcc(command: str, text: str, with_stx: str, without_stx: str) -> None:
    answers, status = ask(
        f'{{"dir": "to_shoe", "hex": "02 {text} 03 {with_stx}"}}',
        f'{{"kind": "command", "chunks": ["02", "{text}", "03{without_stx}"]}}',
        f'{{"kind": "command", "dir": "from_shoe", "hex": "02 {text} 03 {with_stx}"}}',
    )
    fields = {"op": "OP", "type": command[:2], "data": command[2:]}
    assert [answer.get("fields") for answer in answers] == [
        fields | {"bcc": "with_stx"},
        fields | {"bcc": "without_stx"},
        None,
    ]
    assert answers[2]["messages"] == [{"t": "STX", "name": "reply", "text": f"OP{command}", "bcc": "with_stx"}]
    assert status == 0


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (
            "02 4F 50 4C 4B 30 31 03 30 30",
            "command 'OPLK01': BCC is '00'; its bytes give '1A' without STX, '18' with it",
        ),
        ("02 4F 50 4C 4B 30 33 03 31 38", "command 'OPLK03': no such command; there are OPLK01, OPLK02, OPEC00"),
        ("02 58 50 4C 4B 30 31 03 30 44", "command 'XPLK01': no such command; there are OPLK01, OPLK02, OPEC00"),
        ("02 4F 50", "0 whole commands in these bytes; give one: STX, OP, type, data, ETX, BCC"),
        ("02 4F 50 4C 4B 30 31 03 31 41" * 2, "2 whole commands in these bytes; give one: STX, OP"),
    ],
)
def test_a_command_that_no_shoe_takes_is_an_error(sent: str, error: str) -> None:
    ((answer,), status) = ask(f'{{"id": 3, "dir": "to_shoe", "hex": "{sent}"}}')
    assert (answer["id"], status) == (3, 1)
    assert answer["error"].startswith(f"line 1: {error}")


def test_each_line_is_a_connection_of_its_own() -> None:
    answers, status = ask(f'{{"id": 1, "hex": "{CARD_HEX} 05 31"}}', f'{{"id": 2, "hex": "{CARD_HEX}"}}')
    assert status == 0
    assert [(answer["id"], answer["messages"], answer["repeats"]) for answer in answers] == [
        (1, [CARD], 0),
        (2, [CARD], 0),
    ]


def test_segments_without_times_come_at_the_same_time() -> None:
    ((answer,), _) = ask('{"id": "s", "chunks": ["05 31 44", "81B8", "03 34 46 05"]}')
    assert answer["messages"] == [CARD]


@pytest.mark.parametrize("between", [" ", "", ",", ", ", ":", "-", ";", "\t"])
def test_hex_as_monitors_show_it(between: str) -> None:
    pairs = CARD_HEX.split()
    for line in (between.join(pairs), between.join(pairs).lower(), between.join(f"0x{pair}" for pair in pairs)):
        ((answer,), status) = ask(json.dumps({"hex": line}))
        assert (answer["messages"], status) == ([CARD], 0)


@pytest.mark.parametrize(
    ("sent", "note"),
    [
        ("05 31 44 81", "half a frame at the end: 05 31 44 81"),
        (f"05 31 44 {CARD_HEX}", "frames that were begun and not ended: 1"),
        (f"05{' 41' * 40} {CARD_HEX}", "frames without an end: 1"),
        ("31 44", "no frame in these bytes: a frame begins with 05, an answer is 06 or 15 and a code"),
        (CARD_HEX, ""),
        ("06", ""),
        ("05 31 44 81 B8 03 34 47", ""),
        ("", ""),
    ],
)
def test_bytes_that_are_no_whole_frame_are_reported_beside_the_answer(sent: str, note: str) -> None:
    ran = run_decode(f'{{"id": "a", "hex": "{sent}"}}')
    assert ran.stderr == (f'sabot angel-eye decode: id "a": {note}\n' if note else "")
    assert json.loads(ran.stdout).keys() == {"id", *NOTHING}


def test_the_help_shows_each_command_in_a_whole_sentence() -> None:
    assert "..." not in CliRunner().invoke(app, ["--help"]).stdout.partition("Commands:")[2]


def test_times_count() -> None:
    ((answer,), _) = ask('{"id": "s", "chunks": ["05 31 44", "81 B8 03 34 46"], "at": [3, 3.6]}')
    assert answer["messages"] == []


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", "line 2: the line is empty: expected one JSON object per line"),
        ("nonsense", "line 2: JSON is malformed"),
        ('{"id": 0}', "line 2: no bytes: give hex, or chunks with the hex of each segment"),
        ('{"id": 0, "hex": "0G"}', "line 2: hex: not a pair of hex digits at character 1"),
        ('{"id": 0, "hex": "05 31 4"}', "line 2: hex: not a pair of hex digits at character 7"),
        ('{"id": 0, "chunks": ["05", "3"]}', "line 2: chunks[1]: not a pair of hex digits at character 1"),
        ('{"id": 0, "hex": 5}', "line 2: hex: expected hex digits in quotes"),
        ('{"id": 0, "chunks": "05"}', "line 2: chunks: expected a list with the hex of each segment, in quotes"),
        ('{"id": 0, "chunks": [5]}', "line 2: chunks[0]: expected a list with the hex of each segment, in quotes"),
        ('{"id": 0, "hex": "05", "dir": "up"}', 'line 2: dir: expected "from_shoe" or "to_shoe"'),
        ('{"id": 0, "hex": "05", "chunks": ["06"]}', "line 2: hex and chunks have different bytes; leave one of them"),
        ('{"id": 0, "chunks": ["05", "06"], "at": [10, 2]}', "line 2: at: 2 comes after 10; write the times in the"),
        ('{"t": 0, "ev": "connect"}', "line 2: ev: this is a line of a session; read the whole file with `sabot"),
        ('{"id": 0, "chunks": ["05"], "at": []}', "line 2: at: 0 times for 1 segments; give one for each"),
        ('{"id": 0, "chunks": ["05"], "at": ["x"]}', "line 2: at[0]: expected a list of seconds, one for each"),
    ],
)
def test_a_bad_line_is_named_and_the_next_is_answered(line: str, error: str) -> None:
    good = f'{{"id": 7, "hex": "{CARD_HEX}"}}'
    (first, bad, last), status = ask(good, line, good)
    assert bad["error"].startswith(error)
    assert (status, first["messages"], last["messages"]) == (1, [CARD], [CARD])


@pytest.mark.parametrize("path", sorted((FOLDER / "sessions").glob("*.jsonl")), ids=lambda path: path.stem)
def test_session(path: Path) -> None:
    ran = CliRunner().invoke(app, ["session", str(path)])
    expected = json.loads(path.with_suffix(".expected.json").read_text())
    del expected["about"]
    assert (json.loads(ran.stdout), ran.exit_code) == (expected, 0)


def run_session(*lines: str) -> Any:
    return CliRunner().invoke(app, ["session", "-"], input="".join(f"{line}\n" for line in lines))


def test_a_lock_command_counts_when_the_shoe_acknowledges_it_in_time() -> None:
    lock = '{"t": 1, "ev": "tx", "hex": "02 4F 50 4C 4B 30 32 03 31 42"}'

    def locked(*lines: str) -> bool | None:
        found: bool | None = json.loads(run_session(lock, *lines).stdout)["final"]["locked"]
        return found

    assert locked('{"t": 4, "ev": "rx", "hex": "06"}') is True
    assert locked('{"t": 4.1, "ev": "rx", "hex": "06"}') is None
    assert locked('{"t": 2, "ev": "rx", "hex": "15 21 06"}') is None
    assert locked('{"t": 2, "ev": "connect"}', '{"t": 2, "ev": "rx", "hex": "06"}') is None
    unlock = '{"t": 2, "ev": "tx", "hex": "02 4F 50 4C 4B 30 31 03 31 41"}'
    assert locked('{"t": 1.5, "ev": "rx", "hex": "06"}', unlock, '{"t": 2.5, "ev": "rx", "hex": "06"}') is False
    clear = '{"t": 2, "ev": "tx", "hex": "02 4F 50 45 43 30 30 03 31 38"}'
    assert locked(clear, '{"t": 2.5, "ev": "rx", "hex": "06"}') is None


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("{", "Input data was truncated"),
        ('{"t": 1, "ev": "zz"}', 'ev: expected "connect", "disconnect", "rx" or "tx"'),
        ('{"ev": "rx", "hex": ""}', "t: expected seconds, as a number"),
        ("[]", "not an object: expected one JSON object per line"),
        ('{"id": 1, "hex": ""}', "no ev: this is a line for `sabot angel-eye decode`, not of a session"),
        ('{"t": 1, "ev": "rx", "hex": "0G"}', "hex: not a pair of hex digits at character 1"),
    ],
)
def test_a_session_with_a_bad_line_is_refused_by_its_number(line: str, error: str, tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_text(f'{{"t": 0, "ev": "connect"}}\n\n{line}\n')
    ran = CliRunner().invoke(app, ["session", str(file)])
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.startswith(f"sabot angel-eye session: {file}: line 3: {error}")
