"""The link on two wires: answers go where the question came from, and one gateway is served on one wire."""

from struct import pack

from sabot.link.frame import encode
from vm_link import ALIVE, BUSY, EVENT, HELLO, A, B, Gateway, bodies, command, link, offered, served

UART, USB = 0, 1


class OnWire(Gateway):
    """A gateway at this wire."""

    def __init__(self, it, wire, name=A):
        super().__init__(it, name)
        self.wire = wire

    def put(self, raw, size, now_ms=0):
        """Any bytes as a frame."""
        out = bytearray(200)
        self.it.receive(out, encode(raw, size, out, 0), now_ms, self.wire)


def sent(it, now_ms):
    """Wire and kinds of the frames that go now."""
    found = []
    while True:
        kinds = [body[0] for body in bodies(it, now_ms)]
        if not kinds:
            return found
        found.append((it.tx_port, kinds))


def on_usb(events=0):
    """A link in session on USB, its journal, and the gateway."""
    it, journal = link(events)
    gateway = OnWire(it, USB)
    gateway.ask(b"nonce--1")
    gateway.welcome(offered(it, 0))
    return it, journal, gateway


def test_nobody_has_asked_yet():
    it, _ = link()
    assert sent(it, 0) == [(UART, [HELLO])]


def test_answers_go_where_the_question_came_from():
    it, _ = link(1)
    sent(it, 0)
    gateway = OnWire(it, USB)
    gateway.ask(b"nonce--1", 100)
    nonces = offered(it, 100)
    assert it.tx_port == USB
    gateway.welcome(nonces, 0, 101)
    assert sent(it, 101) == [(USB, [EVENT])]
    gateway.say(0x82, pack("<I", 1), 102)
    assert sent(it, 1200) == [(USB, [ALIVE])]


def test_bytes_of_two_wires_make_no_frame_together():
    it, _ = link()
    raw, out = bytearray(pack("<BBHI", 0x80, 0, 0, 0) + A + b"nonce--1" + bytes(2)), bytearray(200)
    end = encode(raw, 24, out, 0)
    for i in range(end):
        it.receive(out[i : i + 1], 1, 0, i & 1)
    assert it.crc_errors()
    assert not it._offered
    it, _ = link()
    for i in range(end):
        it.receive(out[i : i + 1], 1, 0, UART)
        it.receive(b"\x55", 1, 0, USB)
    assert it._offered


def test_the_other_wire_is_told_who_is_served():
    it, _, _ = on_usb()
    sent(it, 0)
    for name in (B, A):  # the same gateway at both wires is served at one
        OnWire(it, UART, name).ask(b"nonce--2", 100)
        assert sent(it, 100) == [(UART, [BUSY])]
    assert sent(it, 1200) == [(USB, [ALIVE])]


def test_on_the_other_wire_nothing_counts():
    it, journal, gateway = on_usb(2)
    sent(it, 0)
    gateway.wire = UART
    gateway.say(0x82, pack("<I", 2), 4000)
    gateway.say(0x84, command(1), 4000)
    assert (journal.acked, it.command_due) == (0, False)
    OnWire(it, UART, B).ask(b"nonce--2", 5000)  # so the session is not kept alive from there
    assert sent(it, 5000) == [(UART, [HELLO])]


def test_a_welcome_counts_on_the_wire_of_its_offer():
    it, _ = link(1)
    gateway = OnWire(it, UART)
    gateway.ask(b"nonce--1")
    nonces = offered(it, 0)
    gateway.wire = USB
    gateway.welcome(nonces)
    assert sent(it, 0) == []
    gateway.wire = UART
    gateway.welcome(nonces)
    assert sent(it, 0) == [(UART, [EVENT])]


def test_a_plug_that_was_moved_is_served_when_the_old_wire_is_silent():
    it, _, _ = on_usb(1)
    assert sent(it, 0) == [(USB, [EVENT])]
    gateway = OnWire(it, UART)
    gateway.ask(b"nonce--2", 4999)
    assert sent(it, 4999)[0] == (UART, [BUSY])
    gateway.ask(b"nonce--3", 5100)
    gateway.welcome(offered(it, 5100), 0, 5101)
    assert sent(it, 5101) == [(UART, [EVENT])]


def test_a_session_does_not_wait_for_a_wire_that_nobody_reads():
    it, _, _ = served(1)
    OnWire(it, USB, B).ask(b"nonce--2")
    it.pump(0)
    assert (it.tx_port, it.tx_size > 0) == (USB, True)
    it.sent(3)  # and then its buffer is full
    assert sent(it, 1) == [(UART, [EVENT])]


def test_a_question_does_not_wait_for_a_wire_that_nobody_reads():
    it, _, _ = on_usb(1)
    it.pump(0)
    assert (it.tx_port, it.tx_size > 0) == (USB, True)
    OnWire(it, UART).ask(b"nonce--2", 6000)
    assert sent(it, 6000) == [(UART, [HELLO])]


def test_damage_is_counted_on_both():
    it, _ = link()
    for wire in (UART, USB):
        it.receive(b"\x05damage\0", 8, 0, wire)
    assert it.crc_errors() == 2
