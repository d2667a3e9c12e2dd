"""Check: whether pages can be served by a config, and what others could read of them."""

import ipaddress
import os
import socket
from collections.abc import Iterator

from sabot_service.facts import Fact

from sabot_floor.web.config import Web


def facts(web: Web | None) -> Iterator[Fact]:
    """Yield what is right and what is wrong; the port is tried, and given back."""
    if web is None:
        yield Fact("ok", "web", "no `[web]` in the config: this floor serves no pages")
        return
    yield _port_fact(web)
    if web.certificate is None and not _local(web.address().host) and not web.proxies:
        say = "without a certificate: PINs go over the network in plain text; give `certificate` and `key` of [web]"
        yield Fact("warning", "web", f"{web.listen} {say}")


def listen(web: Web, backlog: int = 1) -> socket.socket:
    """Return a socket that listens; OSError if the port cannot be had."""
    host, port = web.address()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=backlog)


def why(error: OSError) -> str:
    """Return what the system has against it, without its details."""
    return os.strerror(error.errno) if error.errno else str(error)


def _port_fact(web: Web) -> Fact:
    try:
        listen(web).close()
    except OSError as error:
        say = f"{web.listen}: {why(error)}; if the service runs now this is its own, else change `listen`"
        return Fact("warning", "web", say)
    return Fact("ok", "web", f"pages at {web.url()}")


def _local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
