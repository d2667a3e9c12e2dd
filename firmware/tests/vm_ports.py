"""The link on two ports: answers go to the port of the WHO, and one gateway is served on one port."""

from struct import pack

from gateway_side import A, B, Gateway, bodies, command, new_link, offered, served
from sabot import wire
from sabot.link.frame import encode

UART, USB = 0, 1


class GatewayOnPort(Gateway):
    """A gateway on a port."""

    def __init__(self, link, port, name=A):
        super().__init__(link, name)
        self.port = port

    def put(self, raw, size, now_ms=0):
        """Send any bytes as a frame."""
        out = bytearray(200)
        self.link.receive(out, encode(raw, size, out, 0), now_ms, self.port)


def sent(link, now_ms):
    """Return the port and the types of the frames that the shoe sends now."""
    found = []
    while True:
        kinds = [body[0] for body in bodies(link, now_ms)]
        if not kinds:
            return found
        found.append((link.tx_port, kinds))


def on_usb(events=0):
    """Return a link in session on USB, its journal, and the gateway."""
    link, journal = new_link(events)
    gateway = GatewayOnPort(link, USB)
    gateway.ask(b"nonce--1")
    gateway.welcome(offered(link, 0))
    return link, journal, gateway


def test_before_a_who_hello_goes_to_the_uart():
    link, _ = new_link()
    assert sent(link, 0) == [(UART, [wire.TYPE_HELLO])]


def test_answers_go_to_the_port_of_the_who():
    link, _ = new_link(1)
    sent(link, 0)
    gateway = GatewayOnPort(link, USB)
    gateway.ask(b"nonce--1", 100)
    nonces = offered(link, 100)
    assert link.tx_port == USB
    gateway.welcome(nonces, 0, 101)
    assert sent(link, 101) == [(USB, [wire.TYPE_EVENT])]
    gateway.send(wire.TYPE_ACK, pack("<I", 1), 102)
    assert sent(link, 1200) == [(USB, [wire.TYPE_ALIVE])]


def test_bytes_of_two_ports_make_no_frame_together():
    link, _ = new_link()
    raw, out = bytearray(pack("<BBHI", wire.TYPE_WHO, 0, 0, 0) + A + b"nonce--1" + bytes(2)), bytearray(200)
    end = encode(raw, 24, out, 0)
    for i in range(end):
        link.receive(out[i : i + 1], 1, 0, i & 1)
    assert link.crc_errors()
    assert not link._offered
    link, _ = new_link()
    for i in range(end):
        link.receive(out[i : i + 1], 1, 0, UART)
        link.receive(b"\x55", 1, 0, USB)
    assert link._offered


def test_the_other_port_gets_busy():
    link, _, _ = on_usb()
    sent(link, 0)
    for name in (B, A):  # the same gateway on both ports is served on one
        GatewayOnPort(link, UART, name).ask(b"nonce--2", 100)
        assert sent(link, 100) == [(UART, [wire.TYPE_BUSY])]
    assert sent(link, 1200) == [(USB, [wire.TYPE_ALIVE])]


def test_on_the_other_port_nothing_counts():
    link, journal, gateway = on_usb(2)
    sent(link, 0)
    gateway.port = UART
    gateway.send(wire.TYPE_ACK, pack("<I", 2), 4000)
    gateway.send(wire.TYPE_COMMAND, command(1), 4000)
    assert (journal.acked, link.command_due) == (0, False)
    GatewayOnPort(link, UART, B).ask(b"nonce--2", 5000)  # so the session is not kept alive from there
    assert sent(link, 5000) == [(UART, [wire.TYPE_HELLO])]


def test_a_welcome_counts_on_the_port_of_its_offer():
    link, _ = new_link(1)
    gateway = GatewayOnPort(link, UART)
    gateway.ask(b"nonce--1")
    nonces = offered(link, 0)
    gateway.port = USB
    gateway.welcome(nonces)
    assert sent(link, 0) == []
    gateway.port = UART
    gateway.welcome(nonces)
    assert sent(link, 0) == [(UART, [wire.TYPE_EVENT])]


def test_a_plug_that_was_moved_is_served_when_the_old_port_is_silent():
    link, _, _ = on_usb(1)
    assert sent(link, 0) == [(USB, [wire.TYPE_EVENT])]
    gateway = GatewayOnPort(link, UART)
    gateway.ask(b"nonce--2", 4999)
    assert sent(link, 4999)[0] == (UART, [wire.TYPE_BUSY])
    gateway.ask(b"nonce--3", 5100)
    gateway.welcome(offered(link, 5100), 0, 5101)
    assert sent(link, 5101) == [(UART, [wire.TYPE_EVENT])]


def test_a_session_does_not_wait_for_a_port_that_is_not_read():
    link, _, _ = served(1)
    GatewayOnPort(link, USB, B).ask(b"nonce--2")
    link.pump(0)
    assert (link.tx_port, link.tx_size > 0) == (USB, True)
    link.sent(3)  # and then its buffer is full
    assert sent(link, 1) == [(UART, [wire.TYPE_EVENT])]


def test_a_who_does_not_wait_for_a_port_that_is_not_read():
    link, _, _ = on_usb(1)
    link.pump(0)
    assert (link.tx_port, link.tx_size > 0) == (USB, True)
    GatewayOnPort(link, UART).ask(b"nonce--2", 6000)
    assert sent(link, 6000) == [(UART, [wire.TYPE_HELLO])]


def test_damage_is_counted_on_both():
    link, _ = new_link()
    for port in (UART, USB):
        link.receive(b"\x05damage\0", 8, 0, port)
    assert link.crc_errors() == 2
