"""The lines that `broken.py` changes, one at a time, each a slip that somebody could make."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Change:
    """One line of firmware/sabot/MODULE.py becomes another, or is missing where `new` is empty."""

    module: str
    old: str
    new: str
    why: str
    shown_by: str = ""  # the recording that is tried first


CHANGES: Final = (
    Change(
        "dealing/coup",
        '    b"DDDDDDDDDSD"  # Banker 3',
        '    b"DDDDDDDDSDD"  # Banker 3',
        "the first column of Table 2 is forgotten when counting to the eight",
        "streaks/ties",
    ),
    Change(
        "dealing/coup",
        '    b"DSSDDDDDDSS"  # Banker 4',
        '    b"DSDDDDDDDSS"  # Banker 4',
        "off by one: 1 to 7 instead of 2 to 7",
        "clean/crown-baccarat-5",
    ),
    Change(
        "dealing/coup",
        '    b"SSSSSSSDDSS"  # Banker 6',
        '    b"DSSSSSSDDSS"  # Banker 6',
        "the Banker with 6 draws against a Player who stands, as with 5",
        "streaks/ties",
    ),
    Change(
        "dealing/coup",
        '_TABLE_1 = b"DDDDDDSSSS"',
        '_TABLE_1 = b"DDDDDSSSSS"',
        "the Player may stand on 5 in other houses",
        "irregularities/ordered-sets",
    ),
    Change(
        "dealing/coup",
        "    return rank if rank < 10 else 0",
        "    return rank if rank <= 10 else 0",
        "a ten counts ten, and points are taken modulo ten anyway; Table 2 is not",
        "clean/star-premium-4",
    ),
    Change(
        "dealing/coup",
        "        for slot in range(7):",
        "        for slot in range(5):",
        "third cards are not taken off the table before the next coup: slots begin at 1",
        "irregularities/excess-card-rapid",
    ),
    Change(
        "dealing/coup",
        "            self.player_points >= 8 or self.banker_points >= 8",
        "            self.player_points >= 8 or self.banker_points > 8",
        "a threshold: the Banker's natural eight",
        "clean/star-premium-3",
    ),
    Change(
        "dealing/coup",
        "        return WINNER_PLAYER if self.player_points > self.banker_points else WINNER_BANKER",
        "        return WINNER_BANKER if self.player_points > self.banker_points else WINNER_PLAYER",
        "sides swapped",
    ),
    Change(
        "dealing/coup",
        "        return self.cards[SLOT_BANKER_1] % 13 == self.cards[SLOT_BANKER_2] % 13",
        "        return self.cards[SLOT_BANKER_1] == self.cards[SLOT_BANKER_2]",
        "a pair of one rank taken for a perfect pair",
    ),
    Change(
        "reading/marks",
        "_SPIKE_US = const(25)  # shorter is no mark: 75 µm at 3 m/s",
        "_SPIKE_US = const(750)  # shorter is no mark: 75 µm at 3 m/s",
        "a threshold worked out for the slowest card, not for the quickest",
        "optics/quick-dealer",
    ),
    Change(
        "reading/marks",
        "_MARKED_PCT = const(50)  # a track on for this share of a column is marked, and",
        "_MARKED_PCT = const(95)  # a track on for this share of a column is marked, and",
        "a threshold that ideal edges reach, and worn ones do not",
        "optics/worn",
    ),
    Change(
        "reading/marks",
        "        elif self._count == _MOST_CHANGES:",
        "        elif self._count > _MOST_CHANGES:",
        "a bounds check one too late",
        "optics/flicker",
    ),
    Change(
        "reading/marks",
        "        self._on_a[run] = self._on_b[run] = self._mids_a[run] = self._mids_b[run] = 0",
        "        self._on_a[run] = self._mids_a[run] = self._mids_b[run] = 0",
        "one of four rows is not reset between two cards",
    ),
    Change(
        "reading/marks",
        "            self.values[i] = 2 if a and b else 1 if b else 0",
        "            self.values[i] = 2 if a and b else 1 if a else 0",
        "tracks swapped",
    ),
    Change(
        "reading/marks",
        "            self.columns = kept + 1",
        "            self.columns = kept",
        "an index taken for a count",
    ),
    Change(
        "reading/marks",
        "            track = 0 if (level ^ self._levels[last]) & _A else 1",
        "            track = 1 if (level ^ self._levels[last]) & _A else 0",
        "the spikes of one track counted for the other",
        "cutting/burn-shown-and-none",
    ),
    Change(
        "reading/marks",
        "        return not sure or not margin_pct",
        "        return not sure",
        "the second track's doubt is forgotten",
        "optics/doubtful",
    ),
    Change(
        "reading/reader",
        "_STILL_US = const(5_000_000)  # a card that has not moved for this long is left half drawn",
        "_STILL_US = const(500_000)  # a card that has not moved for this long is left half drawn",
        "a zero lost",
        "optics/stop-and-go",
    ),
    Change(
        "reading/reader",
        "        if not strip.geometry.card_fits(self.marks.centres, self._exit(), self._tail(), self._out(out_us)):",
        "        if not strip.geometry.card_fits(self.marks.centres, self._exit(), self._out(out_us), self._tail()):",
        "two times swapped",
    ),
    Change(
        "reading/reader",
        "        return self._reject(wire.REJECT_LID_OPEN) if changed == _LID else NOTHING",
        "        return self._reject(wire.REJECT_LID_OPEN)",
        "every change behind an open lid is logged, not only its opening",
        "optics/lid-open",
    ),
    Change(
        "reading/reader",
        "        self.wear.add(wire.SENSOR_B, marks.margin_b_pct, strip_mm_s)",
        "        self.wear.add(wire.SENSOR_B, marks.margin_a_pct, strip_mm_s)",
        "the line above copied, one letter not changed",
        "cutting/very-first-card",
    ),
    Change(
        "reading/reader",
        "_LATE_MARKS = const(3)  # as many marks after the strip belong to another card",
        "_LATE_MARKS = const(1)  # as many marks after the strip belong to another card",
        "a threshold without dirt in mind: a speck behind the strip is no card",
        "optics/dirty",
    ),
    Change(
        "reading/reader",
        "        self.wear.reset()",
        "",
        "what the sensors saw is not counted anew for the next shoe",
        "cutting/burn-shown-and-none",
    ),
    Change(
        "storage/journal",
        "                self.next_no += 1",
        "",
        "an event number is not advanced",
    ),
    Change(
        "storage/journal",
        "        self.next_no = max(self.next_no, self._last_event() + 1)",
        "        self.next_no = max(self.next_no, self._last_event())",
        "after a restart the last number is given out again",
        "power/mid-coup",
    ),
    Change(
        "storage/journal",
        "            self.acked = event_no",
        "            self.acked = self.next_no - 1",
        "an acknowledgement is taken for all that was sent",
        "link/corrupt",
    ),
    Change(
        "storage/journal",
        "        for slot in range(1 + event_no - self._first[sector], self._slots):",
        "        for slot in range(2 + event_no - self._first[sector], self._slots):",
        "off by one behind the header's slot",
    ),
    Change(
        "storage/journal",
        "            self._slot = 1",
        "            self._slot = 0",
        "a new sector begins with its header, which must not be written over",
    ),
    Change(
        "storage/journal",
        "            self._clean = 0",
        "",
        "the sector that is taken into use still counts as waiting",
        "power/long-log",
    ),
    Change(
        "link/frame",
        "_CRC_SEED = const(0xFFFF)",
        "_CRC_SEED = const(0x0000)",
        "another CRC of the same polynomial",
    ),
    Change(
        "link/frame",
        "            code = 1",
        "            code = 0",
        "COBS: the code byte counts itself",
    ),
    Change(
        "link/frame",
        "    return short(buf, at) | buf[at + 2] << 16 | (buf[at + 3] & 0x3F) << 24",
        "    return short(buf, at) | buf[at + 2] << 8 | (buf[at + 3] & 0x3F) << 24",
        "a shift copied: right until the first 65 seconds are over",
        "link/broker-away",
    ),
    Change(
        "link/frame",
        "        if self._size == _MAX_FRAME:",
        "        if self._size > _MAX_FRAME:",
        "a bounds check one too late: a frame that does not end",
        "link/endless",
    ),
    Change(
        "link/frame",
        "_MAX_FRAME = wire.MAX_BODY_BYTES + _CRC_BYTES",
        "_MAX_FRAME = wire.EVENT_FRAME_SIZE + 19",
        "a bound for the frames that the shoe sends most; a profile is longer",
        "",
    ),
)
