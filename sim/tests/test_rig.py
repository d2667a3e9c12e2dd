"""The rig: samples without a change between edges, bits that fall, and the clock of the line."""

from pathlib import Path

from sabot_sim.rigs.rig import fallen_bits
from sabot_sim.rigs.stimulus import with_stills
from sabot_sim.rigs.unix import UnixRig


def test_between_edges_there_are_samples_without_a_change() -> None:
    found = list(with_stills([(10_000, 1), (50_000, 0)], 0, 0, 2_500_000))
    after = [(at + 50_000, 0) for at in (4_000, 12_000, 28_000, 60_000, 124_000, 1_000_000, 2_000_000)]
    assert found == [
        (4_000, 0),
        (10_000, 1),
        (14_000, 1),
        (22_000, 1),
        (38_000, 1),
        (50_000, 0),
        *after,
        (2_500_000, 0),
    ]


def test_bits_fall_in_what_was_written_and_nowhere_else() -> None:
    flash = bytes([0xFF, 0x00, 0x55, 0xFF, 0xAA])
    damaged = fallen_bits(flash, 1, 2)
    assert damaged == bytes([0xFF, 0x00, 0x54, 0xFF, 0xA8])
    assert fallen_bits(flash, 1, 9) == damaged
    assert fallen_bits(flash, 7, 1) in (bytes([0xFF, 0x00, 0x54, 0xFF, 0xAA]), bytes([0xFF, 0x00, 0x55, 0xFF, 0xA8]))


def test_a_shoe_without_power_is_quiet_and_receives_nothing(tmp_path: Path) -> None:
    rig = UnixRig(tmp_path)
    try:
        rig.send(b"hello")
        rig.play([(5, 1)], 100)
        assert rig.quiet()
        assert (rig.receive(), rig.outputs, rig.unit) == (b"", None, "5ab0000000000001")
        rig.exchange(2)
        assert rig.unit == "5ab0000000000002"
    finally:
        rig.close()
