"""Commands: one at a time, in order, until the shoe says what became of them."""

import pytest
from sabot_gateway.shoe.commands import CommandQueue
from sabot_gateway.shoe.link import ShoeLink
from sabot_protocol.codec import CodecError
from shoe_events import KEY, PROFILE, Shoe, sent, who_nonce


def served(shoe: Shoe, last_command_id: int = 0) -> ShoeLink:
    """Return a link that serves this shoe; the frames of the handshake are taken out."""
    link = ShoeLink(PROFILE, lambda unit: 0, keys=lambda unit: [shoe.key] if shoe.key else [])
    nonce = who_nonce(link, 0.0)
    link.receive(shoe.hello(nonce, next_event_no=1, last_command_id=last_command_id) + shoe.say("alive"), 0.0)
    sent(link)
    return link


def commanded(link: ShoeLink, now_s: float) -> list[tuple[int, str]]:
    """Ids and kinds of the commands that go out now."""
    link.tick(now_s)
    return [(frame.body["command_id"], frame.body["kind"]) for frame in sent(link) if frame.type == "command"]


def done(shoe: Shoe, event_no: int, command_id: int, command: str, **data: str) -> bytes:
    return shoe.event(event_no, "command_done", command_id=command_id, command=command, outcome="done", data=data)


@pytest.mark.parametrize("key", [None, KEY])
def test_one_at_a_time_by_ids_that_rise_from_what_the_shoe_has_done(key: bytes | None) -> None:
    shoe = Shoe(key)
    link = served(shoe, last_command_id=41)
    link.command("lock", {})
    link.command("no_bet", {"kind": "dummy"})
    assert commanded(link, 0.1) == [(42, "lock")]
    assert commanded(link, 0.2) == []
    assert len(link.receive(done(shoe, 1, 42, "lock"), 0.3)) == 1
    assert commanded(link, 0.3) == [(43, "no_bet")]
    link.receive(done(shoe, 2, 43, "no_bet", kind="dummy"), 0.4)
    assert not link.commands.waiting
    assert link.counters["dropped_commands"] == 0


def test_a_command_is_sent_again_ever_more_seldom() -> None:
    link, at = served(Shoe()), []
    link.command("lock", {})
    for eighth in range(320):
        at += [eighth / 8 for _ in commanded(link, eighth / 8)]
    assert at == [0, 1, 3, 7, 15, 23, 31, 39]


def test_a_command_that_is_never_done_is_repeated_for_days() -> None:
    commands = CommandQueue()
    commands.add("lock", {})
    for turn in range(1, 20_000):
        assert commands.is_due(8.0 * turn)
        commands.take_due(8.0 * turn)


def test_no_command_is_sent_before_the_shoe_uses_its_session() -> None:
    link, shoe = ShoeLink(PROFILE, lambda unit: 0), Shoe()
    link.command("lock", {})
    link.receive(shoe.hello(who_nonce(link, 0.0), next_event_no=1), 0.0)
    assert commanded(link, 0.5) == []
    link.receive(shoe.say("alive"), 0.6)
    assert commanded(link, 0.6) == [(1, "lock")]


def test_the_outcome_of_another_command_ends_nothing() -> None:
    shoe = Shoe()
    link = served(shoe)
    link.command("lock", {})
    commanded(link, 0.1)
    link.receive(done(shoe, 1, 7, "unlock"), 0.2)
    assert len(link.commands.waiting) == 1


def test_an_id_that_another_gateway_used_for_something_else_is_given_up() -> None:
    shoe = Shoe()
    link = served(shoe)
    link.command("lock", {})
    assert commanded(link, 0.1) == [(1, "lock")]
    link.receive(done(shoe, 1, 1, "unlock"), 0.2)
    assert commanded(link, 0.2) == [(2, "lock")]


def test_the_queue_is_bounded() -> None:
    link = served(Shoe())
    taken = [link.command("lock", {}) for _ in range(20)]
    assert [command is None for command in taken] == [False] * 16 + [True] * 4
    assert link.counters["dropped_commands"] == 4


def test_what_is_no_command_is_refused_when_it_is_given() -> None:
    link = served(Shoe())
    for kind, data in (("dance", {}), ("open_shoe", {"decks": 9, "burn": "one"}), ("no_bet", {})):
        with pytest.raises(CodecError):
            link.command(kind, data)
    assert not link.commands.waiting


def test_a_new_session_gets_the_command_again_at_once_by_the_same_id() -> None:
    shoe = Shoe()
    link = served(shoe)
    link.command("lock", {})
    assert commanded(link, 0.1) == [(1, "lock")]
    link.reset()
    link.receive(shoe.hello(who_nonce(link, 0.2), next_event_no=1) + shoe.say("alive"), 0.2)
    assert commanded(link, 0.3) == [(1, "lock")]


@pytest.mark.parametrize("key", [None, KEY])
def test_a_command_done_before_a_power_cut_is_not_sent_again(key: bytes | None) -> None:
    shoe = Shoe(key)
    link = served(shoe)
    link.command("lock", {})
    link.command("unlock", {})
    assert commanded(link, 0.1) == [(1, "lock")]
    link.reset()
    link.receive(shoe.hello(who_nonce(link, 0.2), next_event_no=3, last_command_id=0) + shoe.say("alive"), 0.2)
    assert commanded(link, 0.3) == []
    link.receive(shoe.button(1), 0.4)
    assert commanded(link, 0.4) == []
    link.receive(done(shoe, 2, 1, "lock"), 0.5)
    assert commanded(link, 0.5) == [(2, "unlock")]


def test_after_both_have_started_again_an_old_outcome_ends_no_new_command() -> None:
    shoe, link = Shoe(), ShoeLink(PROFILE, lambda unit: 0)
    link.command("lock", {})
    link.receive(shoe.hello(who_nonce(link, 0.0), next_event_no=2) + shoe.say("alive"), 0.0)
    assert commanded(link, 0.1) == []
    link.receive(done(shoe, 1, 1, "lock"), 0.2)
    assert commanded(link, 0.2) == [(2, "lock")]


def test_a_command_whose_end_is_in_a_lost_part_of_the_log_does_not_block_the_others() -> None:
    shoe = Shoe()
    link = served(shoe)
    link.command("lock", {})
    link.command("unlock", {})
    commanded(link, 0.1)
    link.reset()
    answer = shoe.hello(who_nonce(link, 0.2), last_command_id=1, oldest_event_no=100, next_event_no=100)
    link.receive(answer + shoe.say("alive"), 0.2)
    assert link.counters["dropped_commands"] == 1
    assert commanded(link, 0.3) == [(2, "unlock")]


def test_a_command_that_was_never_sent_waits_for_a_shoe_that_lost_part_of_its_log() -> None:
    link, shoe = ShoeLink(PROFILE, lambda unit: 0), Shoe()
    link.command("lock", {})
    answer = shoe.hello(who_nonce(link, 0.0), last_command_id=7, oldest_event_no=100, next_event_no=100)
    link.receive(answer + shoe.say("alive"), 0.0)
    assert commanded(link, 0.1) == [(8, "lock")]


def test_another_shoe_on_the_port_gets_no_command_of_the_first() -> None:
    shoe = Shoe()
    link = served(shoe, last_command_id=41)
    link.command("lock", {})
    commanded(link, 0.1)
    link.reset()
    link.receive(shoe.hello(who_nonce(link, 0.2), unit=b"another.", next_event_no=1) + shoe.say("alive"), 0.2)
    assert commanded(link, 0.3) == []
    assert link.counters["dropped_commands"] == 1
    link.command("unlock", {})
    assert commanded(link, 0.4) == [(1, "unlock")]


def test_when_the_ids_are_used_up_nothing_more_is_sent() -> None:
    link = served(Shoe(), last_command_id=2**30 - 1)
    link.command("lock", {})
    assert commanded(link, 0.1) == []


def test_a_command_that_is_withdrawn_before_it_went_out_never_goes_out() -> None:
    link = ShoeLink(PROFILE, lambda unit: 0)
    command = link.command("void_coup", {"reason": "supervisor", "then": "go_on"})
    assert command is not None
    assert link.withdraw(command) is False
    assert not link.commands.is_due(1.0)


def test_a_command_that_is_withdrawn_after_it_was_sent_does_not_give_back_its_id() -> None:
    shoe = Shoe()
    link = served(shoe, last_command_id=41)
    command = link.command("lock", {})
    assert command is not None
    assert commanded(link, 0.1) == [(42, "lock")]
    assert link.withdraw(command) is True
    link.command("unlock", {})
    assert commanded(link, 0.2) == [(43, "unlock")]
    assert len(link.receive(done(shoe, 1, 42, "lock"), 0.3)) == 1  # it was heard after all
    assert [command.kind for command in link.commands.waiting] == ["unlock"]


# Held until their id is stored


def test_a_held_command_has_its_id_once_it_is_the_first_and_goes_out_when_it_is_let_go() -> None:
    shoe = Shoe()
    link = served(shoe, last_command_id=41)
    link.command("lock", {})
    void = link.prepare_command("void_coup", {"reason": "misdeal", "then": "go_on"})
    assert void is not None
    assert link.number_command(void) == 0
    assert commanded(link, 0.1) == [(42, "lock")]
    link.receive(done(shoe, 1, 42, "lock"), 0.2)
    assert (link.number_command(void), commanded(link, 0.2)) == (43, [])
    void.held = False
    assert commanded(link, 0.3) == [(43, "void_coup")]


def test_a_held_command_that_is_withdrawn_was_never_sent() -> None:
    link = served(Shoe())
    lock = link.prepare_command("lock", {})
    assert lock is not None
    assert (link.number_command(lock), link.withdraw(lock)) == (1, False)
    unlock = link.prepare_command("unlock", {})
    assert unlock is not None
    assert link.number_command(unlock) == 2


def test_a_shoe_that_does_not_know_a_command_ends_it_without_its_name() -> None:
    commands = CommandQueue()
    for kind in ("this_no_bet", "lock"):
        assert commands.add(kind, {})
    assert commands.is_due(1.0)
    commands.take_due(1.0)
    commands.done({"command_id": 1, "command": "unknown"})
    assert [command.kind for command in commands.waiting] == ["lock"]


def test_an_id_that_another_gateway_has_used_meanwhile_is_not_used_again() -> None:
    commands = CommandQueue()
    lock = commands.add("lock", {})
    assert lock is not None
    lock.held = True
    assert commands.number(lock) == 1
    commands.begin(7, log_lost=False)
    assert commands.number(lock) == 8


def test_the_command_of_another_gateway_does_not_end_one_that_was_not_sent() -> None:
    commands = CommandQueue()
    lock = commands.add("lock", {})
    assert lock is not None
    lock.held = True
    assert commands.number(lock) == 1
    commands.done({"command_id": 1, "command": "lock"})
    assert (list(commands.waiting), commands.number(lock)) == ([lock], 2)
