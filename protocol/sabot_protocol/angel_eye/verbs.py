"""Verbs at a table with an Angel Eye: what the gateway does without the shoe, and what goes to it as a command."""

from typing import Final

from sabot_protocol.topics import StatusMessage

# Each needs what only our own shoe has: its keys, its journal, its lock by the rules, a reader that takes keyed cards.
NEED_OWN_SHOE: Final = frozenset(
    (
        "authorise",
        "burn-card",
        "card-returned",
        "clear-fault",
        "close-shoe",
        "deck-check",
        "end-shoe",
        "export-coup",
        "import-coup",
        "irregularity",
        "key-card",
        "push-firmware",
        "reboot",
        "self-test",
    )
)
SENT_TO_IT: Final = frozenset(("clear-error", "lock", "unlock"))


def clearing(status: StatusMessage | None, error: str) -> dict[str, dict[str, str]]:
    """Return the ways to clear the error in which a shoe stands, by the name of the button: arguments of the verb."""
    if not error or status is None or status.driver != "angel-eye" or not status.commands:
        return {}
    if error == "overdraw":
        return {"keep_card": {"card": "keep"}, "discard_card": {"card": "discard"}}
    return {"clear_error": {}}


def is_possible(status: StatusMessage | None, verb: str) -> bool:
    """Return True if the shoe of a table with this status can take part in a verb, as far as it needs to."""
    if status is None or status.driver != "angel-eye":
        return True
    return verb not in NEED_OWN_SHOE and (status.commands or verb not in SENT_TO_IT)
