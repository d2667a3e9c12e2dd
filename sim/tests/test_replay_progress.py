"""The progress of `make replay`: counts and the time that is left, by the work that is left."""

from support.replay_progress import Progress, work


def test_the_rest_takes_as_long_as_its_work_at_the_pace_so_far() -> None:
    progress = Progress({"clean/a": 3000, "clean/b": 6000, "link/c": 3000}, started_s=100)
    assert progress.ended("clean/a", "passed", 400) == "1 of 3, 5 min, about 15 min left: clean/a passed"
    assert progress.ended("clean/b", "failed", 1000) == "2 of 3, 1 failed, 15 min, about 5 min left: clean/b failed"
    assert progress.ended("link/c", "passed", 1300) == "3 of 3, 1 failed, 20 min, about 0 min left: link/c passed"


def test_a_skipped_recording_says_nothing_about_the_pace() -> None:
    progress = Progress({"clean/a": 9000, "clean/b": 3000, "link/c": 3000}, started_s=0)
    assert progress.ended("clean/a", "skipped", 0) == "1 of 3, 0 min: clean/a skipped"
    assert progress.ended("clean/b", "passed", 600) == "2 of 3, 10 min, about 10 min left: clean/b passed"


def test_every_recording_is_work() -> None:
    assert len(work()) > 100
    assert min(work().values()) > 1000
