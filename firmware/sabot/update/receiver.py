"""Receiver: checks the signature of an image, takes its archive part by part, and unpacks it into the other slot.

The archive is `PROTOCOL_HASH` (8 bytes), then for each file: length of the path, path, size (3 bytes), content; a 0
ends it. It is kept in `update/image` beside `update/manifest`, the signed fields: after a power cut the same `update`
goes on where the archive ends. What was being unpacked is unpacked again.
"""

import os
from hashlib import sha256

import slots
from micropython import const

from sabot import wire
from sabot.link.frame import number
from sabot.storage.image import FOLDER, digest
from sabot.update.ed25519 import verify

_SIGNED = b"sabot firmware rp2040\0"
_BLOCK = const(4096)  # of flash: what a power cut costs at most
_PIECE = const(512)
_PROTOCOL_HASH_BYTES = const(8)


class Receiver:
    """One image. Call step() as often as there is time; `state` and `received` are those of update_state."""

    def __init__(self, key, frame):
        self.manifest = bytes(frame[wire.UPDATE_VERSION : wire.UPDATE_SIGNATURE])
        self.image_hash = self._signed(wire.UPDATE_IMAGE_HASH, wire.UPDATE_IMAGE_HASH_BYTES)
        self.state = wire.UP_CHECKING
        self.received = 0
        self._length = number(frame, wire.UPDATE_LENGTH)
        self._folder = slots.path("update")
        self._slot = slots.path(slots.other(slots.slot))
        self._part = b""
        self._piece = bytearray(_PIECE)
        signature = bytes(frame[wire.UPDATE_SIGNATURE : wire.UPDATE_SIZE])
        self._work = self._stages(verify(key, _SIGNED + self.manifest, signature))

    def _signed(self, at, size):
        at -= wire.UPDATE_VERSION
        return self.manifest[at : at + size]

    def is_of(self, frame):
        """Return True if this update is the one that is received."""
        return self.manifest == bytes(frame[wire.UPDATE_VERSION : wire.UPDATE_SIGNATURE])

    def step(self):
        """Do a little of what is due; a flash that cannot be written ends the update."""
        if self._work:
            try:
                next(self._work)
            except StopIteration:
                self._work = None
            except OSError:
                self._work = None
                self.state = wire.UP_NO_ROOM

    def take(self, offset, part):
        """Store the part of the archive at this offset, if it is the next one."""
        if self.state != wire.UP_RECEIVING or offset != self.received:
            return
        self._part = part[: self._length - offset]
        self.step()

    def switch(self, image_hash):
        """Have the next start run the image that was unpacked; return False if it is not this one."""
        if self.state != wire.UP_READY or self.image_hash != image_hash:
            return False
        slots.choose(slots.root, slots.other(slots.slot), slots.TRIES)
        return True

    def close(self):
        """End here; what is received stays for the next time."""
        if self._work:
            self._work.close()

    def _stages(self, verified):
        if not (yield from verified):
            self.state = wire.UP_BAD_SIGNATURE
            return
        with self._opened() as file:
            self.state = wire.UP_RECEIVING
            yield from self._receive(file)
        self.state = wire.UP_UNPACKING
        if (yield from self._is_signed()) and (yield from self._unpacked()):
            self.state = wire.UP_READY
        else:
            os.remove(self._folder + "/manifest")
            self.state = wire.UP_BAD_IMAGE

    def _receive(self, file):
        while self.received < self._length:
            size = len(self._part)
            if size:
                file.write(self._part)
                self._part = b""
                self.received += size
                if self.received % _BLOCK < size:
                    file.flush()
            yield

    def _opened(self):
        """Go on with the archive of this manifest, or begin it: the manifest is written when no other is left."""
        if _content(self._folder + "/manifest") != self.manifest:
            for _ in _empty(self._folder):
                pass
            with open(self._folder + "/manifest", "wb") as file:
                file.write(self.manifest)
        file = open(self._folder + "/image", "ab")
        self.received = file.seek(0, 2)
        return file

    def _is_signed(self):
        hashed, left = sha256(), self._length
        with open(self._folder + "/image", "rb") as file:
            while left > 0:
                size = file.readinto(self._piece)
                if not size:
                    break
                hashed.update(memoryview(self._piece)[:size])
                left -= size
                yield
        return not left and hashed.digest() == self._signed(wire.UPDATE_SHA256, wire.UPDATE_SHA256_BYTES)

    def _unpacked(self):
        """Replace the files of the slot; return True if it then holds the program that was signed."""
        yield from _empty(self._slot)
        with open(self._folder + "/image", "rb") as archive:
            archive.read(_PROTOCOL_HASH_BYTES)
            while True:
                size = archive.read(1)[0]
                if not size:
                    break
                path = self._slot + "/" + archive.read(size).decode()
                yield from self._copy(archive, path, int.from_bytes(archive.read(3), "little"))
        return digest(self._slot) == self.image_hash

    def _copy(self, archive, path, left):
        for at in range(len(self._slot), len(path)):
            if path[at] == "/":
                make_folder(path[:at])
        with open(path, "wb") as file:
            while left:
                size = archive.readinto(memoryview(self._piece)[: min(left, _PIECE)])
                file.write(memoryview(self._piece)[:size])
                left -= size
                yield


def make_folder(path):
    """Make a folder if it is not there."""
    try:
        os.mkdir(path)
    except OSError:
        os.stat(path)


def _content(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _empty(folder):
    make_folder(folder)
    for entry in list(os.ilistdir(folder)):
        path = folder + "/" + entry[0]
        if entry[1] == FOLDER:
            yield from _empty(path)
            os.rmdir(path)
        else:
            os.remove(path)
        yield
