"""Every input that the fuzzers began with or kept goes through its target again, in plain Python; see `make fuzz`."""

from collections.abc import Iterator

import pytest
import structlog
from fuzzing import corpus, json_mutator, oracle, targets
from fuzzing.oracle import FindingError
from fuzzing.reads import Choices, parts


@pytest.fixture
def watched() -> Iterator[None]:
    with oracle.watched():
        yield


@pytest.mark.usefixtures("watched")
@pytest.mark.parametrize("name", targets.NAMES)
def test_nothing_is_found_with_the_kept_inputs(name: str) -> None:
    target, kept = targets.load(name), corpus.kept(name)
    assert kept, f"no corpus is kept: make fuzz TARGET={name}"
    for data in (*target.seeds(), *kept):
        assert len(data) <= target.MOST_BYTES
        target.run(data)
        oracle.check_log()


@pytest.mark.usefixtures("watched")
def test_an_error_that_the_program_catches_and_logs_is_found() -> None:
    log = structlog.get_logger()
    log.warning("refused")
    oracle.check_log()
    try:
        raise LookupError("no such table")
    except LookupError:
        log.exception("a message was dropped")
    with pytest.raises(FindingError, match="no such table"):
        oracle.check_log()
    oracle.check_log()


def test_reads_are_the_same_bytes_in_small_parts_that_the_bytes_choose() -> None:
    data = bytes(range(200))
    cut = list(parts(data))
    assert b"".join(cut) == data
    assert cut == list(parts(data))
    assert {len(part) for part in cut[:-1]} == set(range(1, 9))
    choices = Choices(b"\2abcd")
    assert (choices.piece(), choices.number(), choices.rest(), choices.more(), choices.number()) == (
        b"ab",
        99,
        b"d",
        False,
        0,
    )


def test_another_document_is_made_of_one_and_nothing_of_other_bytes() -> None:
    made = {json_mutator.mutated(b'{"a":[1,"x",{"b":true}],"c":0.5}', 300, seed) for seed in range(200)}
    assert len(made) > 100
    assert json_mutator.mutated(b"no JSON", 300, 1) is None
    assert all(one is not None and len(one) <= 300 for one in made)
