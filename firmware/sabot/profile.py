"""Profile: what the rulebook of the house requires of this shoe, as the gateway sent it."""

from micropython import const

from sabot import wire
from sabot.link.frame import short
from sabot.wire import CODES, CODES_AT, FACT_BITS

_NO_FACT = const(0xFF)
_MOST_DECKS = const(8)


class Profile:
    """`known` is False until a profile has been loaded; no shoe is opened before."""

    def __init__(self, sets):
        self._sets = sets
        self.known = False
        self.digest = bytearray(wire.SET_PROFILE_PROFILE_HASH_BYTES)
        self.card_set = 0
        self.decks = 0
        self.burn = wire.BURN_NONE
        self._burn_modes = 0
        self._switches = 0
        self.unwagered = wire.KIND_DUMMY  # what the rulebook calls a coup without wagers
        self._ordered = 0
        self._codes = bytearray(bytes([wire.CODE_NO_RULE]) * CODES)

    def load(self, buf, at):
        """Take the body of a set_profile at `at`; return False, and change nothing, if it makes no sense."""
        fields = at + wire.SET_PROFILE_PROFILE - wire.FRAME_BODY
        if not self._sensible(buf, fields):
            return False
        for i in range(wire.SET_PROFILE_PROFILE_HASH_BYTES):
            self.digest[i] = buf[at + i]
        self.card_set = buf[fields + wire.PROFILE_CARD_SET]
        self.decks = buf[fields + wire.PROFILE_DECKS]
        self.burn = buf[fields + wire.PROFILE_BURN]
        self._burn_modes = buf[fields + wire.PROFILE_BURN_MODES]
        self._switches = short(buf, fields + wire.PROFILE_SWITCHES)
        self.unwagered = buf[fields + wire.PROFILE_UNWAGERED]
        self._ordered = buf[fields + wire.PROFILE_ORDERED]
        for i in range(CODES):
            self._codes[i] = buf[fields + wire.PROFILE_CODES + i]
        self.known = True
        return True

    def _sensible(self, buf, fields):
        for i in range(CODES):
            if not 1 <= buf[fields + wire.PROFILE_CODES + i] <= wire.CODE_NO_RULE:
                return False
        return (
            1 <= buf[fields + wire.PROFILE_CARD_SET] <= self._sets
            and 1 <= buf[fields + wire.PROFILE_DECKS] <= _MOST_DECKS
            and buf[fields + wire.PROFILE_BURN] <= wire.BURN_FACE_UP
            and wire.KIND_LIVE < buf[fields + wire.PROFILE_UNWAGERED] <= wire.KIND_DUMMY
        )

    def on(self, switch):
        """Return True if the house has this switch on."""
        return self._switches & switch != 0

    def orders(self, case):
        """Return True if the rulebook itself orders a coup without wagers in this case."""
        return self._ordered >> case - 1 & 1 == 1

    def facts(self):
        """Return the facts that the game of this table adds to every case."""
        return wire.FACT_INTERNATIONAL if self.on(wire.SWITCH_INTERNATIONAL) else 0

    def permits_kind(self, kind):
        """Return True if the rulebook has coups of this kind; Free Hands go with Void Hands."""
        if kind == wire.KIND_FREE_HAND:
            return self.unwagered == wire.KIND_VOID_HAND
        return kind == wire.KIND_LIVE or kind == self.unwagered

    def permits_burn(self, mode):
        """Return True if the rulebook has this burn mode; burning nothing is always permitted."""
        return mode == wire.BURN_NONE or (mode <= wire.BURN_FACE_UP and self._burn_modes >> mode & 1 == 1)

    def code(self, case, facts):
        """Return the code of the consequence of a case with these facts."""
        at = 0
        for i in range(3 * (case - 1), 3 * case):
            if FACT_BITS[i] != _NO_FACT:
                at = at << 1 | facts >> FACT_BITS[i] & 1
        return self._codes[CODES_AT[case - 1] + at]
