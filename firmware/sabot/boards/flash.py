"""The RP2040's flash as a medium of journal and store: the last blocks of MicroPython's filesystem.

rp2.Flash reaches the blocks of the filesystem and no others, and MicroPython formats a filesystem that does not have
them all. So these are taken from it from within: each is the only block of a file in /reserved, and littlefs neither
reads nor moves such a block. sim/sabot_sim/chip/filesystem.py makes the files.
"""

import os

import rp2
from micropython import const

from sabot.storage import journal, store

RESERVED = const(24)
_FOLDER = const("/reserved")
_BLOCK = const(4096)
_PAGE = const(256)
_COUNT_BLOCKS = const(4)
_ERASE_BLOCK = const(6)


class FlashMedium:
    """Reserved sectors from `first` on. Interrupts wait for every program (0.4 ms) and erase (45 ms)."""

    sector_bytes = _BLOCK

    def __init__(self, first, sectors):
        if not _reserved():
            raise OSError("the last blocks of flash are not reserved: flash an image that has the folder /reserved")
        start = rp2.Flash().ioctl(_COUNT_BLOCKS, 0) - RESERVED + first  # type: ignore[call-arg,operator]
        self._flash = rp2.Flash(start=start * _BLOCK, len=sectors * _BLOCK)  # type: ignore[call-arg]
        self.sectors = sectors
        self._page = bytearray(b"\xff" * _PAGE)

    def read(self, at, buf):
        """Fill buf from this address on."""
        self._flash.readblocks(at // _BLOCK, buf, at % _BLOCK)

    def program(self, at, buf):
        """Clear the bits that are 0 in buf, which does not leave its page; the rest of the page is written as ones."""
        page = self._page
        start = at % _PAGE
        for i in range(len(buf)):
            page[start + i] = buf[i]
        self._flash.writeblocks(at // _BLOCK, page, at % _BLOCK - start)
        for i in range(len(buf)):
            page[start + i] = 0xFF

    def erase(self, sector):
        """Set all bits of a sector."""
        self._flash.ioctl(_ERASE_BLOCK, sector)


def _reserved():
    try:
        return len(os.listdir(_FOLDER)) == RESERVED
    except OSError:
        return False


def journal_medium():
    """Return the medium of the journal."""
    return FlashMedium(0, journal.SECTORS)


def store_medium():
    """Return the medium of the store, which follows the journal."""
    return FlashMedium(journal.SECTORS, store.SECTORS)
