"""Reader: follows a card from entry to exit; returns a certain card, the cutting card, or a reject with its reason."""

from micropython import const

from sabot import wire
from sabot.reading.presence import Presence
from sabot.reading.strip import Strip
from sabot.reading.trailing import Trailing
from sabot.reading.wear import Wear
from sabot.wire import EXIT_UM, FIRST_UM, LAST_UM

_ENTRY = const(1)
_TRACKS = const(6)
_EXIT = const(8)
_ENDS = const(9)
_SENSORS = const(15)
_LID = const(1024)
_WATCHED = const(1033)
_TICKS = const(0x3FFFFFFF)
_COLUMNS = const(10)

_STILL_US = const(5_000_000)  # a card that has not moved for this long is left half drawn
_DRAWN_US = const(30_000_000)  # and so is one that is still there after this
_QUIET_US = const(50_000)  # noise is over when nothing has changed for this long
_LATE_MARKS = const(3)  # as many marks after the strip belong to another card

# What feed() returns.
NOTHING = const(0)
CARD = const(1)
CUT = const(2)
REJECT = const(3)
NOISE = const(4)

# Where a card is.
_CLEAR = const(0)
_ENTERED = const(1)
_UNDER_BOTH = const(2)
_LEAVING = const(3)
_SPOILT = const(4)  # the reject is returned when the path is clear
_REPORTED = const(5)  # it has been returned, and the path is not clear yet


class Reader:
    """One card at a time; after CARD or REJECT: `card` or `reason`, and `speed_mm_s`, `margin_pct`, `columns`.

    One class because it is one state machine: every method is a step of the same card.
    """

    def __init__(self):
        self.set_no = 1
        self.card = 0
        self.reason = 0
        self.speed_mm_s = 0
        self.margin_pct = 0
        self.columns = 0
        self.doubtful = 0
        self.decoded = False  # the strip of the card in the path is decoded
        self.rejects = 0
        self.wear = Wear()
        self.presence = Presence()
        self._strip = Strip()
        self.marks = self._strip.marks
        self._trailing = Trailing()
        self._pins = 0
        self._where = _CLEAR
        self._moved_us = 0
        self._begun_us = -1
        self._entered_us = 0
        self._exit_us = 0
        self._tail_us = 0
        self._noise = 0

    def feed(self, t_us, pins):
        """Take the inputs, which are `pins` since `t_us`; return NOTHING, CARD, CUT, REJECT or NOISE."""
        answer = NOTHING
        if (self._pins ^ self.presence.level) & _WATCHED:
            while self.presence.settled(t_us):
                answer = self._settled() or answer
        if not answer:
            answer = self._wait(t_us)
        changes = pins ^ self._pins
        if changes:
            self._pins = pins
            self._changed(t_us, pins, changes)
        return answer

    def clear(self):
        """Return True if no card is in the path, and no sensor sees anything."""
        return self._where == _CLEAR and not self._pins & _SENSORS

    def sensor_stuck(self, t_us):
        """Return True if a sensor sees a card that is rejected already, or one that does not move."""
        if self._where == _REPORTED:
            return self.presence.level & _ENDS != 0
        still = self._where == _CLEAR and (t_us - self._moved_us) & _TICKS >= _STILL_US
        return still and self._pins & _SENSORS != 0

    def _changed(self, t_us, pins, changes):
        if changes & _SENSORS:
            self._moved_us = t_us
        if changes & _WATCHED:
            self.presence.feed(t_us, pins)
        if self._where == _CLEAR:
            if changes & _SENSORS and self._noise < 255:
                self._noise += 1
            if changes & pins & _ENTRY:
                self._begin(self.presence.since_us(0), pins)
                return
        if changes & _TRACKS:
            if self._where == _UNDER_BOTH or self._where == _LEAVING:
                self._trailing.feed((t_us - self._entered_us) & _TICKS, (pins ^ changes) & _TRACKS, pins & _TRACKS)
            else:
                self.marks.feed(t_us, pins)

    def _begin(self, t_us, pins):
        """Begin a card: its leading edge is at the entry, if the change lasts."""
        self.marks.reset(t_us, pins)
        self._begun_us = t_us

    def _wait(self, t_us):
        """Reject a card that has been in the path for too long; return NOISE where changes ended without a card."""
        where = self._where
        if where == _CLEAR:
            if self._noise and (t_us - self._moved_us) & _TICKS >= _QUIET_US and not self._pins & _ENDS:
                return self._noise_over()
        elif where != _REPORTED:
            still_us = (t_us - self._moved_us) & _TICKS
            if still_us >= _STILL_US or (t_us - self._entered_us) & _TICKS >= _DRAWN_US:
                self._where = _REPORTED
                return self._reject(wire.REJECT_HALF_DRAWN)
        return NOTHING

    def _noise_over(self):
        self.columns = self._noise
        self.reason = wire.REJECT_NOISE
        self.doubtful = self.margin_pct = self.speed_mm_s = self._noise = 0
        return NOISE

    def _settled(self):
        """Take the change of entry, exit or lid that has lasted."""
        t_us = self.presence.changed_us
        level = self.presence.level
        if level & _LID:
            return self._lid(self.presence.changed)
        ends = level & _ENDS
        where = self._where
        if where == _CLEAR:
            return self._from_clear(t_us, ends)
        if where == _ENTERED:
            return self._from_entered(t_us, ends)
        if where == _UNDER_BOTH:
            return self._from_under_both(t_us, ends)
        if where == _LEAVING:
            return self._from_leaving(t_us, ends)
        return self._from_spoilt(ends)

    def _lid(self, changed):
        """Reject what is in the path; nothing is read while the lid is open."""
        self._where = _REPORTED
        self._noise = 0
        return self._reject(wire.REJECT_LID_OPEN) if changed == _LID else NOTHING

    def _from_clear(self, t_us, ends):
        if not ends:
            return NOTHING
        self._noise = 0
        self._entered_us = t_us
        if ends == _ENTRY:
            self._where = _ENTERED
            if self._begun_us != t_us:  # it came before the last card was known to have left
                self._begin(t_us, self._pins)
            self._begun_us = -1
        else:
            self._spoil(wire.REJECT_PUSHED_BACK)
        return NOTHING

    def _from_entered(self, t_us, ends):
        if ends == _ENDS:
            self._where = _UNDER_BOTH
            self._decode((t_us - self._entered_us) & _TICKS)
            return NOTHING
        self._where = _CLEAR
        return self._reject(wire.REJECT_SHORT_PULL)

    def _from_under_both(self, t_us, ends):
        if ends == _EXIT:
            self._tail_us = (t_us - self._entered_us) & _TICKS
            self._where = _LEAVING
        else:
            self._spoil(wire.REJECT_PUSHED_BACK)
        return NOTHING

    def _from_leaving(self, t_us, ends):
        if not ends:
            self._where = _CLEAR
            return self._left((t_us - self._entered_us) & _TICKS)
        self._spoil(wire.REJECT_DOUBLE)
        return NOTHING

    def _from_spoilt(self, ends):
        if ends:
            return NOTHING
        reported = self._where == _REPORTED
        self._where = _CLEAR
        self._noise = 0
        return NOTHING if reported else self._reject(self.reason)

    def _spoil(self, reason):
        """Reject this card once the path is clear."""
        self._where = _SPOILT
        self.reason = reason

    def _reject(self, reason):
        self.reason = reason
        decoded = self.decoded
        self.columns = self.marks.columns if decoded else 0
        self.doubtful = self.marks.doubtful if decoded else 0
        self.speed_mm_s = self.speed_mm_s if decoded else 0
        self.margin_pct = 0
        self.decoded = False
        if self.rejects < 0xFFFF:
            self.rejects += 1
        return REJECT

    def _decode(self, exit_us):
        """Decode the strip, which has passed: the leading edge is at the exit."""
        marks = self.marks
        self._exit_us = exit_us
        self.speed_mm_s = EXIT_UM * 1000 // (exit_us or 1)
        self._strip.decode(self.set_no, exit_us, self._pins & _TRACKS)
        self._trailing.reset(exit_us, marks.width << marks.scale >> 1)
        self.decoded = True

    def _left(self, out_us):
        """Return CARD, CUT or REJECT: the card has left the exit."""
        strip = self._strip
        if strip.solid:
            return self._cutting_card(out_us)
        if strip.reason:
            return self._left_unread(strip.reason, out_us)
        self._trailing.feed(out_us, self._pins & _TRACKS, 0)
        if self._trailing.marks >= _LATE_MARKS:
            return self._reject(wire.REJECT_DOUBLE)
        if not strip.geometry.card_fits(self.marks.centres, self._exit(), self._tail(), self._out(out_us)):
            return self._reject(wire.REJECT_DOUBLE)
        self._note_wear(out_us)
        self.card = strip.card
        return self._certain(CARD)

    def _left_unread(self, reason, out_us):
        """Reject for this reason, or for two cards if what left is longer than one; a card of another set is one."""
        if reason != wire.REJECT_FOREIGN:
            if self._strip.geometry.longer_than_card(self._exit(), self._tail(), self._out(out_us)):
                reason = wire.REJECT_DOUBLE
        return self._reject(reason)

    def _cutting_card(self, out_us):
        """Return CUT if the tracks were dark from the leading edge to the tail of one card, else REJECT."""
        if self._pins & _TRACKS or not self._trailing.solid():
            return self._left_unread(wire.REJECT_COLUMNS, out_us)
        if not self._trailing.solid_until_tail(self._tail_us, out_us):
            return self._reject(wire.REJECT_DOUBLE)
        if not self._strip.geometry.cutting_card_fits(self._exit(), self._tail(), self._out(out_us)):
            return self._reject(wire.REJECT_DOUBLE)
        return self._certain(CUT)

    def _certain(self, answer):
        self.columns = self.marks.columns
        self.doubtful = 0
        self.margin_pct = self._strip.margin_pct()
        self.decoded = False
        return answer

    def _exit(self):
        """Return the time from the entry's rise to the exit's, in the units of geometry.py."""
        return self._exit_us >> self.marks.scale << 1

    def _tail(self):
        """Return the time from the exit's rise to the entry's fall."""
        return (self._tail_us - self._exit_us) >> self.marks.scale << 1

    def _out(self, out_us):
        """Return the time from the entry's fall to the exit's fall."""
        return (out_us - self._tail_us) >> self.marks.scale << 1

    def pack_wear(self, record, at, shoe_no, sensor):
        """Write the data of a sensor event: what one sensor has seen since reset_wear(). Return its size."""
        return self.wear.pack(record, at, shoe_no, sensor, self.rejects, self._spikes(sensor))

    def _spikes(self, sensor):
        if sensor == wire.SENSOR_A or sensor == wire.SENSOR_B:
            return self.marks.spikes[sensor - wire.SENSOR_A]
        return self.presence.spikes[0 if sensor == wire.SENSOR_ENTRY else 1]

    def reset_wear(self):
        """Begin to count anew."""
        self.wear.reset()
        self.rejects = 0
        for i in range(2):
            self.marks.spikes[i] = self.presence.spikes[i] = 0

    def _note_wear(self, out_us):
        marks = self.marks
        centres = marks.centres
        last = _COLUMNS - 1
        strip_us = (centres[last] - centres[0]) << marks.scale >> 1
        strip_mm_s = (LAST_UM - FIRST_UM) * 1000 // (strip_us or 1)
        first_us = centres[0] << marks.scale >> 1
        out_us -= self._tail_us
        self.wear.add(wire.SENSOR_ENTRY, self._strip.geometry.margin_entry_pct, FIRST_UM * 1000 // (first_us or 1))
        self.wear.add(wire.SENSOR_A, marks.margin_a_pct, strip_mm_s)
        self.wear.add(wire.SENSOR_B, marks.margin_b_pct, strip_mm_s)
        self.wear.add(wire.SENSOR_EXIT, self._strip.geometry.margin_exit_pct, EXIT_UM * 1000 // (out_us or 1))
