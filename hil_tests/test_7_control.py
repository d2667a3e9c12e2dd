"""A supervisor's commands with `sabot table`: daemon, broker and firmware are real."""

import json
import os
import socket
import subprocess
import sys
from contextlib import ExitStack, closing
from typing import Any

from sabot_gateway.ledger.reader import Reader
from support.patience import PATIENCE_S
from support.site_watcher import SiteWatcher, WatchSite, sabot

VOIDED = " is void: return all stakes. The shoe goes on.\n"
LOCKED = "Done. The exit is locked. To release it, run `sabot table bac-01 tell unlock --by NAME`.\n"
UNLOCKED = "Done. The exit is no longer locked by command.\n"
NOTHING_TO_VOID = (
    "sabot: Void refused: no card of a coup is on the table, so there is nothing to void. To decide an earlier coup "
    "that is disputed, run `sabot table bac-01 decide --coup SHOE/COUP --verdict confirmed|void --by NAME "
    "--clause N`.\n"
)
ANOTHER_COUP = "sabot: Void was not sent: another coup is on the table now. Name the coup that you mean with --coup.\n"


def sabot_table(watcher: SiteWatcher, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `sabot …` against the site's daemon while the shoe continues."""
    socket = str(watcher.site.plan.work_dir / "control.sock")
    command = subprocess.Popen(
        [sys.executable, "-m", "sabot_tools", *words],
        env={**os.environ, "SABOT_CONTROL": socket},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    watcher.run_until(lambda _: command.poll() is not None)
    out, err = command.communicate()
    return subprocess.CompletedProcess(command.args, command.returncode, out, err)


def kept(watcher: SiteWatcher, topic: str) -> list[dict[str, Any]]:
    """Return the ledger's entries of a topic that is not published."""
    reader = Reader(watcher.site.ledger_path)
    found = [json.loads(entry.payload) for entry in reader.since(0, 1_000_000) if entry.topic == topic]
    reader.close()
    return found


def voided(watcher: SiteWatcher) -> int:
    """Repeat the command until a coup is on the table, since the dealer does not wait; return the number of tries."""
    for tries in range(1, 31):
        done = sabot_table(
            watcher, "table", "bac-01", "void", "--by", "A. Smith", "--clause", "12.1.2", "--reason", "misdeal"
        )
        if done.returncode == 0:
            assert done.stdout.startswith("Done. Coup ")
            assert (done.stdout.endswith(VOIDED), done.stderr) == (True, "")
            return tries
        assert done.stderr in (NOTHING_TO_VOID, ANOTHER_COUP)
    raise AssertionError("no coup was on the table in thirty tries")


def test_a_coup_is_voided_by_command_and_the_ledger_names_the_person(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=5.0)
    watcher.run_until(lambda watcher: len(watcher.messages("coup")) >= 1)
    tries = voided(watcher)
    watcher.run_until(lambda watcher: any(coup["kind"] == "void" for coup in watcher.messages("coup")))
    attempts, outcomes = kept(watcher, "attempt"), kept(watcher, "outcome")
    assert (len(attempts), [outcome["ok"] for outcome in outcomes]) == (tries, [False] * (tries - 1) + [True])
    last, sent = attempts[-1], kept(watcher, "sent")
    assert (last["verb"], last["by"], last["clause"]) == ("void", "A. Smith", "12.1.2")
    assert outcomes[-1]["attempt"] == sent[-1]["attempt"] == last["id"]
    assert not [message for message in watcher.received if message.topic.endswith("sent")]
    (coup,) = [coup for coup in watcher.messages("coup") if coup["kind"] == "void"]
    decided = ("A. Smith", "12.1.2", last["time"], last["id"])
    assert (coup["by"], coup["clause"], coup["decided"], coup["attempt"]) == decided
    shown = sabot("ledger", "show", str(watcher.site.ledger_path), "--last", "500").stdout
    assert " by A. Smith under 12.1.2\n" in shown
    rows = sabot("ledger", "export", str(watcher.site.ledger_path), "--format", "csv", "--what", "coups").stdout
    assert '"A. Smith","12.1.2"' in rows


def test_what_the_shoe_refuses_is_a_sentence_and_status_one(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=20.0)
    watcher.run_until(lambda watcher: len(watcher.messages("coup")) >= 1)
    done = sabot_table(watcher, "table", "bac-01", "key-card", "8H", "--by", "A. Smith")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("sabot: Key card refused: no card is out that left the shoe at bac-01")
    assert kept(watcher, "outcome")[0]["ok"] is False
    nobody = sabot_table(watcher, "table", "bac-99", "confirm", "--by", "A. Smith")
    assert (nobody.returncode, nobody.stderr) == (
        1,
        "sabot: Confirm refused: this gateway has no table 'bac-99'. See `sabot gateway status`.\n",
    )


def reported(watcher: SiteWatcher, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Ask again where the next coup began in that very moment: a report is about the coup that was seen."""
    for _ in range(10):
        answer = sabot_table(watcher, *arguments)
        if "another coup is on the table now" not in answer.stderr:
            break
    return answer


def test_a_report_is_answered_by_the_book_and_a_shoe_opened_as_the_config_has_it(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=5.0)
    watcher.run_until(lambda watcher: len(watcher.messages("coup")) >= 1)
    report = ("table", "bac-01", "report", "bad_order", "--by", "A. Smith", "--clause", "12.1")
    assert "context.reconstructible: missing; the answer of star-baccarat" in sabot_table(watcher, *report).stderr
    answer = reported(watcher, *report, "--fact", "reconstructible")
    done = "Done. Cards were dealt in the wrong order."
    assert answer.stdout.startswith(f"{done} Put the cards back into their proper order"), answer.stderr
    assert answer.stdout.rstrip().endswith("(rule 12.1.1).")
    late = reported(watcher, *report, "--fact", "reconstructible", "--no-fact", "notified_before_next")
    assert late.stdout.startswith(f"{done} It is too late to correct"), late.stderr
    assert late.stdout.rstrip().endswith("(rule 12.1.4).")
    decks = sabot_table(watcher, "table", "bac-01", "open-shoe", "--decks", "5", "--by", "A. Smith")
    assert (decks.returncode, "plays with 8 decks by the gateway's config, not 5" in decks.stderr) == (1, True)


def test_an_alarm_is_acknowledged_and_leaves_the_list(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=20.0)
    watcher.run_until(lambda watcher: len(watcher.messages("coup")) >= 1)
    watcher.site.power_cycle("bac-01")
    watcher.run_until(lambda watcher: any(alarm["name"] == "shoe_restarted" for alarm in watcher.messages("alarm")))
    status = json.loads(sabot_table(watcher, "gateway", "status", "--json").stdout)
    (table,) = status["tables"]
    assert [alarm["name"] for alarm in table["alarms"]] == ["shoe_restarted"]
    words = sabot_table(watcher, "gateway", "status").stdout
    assert "continues where it was" in words
    assert "bac-01  online" in words
    assert sabot_table(watcher, "table", "bac-01", "ack-alarm", "--by", "A. Smith").stdout == "1 acknowledged.\n"
    watcher.run_until(lambda watcher: watcher.messages("alarm")[-1]["state"] == "cleared")
    assert watcher.messages("alarm")[-1]["by"] == "A. Smith"
    assert json.loads(sabot_table(watcher, "gateway", "status", "--json").stdout)["tables"][0]["alarms"] == []


def test_no_daemon_is_a_sentence(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=20.0)
    watcher.run_until(lambda watcher: len(watcher.messages("coup")) >= 1)
    watcher.site.kill_gateway()
    done = sabot_table(watcher, "gateway", "status")
    assert done.returncode == 1
    assert "no gateway answers" in done.stderr


# Who means harm


def call(watcher: SiteWatcher, line: bytes = b"") -> socket.socket:
    """Return a connection to the daemon's socket after sending these bytes."""
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(str(watcher.site.plan.work_dir / "control.sock"))
    sock.settimeout(PATIENCE_S)
    sock.sendall(line)
    return sock


def request(args: object, verb: str = "void", by: object = "A. Smith") -> bytes:
    request = {"verb": verb, "table": "bac-01", "by": by, "clause": "12.1.2", "args": args}
    return json.dumps(request).encode() + b"\n"


HOSTILE = [
    request({"coup": {"a": "b"}}),
    request({"coup": [["1/1"]]}, "decide"),
    request({"coup": 10**300}, "confirm"),
    request({"alarm": {"a": "b"}}, "ack-alarm"),
    request({"card": None}, "key-card"),
    request({"facts": {"exposed": "yes"}, "case": []}, "irregularity"),
    request({"cards": {"player_1": {"a": "b"}}, "coup_no": 1}, "import-coup"),
    request([], "void"),
    request({}, "void", {"a": "b"}),
    request({}, "void", "\ud800"),
    request({}, "void", "\x00"),
    b'{"verb": "void", "args": ' + b"[" * 4000 + b"\n",
    b'{"verb": "status", "table": ' + b"1" * 4000 + b"}\n",
    b'{"verb": "status", "verb": "void"}\n',
    b'{"verb": NaN}\n',
    b"\xff\xfe\x00\n",
    b"\n",
    b"null\n",
]


def test_no_bytes_at_the_socket_end_the_daemon(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    for line in HOSTILE:
        with closing(call(watcher, line)) as sock, sock.makefile("rb") as lines:
            answer = json.loads(lines.readline())
        assert answer["ok"] is False, line
        assert answer["say"], line
    watcher.run_for_coups(2)
    assert watcher.site.gateway.poll() is None
    assert [attempt for attempt in kept(watcher, "attempt") if attempt["by"] != "A. Smith"] == []


def test_many_idle_or_unread_clients_lock_no_other_client_out(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    with ExitStack() as stack:
        for line in [b""] * 150 + [b'{"verb": "stat'] * 50 + [b'{"verb": "status"}\n'] * 50:
            stack.enter_context(closing(call(watcher, line)))
        done = sabot_table(watcher, "gateway", "status")
        assert (done.returncode, done.stderr) == (0, "")
        watcher.run_for_coups(2)


def test_a_name_that_would_write_on_a_terminal_or_in_a_spreadsheet_does_neither(watch_site: WatchSite) -> None:
    watcher = watch_site(speed=100.0)
    watcher.run_for_coups(1)
    name = "=HYPERLINK(1)\x1b[2J\r\n\u202eevil\u0007"
    assert sabot_table(watcher, "table", "bac-01", "tell", "lock", "--by", name).stdout == LOCKED
    assert sabot_table(watcher, "table", "bac-01", "tell", "unlock", "--by", "A. Smith").stdout == UNLOCKED
    attempt = kept(watcher, "attempt")[0]
    assert attempt["by"] == "=HYPERLINK(1) evil"
    for words in (("show", "--last", "500"), ("show", "--json"), ("export", "--format", "csv")):
        out = sabot("ledger", words[0], str(watcher.site.ledger_path), *words[1:]).stdout
        assert out.replace("\n", "").isprintable()
