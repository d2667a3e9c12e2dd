"""The port at which a gateway opens the line of a simulated shoe: a pty with a lasting name, or a TCP port."""

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
    """The port cannot be opened; the message gives the reason and the next step."""


class ShoePort(Protocol):
    """The gateway's end of the line, for one gateway at a time; bytes are lost while none is connected."""

    port: str  # as in the gateway's config
    news: list[str]  # notes for the user

    def read(self) -> bytes:
        """Return what the gateway has sent."""

    def write(self, data: bytes) -> None:
        """Send bytes of the shoe; they are lost if no gateway takes them, as on a wire."""

    def close(self) -> None:
        """Close the port."""


class PtyPort:
    """A pseudo-terminal; `link` is a symbolic link to it with a lasting name."""

    def __init__(self, selector: selectors.BaseSelector, link: Path | None = None) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._device, self._link, self.news = os.ttyname(self._slave), link, list[str]()
        self.port = self._device if link is None else str(link.absolute())
        if link is not None:
            try:
                make_link(link, self._device)
            except OSError as error:
                self._close_ends()
                raise ShoePortError(
                    f"--pty {link}: {error.strerror}; choose a path where you can create files"
                ) from error
            except ShoePortError:
                self._close_ends()
                raise
        selector.register(self._master, selectors.EVENT_READ)
        self._selector = selector

    def read(self) -> bytes:
        """Return what the gateway has sent."""
        with contextlib.suppress(OSError):
            return os.read(self._master, _READ_BYTES)
        return b""

    def write(self, data: bytes) -> None:
        """Send bytes of the shoe, as many as the pty has room for."""
        with contextlib.suppress(OSError):
            os.write(self._master, data)

    def close(self) -> None:
        """Close the pty and remove its link."""
        self._selector.unregister(self._master)
        if self._link is not None and self._link.is_symlink() and os.readlink(self._link) == self._device:
            self._link.unlink()
        self._close_ends()

    def _close_ends(self) -> None:
        os.close(self._master)
        os.close(self._slave)


def make_link(link: Path, device: str) -> None:
    """Make the link; replace one that an earlier shoe left behind, and nothing else."""
    if link.is_symlink() and Path(os.readlink(link)).parent == _DEVICES:
        link.unlink()
    try:
        link.symlink_to(device)
    except FileExistsError:
        raise ShoePortError(f"--pty {link}: a file of this name exists; choose another") from None


def listener(host: str, port: int) -> socket.socket:
    """Return a socket that listens at this address; port 0 is a free one."""
    try:
        found = socket.create_server((host, port))
    except (OSError, OverflowError) as error:
        why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise ShoePortError(f"--tcp {host}:{port}: {why}; choose another port, or 0 for a free one") from error
    found.setblocking(False)
    return found


def set_up(sock: socket.socket) -> None:
    """Set an accepted socket up: each write goes out at once, and a lost peer is noticed."""
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


class TcpPort:
    """A TCP port for `socket://` that gateways connect to, one after the other."""

    def __init__(self, selector: selectors.BaseSelector, host: str, port: int) -> None:
        self._selector, self.news = selector, list[str]()
        self._gateway: socket.socket | None = None
        self._listener = listener(host, port)
        self.port = f"socket://{host}:{self._listener.getsockname()[1]}"
        selector.register(self._listener, selectors.EVENT_READ)

    def read(self) -> bytes:
        """Return what the gateway has sent; accept a gateway if none is connected."""
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
            self.news.append("a second gateway tried to connect and was refused: the line serves one at a time")
            sock.close()
            return
        set_up(sock)
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
        """Send bytes of the shoe, as many as the socket has room for."""
        if self._gateway is not None and data:
            try:
                self._gateway.send(data)
            except BlockingIOError:
                pass
            except OSError:
                self._lose()

    def close(self) -> None:
        """Disconnect the gateway and close the port."""
        self._lose()
        self._selector.unregister(self._listener)
        self._listener.close()
