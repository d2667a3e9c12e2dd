"""Ports: free TCP ports for servers that are started as processes of their own, and perhaps stopped and started again.

The kernel gives ports from 32768 up to outgoing connections, so one that was free a moment ago may be in use when the
server starts. The ports here are below those, and each process hands out a block of its own, which the socket that
listens at the block's first port reserves for as long as the process lives.
"""

import itertools
import os
import socket

HOST = "127.0.0.1"
_FIRST, _LAST, _BLOCK = 20_000, 32_000, 200
_blocks: dict[int, "_Block"] = {}  # by process id: a forked child takes a block of its own


class NoPortError(RuntimeError):
    """No port is free; the message gives the next step."""


class _Block:
    """The ports behind one guard, in turn; one that was given out comes again last."""

    def __init__(self) -> None:
        self._guard, first = _guarded()
        self._ports = itertools.cycle(range(first + 1, first + _BLOCK))

    def next(self) -> int:
        for port in itertools.islice(self._ports, _BLOCK - 1):
            found = _listener(port)
            if found:
                found.close()
                return port
        raise NoPortError(f"every port of a block of {_BLOCK} on {HOST} is in use; end the programs that use them")


def free_port() -> int:
    """Return a port that is free now; no outgoing connection and no other process of Sabot will take it."""
    block = _blocks.get(os.getpid())
    if block is None:
        block = _blocks[os.getpid()] = _Block()
    return block.next()


def _guarded() -> tuple[socket.socket, int]:
    for first in range(_FIRST, _LAST, _BLOCK):
        guard = _listener(first)
        if guard:
            return guard, first
    raise NoPortError(f"every block of ports from {_FIRST} to {_LAST} on {HOST} is taken; end a demo or a test run")


def _listener(port: int) -> socket.socket | None:
    """Return a socket that listens there, or None: it is in use, or a connection of it has just ended."""
    found = socket.socket()
    try:
        found.bind((HOST, port))
        found.listen(1)
    except OSError:
        found.close()
        return None
    return found
