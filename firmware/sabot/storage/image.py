"""Image: the hash of the program in flash, and the key beside it."""

import os
from hashlib import sha256

from micropython import const

FOLDER = const(0x4000)
_HASH = const(8)
_CHUNK = const(256)
_KEY_BYTES = const(32)


def digest(root):
    """Return the hash of every .py and .mpy file below a folder: names and contents, in the order of their names."""
    hashed = sha256(b"sabot image")
    _add(hashed, root, bytearray(_CHUNK))
    return hashed.digest()[:_HASH]


def _add(hashed, folder, chunk):
    for entry in sorted(os.ilistdir(folder)):
        name, path = entry[0], folder + "/" + entry[0]
        if entry[1] == FOLDER:
            if name != "tests" and name[0] not in "._":
                _add(hashed, path, chunk)
        elif name.rsplit(".", 1)[-1] in ("py", "mpy"):
            hashed.update(name.encode())
            _add_file(hashed, path, chunk)


def _add_file(hashed, path, chunk):
    with open(path, "rb") as file:
        while True:
            size = file.readinto(chunk)
            if not size:
                return
            hashed.update(memoryview(chunk)[:size])


def matches(path, found):
    """Return True if a file holds this hash, or if there is no file: then there is nothing to compare with."""
    try:
        with open(path, "rb") as file:
            return file.read() == bytes(found)
    except OSError:
        return True


def key(path):
    """Return the key in a file, None where there is no file; a key of the wrong size is an error."""
    try:
        with open(path, "rb") as file:
            stored = file.read()
    except OSError:
        return None
    if len(stored) != _KEY_BYTES:
        raise ValueError("%s has %d bytes, a key has %d: put it in again" % (path, len(stored), _KEY_BYTES))
    return stored
