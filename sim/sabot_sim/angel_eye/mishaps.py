"""Mishaps at a table with an Angel Eye: every error of the shoe, lock, restart, wrong results, the link lost."""

from typing import Final

from sabot_protocol.cards import DECK

from sabot_sim.angel_eye import shoe as angel_eye
from sabot_sim.angel_eye.dealer import Act, AngelEyeDealer, Mishap

_RESULTS: Final = ("player", "banker", "tie")
_PRESET: Final = ("07", "0012")


def _may_overdraw(dealer: AngelEyeDealer) -> bool:
    return dealer.complete() and dealer.shoe.kept is None


def _may_restart(dealer: AngelEyeDealer) -> bool:
    """Return False after the cutting card: a restart would look like a change of cards."""
    return dealer.card_due() and not dealer.ending


def _unreadable(dealer: AngelEyeDealer, now_s: float) -> None:
    dealer.shoe.pull_unreadable(now_s)


def _fails(code: int) -> Act:
    return lambda dealer, now_s: dealer.shoe.fail(code, now_s)


def _draw_one(dealer: AngelEyeDealer, now_s: float) -> None:
    dealer.draw(now_s)


def _late_overdraw(dealer: AngelEyeDealer, now_s: float) -> None:
    dealer.press_result(now_s)
    dealer.draw(now_s)


def _wrong_button(dealer: AngelEyeDealer, now_s: float) -> None:
    dealer.shoe.fail(angel_eye.WRONG_BUTTON, now_s, error_mode=False)


def _wrong_result(dealer: AngelEyeDealer, now_s: float) -> None:
    assert dealer.shoe.coup is not None
    right = dealer.shoe.coup.winner()
    dealer.press_result(now_s, reported=dealer.rng.choice([one for one in _RESULTS if one != right]))


def _misread(dealer: AngelEyeDealer, now_s: float) -> None:
    others = [card for card in DECK if card[0] != dealer.stack[0][0]]
    dealer.draw(now_s, read_as=dealer.rng.choice(others))


def _locked(dealer: AngelEyeDealer, now_s: float) -> None:
    """Turn the key, draw a card, and turn it back."""
    dealer.shoe.turn_key(True, now_s)
    dealer.script += (_draw_one, _unlock)


def _unlock(dealer: AngelEyeDealer, now_s: float) -> None:
    dealer.shoe.turn_key(False, now_s)


def _restart(dealer: AngelEyeDealer, now_s: float) -> None:
    dealer.shoe.power_off()
    dealer.shoe.power_on(now_s)


def _forced_end(dealer: AngelEyeDealer, now_s: float) -> None:
    dealer.shoe.force_end(now_s)


def _preset(dealer: AngelEyeDealer, now_s: float) -> None:
    """Change a preset, draw a card, and end the setting."""
    dealer.shoe.turn_to_setting(True)
    dealer.shoe.change_preset(*_PRESET, now_s)
    dealer.script += (_draw_one, _end_setting)


def _end_setting(dealer: AngelEyeDealer, now_s: float) -> None:
    dealer.shoe.turn_to_setting(False)


def _link_cut(dealer: AngelEyeDealer, now_s: float) -> None:
    dealer.link_cuts += 1


_CARD, _COMPLETE, _BETWEEN = AngelEyeDealer.card_due, AngelEyeDealer.complete, AngelEyeDealer.between
MISHAPS: Final = {
    "unreadable": Mishap("a card cannot be read", _CARD, _unreadable),
    "reverse_exit": Mishap("a card is pushed back at the exit", _CARD, _fails(angel_eye.REVERSE_EXIT)),
    "reverse_midway": Mishap("a card is pushed back midway", _CARD, _fails(angel_eye.REVERSE_MIDWAY)),
    "card_code": Mishap("the code of a card is wrong", _CARD, _fails(angel_eye.CARD_CODE)),
    "time_out": Mishap("a card is drawn too slowly", _CARD, _fails(angel_eye.TIME_OUT)),
    "overdraw": Mishap("a card too many is drawn", _may_overdraw, _draw_one),
    "late_draw_one": Mishap("a card is drawn before stand-by, after the result", _may_overdraw, _late_overdraw),
    "wrong_button": Mishap("the dealer presses a wrong button", _COMPLETE, _wrong_button),
    "wrong_result": Mishap("the shoe gives a wrong result", _COMPLETE, _wrong_result),
    "misread": Mishap("the shoe misreads a card", _CARD, _misread),
    "locked": Mishap("the shoe is locked by the key, and a card is drawn all the same", _BETWEEN, _locked),
    "restart": Mishap("the shoe restarts in mid-coup", _may_restart, _restart),
    "forced_end": Mishap("a supervisor ends the coup without a result", _CARD, _forced_end),
    "preset": Mishap("a preset of the shoe is changed, and a card is drawn meanwhile", _BETWEEN, _preset),
    "link_cut": Mishap("the converter is unplugged for a moment", _CARD, _link_cut),
}
