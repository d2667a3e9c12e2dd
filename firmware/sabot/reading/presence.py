"""Presence: entry, exit and lid without their spikes and bounces; a change counts once it has lasted."""

from array import array

from micropython import const

_TICKS = const(0x3FFFFFFF)
_SETTLE_US = const(1500)  # 4.5 mm at 3 m/s: no card comes or goes for a shorter time
_SPIKE_US = const(150)  # a return to the old level for less than this does not start the count anew,
_MOST_SPIKES = const(5)  # unless it is one of many

_INPUTS = const(1033)
_WATCHED = (1, 8, 1024)


class Presence:
    """`level` is what has lasted; settled() returns the changes one by one, the earliest first."""

    def __init__(self):
        self.level = 0
        self.changed = 0  # the input of the last settled() that was True, and
        self.changed_us = 0  # when it changed
        self.spikes = array("H", bytes(6))
        self._pins = 0
        self._since_us = array("I", bytes(12))
        self._back_us = array("I", bytes(12))
        self._returns = bytearray(3)  # how often the change in progress went back

    def feed(self, t_us, pins):
        """Take the inputs, which changed to `pins` at `t_us`."""
        changes = (pins ^ self._pins) & _INPUTS
        self._pins = pins
        for i in range(3):
            if changes & _WATCHED[i]:
                self._note(i, t_us, (pins ^ self.level) & _WATCHED[i])

    def _note(self, i, t_us, away):
        if not away:
            self._back_us[i] = t_us
            self._returns[i] += 1
            if self.spikes[i] < 0xFFFF:
                self.spikes[i] += 1
        elif not 0 < self._returns[i] <= _MOST_SPIKES or (t_us - self._back_us[i]) & _TICKS >= _SPIKE_US:
            self._since_us[i] = t_us
            self._returns[i] = 0

    def since_us(self, i):
        """Return when input `i` of entry, exit, lid last left its settled level."""
        return self._since_us[i]

    def settled(self, t_us):
        """Take over one change that has lasted until `t_us` into `level`, `changed` and `changed_us`; False if none."""
        waiting = (self._pins ^ self.level) & _INPUTS
        if not waiting:
            return False
        longest_us = _SETTLE_US - 1
        first = -1
        for i in range(3):
            if waiting & _WATCHED[i]:
                lasted_us = (t_us - self._since_us[i]) & _TICKS
                if lasted_us > longest_us:
                    longest_us = lasted_us
                    first = i
        if first < 0:
            return False
        self.changed = _WATCHED[first]
        self.changed_us = self._since_us[first]
        self.level ^= self.changed
        self._returns[first] = 0
        return True
