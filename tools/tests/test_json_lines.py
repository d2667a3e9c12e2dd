"""JSON lines over a pipe: each answer comes without waiting for the next line, whatever blocks the lines come in."""

import json
import subprocess
import sys

LINE = b'{"id": 1, "stock": ["9S", "2H", "KD", "3C"]}\n'
COMMAND = [sys.executable, "-m", "sabot_tools", "settle", "--rulebook", "star-baccarat"]


def test_each_line_is_answered_before_the_next_is_sent() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        for part in (LINE, LINE + LINE[:9], LINE[9:]):
            process.stdin.write(part)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["winner"] == "player"
        process.stdin.close()
        assert process.stdout.read() == b""
    assert process.returncode == 0


def test_a_long_line_and_a_last_one_without_its_end() -> None:
    long = b'{"id": 2, "stock": []' + b" " * 200_000 + b"}\n"
    ran = subprocess.run(COMMAND, input=LINE + long + LINE * 2000 + LINE[:-1], capture_output=True, check=False)
    first, second, *rest = map(json.loads, ran.stdout.splitlines())
    assert ran.returncode == 1
    assert second == {"id": 2, "error": "line 2: stock: 0 cards: a coup has at least four"}
    assert rest == [first] * 2001
