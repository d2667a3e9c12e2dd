"""The profile: the house rules a shoe works by. The gateway sends it, the shoe stores it."""

from hashlib import sha256
from typing import Any, Final

from construct import Bytes, Int8ul, Struct

from sabot_protocol import irregularities
from sabot_protocol.fields import HASH_BYTES, Burn, BurnModes, CoupKind, Hash, OrderedBy, Switches, described
from sabot_protocol.layout import layout_of

CODES_BYTES: Final = sum(2 ** len(facts) for facts in irregularities.CASES.values())

Profile = Struct(
    described("rulebook_hash" / Hash, "first eight bytes of the SHA-256 of the rules of play of the rulebook"),
    described("card_set" / Int8ul, "card set whose code words are read"),
    "decks" / Int8ul,
    described("burn" / Burn, "burn of a new shoe, unless `open_shoe` names another"),
    described("burn_modes" / BurnModes, "burns that the rulebook permits"),
    "switches" / Switches,
    described("unwagered" / CoupKind, "what the rulebook calls a coup without wagers"),
    described("ordered" / OrderedBy, "cases where the rulebook itself orders a coup without wagers: no authorisation"),
    described("codes" / Bytes(CODES_BYTES), "the Consequence for each case and each combination of its facts"),
)
PROFILE_LAYOUT: Final = layout_of(Profile)


def profile_hash(profile: dict[str, Any]) -> bytes:
    """Return the eight bytes that identify a profile on both sides."""
    return sha256(Profile.build(profile)).digest()[:HASH_BYTES]
