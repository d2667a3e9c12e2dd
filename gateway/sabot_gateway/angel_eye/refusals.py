"""Refusals: why a command is not for an Angel Eye, and what its answers mean; each with the next step."""

from typing import Final

from sabot_protocol.angel_eye.tables import ERROR_WORDS

SWITCHED_OFF: Final = (
    "commands to this shoe are switched off. Do it at the shoe; or set `commands = true` for this table in the "
    "gateway's config, if the house wants that."
)
NO_ERROR: Final = "the shoe reports no error. If it shows one, clear it at the shoe."
ERROR_NOT_KNOWN: Final = (
    "the shoe has reported no error since it was connected or restarted, so it is not known which one it shows. Clear "
    "it at the shoe."
)
OVERDRAW: Final = (
    "the error is an overdraw. Choose what happens with the card: --card keep for the next coup, or --card discard "
    "with --clause N."
)
_INSTEAD: Final = {
    "close_shoe": "The gateway closes the shoe when the change of cards is seen, or with open-shoe.",
    "key_card": "Decide or void the coup under its clause instead.",
    "card_returned": "Decide or void the coup under its clause instead.",
    "burn_card": "Draw it at the shoe, which reports burn cards as it is set up.",
    "deck_check": "Check the cards by hand, or in another machine.",
    "export_coup": "Finish the coup at this shoe, or void it under its clause.",
    "import_coup": "Finish the coup at the other shoe, or void it under its clause.",
    "authorise": "This shoe does not wait for it: deal on, and record it with `sabot table {table} record`.",
    "reboot": "Switch the shoe off and on, between two coups.",
    "self_test": "The gateway cannot test this shoe. Follow the maker's manual.",
    "irregularity": "Follow the rulebook, and record what was done with `sabot table {table} record`.",
}
_NAKS: Final = {
    0x01: "it received damaged bytes. Check the wire to the shoe and the speed of the line, then repeat it.",
    0x02: "it does not accept the check characters, in neither form. Do it at the shoe, and report this.",
    0x03: "it missed the end of the command. Check the wire to the shoe, then repeat it.",
    0x11: "it does not know this form of the command. Do it at the shoe.",
    0x12: "it does not know the address. Do it at the shoe.",
    0x13: "it does not know this command. Do it at the shoe.",
    0x14: "it does not know this type of command. Do it at the shoe.",
    0x21: "it is busy. Wait a moment, then repeat it.",
    0x22: "it is writing its settings. Wait a moment, then repeat it.",
}


def own_shoe(kind: str, *, commands: bool) -> str:
    """Return that a command needs our own shoe, and what is done instead; `commands`: this one takes some."""
    if kind == "clear_fault":
        how = "run `sabot table {table} clear-error --by NAME`" if commands else "clear the error at the shoe"
        return f"it needs Sabot's own shoe, and this table has an Angel Eye, which has errors, not faults: {how}."
    instead = _INSTEAD.get(kind, "Nothing takes its place.")
    return f"it needs Sabot's own shoe, and this table has an Angel Eye. {instead}"


def no_overdraw(error: str) -> str:
    """Return that the error is another one."""
    return f"the error is {ERROR_WORDS.get(error, 'one that is not known')}, not an overdraw. Leave --card out."


def answer_text(outcome: str) -> str:
    """Return why the shoe has not done a command, by the outcome in the ledger; empty for another outcome."""
    if outcome == "no answer":
        return "the shoe did not answer. Look at the shoe before you repeat it; check the wire to the shoe."
    if not outcome.startswith("nak "):
        return ""
    code = int(outcome.removeprefix("nak "), 16)
    return f"the shoe refused it (NAK {code:02X}): {_NAKS.get(code, 'it gives no reason. Look at the shoe.')}"
