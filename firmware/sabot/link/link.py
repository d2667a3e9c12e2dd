"""Link: introduces the shoe to a gateway, replicates the journal to it, takes commands and the profile from it."""

from struct import pack_into

from micropython import const

from sabot import wire
from sabot.link.frame import Decoder, encode, number, put_short
from sabot.link.session import Session
from sabot.storage.journal import RECORD
from sabot.wire import COMMAND_SIZES, PROTOCOL_HASH

_TICKS = const(0x3FFFFFFF)
_LAST_SEQ = const(0xFFFF)
_HELLO_EVERY_MS = const(500)
_RESEND_FIRST_MS = const(500)  # doubles until something is acknowledged
_RESEND_LAST_MS = const(8000)
_ALIVE_EVERY_MS = const(1000)
_LOST_AFTER_MS = const(5000)  # a gateway sends something once a second
_WINDOW = const(24)  # covers a ledger that takes 30 ms to commit
_TX_BYTES = const(512)
_FRAME_ROOM = const(140)  # the longest frame on the line, and some
_PORTS = const(2)  # as the board numbers them; HELLO goes to the first until a gateway has asked on the other

FIRMWARE_VERSION = b"\x00\x01\x00"
_NO_NONCE = bytes(wire.HELLO_SHOE_NONCE_BYTES)


def same(buf, at, other):
    """Return True if buf has the bytes of `other` from `at` on."""
    for i in range(len(other)):
        if buf[at + i] != other[i]:
            return False
    return True


class Link:
    """Bytes in by receive(), bytes out on `tx_port` in tx[:tx_size] after pump(); time is an argument.

    One class because handshake, log and commands share one session, one transmit buffer and one frame body: each
    further object would cost heap.
    """

    def __init__(self, unit, boot_count, cause, journal, profile, sampler, random, key=None):
        self._unit = unit
        self._boot_count = boot_count
        self._cause = cause
        self._journal = journal
        self._profile = profile
        self._sampler = sampler
        self._random = random  # random(n): n unpredictable bytes
        self._decoders = [Decoder() for _ in range(_PORTS)]
        self._body = bytearray(wire.MAX_BODY_BYTES + 2)
        self._record = bytearray(RECORD)
        # The session, and the one that HELLO offers: it becomes the session when a gateway welcomes it.
        self._session = Session(key)
        self._offer = Session(key)
        self._offered = False
        self._offers = 0
        self._welcomed = False
        self._port = 0  # of the session
        self._offer_port = 0  # where a gateway asked last
        self._hello_due = True
        self._hello_ms = 0
        # A gateway that is not served.
        self._busy_due = False
        self._busy_port = 0
        self._busy_nonce = bytearray(wire.WHO_NONCE_BYTES)
        # The log.
        self._next_to_send = 1
        self._received_ms = 0
        self._progress_ms = 0
        self._resend_after_ms = _RESEND_FIRST_MS
        self._sent_ms = 0
        self._unsealed_seq = 0
        # Counters, and what main.py reads and sets.
        self.resends = 0
        self.refused = 0
        self.tx = bytearray(_TX_BYTES)
        self.tx_size = 0
        self.tx_port = 0
        self.fault = 0  # the fault that locks the exit, for HELLO
        self.last_command_id = 0  # of the command done last
        self.command_due = False  # a command is in `command`
        self.command = bytearray(wire.MAX_BODY_BYTES)
        self.command_size = 0
        self.new_profile = False  # a set_profile is in `profile`
        self.profile = bytearray(wire.SET_PROFILE_SIZE)
        self.image_hash = _NO_NONCE  # of the program that runs
        self.heard = False  # a gateway has asked
        self.update = None  # the update or update_data that came last
        self.update_state = None  # the body of the update_state to be sent

    def crc_errors(self):
        """Return how many frames came in damaged."""
        return self._decoders[0].errors + self._decoders[1].errors & 0xFFFF

    def receive(self, data, size, now_ms, port=0):
        """Take bytes from a gateway."""
        decoder = self._decoders[port]
        for i in range(size):
            got = decoder.feed(data[i])
            if got >= wire.FRAME_SIZE:
                self._frame(decoder.body, got, now_ms, port)

    def _frame(self, body, size, now_ms, port):
        kind = body[wire.FRAME_TYPE]
        if kind == wire.TYPE_WHO:
            if size == wire.WHO_SIZE and not body[wire.FRAME_FLAGS]:
                self._who(body, now_ms, port)
        elif kind == wire.TYPE_WELCOME and port == self._offer_port and self._accepts_offer(body, size):
            self._begin(body, now_ms)
        elif self._welcomed and port == self._port:
            size = self._session.opened(body, size)
            if size:
                self._received_ms = now_ms
                self._session_frame(kind, body, size, now_ms)
            else:
                self._refuse()

    # Handshake

    def _who(self, body, now_ms, port):
        """Offer a session to the gateway that asks, unless another gateway or the other port is served."""
        self.heard = True
        if self._welcomed and not self._lost(now_ms) and not self._serves(body, port):
            self._busy_due = True
            self._busy_port = port
            for i in range(wire.WHO_NONCE_BYTES):
                self._busy_nonce[i] = body[wire.WHO_NONCE + i]
            return
        if self._welcomed and same(body, wire.WHO_NONCE, self._session.gateway_nonce):
            return  # the WHO of this very session, repeated
        if not self._offered or not same(body, wire.WHO_NONCE, self._offer.gateway_nonce):
            gateway = body[wire.WHO_GATEWAY : wire.WHO_GATEWAY + wire.WHO_GATEWAY_BYTES]
            self._offer.start(gateway, body[wire.WHO_NONCE : wire.WHO_NONCE + wire.WHO_NONCE_BYTES], self._nonce())
            self._offered = True
        if port != self.tx_port:
            self.tx_size = 0  # bytes for the other port: this gateway does not wait until they are read there
        self._offer_port = port
        self._hello_due = True

    def _serves(self, body, port):
        return port == self._port and same(body, wire.WHO_GATEWAY, self._session.gateway)

    def _nonce(self):
        """Return a nonce never used before, even if the random source fails: it counts starts and offers."""
        self._offers = self._offers + 1 & 0xFFFF
        nonce = bytearray(wire.HELLO_SHOE_NONCE_BYTES)
        put_short(nonce, 0, self._boot_count)
        put_short(nonce, 2, self._offers)
        nonce[4:] = self._random(len(nonce) - 4)
        return nonce

    def _accepts_offer(self, body, size):
        """Return True if this WELCOME accepts the offer."""
        return (
            self._offered
            and size >= wire.WELCOME_SIZE
            and same(body, wire.WELCOME_SHOE_NONCE, self._offer.shoe_nonce)
            and self._offer.opened(body, size) == wire.WELCOME_SIZE
            and same(body, wire.WELCOME_PROTOCOL_HASH, PROTOCOL_HASH)
        )

    def _begin(self, body, now_ms):
        """Make the offer the session; the log continues behind the event that the gateway has."""
        self._session, self._offer = self._offer, self._session
        self._port = self._offer_port
        self._offered = self._hello_due = False
        self._welcomed = True
        self._received_ms = now_ms
        self._sent_ms = now_ms - _ALIVE_EVERY_MS & _TICKS
        durable = number(body, wire.WELCOME_DURABLE_EVENT_NO)
        self._acknowledge(durable, now_ms)
        self._next_to_send = max(durable + 1, self._journal.oldest())
        self._progress_ms = now_ms

    def _busy(self, now_ms):
        self._busy_due = False
        body = self._body
        body[wire.BUSY_GATEWAY : wire.BUSY_GATEWAY + wire.BUSY_GATEWAY_BYTES] = self._session.gateway
        body[wire.BUSY_NONCE : wire.BUSY_NONCE + wire.BUSY_NONCE_BYTES] = self._busy_nonce
        self._send(wire.TYPE_BUSY, wire.BUSY_SIZE, now_ms, None, self._busy_port)

    def _hello(self, now_ms):
        if not self._room(self._offer_port):
            return
        offer = self._offer if self._offered else None
        pack_into(
            wire.HELLO_FORMAT,
            self._body,
            wire.FRAME_BODY,
            self._unit,
            self._boot_count,
            PROTOCOL_HASH,
            self._profile.digest,
            FIRMWARE_VERSION,
            self.image_hash,
            self._journal.next_no,
            self._journal.oldest(),
            self.crc_errors(),
            self.resends,
            self.refused,
            self._sampler.overruns & 0xFFFF,
            self.last_command_id,
            self._cause,
            self.fault,
            offer.gateway_nonce if offer else _NO_NONCE,
            offer.shoe_nonce if offer else _NO_NONCE,
        )
        self._send(wire.TYPE_HELLO, wire.HELLO_SIZE, now_ms, offer, self._offer_port)
        self._hello_due = False
        self._hello_ms = now_ms

    # Frames of the session

    def _session_frame(self, kind, body, size, now_ms):
        if kind == wire.TYPE_ACK and size == wire.ACK_SIZE:
            self._acknowledge(number(body, wire.ACK_EVENT_NO), now_ms)
        elif kind == wire.TYPE_WELCOME and size == wire.WELCOME_SIZE:
            self._acknowledge(number(body, wire.WELCOME_DURABLE_EVENT_NO), now_ms)
        elif kind == wire.TYPE_RESEND and size == wire.RESEND_SIZE:
            self._go_back(number(body, wire.RESEND_EVENT_NO), now_ms)
        elif kind == wire.TYPE_SET_PROFILE and size == wire.SET_PROFILE_SIZE:
            for i in range(size):
                self.profile[i] = body[i]
            self.new_profile = True
        elif kind == wire.TYPE_UPDATE or kind == wire.TYPE_UPDATE_DATA:
            self.update = body[:size]
        elif kind == wire.TYPE_COMMAND and size >= wire.COMMAND_FRAME_SIZE:
            self._command(body, size)
        else:
            self._refuse()

    def _refuse(self):
        self.refused = self.refused + 1 & 0xFFFF

    def _acknowledge(self, event_no, now_ms):
        before = self._journal.acked
        self._journal.acknowledge(event_no)
        if self._journal.acked != before:
            self._progress_ms = now_ms
            self._resend_after_ms = _RESEND_FIRST_MS

    def _go_back(self, event_no, now_ms):
        if self._journal.acked < event_no < self._next_to_send:
            self._next_to_send = event_no
            self._progress_ms = now_ms
            self.resends = self.resends + 1 & 0xFFFF

    def _command(self, body, size):
        """Keep a command for main.py, one at a time; a command that is done already is ignored."""
        if self.command_due or number(body, wire.COMMAND_FRAME_COMMAND_ID) <= self.last_command_id:
            return
        if not 1 <= body[wire.COMMAND_FRAME_KIND] <= len(COMMAND_SIZES):
            self._refuse()
        for i in range(size):
            self.command[i] = body[i]
        self.command_size = size
        self.command_due = True

    # Sending

    def pump(self, now_ms):
        """Put the frames that are due into tx, as far as it has room."""
        if self._welcomed and self._lost(now_ms):
            self._welcomed = False
        if self._welcomed and self.tx_port != self._port:
            self.tx_size = 0  # the rest of a BUSY that nobody reads: the session does not wait for it
        if self._busy_due and self._room(self._busy_port):
            self._busy(now_ms)
        if self._hello_due or (not self._welcomed and (now_ms - self._hello_ms) & _TICKS >= _HELLO_EVERY_MS):
            self._hello(now_ms)
        if self._welcomed:
            self._replicate(now_ms)

    def sent(self, count):
        """Remove the first `count` bytes of tx: the line took them."""
        self.tx_size -= count
        for i in range(self.tx_size):
            self.tx[i] = self.tx[i + count]

    def _lost(self, now_ms):
        return (now_ms - self._received_ms) & _TICKS >= _LOST_AFTER_MS

    def _room(self, port):
        """Return True if tx has room for one more frame to this port; it holds the bytes of one port at a time."""
        return not self.tx_size or (port == self.tx_port and self.tx_size + _FRAME_ROOM <= _TX_BYTES)

    def _replicate(self, now_ms):
        self._resend(now_ms)
        if self.update_state and self._room(self._port):
            self._body[wire.FRAME_BODY : wire.UPDATE_STATE_SIZE] = self.update_state
            self.update_state = None
            self._send(wire.TYPE_UPDATE_STATE, wire.UPDATE_STATE_SIZE, now_ms, self._session, self._port)
        while self._next_to_send < self._journal.next_no and self._may_send():
            self._event()
            self._sent_ms = now_ms
        if (now_ms - self._sent_ms) & _TICKS >= _ALIVE_EVERY_MS and not self.tx_size:
            self._send(wire.TYPE_ALIVE, wire.ALIVE_SIZE, now_ms, self._session, self._port)
            self._sent_ms = now_ms

    def _may_send(self):
        return self._welcomed and self._next_to_send - self._journal.acked <= _WINDOW and self._room(self._port)

    def _resend(self, now_ms):
        waiting = self._next_to_send - 1 > self._journal.acked
        if not waiting:
            self._progress_ms = now_ms
        elif (now_ms - self._progress_ms) & _TICKS >= self._resend_after_ms:
            self._next_to_send = self._journal.acked + 1
            self.resends = self.resends + 1 & 0xFFFF
            self._progress_ms = now_ms
            if self._resend_after_ms < _RESEND_LAST_MS:
                self._resend_after_ms *= 2

    def _event(self):
        """Send the next event; the header of its frame has the time at which it happened."""
        record = self._record
        if not self._journal.read(self._next_to_send, record):
            self._next_to_send = self._journal.oldest()
            return
        body = self._body
        size = record[wire.RECORD_DATA_SIZE]
        for i in range(wire.RECORD_EVENT_NO_BYTES):
            body[wire.EVENT_FRAME_EVENT_NO + i] = record[wire.RECORD_EVENT_NO + i]
        body[wire.EVENT_FRAME_KIND] = record[wire.RECORD_KIND]
        for i in range(size):
            body[wire.EVENT_FRAME_DATA + i] = record[wire.RECORD_DATA + i]
        time_ms = number(record, wire.RECORD_TIME_MS)
        self._send(wire.TYPE_EVENT, wire.EVENT_FRAME_SIZE + size, time_ms, self._session, self._port)
        self._next_to_send += 1

    def _send(self, kind, size, time_ms, session, port):
        """Append one frame to tx, with the MAC of the session if there is one and the shoe has a key."""
        seq = session.seq if session else self._unsealed_seq
        pack_into(wire.FRAME_FORMAT, self._body, 0, kind, 0, seq & _LAST_SEQ, time_ms)
        if session:
            session.seq = seq + 1
            size = session.seal(self._body, size)
            if seq >= _LAST_SEQ and session is self._session:
                self._welcomed = False  # its sequence numbers are used up: the gateway must ask for a new session
        else:
            self._unsealed_seq = seq + 1 & _LAST_SEQ
        self.tx_port = port
        self.tx_size = encode(self._body, size, self.tx, self.tx_size)
