"""The emulated chip as a bench, and the RP2040 board of the firmware on it: what pins do is what the sampler gets."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from sabot_protocol.cardcode import set_words
from sabot_sim.chip.chip import BAUD, DECODED_GPIO, OUTPUT_GPIOS, Chip
from sabot_sim.chip.emulators import PY, Emulator, new_chip
from sabot_sim.chip.python_chip import PythonChip
from sabot_sim.chip.reader_program import booted_reader, counters
from sabot_sim.chip.uf2 import HOW_TO_GET_UF2, find_uf2
from sabot_sim.optics.signals import Edge, card_edges
from sabot_sim.rigs.build import firmware_image

UF2 = find_uf2()
needs_uf2 = pytest.mark.skipif(UF2 is None, reason=HOW_TO_GET_UF2)
SPEED = 1_500
TICK_US = 8  # of the board's PIO program
TICKS = 0x3FFFFFFF

BOOTS = """
import machine, os
def main():
    uart = machine.UART(0, 115200)
    try:
        boots = os.stat("boots")[6]
    except OSError:
        boots = 0
    with open("boots", "a") as file:
        file.write("x")
    uart.write("boot %d cause %d unit %s\\n" % (boots, machine.reset_cause(), machine.unique_id().hex()))
    while True:
        line = uart.readline()
        if line == b"reset\\n":
            machine.reset()
        if line:
            uart.write(line)
        machine.idle()
"""

# Prints every change that the sampler gets; the heap is locked until then.
SAMPLES = """
import gc, micropython, time
from array import array
from sabot.boards.rp2 import Board
from sabot.reading.sampler import Sampler

TIMES = array("I", bytes(400))
PINS = array("H", bytes(200))

def collect(board, sampler, pins):
    seen = 0
    order = True
    last_us = sampler.t_us
    board.rx_size = 0
    while not board.rx_size:
        board.wait(100)
        while sampler.get():
            order = order and time.ticks_diff(sampler.t_us, last_us) >= 0
            last_us = sampler.t_us
            if sampler.pins != pins and seen < 100:
                pins = PINS[seen] = sampler.pins
                TIMES[seen] = sampler.t_us
                seen += 1
    return seen if order else -1

def tell(board, line):
    board.send(line, len(line))
    board._uart.flush()

def main():
    sampler = Sampler()
    board = Board(sampler)
    board.show(0x155)
    pins = 0
    tell(board, "ready\\n")
    while True:
        gc.collect()
        micropython.heap_lock()
        try:
            seen = collect(board, sampler, pins)
        except MemoryError:
            seen = -2
        micropython.heap_unlock()
        for i in range(seen):
            tell(board, "%d %d\\n" % (TIMES[i], PINS[i]))
        pins = sampler.pins
        tell(board, "seen %d overruns %d now %d last %d\\n" % (seen, sampler.overruns, time.ticks_us(), sampler.t_us))
"""


@pytest.fixture(scope="module")
def boot(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Chip]:
    """Makes a chip that runs a program, and lets it come up."""

    def start(source: str, *, skip: bool = True, emulator: Emulator | None = None) -> Chip:
        assert UF2 is not None
        program = tmp_path_factory.mktemp("program") / "program.py"
        program.write_text(source)
        chip = new_chip(UF2, firmware_image(program), skip=skip, emulator=emulator)
        chip.run_until(lambda: "\n" in chip.text)
        return chip

    return start


@pytest.fixture(scope="module")
def samples(boot: Callable[..., Chip]) -> Chip:
    return boot(SAMPLES)


@pytest.fixture(scope="module")
def inspected(boot: Callable[..., Chip]) -> PythonChip:
    """A chip whose timer and PIO a test can set."""
    chip = boot(SAMPLES, emulator=Emulator(PY, ""))
    assert isinstance(chip, PythonChip)
    return chip


@pytest.fixture(scope="module")
def reader() -> Chip:
    assert UF2 is not None
    return booted_reader(UF2)


def samples_and_counts(chip: Chip) -> tuple[list[Edge], dict[str, int]]:
    """What the program has collected, and its counters."""
    before = len(chip.text)
    chip.send(b"?")
    chip.run_until(lambda: "last" in chip.text[before:] and chip.text.endswith("\n"))
    *lines, counts = [line.split() for line in chip.text[before:].splitlines()]
    changes = [(int(t_us), int(pins)) for t_us, pins in lines]
    return changes, {name: int(value) for name, value in zip(counts[::2], counts[1::2], strict=True)}


def play(chip: Chip, edges: list[Edge]) -> tuple[list[Edge], dict[str, int]]:
    """What the program makes of these edges."""
    chip.pins(edges)
    chip.run_for(edges[-1][0] + 20_000)
    return samples_and_counts(chip)


def assert_recorded(changes: list[Edge], edges: list[Edge]) -> None:
    """Every edge, in order, at its time: a sample late at most, two behind another one."""
    assert [pins for _, pins in changes] == [pins for _, pins in edges]
    late = [((t - changes[0][0]) & TICKS) - (at - edges[0][0]) for (t, _), (at, _) in zip(changes, edges, strict=True)]
    assert all(-2 * TICK_US <= error <= 2 * TICK_US for error in late), late


@needs_uf2
def test_flash_survives_reset_and_power_cycle(boot: Callable[..., Chip]) -> None:
    chip = boot(BOOTS)
    assert chip.text == "boot 0 cause 1 unit e660583883724a32\n"
    chip.reset()
    assert chip.answer().startswith("boot 1 ")
    chip.send(b"reset\n")
    assert chip.answer().startswith("boot 2 cause 3 ")
    chip.power_cycle()
    assert chip.answer().startswith("boot 3 cause 1 ")
    assert chip.backlog_drops == 0


@needs_uf2
def test_the_serial_line_keeps_its_pace(boot: Callable[..., Chip]) -> None:
    chip = boot(BOOTS)
    times = [t_ns for t_ns, _ in chip.received]
    byte_ns = 10 * 1_000_000_000 / BAUD
    assert all(abs(later - t_ns - byte_ns) < byte_ns / 50 for t_ns, later in pairwise(times))
    line = bytes(range(32, 127)) * 2 + b"\n"
    chip.send(line)
    chip.run_until(lambda: chip.text.encode().endswith(line))
    assert chip.lost == 0


@needs_uf2
def test_every_change_of_the_sensors_is_recorded_at_its_time(samples: Chip) -> None:
    edges = card_edges(set_words(1)["8H"], 3_000)
    changes, counts = play(samples, edges)
    assert_recorded(changes, edges)
    assert counts["overruns"] == 0
    assert samples.backlog_drops == 0


@needs_uf2
def test_all_sixteen_levels_in_any_order(samples: Chip) -> None:
    order = [first ^ second for first in range(16) for second in (0, 5)]
    levels = [level for before, level in pairwise(order) if level != before] + [0]
    edges = [(100 + 37 * i, level) for i, level in enumerate(levels)]
    changes, _ = play(samples, edges)
    assert_recorded(changes, edges)


@needs_uf2
def test_time_does_not_drift(samples: Chip) -> None:
    """Two seconds with many changes among them: the last is as exact as the first."""
    edges = [(i * 66_667, i & 1 ^ 1) for i in range(30)]
    changes, _ = play(samples, edges)
    assert_recorded(changes, edges)


@needs_uf2
@pytest.mark.parametrize("idle_s", [400, 1_074, 2_148, 4_295, 8_590, 34_360, 100_000])
def test_the_time_is_right_after_long_idling(inspected: PythonChip, idle_s: int) -> None:
    """Advance the chip's timer and PIO's counter together, as if this time had passed."""
    recorder = inspected.mcu.pio[0].machines[0]
    inspected.run_until(lambda: recorder.pc == recorder.wrap_bottom, step_us=1)
    inspected.mcu.timer._epoch_nanos -= idle_s * 1e9
    recorder.input_shift_reg = (recorder.input_shift_reg - idle_s * 1_000_000 // TICK_US) % (1 << 32)
    edges = [(0, 1), (500, 9), (1_000, 0)]
    changes, counts = play(inspected, edges)
    assert_recorded(changes, edges)
    assert 15_000 < (counts["now"] - changes[-1][0]) & TICKS < 150_000  # printing the changes takes time


@needs_uf2
def test_panel_and_lid_are_inputs_too(samples: Chip) -> None:
    levels = [16, 0, 32, 64, 128, 256, 512, 1024, 1024 | 9, 9, 0]
    changes, _ = play(samples, [(20_000 * (i + 1), pins) for i, pins in enumerate(levels)])
    assert [pins for _, pins in changes] == levels


@needs_uf2
def test_the_sampler_also_gets_samples_without_a_change(samples: Chip) -> None:
    samples.run_for(1_000_000)
    _, counts = samples_and_counts(samples)
    assert counts["seen"] == 0
    assert (counts["now"] - counts["last"]) & TICKS < 110_000


@needs_uf2
def test_lock_lamps_and_buzzer(samples: Chip) -> None:
    lit = {change.gpio: change.level for change in samples.changes if change.gpio != DECODED_GPIO}
    assert [lit[gpio] for gpio in OUTPUT_GPIOS] == [bool(0x155 >> bit & 1) for bit in range(10)]


@needs_uf2
@pytest.mark.chip_full
def test_skipped_pio_steps_are_counted(boot: Callable[..., Chip]) -> None:
    """Rounds of PIO that are skipped are those in which it would only have counted."""
    edges = card_edges(set_words(1)["AS"], SPEED)
    chips = [boot(SAMPLES, skip=skip) for skip in (True, False)]
    for chip in chips:
        play(chip, edges)
    assert chips[0].received == chips[1].received
    assert chips[0].busy_cycles == chips[1].busy_cycles


@needs_uf2
def test_the_reader_reports_cards_and_counters(reader: Chip) -> None:
    before = len(reader.changes)
    start_ns = reader.pins(card_edges(set_words(1)["8H"], SPEED))
    card, speed_mm_s = reader.answer().split()[1:4:2]
    assert int(card) == list(set_words(1)).index("8H")
    assert abs(int(speed_mm_s) - SPEED) <= SPEED * 2 * TICK_US // (50_000_000 // SPEED) + 1
    assert [(change.gpio, change.level) for change in reader.changes[before:]] == [(DECODED_GPIO, 1), (DECODED_GPIO, 0)]
    assert reader.changes[before].t_ns > start_ns + 50_000 * 1_000_000 // SPEED
    assert counters(reader)["overruns"] == 0


@needs_uf2
@pytest.mark.chip_full
def test_more_changes_than_the_ring_holds_are_counted_and_survived(reader: Chip) -> None:
    flood = [(40 * i, i & 1 ^ 1) for i in range(1_500)]
    reader.pins([*flood, (60_000, 0)])
    reader.run_for(400_000)
    assert counters(reader)["overruns"] > 0
    assert read(reader, "KC") == list(set_words(1)).index("KC")


@needs_uf2
@pytest.mark.chip_full
def test_dma_that_comes_to_its_end_begins_anew() -> None:
    assert UF2 is not None
    reader = PythonChip(UF2, firmware_image())
    reader.run_until(lambda: reader.text == "ready\n")
    before = counters(reader)["overruns"]
    (channel,) = [channel for channel in reader.mcu.dma.channels if channel.active]
    channel._trans_count = 10
    reader.pins(card_edges(set_words(1)["2S"], SPEED))
    reader.run_for(400_000)
    assert counters(reader)["overruns"] > before
    assert read(reader, "2S") == list(set_words(1)).index("2S")


def read(chip: Chip, card: str) -> int:
    """The number of the card that the reader says it is."""
    chip.pins(card_edges(set_words(1)[card], SPEED))
    kind, number, *_ = chip.answer().split()
    assert kind == "card"
    return int(number)
