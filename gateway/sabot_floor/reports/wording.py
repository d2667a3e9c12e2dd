"""Wording: what a report shows in words: facts and arguments, verbs as people type them."""

from typing import Any

import msgspec
from sabot_protocol.jackpots import currency

_CENTS = "_cents"
_TYPED = {"irregularity": "report"}  # verbs whose command has another name: sabot table T report
_PAYMENTS = {"over": "overpayment", "under": "underpayment"}


def typed(verb: str) -> str:
    """Return a verb as people type it after `sabot table T`."""
    return _TYPED.get(verb, verb)


def facts_text(document: str) -> str:
    """Return the members of a JSON object in words; any other text as it is."""
    try:
        found = msgspec.json.decode(document) if document else {}
    except (msgspec.DecodeError, RecursionError):
        return document
    if not isinstance(found, dict):
        return document
    known = {name: value for name, value in found.items() if value not in (None, "", [], {})}
    return ", ".join([*_payment(known), *(f"{_name(name)}: {_plain(name, value)}" for name, value in known.items())])


def _payment(facts: dict[str, Any]) -> list[str]:
    """Take direction and amount of a payment out of the facts: overpayment $1,500.00."""
    kind, cents = facts.get("direction"), facts.get("amount_cents")
    if kind not in _PAYMENTS or type(cents) is not int:
        return []
    del facts["direction"], facts["amount_cents"]
    return [f"{_PAYMENTS[kind]} {_dollars(cents)}"]


def _name(name: str) -> str:
    return name.removesuffix(_CENTS).replace("_", " ")


def _plain(name: str, value: Any) -> str:
    if name.endswith(_CENTS) and type(value) is int:
        return _dollars(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict) and all(isinstance(flag, bool) for flag in value.values()):
        return ", ".join(flag.replace("_", " ") for flag, applies in value.items() if applies) or "none"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _dollars(cents: int) -> str:
    return f"${currency.number(cents, '')}"
