"""Profile: what the house's rulebook asks of this shoe, as the gateway sent it."""

from micropython import const

BURN_NONE = const(0)
BURN_FACE_UP = const(3)

_CUT_FIRST_CARD_IS_LAST_COUP = const(1)
_HASH = const(8)
_MOST_BURN = const(3)


class Profile:
    """`known` is False until a profile has been set; no shoe is opened before."""

    def __init__(self, sets):
        self._sets = sets
        self.known = False
        self.digest = bytearray(_HASH)
        self.card_set = 0
        self.decks = 0
        self.burn = BURN_NONE
        self.cut_first_card_is_last_coup = False

    def load(self, buf, at):
        """Take a set_profile body (digest, rulebook, card set, decks, burn, switches); False if it makes no sense."""
        fields = at + 2 * _HASH
        card_set, decks, burn, switches = buf[fields], buf[fields + 1], buf[fields + 2], buf[fields + 3]
        if not 1 <= card_set <= self._sets or not decks or burn > _MOST_BURN:
            return False
        for i in range(_HASH):
            self.digest[i] = buf[at + i]
        self.card_set = card_set
        self.decks = decks
        self.burn = burn
        self.cut_first_card_is_last_coup = bool(switches & _CUT_FIRST_CARD_IS_LAST_COUP)
        self.known = True
        return True
