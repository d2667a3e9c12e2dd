"""Witness: what a shoe must log for each line, by the printed rules and protocol/READINGS.md."""

from collections.abc import Callable
from typing import Any, Final

from support.oracle import coup as by_the_tables

from edges.hands import JERKED, STILL_IN, UNREAD, Answer, Line

Event = dict[str, Any]
SLOTS: Final = ("player_1", "banker_1", "player_2", "banker_2", "player_3", "banker_3")
OVERDRAWS: Final = ("player_overdraw", "banker_overdraw", "excess_card")
_CARDS = ("card", "reject")
_PLACE = ("locked", "due", "state", "last_coup", "kind", "named", "fault")


class Violation(Exception):  # noqa: N818
    """The shoe broke a property: `name` is the property, the message says what happened."""

    def __init__(self, name: str, fact: str) -> None:
        super().__init__(f"{name}: {fact}")
        self.name = name


def due(cards: list[str]) -> str | None:
    """Return the slot of the next card after these, or None when the coup is complete."""
    for count in range(4, 7):
        try:
            if count <= len(cards) and not _rest(cards[:count]):
                return None
        except IndexError:
            continue
    if len(cards) < 4:
        return SLOTS[len(cards)]
    third_of_player = _third(cards)
    return "player_3" if third_of_player and len(cards) == 4 else "banker_3"


def _rest(cards: list[str]) -> list[str]:
    """Return the cards that a coup does not use; IndexError if it needs more."""
    rest = list(cards)
    by_the_tables(rest)
    return rest


def _third(cards: list[str]) -> bool:
    """Return True if the Player draws after these four."""
    played = by_the_tables([*cards[:4], "KC", "KC"])
    return len(played["player"]) == 3


class Witness:
    """One table; call `see` for each line with the answers before and after it.

    One class because every check needs the same memory of the table: hands, surplus cards, results.
    """

    def __init__(self, book: str = "") -> None:
        self.seen: dict[str, int] = {}
        self._result_first = book == "star-rapid"  # 7.7.4.9: the result, then Confirm
        self._winner = self._entered = ""
        self._open = False
        self._start()

    def _start(self) -> None:
        self._hands: dict[int, dict[str, str]] = {}  # by coup; a surplus card is in the coup that it begins
        self._results: dict[int, str] = {}  # by coup of this shoe: a result, or void
        self._surplus: list[int] = []  # the coup that each surplus card begins; 0: not used
        self._without: set[int] = set()  # coups that must be without wagers by the rulebook
        self._seen_ahead: set[tuple[int, int]] = set()  # a later coup, and which of its cards takes its wagers
        self._declared: set[int] = set()  # coups whose kind was set by a command
        self._coup = 0  # on the table, or due next
        self._burning = False
        self._complete = self._own = False  # own: a card of this coup was drawn, read or not
        self._before = 0  # the coup confirmed before it
        self._unread = False  # the due slot belongs to an unread card on the table
        self._to_key = 0  # cards that are out and were not read
        self._may_be_out = False  # a card of the coup is, or is in the shoe again
        self._decision = False  # a supervisor decides whether the first coup is dealt again
        self._ends = False  # new cards come with Confirm
        self._last: int | None = None

    def see(self, line: Line, before: Answer, answer: Answer) -> None:
        """Check what the shoe did; Violation if a property is broken."""
        if "power" in line:
            self._power(before, answer)
        events = answer["events"]
        self._named(events)
        if "card" in line and "command" not in line and self._open:
            self._drawn(line, before, events)
        for event in events:
            self.seen[event["type"]] = self.seen.get(event["type"], 0) + 1
            self._HANDLERS.get(event["type"], Witness._other)(self, event)

    def _power(self, before: Answer, answer: Answer) -> None:
        changed = [name for name in _PLACE if before[name] != answer[name]]
        if answer["events"] or changed:
            raise Violation("power", f"after a start {changed or answer['events']} differ")

    # The named consequence is what happens

    def _named(self, events: list[Event]) -> None:
        codes = [event["code"] for event in events if event["type"] == "irregularity"]
        voids = [event for event in events if event["type"] == "coup" and event["kind"] == "void"]
        closed = [event["reason"] for event in events if event["type"] == "shoe_closed"]
        ordered = any(event["type"] in ("command_done", "button") and _voids(event) for event in events)
        dealt = self._complete or self._own or bool(self._hands.get(self._coup))
        dealt = not self._burning and (dealt or any(event["type"] in _CARDS for event in events))
        for code in codes:
            if code in ("VOID", "VOID_NEW_CARDS") and len(voids) != 1:
                raise Violation("named", f"{code} is named and {len(voids)} coups are void")
            if code == "VOID_CHECK":
                self._checked(dealt, voids, closed)
        if voids and not ordered and not any(code.startswith("VOID") for code in codes):
            raise Violation("named", f"a coup is void and {codes or 'nothing'} is named")

    def _checked(self, dealt: bool, voids: list[Event], closed: list[str]) -> None:
        """A complete coup counts until it is confirmed; one that was begun is void (A-46)."""
        if self._complete:
            if voids or closed:
                raise Violation("named", "a complete coup is void though the foreign card came after it")
            self._ends = True
        elif len(voids) != dealt or closed != ["new_cards"]:
            raise Violation("named", f"VOID_CHECK: {len(voids)} coups are void, the shoe is closed as {closed}")

    # Cards

    def _drawn(self, line: Line, before: Answer, events: list[Event]) -> None:
        """Check that every card is logged once, in the slot that was due or that the rulebook gives it."""
        cards = [event for event in events if event["type"] == "card"]
        if [event["card"] for event in cards] != [line["card"]]:
            raise Violation("conserved", f"{line['card']} was drawn, the log has {[e['card'] for e in cards]}")
        (card,) = cards
        over = [event["code"] for event in events if event["type"] == "irregularity" and event["case"] in OVERDRAWS]
        if before["due"] is not None and not self._unread:
            if card["slot"] != before["due"] or over:
                raise Violation("place", f"{before['due']} was due, the card is {card['slot']}, {over} is named")
            return
        if len(over) != 1 or not card.get("surplus"):
            raise Violation("named", f"a surplus card is {card['slot']} and {over} is named")
        coup, slot = self._next_place()
        placed = ("unused",) if over == ["NOT_USED"] else (slot, coup)
        if (card["slot"], card["coup"])[: len(placed)] != placed:
            raise Violation("named", f"{over[0]} is named and the card is {card['slot']} of coup {card['coup']}")

    def _next_place(self) -> tuple[int, str]:
        """Return coup and slot of the next surplus card: the first coup with room."""
        number = self._coup + 1
        while True:
            slot = due(list(self._hands.get(number, {}).values()))
            if slot:
                return number, slot
            number += 1

    def _card(self, event: Event) -> None:
        slot, coup = event["slot"], event["coup"]
        if event.get("surplus"):
            self._surplus.append(0 if slot == "unused" else coup)
        self._count_keyed(event)
        if slot in ("burn", "unused"):
            return
        hand = self._hands.setdefault(coup, {})
        if slot in hand:
            raise Violation("conserved", f"{slot} of coup {coup} is dealt twice")
        hand[slot] = event["card"]
        if not event.get("surplus"):
            self._own, self._before = True, 0

    def _count_keyed(self, event: Event) -> None:
        """A keyed card is one that left and was not read, and each of these is keyed in once."""
        if not event.get("keyed"):
            self._to_key *= self._unread
            return
        if not self._to_key:
            raise Violation("phantom", f"{event['card']} is keyed in, and no card is out that was not read")
        self._to_key -= 1
        self._unread &= self._to_key > 0

    def _reject(self, event: Event) -> None:
        self._to_key += event["reason"] in (*UNREAD, JERKED)
        if event["reason"] in STILL_IN[1:] and not self._burning:
            self._may_be_out = not self._complete
        if event["reason"] in (*UNREAD, "foreign"):
            self._unread = True
            if not self._complete and not self._burning:
                self._own, self._before = True, 0

    # Coups

    def _coup_logged(self, event: Event) -> None:
        if event["kind"] == "void":
            self._void(event)
            return
        coup, hand = event["coup"], self._hands.get(event["coup"], {})
        if coup in self._results:
            raise Violation("numbers", f"coup {coup} is logged twice, it was {self._results[coup]}")
        self._results[coup] = "a result"
        self._winner, self._entered = event["winner"], ""
        played = by_the_tables([hand[slot] for slot in SLOTS if slot in hand])
        if any(event[name] != played[name] for name in ("player", "banker", "winner")):
            raise Violation("conserved", f"coup {coup} is {event['player']} {event['banker']}, drawn were {hand}")
        self._check_kind(coup, event["kind"])
        if self._last is not None and event["last_coup"] != (coup >= self._last):
            raise Violation("named", f"FINISH_RESHUFFLE: coup {self._last} is the last, coup {coup} disagrees")
        self._complete = True

    def _check_kind(self, coup: int, kind: str) -> None:
        if coup in self._declared:
            return
        without = self._without | {later for later, _ in self._seen_ahead}
        if (kind == "no_bet") != (coup in without):
            raise Violation("named", f"coup {coup} is {kind}, without wagers are {sorted(without)}")

    def _void(self, event: Event) -> None:
        coup = event["coup"]
        late = self._before and not self._complete and not self._own
        if coup != (self._before if late else self._coup) and not (late and coup == self._coup):
            raise Violation("void", f"coup {coup} is void, coup {self._before if late else self._coup} was dealt")
        hand = [*event["player"], *event["banker"]]
        if not hand and not (self._own or self._may_be_out):
            raise Violation("void", f"coup {coup} is void and was not dealt")
        if self._results.get(coup) == "void":
            raise Violation("numbers", f"coup {coup} is void twice")
        if len(hand) != len(self._hands.get(coup, {})):
            raise Violation("conserved", f"void coup {coup} is {hand}, drawn were {self._hands.get(coup)}")
        self._results[coup] = "void"
        if coup == self._coup:
            self._next(0)
        else:
            self._before = 0

    def _next(self, before: int) -> None:
        """End the coup on the table."""
        self._coup, self._before = self._coup + 1, before
        self._complete = self._own = self._unread = self._may_be_out = False
        self._to_key = 0
        self._surplus = [coup for coup in self._surplus if coup > self._coup]

    def _confirmed(self) -> None:
        if self._complete:
            self._next(self._coup)

    # Other events that change the state

    def _irregularity(self, event: Event) -> None:
        code, coup = event["code"], self._coup
        if code == "THIS_NO_BET":
            self._without.add(coup)
        elif code == "NEXT_NO_BET":
            later = max([coup + 1, *self._surplus[-1:]])
            if later > coup + 1:
                self._seen_ahead.add((later, self._surplus.count(later)))
            else:
                self._without.add(later)
        elif code == "NEXT_LIVE" and self._reported:
            self._declared.add(max([coup + 1, *self._surplus[-1:]]))
        elif code == "NOT_USED" and self._reported and self._surplus:
            self._withdraw()
            self._surplus.append(0)
        elif code == "FINISH_RESHUFFLE":
            last = max(coup, 1)
            self._last = last if self._last is None else min(self._last, last)
        elif code == "RESTART_SHOE" and not (self._burning or self._own or self._hands.get(coup)):
            self._burn_again()
        self._reported = False

    _reported = False

    def _command_done(self, event: Event) -> None:
        command = event["command"]
        self._reported = command == "irregularity"
        if command == "confirm":
            self._confirmed()
        elif command == "card_returned" and self._surplus:
            self._withdraw()
        elif command == "burn_card" and self._decision:
            self._burn_again()
        elif command == "no_bet":
            self._declared |= {self._coup, self._coup + 1}

    def _withdraw(self) -> None:
        """Take back the last card in excess; a coup behind the next has its wagers if only that card took them."""
        if self._surplus[-1] > self._coup + 1:
            self._seen_ahead.discard((self._surplus[-1], self._surplus.count(self._surplus[-1])))
        coup = self._surplus.pop()
        if coup:
            self._hands[coup].popitem()

    def _burn_again(self) -> None:
        """Take back the cards of the first coup (A-51)."""
        self._hands.clear()
        self._surplus.clear()
        self._coup, self._burning, self._own, self._unread, self._to_key = 0, True, False, False, 0

    def _button(self, event: Event) -> None:
        if event["button"] != "confirm":
            self._entered = event["button"]
        elif not self._result_first or self._entered == self._winner:
            self._confirmed()
        elif not self._entered:
            raise Violation("confirm", "Confirm counts without the dealer's result")

    def _opened(self, event: Event) -> None:
        self._start()
        self._open = True
        self._burning = event["burn"] != "none"
        self._coup = 0 if self._burning else 1

    def _burnt(self, event: Event) -> None:
        self._burning, self._coup = False, 1
        self._surplus = [coup for coup in self._surplus if coup > 1]

    def _fault(self, event: Event) -> None:
        if event["fault"] != "journal_full":
            self._decision = event["fault"] == "decision" and not self._complete

    def _cleared(self, event: Event) -> None:
        self._decision = False
        if event["fault"] != "journal_full":
            self._unread = False
            self._to_key *= event["by"] not in ("command", "new_shoe")

    def _closed(self, event: Event) -> None:
        self._open = False
        if self._ends and event["reason"] not in ("new_cards", "command", "replaced"):
            raise Violation("named", f"VOID_CHECK was named, and the shoe is closed as {event['reason']}")

    def _other(self, event: Event) -> None:
        """Do nothing."""

    _HANDLERS: Final[dict[str, Callable[["Witness", Event], None]]] = {
        "card": _card,
        "reject": _reject,
        "coup": _coup_logged,
        "irregularity": _irregularity,
        "command_done": _command_done,
        "button": _button,
        "shoe_opened": _opened,
        "burn": _burnt,
        "fault": _fault,
        "fault_cleared": _cleared,
        "shoe_closed": _closed,
    }


def _voids(event: Event) -> bool:
    """Return True if this act voids a coup by itself."""
    return event.get("command") in ("void_coup", "open_shoe") or event.get("button") == "new_shoe"
