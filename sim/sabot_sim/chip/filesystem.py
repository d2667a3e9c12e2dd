"""The filesystem of a Pico as an image: littlefs at the end of its flash, with the blocks that the shoe reserves."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from littlefs import LittleFS, UserContext

from sabot_sim.rigs.rig import BenchError

RESERVED_DIR: Final = "reserved"
RESERVED_BLOCKS: Final = 24  # as firmware/sabot/boards/flash.py has it
_FS_START, _FS_BLOCK, _FS_BLOCKS = 0xA0000, 4096, 352
FILESYSTEM: Final = slice(_FS_START, _FS_START + _FS_BLOCK * _FS_BLOCKS)  # of flash


def filesystem(files: Mapping[str, bytes]) -> bytes:
    """Return a littlefs image with these files, as MicroPython has it at the end of its flash."""
    context = UserContext(buffsize=_FS_BLOCK * _FS_BLOCKS)
    fs = LittleFS(context=context, block_size=_FS_BLOCK, block_count=_FS_BLOCKS, prog_size=256, disk_version=0x00020000)
    reserve(fs, context.buffer)
    for name, content in files.items():
        fs.makedirs(str(PurePosixPath(name).parent), exist_ok=True)
        with fs.open(name, "wb") as file:
            file.write(content)
    fs.unmount()
    return bytes(context.buffer)


def reserve(fs: LittleFS, flash: bytearray) -> None:
    """Keep littlefs away from its last blocks: each becomes the only block of a file, and holds what the shoe writes.

    Files are written until each of these blocks belongs to one; the other files are removed.
    """
    fs.mkdir(RESERVED_DIR)
    wanted = set(range(_FS_BLOCKS - RESERVED_BLOCKS, _FS_BLOCKS))
    for number in range(2 * _FS_BLOCKS):
        if not wanted:
            return
        mark = f"reserved {number}".encode().ljust(_FS_BLOCK, b".")
        with fs.open(f"{RESERVED_DIR}/new", "wb") as file:
            file.write(mark)
        block = next(block for block in range(_FS_BLOCKS) if flash.startswith(mark, block * _FS_BLOCK))
        if block in wanted:
            wanted.remove(block)
            fs.rename(f"{RESERVED_DIR}/new", f"{RESERVED_DIR}/{block}")
            flash[block * _FS_BLOCK : (block + 1) * _FS_BLOCK] = b"\xff" * _FS_BLOCK
        else:
            fs.remove(f"{RESERVED_DIR}/new")
    raise BenchError(f"blocks {sorted(wanted)} of the filesystem cannot be reserved: tables of littlefs are there")
