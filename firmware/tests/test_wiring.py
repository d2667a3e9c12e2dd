"""The drawing of the pins agrees with the firmware and with the wiring of the emulated chip."""

import re
from pathlib import Path

from sabot_sim.chip.chip import DECODED_GPIO, INPUT_GPIOS, OUTPUT_GPIOS

WIRING = Path(__file__).parents[1] / "WIRING.md"
INPUTS = ("entry", "track A", "track B", "exit", "Player", "Banker", "Tie", "Confirm", "New shoe", "key", "lid")
OUTPUTS = ("lock", "Player", "Banker", "Tie", "Player pair", "Banker pair", "fault", "last coup", "waiting", "buzzer")

# By GPIO, from the Raspberry Pi Pico's datasheet.
PICO_PINS = (1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29, *[0] * 3, 31, 32, 34)


def drawn() -> dict[int, tuple[int, str]]:
    """Pin and words beside each GPIO of the drawing."""
    text = WIRING.read_text().split("```")[1]
    left = re.findall(r"(\w[\w ]*\w) +GPIO (\d+) +?[─┤ ]+(\d+)", text)
    right = re.findall(r"(\d+) ├─ GPIO (\d+)(.*)", text)
    found = {int(gpio): (int(pin), words) for words, gpio, pin in left}
    return found | {int(gpio): (int(pin), words.strip()) for pin, gpio, words in right}


def test_every_pin_of_the_drawing_is_the_picos() -> None:
    found = {gpio: pin for gpio, (pin, _) in drawn().items()}
    assert found == {gpio: pin for gpio, pin in enumerate(PICO_PINS) if pin}


def test_the_drawing_is_what_the_firmware_uses() -> None:
    words = {gpio: text for gpio, (_, text) in drawn().items()}
    for gpios, names in ((INPUT_GPIOS, INPUTS), (OUTPUT_GPIOS, OUTPUTS)):
        for gpio, name in zip(gpios, names, strict=True):
            assert name in words[gpio], gpio
    assert words[0].endswith("UART TX")
    assert words[1].endswith("UART RX")
    assert "test point" in words[DECODED_GPIO]
