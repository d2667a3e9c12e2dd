"""Power cuts during updates: MicroPython's own littlefs on flash in memory that tears writes and erases.

micropython -X heapsize=4M update_cuts.py FOLDER CUTS SEED: FOLDER has the publisher's key and signed images, one file
each (`sabot_sim.rigs.update_cuts` makes them); an image whose program is `crash` never confirms itself. Prints one
line for each error, and at last a line of counts.
"""

import gc
import os
import random
import sys

import slots
import vfs
from sabot import wire
from sabot.storage import image
from sabot.update.receiver import Receiver

BLOCK, BLOCKS, PAGE = 4096, 96, 256
_EIO = -5
BLANK = b"\xff" * BLOCK
HEAD = len(b"sabot firmware 1\n")
HASH_AT, HASH_END = HEAD + 7, HEAD + 15  # of the image, in a signed file
PLACE = "/flash"
LONGEST = 110  # writes and erases of a life; a whole push takes 80


class PowerCut(Exception):  # noqa: N818
    """The power was cut during this operation."""


class Flash:
    """NOR flash: a write only clears bits; littlefs gets it through a Device, one for each life."""

    def __init__(self):
        self.data = [bytearray(BLANK) for _ in range(BLOCKS)]
        self.weak: list[dict[int, int]] = [{} for _ in range(BLOCKS)]  # bits by offset that read 0 or 1 by chance

    def torn_write(self, block, at, buf):
        """Write some bytes wholly, and of the rest only some bits."""
        data, share = self.data[block], random.choice((0, 0, 128, 250, random.getrandbits(8)))
        whole = random.choice((0, 0, len(buf), random.randrange(len(buf) + 1)))
        for i in range(len(buf)):
            kept = 0 if i < whole else byte_of(255 - share)
            data[at + i] &= buf[i] | kept
            if kept and random.getrandbits(6) == 0:
                self.weak[block][at + i] = kept & ~buf[i]

    def torn_erase(self, block):
        """Set a part of the bits."""
        data, share = self.data[block], random.choice((0, 1, 25, 128, 230, 254))
        first, last = sorted((random.randrange(BLOCK + 1), random.randrange(BLOCK + 1)))
        for i in range(first, last):
            data[i] |= byte_of(share)
            if random.getrandbits(8) == 0:
                self.weak[block][i] = byte_of(64)


def byte_of(share):
    """Return a byte in which each bit is 1 with a chance of share/256."""
    if share in (0, 255):
        return share
    found = 0
    for _ in range(8):
        found = found << 1 | (random.getrandbits(8) < share)
    return found


class Device:
    """The flash of one life: after `left` writes and erases the power is cut, and nothing is written any more."""

    def __init__(self, flash, left):
        self._flash, self.left = flash, left
        self.over = False  # the life: files that the garbage collector closes get an error

    def _cut(self):
        if self.left < 0:
            raise PowerCut
        self.left -= 1
        return self.left < 0

    def readblocks(self, block, buf, at=0):
        """Read; weak cells read one way or the other."""
        if self.over:
            return _EIO
        buf[:] = memoryview(self._flash.data[block])[at : at + len(buf)]
        weak = self._flash.weak[block]
        for where in weak:
            if at <= where < at + len(buf):
                buf[where - at] ^= weak[where] & random.getrandbits(8)
        return 0

    def writeblocks(self, block, buf, at=0):
        """Clear bits, page by page."""
        if self.over:
            return _EIO
        for start in range(0, len(buf), PAGE):
            page = buf[start : start + PAGE]
            if self._cut():
                self._flash.torn_write(block, at + start, page)
                raise PowerCut
            data, end = self._flash.data[block], at + start + len(page)
            new = int.from_bytes(data[at + start : end], "little") & int.from_bytes(page, "little")
            data[at + start : end] = new.to_bytes(len(page), "little")
        return 0

    def ioctl(self, op, arg):
        """Answer littlefs: count, size, erase."""
        if self.over:
            return _EIO
        if op == 4:
            return BLOCKS
        if op == 5:
            return BLOCK
        if op == 6:
            if self._cut():
                self._flash.torn_erase(arg)
                raise PowerCut
            self._flash.data[arg][:] = BLANK
            self._flash.weak[arg].clear()
        return 0


def mount(device):
    """Mount the flash as a board does."""
    vfs.mount(vfs.VfsLfs2(device, progsize=PAGE), PLACE)  # type: ignore[abstract,arg-type]


class World:
    """A board that is updated again and again; `images` are the files of the publisher, the first is on the board."""

    def __init__(self, folder):
        with open(folder + "/firmware.pub", "rb") as file:
            self.key = file.read()
        self.images = []
        for name in sorted(os.listdir(folder)):
            if name.endswith(".img"):
                with open(folder + "/" + name, "rb") as file:
                    self.images.append(file.read())
        self.hashes = [data[HASH_AT:HASH_END] for data in self.images]
        self.flash = Flash()
        self.wanted, self.gave_up = 1, False
        self.counts = {"cuts": 0, "switched": 0, "confirmed": 0, "reverted": 0, "crashes": 0, "errors": 0, "resumed": 0}
        self.in_stage = {}
        self.stage = "start"

    def count(self, name):
        """Count one more."""
        self.counts[name] += 1

    def new_board(self):
        """Put the first image into slot a."""
        device = Device(self.flash, 1 << 29)
        vfs.VfsLfs2.mkfs(device, progsize=PAGE)  # type: ignore[arg-type]
        mount(device)
        slots.root, slots.slot = PLACE, "b"
        self.push(self.images[0])
        slots.choose(PLACE, "a", slots.CONFIRMED)
        vfs.umount(PLACE)

    def life(self, left):
        """Switch on, start, go on with the update until the power is cut; return True if it was."""
        device = Device(self.flash, left)
        self.stage = "start"
        try:
            mount(device)
            self.start()
            return False
        except PowerCut:
            self.count("cuts")
            self.in_stage[self.stage] = self.in_stage.get(self.stage, 0) + 1
            return True
        finally:
            device.over = True
            try:
                vfs.umount(PLACE)
            except OSError:  # the cut came before it was mounted
                pass

    def start(self):
        """Do what slots.py and the shoe do, and check that the image is whole."""
        slots.root = PLACE
        slots.slot, slots.state = slots.take_start(PLACE)
        running = self.running()
        with open(slots.folder() + "/program.py") as file:
            good = file.read(5) != "crash"
        if slots.state.isdigit():
            if not good:
                self.count("crashes")
                return
            self.stage = "confirm"
            slots.confirm()
            self.count("confirmed")
        elif not good:
            self.error("a bad image was confirmed")
        elif slots.state == slots.REVERTED:
            slots.confirm()
            self.count("reverted")
        self.go_on(running)

    def running(self):
        """Return the hash of the image that runs; it must be what its publisher signed."""
        try:
            found = image.digest(slots.folder())
            if not image.matches(slots.folder() + "/image.bin", found) or found not in self.hashes:
                self.error("slot %s holds no whole image" % slots.slot)
        except OSError as error:
            self.error("slot %s cannot be read: %s" % (slots.slot, error))
            found = b""
        return found

    def go_on(self, running):
        """Push the image that is wanted; once it runs, or was given up, want another."""
        if running == self.hashes[self.wanted] or (self.wanted == len(self.images) - 1 and self.gave_up):
            self.wanted = random.choice([at for at in range(len(self.images)) if self.hashes[at] != running])
        self.gave_up = False
        if self.push(self.images[self.wanted]):
            self.stage = "switch"
            self.receiver.switch(self.hashes[self.wanted])
            self.count("switched")
            self.gave_up = True

    def push(self, data):
        """Send a whole image to the receiver; return True if it is ready."""
        at = HEAD + wire.UPDATE_SIZE - wire.UPDATE_VERSION
        frame = bytes(wire.UPDATE_VERSION) + data[HEAD:at]
        archive = data[at:]
        receiver = self.receiver = Receiver(self.key, frame)
        while receiver.state < wire.UP_READY:
            self.stage = ("", "check", "receive", "unpack")[receiver.state]
            before = receiver.received
            receiver.step()
            if receiver.received and not before and receiver.state == wire.UP_RECEIVING:
                self.count("resumed")
            if receiver.state == wire.UP_RECEIVING:
                offset = receiver.received
                receiver.take(offset, archive[offset : offset + wire.UPDATE_DATA_PART_BYTES])
        if receiver.state != wire.UP_READY:
            self.error("the update ended in state %d" % receiver.state)
        return receiver.state == wire.UP_READY

    def error(self, text):
        """Print and count what must not happen."""
        self.count("errors")
        print("cut", self.counts["cuts"], text)


def main(folder, cuts, seed):
    """Cut the power so often; then let it be on until two more images run."""
    gc.threshold(1 << 20)  # this heap is not a shoe's
    random.seed(seed)
    world = World(folder)
    world.new_board()
    while world.counts["cuts"] < cuts:
        world.life(random.choice((random.randrange(20), random.randrange(LONGEST), random.randrange(LONGEST))))
    before = world.counts["confirmed"]
    for _ in range(40):
        if world.counts["confirmed"] < before + 2:
            world.life(1 << 29)
    if world.counts["confirmed"] < before + 2:
        world.error("no update comes to its end any more")
    print("counts", world.counts)
    print("cut in", world.in_stage)
    sys.exit(1 if world.counts["errors"] else 0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
