"""A gateway for tests of the link: asks, welcomes and sends frames; and the frames that the shoe sends."""

from struct import pack, unpack_from

from sabot import wire
from sabot.link.frame import Decoder, encode
from sabot.link.link import Link
from sabot.link.session import Session
from sabot.profile import Profile
from sabot.reading.sampler import Sampler
from sabot.storage.journal import Journal
from sabot.wire import PROTOCOL_HASH
from support import Memory

A, B = b"gatewayA", b"gatewayB"
KEY = bytes(range(32))


class Gateway:
    """Sends frames to the shoe; the session of the other side makes the MACs."""

    def __init__(self, link, name=A, key=None):
        self.link, self.name, self.key = link, name, key
        self.seq = 0
        self.session = None

    def send(self, kind, body=b"", now_ms=0):
        """Send a frame of the session."""
        raw = bytearray(pack("<BBHI", kind, 0, self.seq, 0) + body + bytes(10))
        self.seq += 1
        self.put(raw, self.session.seal(raw, 8 + len(body)) if self.session else 8 + len(body), now_ms)

    def put(self, raw, size, now_ms=0):
        """Send any bytes as a frame."""
        out = bytearray(200)
        end = encode(raw, size, out, 0)
        self.link.receive(out, end, now_ms)

    def ask(self, nonce, now_ms=0):
        """Send WHO."""
        self.put(bytearray(pack("<BBHI", wire.TYPE_WHO, 0, 0, 0) + self.name + nonce + bytes(2)), 24, now_ms)

    def welcome(self, offered, durable=0, now_ms=0, protocol=PROTOCOL_HASH):
        """Send WELCOME to the session that a HELLO offered."""
        self.session = mirrored(self.key, offered)
        self.seq = 0
        self.send(wire.TYPE_WELCOME, protocol + offered[1] + pack("<I", durable), now_ms)


def mirrored(key, offered):
    """Return the gateway's end of a session: it sends what the shoe receives."""
    session = Session(key)
    session.start(A, offered[0], offered[1])
    if key:
        session._inner_out, session._outer_out = session._inner_in, session._outer_in
    return session


def new_link(events=0, key=None):
    journal = Journal(Memory(3, 4096))
    for _ in range(events):
        journal.append(5, 4, 10)
    return Link(bytes(range(8)), 3, 1, journal, Profile(6), Sampler(), lambda n: bytes(n), key), journal


def served(events=0, key=None, durable=0):
    """Return a link in session, its journal, and the gateway."""
    link, journal = new_link(events, key)
    gateway = Gateway(link, A, key)
    gateway.ask(b"nonce--1")
    gateway.welcome(offered(link, 0), durable)
    return link, journal, gateway


def offered(link, now_ms):
    """Return the nonces of the HELLO that the shoe sends now."""
    hello = [body for body in bodies(link, now_ms) if body[wire.FRAME_TYPE] == wire.TYPE_HELLO][-1]
    at, end = wire.HELLO_GATEWAY_NONCE, wire.HELLO_SHOE_NONCE
    return hello[at:end], hello[end : wire.HELLO_SIZE]


def bodies(link, now_ms):
    """Return the frames that the shoe sends now."""
    link.pump(now_ms)
    decoder = Decoder()
    frames = []
    for i in range(link.tx_size):
        size = decoder.feed(link.tx[i])
        if size:
            frames.append(bytes(decoder.body[:size]))
    link.sent(link.tx_size)
    return frames


def sent_by(link, now_ms):
    """Return type and event number, or None, of the frames that the shoe sends now."""
    found = []
    for body in bodies(link, now_ms):
        kind = body[wire.FRAME_TYPE]
        is_event = kind == wire.TYPE_EVENT
        found.append((kind, unpack_from("<I", body, wire.EVENT_FRAME_EVENT_NO)[0] if is_event else None))
    return found


def command(command_id, kind=6, data=b""):
    return pack("<IB", command_id, kind) + data


def recorded(gateway, kind, body):
    """Return a frame of the session as bytes, and its size, without sending it."""
    raw = bytearray(pack("<BBHI", kind, 0, gateway.seq, 0) + body + bytes(10))
    gateway.seq += 1
    return raw, gateway.session.seal(raw, 8 + len(body))
