"""What the link takes from the gateway: the profile, commands, and frames that it refuses."""

from struct import pack

from gateway_side import Gateway, command, new_link, served
from sabot import wire
from sabot.profile import Profile


def test_a_profile_waits_for_main():
    link, _, gateway = served()
    assert not link.new_profile
    fields = bytes([2, 6, 1, 2, 1, 0, 5, 0]) + bytes([7] * 46)
    gateway.send(wire.TYPE_SET_PROFILE, bytes(range(8)) + bytes(8) + fields)
    assert link.new_profile
    profile = Profile(6)
    assert profile.load(link.profile, 8)
    assert (profile.card_set, profile.decks, profile.burn) == (2, 6, 1)
    assert bytes(profile.digest) == bytes(range(8))


def test_a_command_waits_for_main_and_is_taken_once():
    link, _, gateway = served()
    gateway.send(wire.TYPE_COMMAND, command(7))
    assert link.command_due
    assert link.command[12] == 6
    link.command_due = False
    link.last_command_id = 7
    gateway.send(wire.TYPE_COMMAND, command(7))
    gateway.send(wire.TYPE_COMMAND, command(6))
    assert not link.command_due
    gateway.send(wire.TYPE_COMMAND, command(8, 10, b"\x21\x00"))
    assert link.command_due
    gateway.send(wire.TYPE_COMMAND, command(9))
    assert link.command[8] == 8


def test_commands_of_the_wrong_length_or_kind_are_for_main_to_refuse():
    link, _, gateway = served()
    for wrong, refused in ((command(1, 0), 1), (command(1, 22), 2), (command(1, 6, b"x"), 2), (command(1, 10), 2)):
        gateway.send(wire.TYPE_COMMAND, wrong)
        assert (link.command_due, link.refused) == (True, refused)
        link.command_due = False
    gateway.send(wire.TYPE_COMMAND, pack("<I", 1))
    assert (link.command_due, link.refused) == (False, 3)


def test_frames_of_the_wrong_length_are_ignored():
    link, journal, gateway = served(3)
    gateway.send(wire.TYPE_ACK, pack("<IB", 3, 0))
    gateway.send(wire.TYPE_SET_PROFILE, bytes(5))
    gateway.send(0x7F, b"")
    assert not link.new_profile
    assert journal.acked == 0
    assert link.refused == 3


def test_nothing_counts_before_a_welcome():
    link, journal = new_link(3)
    Gateway(link).send(wire.TYPE_ACK, pack("<I", 3))
    Gateway(link).send(wire.TYPE_COMMAND, command(1))
    assert journal.acked == 0
    assert not link.command_due
