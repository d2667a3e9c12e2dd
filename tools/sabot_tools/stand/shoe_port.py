"""Outlets: where a gateway finds the serial line of a simulated shoe: a pty, by a lasting name, or a TCP port."""

import contextlib
import os
import selectors
import socket
import tty
from pathlib import Path
from typing import Protocol

_READ_BYTES = 4096
_DEVICES = Path("/dev/pts")


class ShoePortError(RuntimeError):
    """The line cannot be offered there; the message says why and what to do."""


class ShoePort(Protocol):
    """One end of the line, for one gateway at a time; nobody has to be there."""

    port: str  # as the gateway's config has it
    news: list[str]  # what is to be said of it

    def read(self) -> bytes:
        """What the gateway has sent."""

    def write(self, data: bytes) -> None:
        """What the shoe says; lost where nobody takes it, as on a wire."""

    def close(self) -> None:
        """Give it back."""


class PtyPort:
    """A pseudo-terminal; `link` is a lasting name for it."""

    def __init__(self, selector: selectors.BaseSelector, link: Path | None = None) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._device, self._link, self.news = os.ttyname(self._slave), link, list[str]()
        self.port = self._device if link is None else str(link.absolute())
        if link is not None:
            try:
                _name(link, self._device)
            except OSError as error:
                self._close_ends()
                raise ShoePortError(f"--pty {link}: {error.strerror}; give a path that you may write to") from error
            except ShoePortError:
                self._close_ends()
                raise
        selector.register(self._master, selectors.EVENT_READ)
        self._selector = selector

    def read(self) -> bytes:
        """What the gateway has sent."""
        with contextlib.suppress(OSError):
            return os.read(self._master, _READ_BYTES)
        return b""

    def write(self, data: bytes) -> None:
        """What the shoe says, as far as the pty takes it."""
        with contextlib.suppress(OSError):
            os.write(self._master, data)

    def close(self) -> None:
        """Give the pty back, and its name."""
        self._selector.unregister(self._master)
        if self._link is not None and self._link.is_symlink() and os.readlink(self._link) == self._device:
            self._link.unlink()
        self._close_ends()

    def _close_ends(self) -> None:
        os.close(self._master)
        os.close(self._slave)


def _name(link: Path, device: str) -> None:
    """Make the link; one that an earlier shoe left behind is replaced, nothing else is."""
    if link.is_symlink() and Path(os.readlink(link)).parent == _DEVICES:
        link.unlink()
    try:
        link.symlink_to(device)
    except FileExistsError:
        raise ShoePortError(f"--pty {link}: something is there already; give another name") from None


class TcpPort:
    """A TCP port for `socket://`; a gateway may leave and another come, or the same again."""

    def __init__(self, selector: selectors.BaseSelector, host: str, port: int) -> None:
        self._selector, self.news = selector, list[str]()
        self._gateway: socket.socket | None = None
        try:
            self._listener = socket.create_server((host, port))
        except (OSError, OverflowError) as error:
            why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
            raise ShoePortError(f"--tcp {host}:{port}: {why}; give another port, or 0 for any that is free") from error
        self._listener.setblocking(False)
        self.port = f"socket://{host}:{self._listener.getsockname()[1]}"
        selector.register(self._listener, selectors.EVENT_READ)

    def read(self) -> bytes:
        """What the gateway has sent; whoever asks to be let in is, if nobody is there."""
        self._accept()
        if self._gateway is None:
            return b""
        try:
            data = self._gateway.recv(_READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._lose()
        return data

    def _accept(self) -> None:
        try:
            sock, _ = self._listener.accept()
        except OSError:
            return
        if self._gateway is not None:
            self.news.append("another gateway wants the line, which has one already; it is turned away")
            sock.close()
            return
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._selector.register(sock, selectors.EVENT_READ)
        self._gateway = sock
        self.news.append("a gateway has connected")

    def _lose(self) -> None:
        if self._gateway is not None:
            self._selector.unregister(self._gateway)
            self._gateway.close()
            self._gateway = None
            self.news.append("the gateway has disconnected")

    def write(self, data: bytes) -> None:
        """What the shoe says, as far as the socket takes it."""
        if self._gateway is not None and data:
            try:
                self._gateway.send(data)
            except BlockingIOError:
                pass
            except OSError:
                self._lose()

    def close(self) -> None:
        """Nobody can come any more."""
        self._lose()
        self._selector.unregister(self._listener)
        self._listener.close()
