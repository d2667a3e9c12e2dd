"""What the sensors see, by arithmetic on the geometry."""

from sabot_sim.optics import signals

ENTRY, A, B, EXIT = 1, 2, 4, 8


def test_one_card_at_one_metre_a_second() -> None:
    edges = dict(signals.card_edges("ABXAAAAAAA", 1000))
    assert edges[0] == ENTRY
    assert edges[18_000] == ENTRY | A  # code sensors at 12 mm, first mark at 6 mm
    assert edges[19_000] == ENTRY
    assert edges[20_000] == ENTRY | B
    assert edges[22_000] == ENTRY | A | B
    assert edges[36_000] == ENTRY | A
    assert edges[37_000] == ENTRY
    assert edges[50_000] == ENTRY | EXIT
    assert edges[88_000] == EXIT
    assert edges[138_000] == 0
    assert len(edges) == 4 + 20


def test_twice_the_speed_is_half_the_time() -> None:
    slow, fast = signals.card_edges("ABXABXABXA", 500), signals.card_edges("ABXABXABXA", 1000)
    assert [(t_us // 2, level) for t_us, level in slow] == fast


def test_the_cutting_card_is_solid_from_end_to_end() -> None:
    assert signals.cutting_card_edges(1000) == [
        (0, ENTRY),
        (12_000, ENTRY | A | B),
        (50_000, ENTRY | A | B | EXIT),
        (88_000, A | B | EXIT),
        (100_000, EXIT),
        (138_000, 0),
    ]


def test_edges_merge_what_is_simultaneous_and_drop_what_cancels_out() -> None:
    assert signals.edges_of([(7, A), (3, ENTRY), (7, B), (9, EXIT), (9, EXIT), (10, A)]) == [
        (3, ENTRY),
        (7, ENTRY | A | B),
        (10, ENTRY | B),
    ]
