"""Then: does it find itself sound, and does it say so when it is not."""

import pytest
from sabot_tools.chip_table import FAULT, KEY, LID
from shoe import Shoe


def test_a_sound_shoe_passes_all_its_tests_and_shows_no_fault(shoe: Shoe) -> None:
    (tested,) = shoe.of("self_test")
    assert tested.data["passed"] == dict.fromkeys(("image", "journal", "flash", "sensors"), True)
    shoe.play([(0, 0)])
    assert not shoe.outputs & FAULT


def test_it_examines_itself_again_when_it_is_told_to(shoe: Shoe) -> None:
    shoe.gateway.link.command("self_test")
    shoe.until(lambda: len(shoe.of("self_test")) == 2, "the shoe has examined itself again")
    assert shoe.of("command_done")[-1].data["command"] == "self_test"


def test_key_and_lid_are_told_as_they_turn(shoe: Shoe) -> None:
    told = [event for level in (KEY, LID) for on in (True, False) for event in shoe.hold(level, on=on)]
    assert [(event.kind, event.data) for event in told if event.kind in ("key", "lid")] == [
        ("key", {"on": 1}),
        ("key", {"on": 0}),
        ("lid", {"open": 1}),
        ("lid", {"open": 0}),
    ]
    assert [event.data["reason"] for event in shoe.of("reject")] == ["lid_open"]
    shoe.expected["reject"] = 1


@pytest.mark.benches("unix")
def test_a_shoe_whose_program_is_another_says_nothing_on_its_line(shoe: Shoe) -> None:
    shoe.power_off()
    shoe.rig.damage("image", 0, 1)
    said = len(shoe.gateway.events)
    shoe.rig.power_on()
    shoe.play([(0, 0)])
    assert shoe.outputs & FAULT
    assert shoe.rig.receive() == b""
    assert len(shoe.gateway.events) == said
    shoe.power_off()
    shoe.expected["fault"] = 1
    (shoe.rig.state_dir / "image.bin").unlink()  # type: ignore[attr-defined]
    shoe.power_on()
