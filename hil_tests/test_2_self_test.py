"""The shoe's self-test: it passes, or the shoe reports what failed or sends nothing."""

import pytest
from sabot_tools.bench.chip_table import FAULT, KEY, LID, LOCK
from sabot_tools.stand.minimal_gateway import MinimalGateway
from support.bench_shoe import Shoe


def test_a_sound_shoe_passes_all_its_tests_at_its_start_and_on_command_and_shows_no_fault(shoe: Shoe) -> None:
    shoe.play([(0, 0)])
    assert not shoe.outputs & FAULT
    shoe.gateway.link.command("self_test", {})
    shoe.until(lambda: len(shoe.of("self_test")) == 2, "the shoe has examined itself again")
    assert shoe.of("command_done")[-1].data["command"] == "self_test"
    for tested in shoe.of("self_test"):
        assert tested.data["passed"] == dict.fromkeys(("image", "journal", "flash", "sensors"), True)


def test_key_and_lid_are_logged_as_they_change(shoe: Shoe) -> None:
    events = [event for level in (KEY, LID) for on in (True, False) for event in shoe.hold(level, on=on)]
    assert [(event.kind, event.data) for event in events if event.kind in ("key", "lid")] == [
        ("key", {"on": 1}),
        ("key", {"on": 0}),
        ("lid", {"open": 1}),
        ("lid", {"open": 0}),
    ]
    assert [event.data["reason"] for event in shoe.of("reject")] == ["lid_open"]
    shoe.expected["reject"] = 1


@pytest.mark.benches("unix")
@pytest.mark.parametrize("seed", range(12))
def test_a_shoe_whose_log_is_damaged_tells_what_is_sound_and_deals_no_more(shoe: Shoe, seed: int) -> None:
    """Wherever the bit falls: a record of this coup, one before it, the last of all, or a header."""
    shoe.press("new_shoe")
    for card in ("KS", "9S", "2H"):
        shoe.card(card)
    before = list(shoe.gateway.events)
    shoe.power_off()
    shoe.rig.damage("journal", seed, 1)
    shoe.power_on()
    logged = shoe.gateway.events[len(before) :]
    assert [event.kind for event in logged[:3]] == ["boot", "self_test", "fault"]
    assert not logged[1].data["passed"]["journal"]
    assert logged[2].data["fault"] == "journal"
    for event in (*shoe.hold(KEY, on=True), *shoe.hold(KEY, on=False)):
        assert event.kind == "key"
    assert shoe.press("new_shoe") == []
    assert shoe.outputs & FAULT
    assert shoe.outputs & LOCK
    numbers = [event.event_no for event in shoe.gateway.events]
    assert numbers == list(range(1, len(numbers) + 1))
    shoe.expected["fault"] = 1


@pytest.mark.benches("unix")
def test_a_damaged_record_is_reported_in_its_place_to_a_gateway_without_it(shoe: Shoe) -> None:
    shoe.press("new_shoe")
    shoe.card("KS")
    before = shoe.gateway.events
    shoe.power_off()
    shoe.rig.damage("journal", 1, 1)
    shoe.gateway = MinimalGateway()
    shoe.power_on()
    again = shoe.gateway.events[: len(before)]
    differ = [second.kind for first, second in zip(before, again, strict=True) if first.data != second.data]
    assert differ == ["damaged"]
    assert [event.kind for event in shoe.gateway.events[len(before) :][:3]] == ["boot", "self_test", "fault"]
    shoe.expected.update(("damaged", "fault"))


@pytest.mark.benches("unix")
@pytest.mark.parametrize("seed", range(8))
def test_a_shoe_with_damaged_settings_reports_it_and_restores_them_at_the_next_start(shoe: Shoe, seed: int) -> None:
    """The gateway sends the profile again, the start count comes from the log; the coup is unchanged."""
    shoe.press("new_shoe")
    for card in ("KS", "9S"):
        shoe.card(card)
    shoe.power_off()
    shoe.rig.damage("store", seed, 1)
    before = len(shoe.gateway.events)
    shoe.power_on()
    logged = shoe.gateway.events[before:]
    assert [event.kind for event in logged[:3]] == ["boot", "self_test", "fault"]
    assert (logged[0].data["boot_count"], logged[2].data["fault"]) == (2, "journal")
    shoe.power_off()
    shoe.power_on()
    assert [(event.data["fault"], event.data["by"]) for event in shoe.of("fault_cleared")] == [("journal", "itself")]
    assert shoe.of("boot")[-1].data["boot_count"] == 3
    shoe.until(lambda: any(shoe.hellos[-1]["profile_hash"]) or len(shoe.of("profile_set")) == 2, "it has its profile")
    assert [(event.kind, event.data["slot"]) for event in shoe.card("2H")] == [("card", "banker_1")]
    shoe.expected["fault"] = 1


@pytest.mark.benches("unix")
def test_a_shoe_with_a_changed_program_sends_nothing(shoe: Shoe) -> None:
    shoe.power_off()
    shoe.rig.damage("image", 0, 1)
    logged = len(shoe.gateway.events)
    shoe.rig.power_on()
    shoe.play([(0, 0)])
    assert shoe.outputs & FAULT
    assert shoe.rig.receive() == b""
    assert len(shoe.gateway.events) == logged
    shoe.power_off()
    shoe.expected["fault"] = 1
    (shoe.rig.state_dir / "image.bin").unlink()  # type: ignore[attr-defined]
    shoe.power_on()
