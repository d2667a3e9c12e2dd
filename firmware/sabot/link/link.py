"""Link: introduces the shoe, keeps one gateway on one wire, replicates the journal, takes commands."""

from struct import pack_into

from micropython import const

from sabot.link.frame import MAX_BODY, Decoder, encode, number
from sabot.link.session import Session
from sabot.profile import SIZE as PROFILE_SIZE
from sabot.storage.journal import BODY, RECORD
from sabot.wire import COMMAND_SIZES, PROTOCOL_HASH

_HELLO = const(1)
_EVENT = const(2)
_ALIVE = const(3)
_BUSY = const(4)
_WHO = const(0x80)
_WELCOME = const(0x81)
_ACK = const(0x82)
_SET_PROFILE = const(0x83)
_COMMAND = const(0x84)
_RESEND = const(0x85)

HEADER = const(8)
_WHO_SIZE = const(24)
_BUSY_SIZE = const(24)
_HELLO_SIZE = const(75)
_WELCOME_SIZE = const(28)
_NUMBER_SIZE = const(12)  # of frames that carry an event number
_COMMAND_SIZE = const(13)  # and what the kind adds
_MAC = const(8)
_TICKS = const(0x3FFFFFFF)
_LAST_SEQ = const(0xFFFF)
_HELLO_EVERY_MS = const(500)
_RESEND_FIRST_MS = const(500)  # doubles until something is acknowledged
_RESEND_LAST_MS = const(8000)
_ALIVE_EVERY_MS = const(1000)
_LOST_AFTER_MS = const(5000)  # a gateway says something once a second
_WINDOW = const(24)  # covers a ledger that takes 30 ms to commit
_TX_BYTES = const(512)
_FRAME_ROOM = const(140)  # the longest frame on the wire, and some
_WIRES = const(2)  # as the board numbers them; the first is spoken on before anybody has asked

FIRMWARE_VERSION = b"\x00\x01\x00"


def same(buf, at, other):
    """Whether other stands in buf from there on."""
    for i in range(len(other)):
        if buf[at + i] != other[i]:
            return False
    return True


class Link:
    """Bytes in by receive(), bytes out on `tx_wire` in tx[:tx_size] after pump(); time is an argument."""

    def __init__(self, unit, boot_count, cause, journal, profile, sampler, random, key=None):
        self._unit = unit
        self._boot_count = boot_count
        self._cause = cause
        self._journal = journal
        self._profile = profile
        self._sampler = sampler
        self._random = random  # random(n): n bytes that nobody can foresee
        self._decoders = [Decoder() for _ in range(_WIRES)]
        self._body = bytearray(MAX_BODY + 2)
        self._record = bytearray(RECORD)
        self._session = Session(key)
        self._offer = Session(key)  # told in HELLO; becomes the session when it is welcomed
        self._offered = False
        self._offers = 0
        self._welcomed = False
        self._wire = 0  # of the session
        self._offer_wire = 0  # where a gateway asked last
        self._busy_wire = 0
        self._next_to_send = 1
        self._hello_due = True
        self._hello_ms = 0
        self._busy_due = False
        self._asker = bytearray(8)  # the nonce of a gateway that is not served
        self._heard_ms = 0
        self._progress_ms = 0
        self._resend_after_ms = _RESEND_FIRST_MS
        self._spoke_ms = 0
        self._unsealed_seq = 0
        self.resends = 0
        self.refused = 0
        self.tx = bytearray(_TX_BYTES)
        self.tx_size = 0
        self.tx_wire = 0
        self.fault = 0  # the fault that holds the exit, for HELLO
        self.last_command_id = 0  # main sets it when a command is done
        self.command_due = False  # a command stands in `command`, for main to do
        self.command = bytearray(MAX_BODY)
        self.command_size = 0
        self.new_profile = False  # a set_profile stands in `profile`, for main to apply
        self.profile = bytearray(HEADER + PROFILE_SIZE)

    def crc_errors(self):
        """Frames that came in damaged."""
        return self._decoders[0].errors + self._decoders[1].errors & 0xFFFF

    def receive(self, data, size, now_ms, wire=0):
        """Bytes from a gateway."""
        decoder = self._decoders[wire]
        for i in range(size):
            got = decoder.feed(data[i])
            if got >= HEADER:
                self._frame(decoder.body, got, now_ms, wire)

    def _frame(self, body, size, now_ms, wire):
        kind = body[0]
        if kind == _WHO:
            if size == _WHO_SIZE and not body[1]:
                self._who(body, now_ms, wire)
        elif kind == _WELCOME and wire == self._offer_wire and self._welcomes(body, size):
            self._begin(body, now_ms)
        elif self._welcomed and wire == self._wire:
            size = self._session.opened(body, size)
            if size:
                self._heard_ms = now_ms
                self._take(kind, body, size, now_ms)
            else:
                self._refuse()

    def _who(self, body, now_ms, wire):
        """A gateway asks: it gets an offer, unless another one or the other wire is served."""
        if self._welcomed and not self._lost(now_ms) and not self._serves(body, wire):
            self._busy_due = True
            self._busy_wire = wire
            for i in range(8):
                self._asker[i] = body[HEADER + 8 + i]
            return
        if self._welcomed and same(body, HEADER + 8, self._session.gateway_nonce):
            return  # the WHO of this very session, come again
        if not self._offered or not same(body, HEADER + 8, self._offer.gateway_nonce):
            self._offer.start(body[HEADER : HEADER + 8], body[HEADER + 8 : HEADER + 16], self._nonce())
            self._offered = True
        if wire != self.tx_wire:
            self.tx_size = 0  # for the wire of before: whoever asks does not wait until it is read there
        self._offer_wire = wire
        self._hello_due = True

    def _serves(self, body, wire):
        return wire == self._wire and same(body, HEADER, self._session.gateway)

    def _nonce(self):
        """Eight bytes never used before, even if chance should fail: starts and offers are counted in them."""
        nonce = bytearray(8)
        self._offers = self._offers + 1 & 0xFFFF
        pack_into("<HH", nonce, 0, self._boot_count, self._offers)
        nonce[4:8] = self._random(4)
        return nonce

    def _welcomes(self, body, size):
        """Whether this WELCOME takes up the offer."""
        return (
            self._offered
            and size - HEADER >= _WELCOME_SIZE - HEADER
            and same(body, HEADER + 8, self._offer.shoe_nonce)
            and self._offer.opened(body, size) == _WELCOME_SIZE
            and same(body, HEADER, PROTOCOL_HASH)
        )

    def _begin(self, body, now_ms):
        """The offer becomes the session: the log goes on where the gateway wants it."""
        self._session, self._offer = self._offer, self._session
        self._wire = self._offer_wire
        self._offered = self._hello_due = False
        self._welcomed = True
        self._heard_ms = now_ms
        self._spoke_ms = now_ms - _ALIVE_EVERY_MS & _TICKS
        durable = number(body, HEADER + 16)
        self._acknowledge(durable, now_ms)
        self._next_to_send = max(durable + 1, self._journal.oldest())
        self._progress_ms = now_ms

    def _take(self, kind, body, size, now_ms):
        """A frame of the session."""
        if kind == _ACK and size == _NUMBER_SIZE:
            self._acknowledge(number(body, HEADER), now_ms)
        elif kind == _WELCOME and size == _WELCOME_SIZE:
            self._acknowledge(number(body, HEADER + 16), now_ms)
        elif kind == _RESEND and size == _NUMBER_SIZE:
            self._go_back(number(body, HEADER), now_ms)
        elif kind == _SET_PROFILE and size == HEADER + PROFILE_SIZE:
            for i in range(size):
                self.profile[i] = body[i]
            self.new_profile = True
        elif kind == _COMMAND and size >= _COMMAND_SIZE:
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
        """Kept for main, one at a time; what is done already is not done again."""
        if self.command_due or number(body, HEADER) <= self.last_command_id:
            return
        if not 1 <= body[12] <= len(COMMAND_SIZES):
            self._refuse()
        for i in range(size):
            self.command[i] = body[i]
        self.command_size = size
        self.command_due = True

    def pump(self, now_ms):
        """Put what is due into tx, as far as it has room."""
        if self._welcomed and self._lost(now_ms):
            self._welcomed = False
        if self._welcomed and self.tx_wire != self._wire:
            self.tx_size = 0  # the rest of a BUSY that nobody reads: the session does not wait for it
        if self._busy_due and self._room(self._busy_wire):
            self._busy(now_ms)
        if self._hello_due or (not self._welcomed and (now_ms - self._hello_ms) & _TICKS >= _HELLO_EVERY_MS):
            self._hello(now_ms)
        if self._welcomed:
            self._replicate(now_ms)

    def _lost(self, now_ms):
        return (now_ms - self._heard_ms) & _TICKS >= _LOST_AFTER_MS

    def _room(self, wire):
        """Whether tx takes one more frame for this wire: it holds those of one at a time."""
        return not self.tx_size or (wire == self.tx_wire and self.tx_size + _FRAME_ROOM <= _TX_BYTES)

    def _replicate(self, now_ms):
        self._resend(now_ms)
        while self._next_to_send < self._journal.next_no and self._may_send():
            self._event()
            self._spoke_ms = now_ms
        if (now_ms - self._spoke_ms) & _TICKS >= _ALIVE_EVERY_MS and not self.tx_size:
            self._send(_ALIVE, HEADER, now_ms, self._session, self._wire)
            self._spoke_ms = now_ms

    def sent(self, count):
        """The line took the first `count` bytes of tx."""
        self.tx_size -= count
        for i in range(self.tx_size):
            self.tx[i] = self.tx[i + count]

    def _may_send(self):
        return self._welcomed and self._next_to_send - self._journal.acked <= _WINDOW and self._room(self._wire)

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

    def _send(self, kind, size, now_ms, session, wire):
        """One frame, under the MAC of a session if there is one and the shoe has a key."""
        seq = session.seq if session else self._unsealed_seq
        pack_into("<BBHI", self._body, 0, kind, 0, seq & _LAST_SEQ, now_ms)
        if session:
            session.seq = seq + 1
            size = session.seal(self._body, size)
            if seq >= _LAST_SEQ and session is self._session:
                self._welcomed = False  # its numbers are used up: a new one must be asked for
        else:
            self._unsealed_seq = seq + 1 & _LAST_SEQ
        self.tx_wire = wire
        self.tx_size = encode(self._body, size, self.tx, self.tx_size)

    def _busy(self, now_ms):
        self._busy_due = False
        self._body[8:16] = self._session.gateway
        self._body[16:24] = self._asker
        self._send(_BUSY, _BUSY_SIZE, now_ms, None, self._busy_wire)

    def _hello(self, now_ms):
        if not self._room(self._offer_wire):
            return
        body = self._body
        offer = self._offer if self._offered else None
        body[8:16] = self._unit
        pack_into("<H", body, 16, self._boot_count)
        body[18:26] = PROTOCOL_HASH
        body[26:34] = self._profile.digest
        body[34:37] = FIRMWARE_VERSION
        pack_into("<II", body, 37, self._journal.next_no, self._journal.oldest())
        overruns = self._sampler.overruns & 0xFFFF
        pack_into("<HHHH", body, 45, self.crc_errors(), self.resends, self.refused, overruns)
        pack_into("<IBB", body, 53, self.last_command_id, self._cause, self.fault)
        for i in range(8):
            body[59 + i] = offer.gateway_nonce[i] if offer else 0
            body[67 + i] = offer.shoe_nonce[i] if offer else 0
        self._send(_HELLO, _HELLO_SIZE, now_ms, offer, self._offer_wire)
        self._hello_due = False
        self._hello_ms = now_ms

    def _event(self):
        """The next unsent event: its header carries the time at which it happened."""
        record = self._record
        if not self._journal.read(self._next_to_send, record):
            self._next_to_send = self._journal.oldest()
            return
        body = self._body
        size = record[9]
        for i in range(4):
            body[HEADER + i] = record[i]
        body[12] = record[8]
        for i in range(size):
            body[13 + i] = record[BODY + i]
        self._send(_EVENT, 13 + size, number(record, 4), self._session, self._wire)
        self._next_to_send += 1
