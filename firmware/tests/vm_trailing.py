"""After the strip: how dark, until where, and how many marks."""

from sabot.reading.trailing import Trailing, share_pct

BOTH, A = 6, 2


def solid_until(*changes):
    """Both tracks on from 50 ms on, then these changes: (at_us, before, after)."""
    trailing = Trailing()
    trailing.reset(50000, 500)
    for change in changes:
        trailing.feed(*change)
    return trailing


def test_solid_with_a_scratch_and_not_with_a_hole():
    assert solid_until((70000, BOTH, A), (71000, A, BOTH), (100000, BOTH, 0)).solid()
    assert not solid_until((70000, BOTH, A), (90000, A, BOTH), (100000, BOTH, 0)).solid()


def test_the_tail_of_one_card_passes_the_code_sensors_12_of_50_mm_behind_the_entry():
    for until_us, fits in ((95000, False), (97000, True), (100000, True), (104000, True), (105000, False)):
        assert solid_until((until_us, BOTH, 0)).solid_until_tail(88000, 138000) == fits
    assert not solid_until((87000, BOTH, 0)).solid_until_tail(88000, 138000)


def test_marks_are_counted_and_specks_are_not():
    trailing = Trailing()
    trailing.reset(50000, 500)
    for at_us in (60000, 62000):
        trailing.feed(at_us, 0, A)
        trailing.feed(at_us + 600, A, 0)
    trailing.feed(70000, 0, A)
    trailing.feed(70400, A, 0)
    assert trailing.marks == 2


def test_shares_of_long_times():
    assert share_pct(9000000, 30000000) == 30
    assert share_pct(0, 0) == 0
