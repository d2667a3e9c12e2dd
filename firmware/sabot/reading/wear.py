"""Wear: margin and speed by sensor since the last shoe; dirt and age show here before a card is rejected."""

from array import array
from struct import pack_into

from micropython import const

from sabot import wire

SENSORS = const(4)  # entry, A, B, exit: numbered as in wire.py
_MOST_READS = const(4096)  # then both halves of every mean are halved
_MOST_SPEED = const(0xFFFF)


class Wear:
    """Counts, sums and extremes of every sensor."""

    def __init__(self):
        self.reads = array("H", bytes(2 * SENSORS))
        self.margin_worst_pct = bytearray(SENSORS)
        self.speed_least = array("H", bytes(2 * SENSORS))
        self.speed_most = array("H", bytes(2 * SENSORS))
        self._margins = array("I", bytes(4 * SENSORS))
        self._speeds = array("I", bytes(4 * SENSORS))
        self.reset()

    def reset(self):
        """Begin to count anew."""
        for i in range(SENSORS):
            self.reads[i] = self._margins[i] = self._speeds[i] = self.speed_most[i] = 0
            self.margin_worst_pct[i] = 100
            self.speed_least[i] = _MOST_SPEED

    def add(self, i, margin_pct, speed_mm_s):
        """Count one read of sensor `i`."""
        speed = speed_mm_s if speed_mm_s < _MOST_SPEED else _MOST_SPEED
        if self.reads[i] == _MOST_READS:
            self.reads[i] >>= 1
            self._margins[i] >>= 1
            self._speeds[i] >>= 1
        self.reads[i] += 1
        self._margins[i] += margin_pct
        self._speeds[i] += speed
        if margin_pct < self.margin_worst_pct[i]:
            self.margin_worst_pct[i] = margin_pct
        if speed < self.speed_least[i]:
            self.speed_least[i] = speed
        if speed > self.speed_most[i]:
            self.speed_most[i] = speed

    def margin_mean_pct(self, i):
        """Return the mean margin of a sensor; 100 before the first read."""
        return self._margins[i] // self.reads[i] if self.reads[i] else 100

    def speed_mean(self, i):
        """Return the mean speed in millimetres a second; 0 before the first read."""
        return self._speeds[i] // self.reads[i] if self.reads[i] else 0

    def pack(self, record, at, shoe_no, i, rejects, spikes):
        """Write the data of a sensor event and return its size."""
        pack_into(
            wire.EVENT_SENSOR_FORMAT,
            record,
            at,
            shoe_no,
            i,
            self.reads[i],
            rejects,
            spikes,
            self.margin_mean_pct(i),
            self.margin_worst_pct[i],
            self.speed_mean(i),
            self.speed_least[i],
            self.speed_most[i],
        )
        return wire.EVENT_SENSOR_SIZE
