"""Makes the recordings of scenarios: the .shoe file, its sidecar with the truth, and a README for each topic."""

from collections import Counter
from dataclasses import asdict
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

from sabot_protocol.recording import Writer
from sabot_sim.scenarios import SCENARIOS, TOPICS, Scenario
from sabot_sim.scenarios.script import Truth

from sabot_tools.replay import sidecar
from sabot_tools.replay.comparison import COMPARED

_MADE_BY = "sabot record --scenario"
_FROM_A_REPLAY = ("counters", *COMPARED)
_README = """# {title}
{about}

The simulator makes these recordings, with the same bytes each time: `make recordings`. Each has a sidecar, a `.json`
file with the expected result: `truth` is what the scenario did; `events`, `published`, `said` and `counters` come from
a replay, and `hil_tests/test_5_truth.py` checks them against `truth`. `sabot replay` compares all of them, except the
fields that `IGNORED` in `tools/sabot_tools/replay/comparison.py` lists with a reason.

| recording | what it shows | table | expected |
|---|---|---|---|
{rows}
"""


def make(scenario: Scenario, seed: int | None = None) -> tuple[bytes, dict[str, Any]]:
    """Return the recording of a scenario, the same whenever it is made, and its truth."""
    seed = scenario.seed if seed is None else seed
    script, writer = scenario.script(seed), Writer({"made_by": _MADE_BY, **scenario.metadata(seed)})
    parts = chain([writer.start()], map(writer.add, script.records))
    return b"".join(parts) + writer.finish(), asdict(script.truth)


def write(scenario: Scenario, out: Path, seed: int | None = None) -> bool:
    """Write recording and sidecar; return True if anything changed.

    Results of a replay stay in the sidecar if the recording is the same.
    """
    data, truth = make(scenario, seed)
    sidecar_file = sidecar.sidecar_path(out)
    before = sidecar.read(out) if sidecar_file.exists() else {}
    digest = sha256(data).hexdigest()
    found = {part: before[part] for part in _FROM_A_REPLAY if part in before} if before.get("sha256") == digest else {}
    head = {"recording": out.name, "sha256": digest, "about": scenario.about, "covers": list(scenario.covers)}
    text = sidecar.formatted({**head, "truth": truth, **found})
    changed = (
        not out.exists() or out.read_bytes() != data or not sidecar_file.exists() or sidecar_file.read_text() != text
    )
    if changed:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(data)
        sidecar_file.write_text(text)
    return changed


def write_all(folder: Path) -> list[Path]:
    """Write every scenario in folders by topic, each with its README; return the recordings that changed."""
    outs = {name: folder / f"{name}.shoe" for name in SCENARIOS}
    changed = [out for name, out in outs.items() if write(SCENARIOS[name], out)]
    for topic in TOPICS:
        (folder / topic / "README.md").write_text(readme(topic))
    return changed


def readme(topic: str) -> str:
    """Return the README of a topic: what its recordings show, and what is expected of them."""
    rows = [_row(one) for name, one in SCENARIOS.items() if name.startswith(f"{topic}/")]
    return _README.format(title=topic.capitalize(), about=TOPICS[topic], rows="\n".join(rows))


def _row(one: Scenario) -> str:
    name = f"`{one.name.partition('/')[2]}`" + (" (quick)" if one.quick else "")
    table = f"{one.rulebook}, {one.decks} decks, seed {one.seed}"
    return f"| {name} | {one.about} | {table} | {_expected(one.script().truth)} |"


def _expected(truth: Truth) -> str:
    counts = [f"cards: {len(truth.cards)}", f"coups: {len(truth.coups)}"]
    lists = {"irregularities": truth.irregularities, "rejects": truth.rejects, "alarms": truth.alarms}
    listed = [f"{name}: {', '.join(_counted(words))}" for name, words in lists.items() if words]
    return "; ".join([*counts, *listed])


def _counted(words: list[str]) -> list[str]:
    return [f"{count} x {word}" if count > 1 else word for word, count in Counter(words).items()]
