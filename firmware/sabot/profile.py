"""Profile: what the house's rulebook asks of this shoe, as the gateway sent it."""

from micropython import const

from sabot import wire
from sabot.link.frame import short
from sabot.wire import CODES, CODES_AT, FACT_BITS

_HASH = const(8)
_NONE = const(0xFF)
SIZE = const(70)  # digest, rulebook, card set, decks, burn, burn modes, switches, unwagered, ordered, codes
_CODES = const(8)  # where they begin behind the two hashes


class Profile:
    """`known` is False until a profile has been set; no shoe is opened before."""

    def __init__(self, sets):
        self._sets = sets
        self.known = False
        self.digest = bytearray(_HASH)
        self.card_set = 0
        self.decks = 0
        self.burn = wire.BURN_NONE
        self._burn_modes = 0
        self._switches = 0
        self.unwagered = wire.KIND_DUMMY  # what the book calls a coup without wagers
        self._ordered = 0
        self._codes = bytearray(bytes([wire.CODE_NO_RULE]) * CODES)

    def load(self, buf, at):
        """Take the body of a set_profile; False, and nothing changed, if it makes no sense."""
        fields = at + 2 * _HASH
        if not self._sensible(buf, fields):
            return False
        for i in range(_HASH):
            self.digest[i] = buf[at + i]
        self.card_set = buf[fields]
        self.decks = buf[fields + 1]
        self.burn = buf[fields + 2]
        self._burn_modes = buf[fields + 3]
        self._switches = short(buf, fields + 4)
        self.unwagered = buf[fields + 6]
        self._ordered = buf[fields + 7]
        for i in range(CODES):
            self._codes[i] = buf[fields + _CODES + i]
        self.known = True
        return True

    def _sensible(self, buf, fields):
        for i in range(CODES):
            if not 1 <= buf[fields + _CODES + i] <= wire.CODE_NO_RULE:
                return False
        return (
            1 <= buf[fields] <= self._sets
            and 1 <= buf[fields + 1] <= 8
            and buf[fields + 2] <= wire.BURN_FACE_UP
            and wire.KIND_LIVE < buf[fields + 6] <= wire.KIND_DUMMY
        )

    def on(self, switch):
        """Whether the house has this switch on."""
        return self._switches & switch != 0

    def orders(self, case):
        """The book itself orders a coup without wagers in this case."""
        return self._ordered >> case - 1 & 1 == 1

    def facts(self):
        """What the game at this table adds to the facts of a case."""
        return wire.FACT_INTERNATIONAL if self.on(wire.SWITCH_INTERNATIONAL) else 0

    def permits_kind(self, kind):
        """Whether the book has coups of this kind; a Free Hand is of the book that has Void Hands."""
        if kind == wire.KIND_FREE_HAND:
            return self.unwagered == wire.KIND_VOID_HAND
        return kind == wire.KIND_LIVE or kind == self.unwagered

    def permits_burn(self, mode):
        """Whether the book has this mode; to burn nothing is the dealer's affair."""
        return mode == wire.BURN_NONE or (mode <= wire.BURN_FACE_UP and self._burn_modes >> mode & 1 == 1)

    def code(self, case, facts):
        """What follows from a case with these facts."""
        at = 0
        for i in range(3 * (case - 1), 3 * case):
            if FACT_BITS[i] != _NONE:
                at = at << 1 | facts >> FACT_BITS[i] & 1
        return self._codes[CODES_AT[case - 1] + at]
