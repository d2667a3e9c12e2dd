"""reader: cards read on the VM and on the emulated chip, and the heap and flash that the reader takes."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median

from sabot_protocol.cardcode import CARD_UM, SENSORS_UM, set_words
from sabot_sim.optics import signals
from sabot_sim.optics.signals import card_edges
from sabot_sim.rigs import build
from sabot_sim.rigs.reader import CPythonReader, VmReader

from sabot_tools.bench.figure import Figure, at_least, best_s
from sabot_tools.bench.figures.firmware import FLASH_BYTES, HEAP_BYTES
from sabot_tools.bench.firmware_files import chip_image, mpy_bytes

_CARD_SETS = "sabot/wire.py"


def figures() -> Iterator[Figure]:
    """Measure a thousand simulated reads, and single cards on the chip where there is an image for it."""
    reads = [signals.read("normal", 1, number).edges for number in range(1_000)]
    with VmReader() as vm, CPythonReader() as here:
        on_vm, in_cpython = (best_s(partial(bench.read, 1, reads), 5) / len(reads) for bench in (vm, here))
    rates = f"{1 / on_vm:,.0f} reads a second on the VM, {1 / in_cpython:,.0f} in CPython"
    yield at_least("reader.vm_over_cpython", in_cpython / on_vm, 0.3, rates)
    size = mpy_bytes(modules())
    what = f"{size} bytes of .mpy for armv6m, of {FLASH_BYTES}"
    yield at_least("reader.flash_budget_over_mpy", FLASH_BYTES / size, 4, what)
    uf2 = chip_image()
    if uf2 is not None:
        yield from _on_chip(uf2)


def modules() -> dict[str, Path]:
    """Return the firmware's modules that read a card, the tables of the card sets included."""
    return {
        name: path for name, path in build.modules().items() if name.startswith("sabot/reading/") or name == _CARD_SETS
    }


def _on_chip(uf2: Path) -> Iterator[Figure]:
    from sabot_sim.chip.chip import CYCLE_NS, DECODED_GPIO
    from sabot_sim.chip.reader_program import booted_reader, counters, cycles_for

    chip = booted_reader(uf2)
    words = list(set_words(1).values())
    awake = median(cycles_for(chip, card_edges(word, 1000)) for word in words[::10])
    passing = (SENSORS_UM["exit"] + CARD_UM) * 1000 // CYCLE_NS  # cycles at 1 m/s
    what = f"{awake:,.0f} cycles awake per card at 1 m/s, of {passing:,} while it passes; idle is 3.4 million a second"
    yield at_least("reader.chip_cycles_passing_over_awake", passing / awake, 2, what)
    start_ns = chip.pins(card_edges(words[0], 3000))
    before = len(chip.changes)
    chip.answer()
    decoded_ns = next(change.t_ns for change in chip.changes[before:] if change.gpio == DECODED_GPIO) - start_ns
    exit_ns, out_ns = (um * 1_000_000 // 3000 for um in (SENSORS_UM["exit"], SENSORS_UM["exit"] + CARD_UM))
    decoded, left = (decoded_ns - exit_ns) // CYCLE_NS, (out_ns - exit_ns) // CYCLE_NS
    what = f"decoded {decoded:,} cycles after the exit's rise at 3 m/s, the tail leaves after {left:,}"
    yield at_least("reader.chip_tail_over_decoded", left / decoded, 1, what)
    heap = counters(chip)
    what = f"{heap['heap_used'] / 1024:.1f} KiB in use by the reader program, of 96"
    yield at_least("reader.chip_heap_over_used", HEAP_BYTES / heap["heap_used"], 1, what)
