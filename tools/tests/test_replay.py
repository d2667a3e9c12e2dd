"""sabot replay: a recording made by hand, differences, errors, and when sidecars are written."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sabot_protocol.cardcode import set_words
from sabot_protocol.messages import EVENTS
from sabot_protocol.recording import Act, Edge, Line, Record, Writer
from sabot_service.broker import Broker
from sabot_sim.optics.signals import card_edges
from sabot_tools.cli import app
from sabot_tools.replay import comparison
from sabot_tools.replay.comparison import differences
from sabot_tools.replay.recording_file import bursts
from sabot_tools.replay.result import ReplayResult, collect
from sabot_tools.stand.memory import fast_folder
from typer.testing import CliRunner

CONFIRM, NEW_SHOE = 1 << 7, 1 << 8
# By the printed tables: 6H 2H has 8, a natural, against 2 of 6H 6D, a pair.
COUP = ("6H", "6H", "2H", "6D")


def edges_of(steps: list[str]) -> list[Edge]:
    """Cards and buttons, a third of a second apart."""
    found: list[Edge] = []
    for step in steps:
        start_us = (found[-1].t_us if found else 0) + 333_000
        button = {"new shoe": NEW_SHOE, "confirm": CONFIRM}.get(step)
        moves = [(0, button), (80_000, 0)] if button else card_edges(set_words(1)[step], 900)
        found += [Edge(start_us + t_us, levels) for t_us, levels in moves]
    return found


def recorded(path: Path, records: list[Record], **metadata: Any) -> Path:
    writer = Writer({"rulebook": "star-baccarat", "decks": 8, "started_unix_us": 1_767_225_600_000_000, **metadata})
    path.write_bytes(writer.start() + b"".join(map(writer.add, records)) + writer.finish())
    return path


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of one coup with its sidecar, accepted once."""
    path = recorded(tmp_path_factory.mktemp("replay") / "one.shoe", [*edges_of(["new shoe", "KS", *COUP, "confirm"])])
    assert CliRunner().invoke(app, ["replay", "--accept", str(path)]).exit_code == 0
    return path


def copy_of(one: Path, folder: Path, change: dict[str, Any]) -> Path:
    """The recording again, its sidecar changed."""
    path = folder / one.name
    path.write_bytes(one.read_bytes())
    expected = json.loads(one.with_suffix(".json").read_text())
    path.with_suffix(".json").write_text(json.dumps(expected | change))
    return path


def test_a_coup_has_the_result_of_the_printed_tables_in_every_replay(one: Path) -> None:
    expected = json.loads(one.with_suffix(".json").read_text())
    (coup,) = [line for line in expected["published"] if line["topic"] == "bac-01/coup"]
    assert (coup["player"], coup["banker"], coup["winner"]) == (["6H", "2H"], ["6H", "6D"], "player")
    assert coup["time"].startswith("2026-01-01T00:00:0")
    assert expected["counters"] == {}
    ran = CliRunner().invoke(app, ["replay", str(one)])
    assert (ran.exit_code, ran.stdout) == (0, f"{one}: as expected\n")


def test_results_come_in_the_order_of_the_files_whichever_is_replayed_first(one: Path, tmp_path: Path) -> None:
    short = recorded(tmp_path / "short.shoe", [*edges_of(["new shoe"])])
    files = [str(short), str(one), str(short)]
    assert short.stat().st_size < one.stat().st_size
    ran = CliRunner().invoke(app, ["replay", *files])
    assert [line.partition(": ")[0] for line in ran.stdout.splitlines() if ".shoe: " in line] == files
    assert f"{one}: as expected" in ran.stdout


def test_files_are_in_memory_only_where_there_is_room(tmp_path: Path) -> None:
    assert fast_folder(tmp_path, least_bytes=1) == tmp_path
    assert fast_folder(tmp_path, least_bytes=1 << 62) is None
    assert fast_folder(tmp_path / "none", least_bytes=1) is None


def test_a_difference_shows_the_event_its_field_and_the_events_before(one: Path, tmp_path: Path) -> None:
    events = json.loads(one.with_suffix(".json").read_text())["events"]
    at = next(at for at, event in enumerate(events) if event.get("card") == "2H")
    events[at]["card"] = "3H"
    ran = CliRunner().invoke(app, ["replay", str(copy_of(one, tmp_path, {"events": events}))])
    assert ran.exit_code == 1
    lines = ran.stdout.splitlines()
    assert lines[1] == f"events {at + 1} differs ({len(events)} expected, {len(events)} found):"
    assert [line[:4] for line in lines[2:6]] == ["    ", "    ", "  - ", "  + "]
    assert lines[6].strip() == "card: '3H' expected, '2H' found"


def test_a_counter_that_is_not_expected_fails(one: Path, tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["replay", str(copy_of(one, tmp_path, {"counters": {"gaps": 1}}))])
    assert (ran.exit_code, ran.stdout.splitlines()[1]) == (1, "counter gaps: 1 expected, 0 counted")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"events": []}, "expects no event: nothing would be compared"),
        ({"sha256": "00"}, "belongs to another recording"),
    ],
)
def test_a_sidecar_with_nothing_to_compare_is_an_error(
    one: Path, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    ran = CliRunner().invoke(app, ["replay", str(copy_of(one, tmp_path, change))])
    assert ran.exit_code == 1
    assert message in ran.stdout


def test_no_sidecar_is_written_unless_every_replay_reaches_its_end(one: Path, tmp_path: Path) -> None:
    good = copy_of(one, tmp_path, {"about": "untouched"})
    before = good.with_suffix(".json").read_text()
    bad = recorded(tmp_path / "bad.shoe", [*edges_of(["new shoe"]), Act(900_000, {"do": "dance"})])
    ran = CliRunner().invoke(app, ["replay", "--accept", str(good), str(bad)])
    assert ran.exit_code == 1
    assert "unknown act {'do': 'dance'}" in ran.stderr
    assert good.with_suffix(".json").read_text() == before
    assert not bad.with_suffix(".json").exists()


def test_accept_keeps_the_truth_and_shows_the_diff(one: Path, tmp_path: Path) -> None:
    path = copy_of(one, tmp_path, {"truth": {"cards": ["KS", *COUP]}, "counters": {"gaps": 3}})
    ran = CliRunner().invoke(app, ["replay", "--accept", str(path)])
    assert ran.exit_code == 0
    assert '+ "counters": {},' in ran.stdout
    assert json.loads(path.with_suffix(".json").read_text())["truth"] == {"cards": ["KS", *COUP]}


def test_a_recording_without_edges_cannot_be_replayed(tmp_path: Path) -> None:
    path = recorded(tmp_path / "line.shoe", [Line(1, "shoe", b"x")])
    path.with_suffix(".json").write_text("{}")
    assert "no edges" in CliRunner().invoke(app, ["replay", "--accept", str(path)]).stderr


def test_a_replay_that_stalls_names_the_last_event_and_the_next() -> None:
    boot, tested = {"no": 1, "event": "boot"}, {"no": 2, "event": "self_test"}
    expected = {"events": [boot, tested]}
    found = differences(expected, ReplayResult(events=[boot], problem="not within 60 s"), "unix")
    assert found[:2] == [
        "the shoe stopped after event 1 (boot); the next event should be 2 (self_test)",
        "not within 60 s",
    ]
    for events in ([boot, tested], [tested], [{**boot, "cause": "power"}]):
        assert differences(expected, ReplayResult(events=events, problem="stalled"), "unix")[0] == "stalled"


def test_another_firmware_is_replayed_and_one_that_ends_is_reported(one: Path, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("raise ValueError('no shoe')\n")
    ran = CliRunner().invoke(app, ["replay", "--firmware", str(tmp_path), str(one)])
    lines = ran.stdout.splitlines()
    assert (ran.exit_code, lines[0]) == (1, f"{one}: DIFFERS")
    assert lines[1] == "the shoe stopped before its first event; the next event should be 1 (boot)"
    assert lines[2].startswith("the shoe's program has ended: Traceback")
    assert "ValueError: no shoe" in ran.stdout


def test_another_firmware_runs_only_on_the_unix_bench_and_writes_no_sidecar(one: Path, tmp_path: Path) -> None:
    other = ["--firmware", str(tmp_path), str(one)]
    ran = CliRunner().invoke(app, ["replay", "--bench", "rp2040", *other])
    assert (ran.exit_code, "can run only on the unix bench, not on rp2040" in ran.stderr) == (1, True)
    ran = CliRunner().invoke(app, ["replay", "--accept", *other])
    assert (ran.exit_code, "sidecars are written only from the unix bench with this firmware" in ran.stderr) == (
        1,
        True,
    )


def test_answers_to_people_and_a_power_cycle(tmp_path: Path) -> None:
    edges = edges_of(["new shoe", "KS", *COUP])
    end_us = edges[-1].t_us
    acts = [
        {"do": "say", "verb": "void", "by": "A. Smith", "clause": "12.1", "reason": "misdeal", "then": "go_on"},
        {"do": "say", "verb": "lock"},
        {"do": "power", "state": "off"},
        {"do": "power", "state": "on"},
    ]
    records: list[Record] = [*edges, *(Act(end_us + 200_000 * (number + 1), act) for number, act in enumerate(acts))]
    path = recorded(tmp_path / "people.shoe", records)
    assert CliRunner().invoke(app, ["replay", "--accept", str(path)]).exit_code == 0
    found = json.loads(path.with_suffix(".json").read_text())
    assert [(answer["verb"], answer["ok"]) for answer in found["said"]] == [("void", True), ("lock", False)]
    assert found["said"][1]["say"] == "Give your name: --by NAME, at most 64 characters."
    kinds = [event["event"] for event in found["events"]]
    assert kinds.count("coup_void") == 1
    assert kinds.count("boot") == 2


def test_edges_that_belong_together_are_played_together() -> None:
    act = Act(500_000, {"do": "reset"})
    records: list[Edge | Act] = [Edge(10, 1), Edge(99_000, 0), Edge(300_000, 1), act, Edge(510_000, 0)]
    assert list(bursts(records)) == [
        ([(10, 1), (99_000, 0)], 199_000, None),
        ([(300_000, 1)], 500_000, act),
        ([(510_000, 0)], 1_010_000, None),
    ]


def test_every_ignored_field_exists_and_has_a_reason() -> None:
    fields = {part.name for event in EVENTS.values() for part in event.subcons}
    published = {"rulebook", "unit", "event_no", "table", "time", "decided", "time_ms", "shoe_time_ms", "margin"}
    published |= {"gateway", "entry", "after", "hash", "setup", "shoe_sample_overruns", "ledger", "tables"}
    for one in comparison.IGNORED:
        assert one.why
        assert one.name in fields | published | {"margin_mean", "margin_worst"}, one


def _system(**parts: Any) -> Any:
    """What collect() reads of a system that has published one card."""
    card = ("bac-01/card", {"id": "5ab0000000000001-221", "shoe_time_ms": 210124, "note": "why?"})
    return SimpleNamespace(
        gateway=SimpleNamespace(ledger=list),
        subscriber=SimpleNamespace(received=[card]),
        shoe=SimpleNamespace(units=["5ab0000000000001"]),
        line=SimpleNamespace(port="/dev/pts/7"),
        work_dir=Path("/tmp/sabot-1"),
        broker=SimpleNamespace(address=Broker("127.0.0.1", 21012)),
        **parts,
    )


def test_what_differs_in_each_run_is_replaced_in_texts_and_never_in_a_number() -> None:
    """The digits of the broker's port begin the time of this card."""
    answers = [{"say": "gateway 0123456789abcdef on /dev/pts/7, broker mqtt://127.0.0.1:21012, /tmp/sabot-1/ledger.db"}]
    result = collect(_system(gateway_id="0123456789abcdef"), answers, noisy=False)
    expected = {"topic": "bac-01/card", "id": "shoe-221", "shoe_time_ms": 210124, "note": "why?"}
    assert result.published == [expected]
    assert result.said == [{"say": "gateway gateway on PORT, broker mqtt://127.0.0.1:1883, FOLDER/ledger.db"}]


def test_a_gateway_that_has_not_answered_has_no_name_to_replace() -> None:
    assert collect(_system(gateway_id=""), [], noisy=False).published[0]["note"] == "why?"


def test_a_status_from_before_the_shoe_answered_is_left_out_and_a_lost_shoe_is_not() -> None:
    online = {"topic": "bac-01/status", "state": "online"}
    early = {"topic": "bac-01/status", "state": "offline", "setup": {"game": "baccarat"}}
    early["problem"] = "no shoe has answered at this table since the gateway started"
    lost = {**early, "problem": "the shoe does not answer"}
    assert differences({"published": [online]}, ReplayResult(published=[early, online]), "unix") == []
    assert differences({"published": [early, online]}, ReplayResult(published=[online]), "unix") == []
    assert differences({"published": [online]}, ReplayResult(published=[lost, online]), "unix") != []


def test_fields_ignored_on_boards_are_compared_on_unix() -> None:
    line = {"no": 1, "time_ms": 5, "event": "card", "card": "8H", "speed_mm_s": 900, "unit": "shoe"}
    assert comparison.compared_fields(line, "unix") == {k: v for k, v in line.items() if k != "unit"}
    assert comparison.compared_fields(line, "rp2040") == {"no": 1, "event": "card", "card": "8H"}
    found = ReplayResult([{**line, "time_ms": 9}])
    assert differences({"events": [line]}, found, "rp2040") == []
    assert "time_ms: 5 expected, 9 found" in differences({"events": [line]}, found, "unix")[0]


def test_a_field_that_a_recording_cannot_have_on_the_chip_is_compared_in_every_other() -> None:
    line, found = ({"no": 1, "event": "reject", "reason": "noise", "columns": columns} for columns in (62, 24))
    for recording, bench, compared in (
        ("noise.shoe", "rp2040", False),
        ("noise.shoe", "unix", True),
        ("half-drawn.shoe", "rp2040", False),
        ("half-drawn.shoe", "unix", True),
        ("unreadable.shoe", "rp2040", True),
    ):
        expected = {"recording": recording, "events": [line]}
        assert bool(differences(expected, ReplayResult([found]), bench)) == compared
    other_reason = ReplayResult([{**found, "reason": "columns"}])
    assert differences({"recording": "noise.shoe", "events": [line]}, other_reason, "rp2040")


def test_short_lived_states_are_accepted_on_boards() -> None:
    def states(*alarms: list[str]) -> list[dict[str, Any]]:
        return [{"topic": "bac-01/alarms", "alarms": [{"name": name} for name in names]} for names in alarms]

    expected = {"published": states([], ["a", "b"])}
    between = ReplayResult(published=states([], ["a"], ["a", "b"]))
    assert differences(expected, between, "rp2040") == []
    assert "bac-01/alarms 2 differs" in differences(expected, between, "unix")[0]
    for wrong in (states([]), states([], ["a", "b"], ["a"]), states(["a", "b"], [])):
        assert differences(expected, ReplayResult(published=wrong), "rp2040")


def test_a_speed_within_a_text_is_compared_like_a_speed_field() -> None:
    alarms = [{"topic": "bac-01/alarm", "shoe_says": f"foreign, {speed} mm/s"} for speed in (1575, 1580)]
    assert differences({"published": alarms[:1]}, ReplayResult(published=alarms[1:]), "rp2040") == []
    assert differences({"published": alarms[:1]}, ReplayResult(published=alarms[1:]), "unix")


def test_a_burst_does_not_end_while_a_card_is_in_the_path() -> None:
    """A chip's time goes on while a replay waits: it would see the card stop."""
    card = [Edge(0, 1), Edge(200_000, 9), Edge(400_000, 8), Edge(600_000, 0)]
    parts = [edges for edges, _, _ in bursts([*card, Edge(900_000, 1 << 7), Edge(980_000, 0)])]
    assert parts == [[tuple(edge) for edge in card], [(900_000, 1 << 7), (980_000, 0)]]
