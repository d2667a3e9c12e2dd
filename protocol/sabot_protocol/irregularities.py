"""Irregularities: a case and its facts in; the rulebook's consequence, clause and next step for the dealer out."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import accumulate, product
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from sabot_protocol import numbers

# Every case, with the facts that decide it in at least one rulebook.
CASES: dict[str, tuple[str, ...]] = {
    "player_overdraw": ("banker_draws", "exposed", "last_coup"),
    "banker_overdraw": ("exposed", "last_coup"),
    "excess_card": ("exposed", "last_coup"),
    "first_card_face_up": (),
    "second_to_fourth_card_face_up": ("international",),
    "third_card_face_up": (),
    "insufficient_cards": (),
    "burn_missed": ("first_coup_complete",),
    "cut_missed": (),
    "not_shuffled_after_cutting_card": (),
    "bad_order": ("reconstructible", "notified_before_next"),
    "banker_got_players_card": ("reconstructible", "notified_before_next"),
    "missing_or_foreign_card": (),
    "scan_discrepancy": ("confirmed",),
    "wrong_shoe": (),
    "wrong_area": ("international",),
    "wrong_recipient": ("international",),
    "misread_card": (),
    "shoe_not_reading": ("disadvantage",),
    "first_card_exposed": (),
    "unauthorised_coup": (),
}

Code = Literal[
    "BANKER_THIRD",
    "PLAYER_THIRD",
    "NEXT_LIVE",
    "NEXT_NO_BET",
    "NOT_USED",
    "THIS_NO_BET",
    "PLAY_ON",
    "VOID",
    "VOID_NEW_CARDS",
    "VOID_CHECK",
    "RECON_WITHDRAW",
    "RECON_BINDING",
    "CONFIRM",
    "CHOICE",
    "WITHDRAW_OPTION",
    "FINISH_RESHUFFLE",
    "RESTART_SHOE",
    "MANUAL_ENTRY",
    "SWAP_SHOE",
    "NO_RULE",
]
Facts = Mapping[str, bool]

# Before the book's next step, if a missing or foreign card voids no coup: each is complete, or none has begun.
_COUPS_STAND = (
    "No coup is void; every complete coup stands. If a coup is on the table, press Confirm and settle it. Then the "
    "shoe ends: take the remaining cards out and "
)


_TO_UNWAGERED = (
    "Settle the coup on the table and keep the card face down: it belongs to the next coup, which is dealt without "
    "wagers. Take none on it."
)


class IrregularityError(ValueError):
    """A file or a request about an irregularity is wrong; the message names the place."""


class Advice(msgspec.Struct, frozen=True):
    """The consequence, its clause, and what the dealer may do next."""

    code: Code
    clause: str
    say: str


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row of a case: it applies if every fact in `when` has the value given there."""

    code: Code
    clause: str
    say: Annotated[str, msgspec.Meta(min_length=1)]
    when: dict[str, bool] = {}

    def fits(self, facts: Facts) -> bool:
        """Return True if the row applies to these facts."""
        return all(facts[fact] is value for fact, value in self.when.items())

    def advice(self) -> Advice:
        return Advice(self.code, self.clause, self.say)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    cases: dict[str, Any]
    check: str = ""


class Book(msgspec.Struct, frozen=True, omit_defaults=True):
    """A rulebook's rows for every case; the first row that applies is the answer."""

    id: str
    cases: dict[str, tuple[Row, ...]]
    check: str = ""  # the next step if a missing or foreign card voids no coup

    def without_wording(self) -> "Book":
        """Return the same rows without their texts for the dealer."""
        return Book(self.id, {case: tuple(replace(row, say="") for row in rows) for case, rows in self.cases.items()})


def parse(name: str, text: str) -> Book:
    """Parse one file and check that every combination of facts has a row, and every row is reached."""
    for problem in problems(name, text):
        raise IrregularityError(f"irregularities {name}: {problem}")
    raw = msgspec.convert(tomllib.loads(text), _File)
    return Book(raw.id, {case: msgspec.convert(raw.cases[case], tuple[Row, ...]) for case in CASES}, raw.check)


def problems(name: str, text: str) -> Iterator[str]:
    """Yield everything that is wrong with a file."""
    try:
        raw = msgspec.convert(tomllib.loads(text), _File)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        yield str(error)
        return
    if f"{raw.id}.toml" != name:
        yield f"id is {raw.id!r}, which is not the file name"
    yield from (f"cases.{case}: unknown case" for case in raw.cases if case not in CASES)
    for case in CASES:
        if case not in raw.cases:
            yield f"cases.{case} is missing"
            continue
        yield from (f"cases.{case}: {problem}" for problem in _rows_problems(case, raw.cases[case]))
        checks = isinstance(raw.cases[case], list) and any(_code(row) == "VOID_CHECK" for row in raw.cases[case])
        if checks and not raw.check:
            yield f"check is missing: cases.{case} has code VOID_CHECK"


def _code(row: object) -> object:
    return row.get("code") if isinstance(row, dict) else None


def _rows_problems(case: str, raw: Any) -> Iterator[str]:
    try:
        rows = msgspec.convert(raw, tuple[Row, ...])
    except msgspec.ValidationError as error:
        yield str(error)
        return
    yield from _problems(case, rows)


def _problems(case: str, rows: tuple[Row, ...]) -> Iterator[str]:
    """Yield what the types cannot check."""
    for number, row in enumerate(rows, 1):
        for fact in row.when:
            if fact not in CASES[case]:
                yield f"row {number}: {_unknown_fact(case, fact)}"
        if (row.code == "NO_RULE") != (not row.clause):
            yield f"row {number}: clause is {row.clause!r}: NO_RULE must have none, every other code must have one"
    used = set()
    for facts in combinations(case):
        number = next((number for number, row in enumerate(rows, 1) if row.fits(facts)), 0)
        if not number:
            yield f"no row applies to {_text(facts)}"
        used.add(number)
    for number in range(1, len(rows) + 1):
        if number not in used:
            yield f"row {number} is never reached: the rows above it cover every combination"


def combinations(case: str) -> Iterator[dict[str, bool]]:
    """Yield every combination of a case's facts."""
    for values in product((False, True), repeat=len(CASES[case])):
        yield dict(zip(CASES[case], values, strict=True))


def _text(facts: Facts) -> str:
    return ", ".join(f"{fact} = {str(value).lower()}" for fact, value in facts.items()) or "the case"


def _unknown_fact(case: str, fact: str) -> str:
    return f"unknown fact {fact!r}: {case} is decided by {', '.join(CASES[case]) or 'no facts'}"


def ids() -> list[str]:
    """Return the ids of all rulebooks."""
    return sorted(file.name.removesuffix(".toml") for file in _files())


@cache
def load(rulebook_id: str) -> Book:
    """Return the rows of a rulebook; IrregularityError if there is none with this id."""
    for file in _files():
        if file.name == f"{rulebook_id}.toml":
            return parse(file.name, file.read_text(encoding="utf-8"))
    raise IrregularityError(f"unknown rulebook {rulebook_id!r}: choose one of {', '.join(ids())}")


def _files() -> list[Traversable]:
    folder = files("sabot_protocol") / "rulebooks" / "irregularities"
    return [file for file in folder.iterdir() if file.name.endswith(".toml")]


def advise(rulebook_id: str, case: str, context: Mapping[str, object]) -> Advice:
    """Return the rulebook's answer; a fact may be missing only if it changes nothing."""
    _expect_case(rulebook_id, case)
    return _decided(rulebook_id, case, frozenset(_checked(case, context).items()))


def _expect_case(rulebook_id: str, case: str) -> None:
    """Raise IrregularityError if there is no such rulebook or case."""
    load(rulebook_id)
    if case not in CASES:
        raise IrregularityError(f"unknown case {case!r}: choose one of {', '.join(CASES)}")


def advise_at_table(
    rulebook_id: str, case: str, facts: Mapping[str, object], *, stands: bool, unwagered: bool = False
) -> Advice:
    """Return the answer for a table; `stands` if no coup can be void there: each is complete or none has begun.

    `unwagered`: the coup that a card in excess begins, or continues, is one without wagers already.
    """
    advice = advise(rulebook_id, case, facts)
    if unwagered and advice.code == "NEXT_LIVE":
        return replace(advice, say=_TO_UNWAGERED)
    if not stands or advice.code != "VOID_CHECK":
        return advice
    return replace(advice, say=_COUPS_STAND + load(rulebook_id).check)


def complete_facts(rulebook_id: str, case: str, given: Mapping[str, object], known: Facts) -> dict[str, bool]:
    """Return every fact of a reported case: given, else known; IrregularityError if one that matters is missing."""
    facts = {fact: known[fact] for fact in CASES[case] if fact in known} | _checked(case, given)
    advise(rulebook_id, case, facts)
    return {fact: facts.get(fact, False) for fact in CASES[case]}


def open_facts(rulebook_id: str, case: str, context: Mapping[str, object]) -> list[str]:
    """Return the facts that are missing and on which the rulebook's answer still depends."""
    _expect_case(rulebook_id, case)
    known = _checked(case, context)
    return _wanted(case, known, _answers(case, load(rulebook_id).cases[case], known))


def _wanted(case: str, known: Facts, answers: list[tuple[dict[str, bool], Advice]]) -> list[str]:
    return [fact for fact in CASES[case] if fact not in known and _matters(fact, answers)]


@cache
def _decided(rulebook_id: str, case: str, facts: frozenset[tuple[str, bool]]) -> Advice:
    known = dict(facts)
    answers = _answers(case, load(rulebook_id).cases[case], known)
    wanted = _wanted(case, known, answers)
    if wanted:
        missing = ", ".join(f"context.{fact}" for fact in wanted)
        raise IrregularityError(f"{missing}: missing; the answer of {rulebook_id} to {case} depends on it")
    return answers[0][1]


@cache
def codes(rulebook_id: str) -> bytes:
    """Return the codes of a profile: for every case, by its number, one code for each combination of its facts."""
    return bytes(
        numbers.CODES[advise(rulebook_id, case, facts).code]
        for case in numbers.in_order(numbers.CASES)
        for facts in combinations(case)
    )


def code_offsets() -> dict[str, int]:
    """Return the index of each case's first code in a profile."""
    cases = numbers.in_order(numbers.CASES)
    return dict(zip(cases, accumulate((2 ** len(CASES[case]) for case in cases), initial=0), strict=False))


def _checked(case: str, context: Mapping[str, object]) -> dict[str, bool]:
    """Return the facts that decide this case; facts of other cases are ignored."""
    known = {}
    for fact, value in context.items():
        if not any(fact in facts for facts in CASES.values()):
            raise IrregularityError(f"context.{fact}: {_unknown_fact(case, fact)}")
        if not isinstance(value, bool):
            raise IrregularityError(f"context.{fact}: {value!r} is neither true nor false")
        if fact in CASES[case]:
            known[fact] = value
    return known


def _answers(case: str, rows: tuple[Row, ...], known: Facts) -> list[tuple[dict[str, bool], Advice]]:
    """Return every combination that agrees with the known facts, with its answer."""
    agreeing = (facts for facts in combinations(case) if facts.items() >= known.items())
    return [(facts, next(row for row in rows if row.fits(facts)).advice()) for facts in agreeing]


def _matters(fact: str, answers: list[tuple[dict[str, bool], Advice]]) -> bool:
    """Return True if two combinations that differ only in this fact have different answers."""
    return any(
        advice != other_advice
        for facts, advice in answers
        for other, other_advice in answers
        if facts != other and facts | {fact: other[fact]} == other
    )
