"""Hidden: the cards of the coup on a table that nobody has turned, and where a text or a page shows one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

Entry = dict[str, Any]
_SIDES: Final = ("player", "banker")
_THIRD: Final = ("player_3", "banker_3")  # cards that are due by the points of those that lie there
_FIRST, _EARLY = "player_1", "surplus"
_SEEN: Final = frozenset(("face_up", "exposed"))  # notes of a card that everybody at the table has seen
# What follows from cards, by the names that messages and pages have for it.
_OUTCOME: Final = ("winner", "player_pair", "banker_pair", "natural", "reasons")
_COUP: Final = re.compile(r"\b(\d+)/(\d+)\b")
_NAME_CARDS: Final = ("key-card", "import-coup")  # what people ask for with cards, by chance any


@dataclass
class OnTable:
    """The coup on a table: its cards, how many of each hand are turned, and whether it is out.

    It is out when its result is confirmed, when the next coup's first card has left, or when the shoe is closed
    (displays.md, rule 2; `history` in MQTT.md).
    """

    shoe: int = 0
    coup: int = 0
    out: bool = True
    since: str = ""  # the time of its first card
    face_down: bool = True
    cards: dict[str, Entry] = field(default_factory=dict)  # by slot
    turned: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_SIDES, 0))
    early: list[Entry] = field(default_factory=list)  # cards drawn when none was due

    def take(self, topic: str, one: Entry) -> None:
        """Follow an entry of the ledger."""
        place = one["shoe"], one["coup"]
        match topic:
            case "cards" if one["slot"].startswith(_SIDES):
                self._take_card(place, one)
            case "confirmed" if place == (self.shoe, self.coup):
                self.out = True
            case "shoe" if one["state"] == "closed" or one["shoe"] != self.shoe:
                self.out = True

    def _take_card(self, place: tuple[int, int], one: Entry) -> None:
        """Follow a card of a hand; one that came too early joins its coup when the coup's first other card has left."""
        if _EARLY in one.get("notes", ()):
            self.early.append(one)
            return
        if place != (self.shoe, self.coup):
            joins = {early["slot"]: early for early in self.early if (early["shoe"], early["coup"]) == place}
            self.__init__(*place, False, one["time"], self.face_down, joins)  # type: ignore[misc]
        self.cards[one["slot"]] = one

    def hidden(self) -> set[str]:
        """Return the cards that nobody but Surveillance may see; not one whose like of this coup is seen."""
        covered, early = self._covered(), [] if self.out or not self.face_down else self.early
        unseen = {one["card"] for one in early if not _is_seen(one)}
        seen = {card for slot, card in self.laid().items() if slot not in covered}
        seen |= {one["card"] for one in early if _is_seen(one)}
        return ({self.cards[slot]["card"] for slot in covered} | unseen) - seen

    def _covered(self) -> set[str]:
        return {one["slot"] for side in _SIDES for one in self._hidden_of(side)}

    def _hidden_of(self, side: str) -> list[Entry]:
        if self.out or not self.face_down:
            return []
        own = [self.cards[slot] for slot in sorted(self.cards) if slot.startswith(side)]
        return [one for one in own[self.turned[side] :] if not _is_seen(one)]

    def began_ahead(self) -> bool:
        """Return True if the coup's first card was seen before it was dealt, or drawn when none was due."""
        first = self.cards.get(_FIRST, {})
        return _is_seen(first) or _EARLY in first.get("notes", ())

    def __str__(self) -> str:
        """Return the coup as a line."""
        return f"coup {self.shoe}/{self.coup} has {self.laid()}, turned are {self.turned}"

    def laid(self) -> dict[str, str]:
        """Return the cards of the hands, by slot."""
        return {slot: one["card"] for slot, one in self.cards.items()}

    def hand(self, side: str) -> int:
        """Return how many cards a hand has."""
        return sum(slot.startswith(side) for slot in self.cards)

    def is_about(self, text: str) -> bool:
        """Return True unless a text names coups, and all of them are others."""
        named = [(int(shoe), int(coup)) for shoe, coup in _COUP.findall(text)]
        return not named or (self.shoe, self.coup) in named

    def in_text(self, text: str) -> list[str]:
        """Return the hidden cards that a text names."""
        if not self.is_about(text):
            return []
        return sorted(card for card in self.hidden() if re.search(rf"(?<![A-Za-z0-9]){card}(?![A-Za-z0-9])", text))

    def in_view(self, table: str, found: Any, way: str = "") -> Iterator[str]:
        """Yield what a page's state shows of the hidden cards, with the way to the place."""
        if not self._covered() and not self.hidden():
            return
        match found:
            case str():
                yield from (f"{way}: {card}" for card in self.in_text(found))
            case list():
                for one in found:
                    yield from self.in_view(table, one, way)
            case dict() if self._is_here(table, found):
                yield from self._outcome(found, way) if self._covered() else ()
                for name, value in found.items():
                    yield from self.in_view(table, value, f"{way}.{name}")

    def _is_here(self, table: str, found: Entry) -> bool:
        """Return True unless this part is about another table, shoe or coup, or a request that names no card of it."""
        verb = found.get("verb") or (found.get("kind") == "request" and found.get("name"))
        if verb:
            return found.get("table", table) == table and (verb not in _NAME_CARDS or self._was_done(found))
        coup = found.get("coup", self.coup)
        shoe = found.get("shoe", self.shoe)
        if isinstance(coup, str) and "/" in coup:
            return f"{self.shoe}/{self.coup}" == coup
        return (found.get("table", table), shoe, coup) == (table, self.shoe, self.coup)

    def _was_done(self, act: Entry) -> bool:
        """Return True if a request was done in this coup: a refused one tells nothing of its cards."""
        return bool(act.get("ok")) and act["time"] >= self.since

    def _outcome(self, found: Entry, way: str) -> Iterator[str]:
        """Yield what tells points or result."""
        slot, card = found.get("slot"), found.get("card")
        if slot in self._covered() and card == self.cards[slot]["card"] and card not in self.hidden():
            yield f"{way}: {card} of {slot}"
        outcome = ((name, found.get(name)) for name in _OUTCOME)
        yield from (f"{way}.{name}: {value}" for name, value in outcome if value and type(value) is not int)  # no count
        for side in _SIDES:
            points = found.get(f"{side}_points") or (way.endswith(f".{side}") and found.get("points"))
            covered = len(self._hidden_of(side))
            if points and covered and not self.turned[side] and covered == self.hand(side):
                yield f"{way}: {points} points of {side}"
        if self.coup in found.get("coups", ()) and "results" in found:
            yield f"{way}: the result of coup {self.coup} is on the road"
        dealt = all(f"{side}_2" in self.cards for side in _SIDES)
        if dealt and found.get("due") in _THIRD and found["due"] not in self.cards:
            yield f"{way}: {found['due']} is due"


def _is_seen(card: Entry) -> bool:
    return bool(_SEEN & set(card.get("notes", ())))
