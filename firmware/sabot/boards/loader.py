"""What `sabot flash` runs on a board before the firmware is there; it does not stay on the board."""

import os
from binascii import hexlify
from hashlib import sha256

import machine
import rp2
import vfs
from micropython import const

_FOLDER = const(0x4000)
_FILE = const(1024)  # bytes: more than littlefs keeps beside a name, and less than a block
_CHUNK = const(512)
_LARGEST = const(65536)  # a firmware has no larger file
_PROGRAM = const(256)  # as MicroPython's own start has it
_RESERVED = const(24)  # as flash.py has it
_COUNT_BLOCKS = const(4)
_ERASE_BLOCK = const(6)
_PLACE = "/reserved"
_NEW = "/reserved/new"
_WATCHDOG_CLEAR = const(0x4005B000)  # of its control register
_WATCHDOG_ENABLE = const(1 << 30)


def hold_watchdog():
    """Stop the watchdog that the firmware has started: nothing feeds it now."""
    machine.mem32[_WATCHDOG_CLEAR] = _WATCHDOG_ENABLE


def print_files(folder=""):
    """Print size, hash and path of every file below a folder but the reserved ones; a large file has no hash."""
    for entry in os.ilistdir(folder or "/"):
        path = folder + "/" + entry[0]
        if path == _PLACE:
            continue
        if entry[1] == _FOLDER:
            print_files(path)
        else:
            size = entry[3]  # type: ignore[misc]
            print(size, hash_of(path) if size <= _LARGEST else "-", path)


def hash_of(path):
    """Return the SHA-256 of a file."""
    hashed, chunk = sha256(), bytearray(_CHUNK)
    with open(path, "rb") as file:
        while True:
            size = file.readinto(chunk)
            if not size:
                return hexlify(hashed.digest()).decode()
            hashed.update(memoryview(chunk)[:size])


def format_all():
    """Format the filesystem."""
    vfs.umount("/")
    vfs.VfsLfs2.mkfs(rp2.Flash(), progsize=_PROGRAM)
    vfs.mount(vfs.VfsLfs2(rp2.Flash(), progsize=_PROGRAM), "/")  # type: ignore[abstract]


def make_folder(path):
    """Make a folder if it is not there."""
    try:
        os.mkdir(path)
    except OSError:
        os.stat(path)


class Reserve:
    """Takes the last blocks from littlefs: each becomes the only block of a file.

    Files are made until each of these blocks has one; what the journal has written into such a block stays.
    """

    def __init__(self):
        make_folder(_PLACE)
        self._flash = rp2.Flash()
        blocks = self._flash.ioctl(_COUNT_BLOCKS, 0) or 0
        there = os.listdir(_PLACE)
        self.missing = [block for block in range(blocks - _RESERVED, blocks) if str(block) not in there]
        self._mark = bytearray(_FILE)
        self._read = bytearray(16)

    def go_on(self, first, count):
        """Make `count` files; print how many blocks are still missing."""
        for number in range(first, first + count):
            if self.missing:
                self._try(b"reserved %07d" % number)
        print(len(self.missing))

    def _try(self, mark):
        self._mark[:16] = mark
        with open(_NEW, "wb") as file:
            file.write(self._mark)
        for block in self.missing:
            self._flash.readblocks(block, self._read, 0)  # type: ignore[call-arg]
            if self._read == mark:
                os.rename(_NEW, _PLACE + "/" + str(block))
                self._flash.ioctl(_ERASE_BLOCK, block)
                self.missing.remove(block)
                return
        os.remove(_NEW)
