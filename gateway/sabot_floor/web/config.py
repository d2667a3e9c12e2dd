"""Config of the web part: `[web]` of the floor service's file, and its `[[table]]` entries."""

import ssl
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta
from sabot_protocol.inputs import config_file
from sabot_protocol.inputs.config_file import with_paths

from sabot_floor.signs import limits
from sabot_floor.signs.limits import TableLimits
from sabot_floor.web import languages

LISTEN = "127.0.0.1:8480"
Seconds = Annotated[int, Meta(ge=10, le=86_400)]
IpAddress = Annotated[str, Meta(pattern=r"\A[0-9a-fA-F.:]{2,45}\Z")]
HostName = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9]([A-Za-z0-9.-]{0,252})\Z")]


class Web(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the pages are served, in which language, and when a person who does nothing is logged out."""

    listen: str = LISTEN
    hosts: tuple[HostName, ...] = ()  # further names under which browsers may ask for pages
    proxies: tuple[IpAddress, ...] = ()  # reverse proxies; what they report of the browser's address counts
    certificate: str | None = None  # PEM, with its chain: the pages are then https://
    key: str | None = None
    idle_s: Seconds = 300  # pit and consoles
    dealer_idle_s: Seconds = 3600
    language: str = "en"
    languages: str | None = None  # directory with further language files

    def address(self) -> "Address":
        """Return host and port to listen at; ValueError if the text is no address."""
        host, colon, port = self.listen.rpartition(":")
        if not colon or not host or not port.isdecimal() or int(port) > 65535:
            raise ValueError(f"web.listen = {self.listen!r}: {WANTED['listen']}")
        return Address(host.strip("[]"), int(port))

    def url(self) -> str:
        """Return where a browser on this machine finds the pages."""
        host, port = self.address()
        shown = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, f"[{host}]" if ":" in host else host)
        return f"{'https' if self.certificate else 'http'}://{shown}:{port}/"

    def context(self) -> ssl.SSLContext | None:
        """Return what TLS needs, None without a certificate; OSError if the files cannot be used."""
        if self.certificate is None:
            return None
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self.certificate, self.key, password=lambda: "")
        return context


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int


# What each key expects, for the message about a wrong value.
WANTED = {
    "listen": 'write address and port, such as "127.0.0.1:8480", or "0.0.0.0:8480" for all of this machine',
    "hosts": 'the names that browsers use, such as ["screens.casino.example"]',
    "proxies": 'the addresses of reverse proxies, such as ["127.0.0.1"]',
    "certificate": "the path of a PEM file",
    "key": "the path of a PEM file with mode 0600",
    "idle_s": "seconds from 10 to 86400",
    "dealer_idle_s": "seconds from 10 to 86400",
    "language": 'the name of a language file, such as "en" or "zh-Hans"',
    "languages": "the path of a directory with language files",
}


def shape_problems(data: dict[str, Any]) -> Iterator[str]:
    """Yield wrong keys and values of `[web]` and of each `[[table]]`."""
    web = data.get("web")
    if isinstance(web, dict):
        yield from config_file.key_problems(Web, web, "web.", WANTED)
    yield from limits.shape_problems(data.get("table", []))


def absolute(web: Web | None, directory: Path) -> Web | None:
    """Relative paths are relative to the file that names them."""
    return web and with_paths(web, directory, "certificate", "key", "languages")


def problems(web: Web | None, tables: Sequence[TableLimits]) -> list[str]:
    """Return what else is wrong: address, certificate, languages, tables."""
    found = list(limits.problems(tables))
    if web is None:
        return found
    return [*found, *_library_problems(), *_address_problems(web), *_tls_problems(web), *_language_problems(web)]


def _library_problems() -> Iterator[str]:
    for library in ("starlette", "uvicorn", "httptools"):
        if find_spec(library) is None:
            yield f"web: {library} is not installed; pip install 'sabot[floor]'"


def _address_problems(web: Web) -> Iterator[str]:
    try:
        web.address()
    except ValueError as error:
        yield str(error)


def _tls_problems(web: Web) -> Iterator[str]:
    if (web.certificate is None) != (web.key is None):
        yield "web.certificate and web.key go together; give both or none"
        return
    try:
        web.context()
    except OSError as error:  # ssl.SSLError is one
        fact = getattr(error, "reason", None) or error.strerror or error
        yield f"web.certificate {web.certificate} with web.key {web.key}: {fact}; give PEM files that belong together"


def _language_problems(web: Web) -> Iterator[str]:
    try:
        known = languages.load(Path(web.languages) if web.languages else None)
    except languages.LanguageError as error:
        yield f"web.languages: {error}"
        return
    if web.language not in known:
        yield f"web.language = {web.language!r}: there are {', '.join(sorted(known))}"
