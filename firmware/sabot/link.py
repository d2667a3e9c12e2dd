"""Link: introduces the shoe, replicates the journal by cumulative acknowledgement, takes the profile."""

from struct import pack_into, unpack_from

from micropython import const

from sabot.frame import Decoder, encode
from sabot.generated import PROTOCOL_HASH
from sabot.journal import BODY, RECORD

_HELLO = const(1)
_EVENT = const(2)
_ALIVE = const(3)
_WHO = const(0x80)
_WELCOME = const(0x81)
_ACK = const(0x82)
_SET_PROFILE = const(0x83)

HEADER = const(8)
_WELCOME_SIZE = const(20)
_ACK_SIZE = const(12)
_SET_PROFILE_SIZE = const(28)
_TICKS = const(0x3FFFFFFF)
_HELLO_EVERY_MS = const(500)
_RESEND_AFTER_MS = const(500)
_ALIVE_EVERY_MS = const(1000)
_WINDOW = const(16)
_TX_BYTES = const(512)
_FRAME_ROOM = const(140)  # the longest frame on the wire, and some

FIRMWARE_VERSION = b"\x00\x01\x00"


class Link:
    """Bytes in by receive(), bytes out in tx[:tx_size] after pump(); time is an argument."""

    def __init__(self, unit, boot_count, journal, profile, sampler):
        self._unit = unit
        self._boot_count = boot_count
        self._journal = journal
        self._profile = profile
        self._sampler = sampler
        self._decoder = Decoder()
        self._body = bytearray(RECORD + 64)
        self._record = bytearray(RECORD)
        self._welcomed = False
        self._seq = 0
        self._next_to_send = 1
        self._hello_due = True
        self._progress_ms = 0
        self._spoke_ms = 0
        self._resends = 0
        self.tx = bytearray(_TX_BYTES)
        self.tx_size = 0
        self.new_profile = False  # a set_profile stands in `command`, for main to apply
        self.command = bytearray(_SET_PROFILE_SIZE)

    def receive(self, data, size, now_ms):
        """Bytes from the gateway."""
        for i in range(size):
            got = self._decoder.feed(data[i])
            if got >= HEADER:
                self._frame(self._decoder.body, got, now_ms)

    def _frame(self, body, size, now_ms):
        kind = body[0]
        if kind == _WHO and size == HEADER:
            self._welcomed = False
            self._hello_due = True
        elif kind == _WELCOME and size == _WELCOME_SIZE:
            self._welcome(body, now_ms)
        elif kind == _ACK and size == _ACK_SIZE:
            self._journal.acknowledge(unpack_from("<I", body, HEADER)[0])
            self._progress_ms = now_ms
        elif kind == _SET_PROFILE and size == _SET_PROFILE_SIZE:
            for i in range(size):
                self.command[i] = body[i]
            self.new_profile = True

    def _welcome(self, body, now_ms):
        """The gateway speaks our protocol and says where it wants us to go on."""
        for i in range(8):
            if body[HEADER + i] != PROTOCOL_HASH[i]:
                return
        durable = unpack_from("<I", body, HEADER + 8)[0]
        self._journal.acknowledge(durable)
        self._next_to_send = max(durable + 1, self._journal.oldest())
        self._welcomed = True
        self._progress_ms = now_ms

    def pump(self, now_ms):
        """Put what is due into tx, as far as it has room."""
        if not self._welcomed:
            if self._hello_due or (now_ms - self._progress_ms) & _TICKS >= _HELLO_EVERY_MS:
                self._hello(now_ms)
            return
        self._resend(now_ms)
        while self._next_to_send < self._journal.next_no and self._may_send():
            self._event()
            self._spoke_ms = now_ms
        if (now_ms - self._spoke_ms) & _TICKS >= _ALIVE_EVERY_MS and not self.tx_size:
            self._send(_ALIVE, HEADER, now_ms)
            self._spoke_ms = now_ms

    def sent(self, count):
        """The line took the first `count` bytes of tx."""
        self.tx_size -= count
        for i in range(self.tx_size):
            self.tx[i] = self.tx[i + count]

    def _may_send(self):
        return self._next_to_send - self._journal.acked <= _WINDOW and self.tx_size + _FRAME_ROOM <= _TX_BYTES

    def _resend(self, now_ms):
        waiting = self._next_to_send - 1 > self._journal.acked
        if not waiting:
            self._progress_ms = now_ms
        elif (now_ms - self._progress_ms) & _TICKS >= _RESEND_AFTER_MS:
            self._next_to_send = self._journal.acked + 1
            self._resends = self._resends + 1 & 0xFFFF
            self._progress_ms = now_ms

    def _send(self, kind, size, now_ms):
        pack_into("<BBHI", self._body, 0, kind, 0, self._seq, now_ms)
        self._seq = self._seq + 1 & 0xFFFF
        self.tx_size = encode(self._body, size, self.tx, self.tx_size)

    def _hello(self, now_ms):
        if self.tx_size + _FRAME_ROOM > _TX_BYTES:
            return
        body = self._body
        body[8:16] = self._unit
        pack_into("<H", body, 16, self._boot_count)
        body[18:26] = PROTOCOL_HASH
        body[26:34] = self._profile.digest
        body[34:37] = FIRMWARE_VERSION
        pack_into("<II", body, 37, self._journal.next_no, self._journal.oldest())
        pack_into("<HHH", body, 45, self._decoder.errors, self._resends, self._sampler.overruns & 0xFFFF)
        self._send(_HELLO, 51, now_ms)
        self._hello_due = False
        self._progress_ms = now_ms

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
        self._send(_EVENT, 13 + size, record[4] | record[5] << 8 | record[6] << 16 | record[7] << 24)
        self._next_to_send += 1
