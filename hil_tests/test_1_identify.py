"""First of all: does a shoe answer, and is it the one that we think it is."""

from sabot_protocol import messages
from support.bench_shoe import Shoe


def test_a_shoe_identifies_itself_and_its_protocol(shoe: Shoe) -> None:
    hello = shoe.hellos[-1]
    assert hello["unit"].hex() == shoe.rig.unit
    assert hello["protocol_hash"] == messages.protocol_hash()
    assert (hello["boot_count"], hello["cause"], hello["fault"]) == (1, "power", "none")
    assert hello["oldest_event_no"] == 1


def test_a_shoe_takes_the_profile_of_its_house(shoe: Shoe) -> None:
    shoe.settle()
    assert [event.data["profile_hash"] for event in shoe.of("profile_set")] == [
        messages.profile_hash(shoe.gateway.link.profile)
    ]


def test_plug_and_reset_pin_restart_it_and_the_log_continues(shoe: Shoe) -> None:
    shoe.power_off()
    shoe.power_on()
    shoe.reset()
    assert [event.data["boot_count"] for event in shoe.of("boot")] == [1, 2, 3]
    assert [event.event_no for event in shoe.gateway.events] == list(range(1, len(shoe.gateway.events) + 1))
