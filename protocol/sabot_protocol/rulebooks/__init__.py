"""The five casinos' rulebooks as data, and a loader that refuses a bad file by file, key and reason."""

import tomllib
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Literal

import msgspec

from sabot_protocol.messages import HASH_BYTES

BurnMode = Literal["none", "one", "shown", "face_up"]


class RulebookError(ValueError):
    """A rulebook, or what a table asks of it, is wrong; the message names the place."""


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Unknown keys are errors."""


class Decks(_Strict, frozen=True):
    """How many decks the book allows."""

    allowed: tuple[int, ...]
    default: int
    clause: str


class Draw(_Strict, frozen=True):
    """The clauses that govern the third card."""

    natural: str
    table_1: str
    table_2: str
    player_stands: str


class Burn(_Strict, frozen=True):
    """What is discarded from a new shoe."""

    mode: BurnMode
    clause: str


class Switch(_Strict, frozen=True):
    """A point on which the books differ."""

    value: bool
    clause: str


class ShoeRules(_Strict, frozen=True):
    """What the shoe itself must know."""

    burn: Burn
    cut_first_card_is_last_coup: Switch


class Rulebook(_Strict, frozen=True):
    """One casino's book."""

    id: str
    title: str
    decks: Decks
    draw: Draw
    shoe: ShoeRules

    def digest(self) -> bytes:
        """The eight bytes that stand for this book in HELLO, in the ledger and in every message."""
        return sha256(msgspec.json.encode(self, order="sorted")).digest()[:HASH_BYTES]

    def profile(self, decks: int | None, card_set: int) -> dict[str, Any]:
        """What a shoe at a table of this house is told."""
        wanted = self.decks.default if decks is None else decks
        if wanted not in self.decks.allowed:
            allowed = ", ".join(map(str, self.decks.allowed))
            raise RulebookError(f"decks = {wanted}: {self.id} allows {allowed} (clause {self.decks.clause})")
        cut_first = self.shoe.cut_first_card_is_last_coup.value
        return {
            "rulebook_hash": self.digest(),
            "card_set": card_set,
            "decks": wanted,
            "burn": self.shoe.burn.mode,
            "switches": {"cut_first_card_is_last_coup": cut_first},
        }


def parse(name: str, text: str) -> Rulebook:
    """One file's text, checked."""
    try:
        book = msgspec.convert(tomllib.loads(text), Rulebook)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise RulebookError(f"rulebook {name}: {error}") from error
    if book.decks.default not in book.decks.allowed:
        raise RulebookError(f"rulebook {name}: decks.default {book.decks.default} is not in decks.allowed")
    if f"{book.id}.toml" != name:
        raise RulebookError(f"rulebook {name}: id is {book.id!r}, the file name says otherwise")
    return book


def ids() -> list[str]:
    """The rulebooks that exist."""
    return sorted(file.name.removesuffix(".toml") for file in _files())


@cache
def load(rulebook_id: str) -> Rulebook:
    """The rulebook of this id."""
    for file in _files():
        if file.name == f"{rulebook_id}.toml":
            return parse(file.name, file.read_text(encoding="utf-8"))
    raise RulebookError(f"no rulebook {rulebook_id!r}: choose one of {', '.join(ids())}")


def _files() -> list[Traversable]:
    return [file for file in files(__package__).iterdir() if file.name.endswith(".toml")]
