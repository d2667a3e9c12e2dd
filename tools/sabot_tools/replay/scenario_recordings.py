"""Recordings of scenarios: the .shoe file and the sidecar with what is true of it; the rest of that a replay writes."""

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

_MADE_BY = "sabot record --scenario"
_OF_A_RUN = ("counters", *sidecar.COMPARED)
_README = """# {title}
{about}

Made by the simulator, the same bytes each time: `make recordings`. What must come out stands beside each recording in
its `.json`: `truth` is what the scenario did, written by itself; `events`, `published`, `said` and `counters` came from
a run, and `hil_tests/test_5_truth.py` holds them to `truth`. Of texts, ids and times all is compared that is not on the
ignore list of `sabot replay`.

| recording | what it shows | table | what must come out |
|---|---|---|---|
{rows}
"""


def made(scenario: Scenario, seed: int | None = None) -> tuple[bytes, dict[str, Any]]:
    """The recording of a scenario, the same whenever it is made, and what is true of it."""
    seed = scenario.seed if seed is None else seed
    script, writer = scenario.script(seed), Writer({"made_by": _MADE_BY, **scenario.metadata(seed)})
    parts = chain([writer.start()], map(writer.add, script.records))
    return b"".join(parts) + writer.finish(), asdict(script.truth)


def write(scenario: Scenario, out: Path, seed: int | None = None) -> bool:
    """Recording and sidecar; what a run has found stays where the recording is the same. Whether anything changed."""
    data, truth = made(scenario, seed)
    beside = sidecar.path_of(out)
    before = sidecar.read(out) if beside.exists() else {}
    digest = sha256(data).hexdigest()
    found = {part: before[part] for part in _OF_A_RUN if part in before} if before.get("sha256") == digest else {}
    head = {"recording": out.name, "sha256": digest, "about": scenario.about, "covers": list(scenario.covers)}
    text = sidecar.dumped({**head, "truth": truth, **found})
    changed = not out.exists() or out.read_bytes() != data or not beside.exists() or beside.read_text() != text
    if changed:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(data)
        beside.write_text(text)
    return changed


def write_all(folder: Path) -> list[Path]:
    """Every scenario under this folder, by topic, each topic with its README; the recordings that changed."""
    outs = {name: folder / f"{name}.shoe" for name in SCENARIOS}
    changed = [out for name, out in outs.items() if write(SCENARIOS[name], out)]
    for topic in TOPICS:
        (folder / topic / "README.md").write_text(readme(topic))
    return changed


def readme(topic: str) -> str:
    """What the recordings of a topic show, how they were made, and what must come out."""
    rows = [_row(one) for name, one in SCENARIOS.items() if name.startswith(f"{topic}/")]
    return _README.format(title=topic.capitalize(), about=TOPICS[topic], rows="\n".join(rows))


def _row(one: Scenario) -> str:
    name = f"`{one.name.partition('/')[2]}`" + (" (quick)" if one.quick else "")
    house = f"{one.rulebook}, {one.decks} decks, seed {one.seed}"
    return f"| {name} | {one.about} | {house} | {_comes_out(one.script().truth)} |"


def _comes_out(truth: Truth) -> str:
    counts = [f"cards: {len(truth.cards)}", f"coups: {len(truth.coups)}"]
    lists = {"irregularities": truth.irregularities, "rejects": truth.rejects, "alarms": truth.alarms}
    told = [f"{name}: {', '.join(_counted(words))}" for name, words in lists.items() if words]
    return "; ".join([*counts, *told])


def _counted(words: list[str]) -> list[str]:
    return [f"{count} x {word}" if count > 1 else word for word, count in Counter(words).items()]
