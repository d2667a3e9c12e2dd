"""Broker: its address, our login and certificates, and why it could not be reached."""

import ipaddress
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from sabot_protocol.inputs.config_file import with_paths, without_password
from sabot_protocol.inputs.secret_file import SecretError, secret

_PORTS = {"mqtt": 1883, "mqtts": 8883}
_MOST_PASSWORD_BYTES = 1024
_MOST_KEY_BYTES = 65_536
_EXPIRED, _HOSTNAME_MISMATCH, _ADDRESS_MISMATCH = 10, 62, 64  # X509_V_ERR_…


class BrokerUrlError(ValueError):
    """A broker URL that cannot be used; the message has the reason."""


class LoginError(ValueError):
    """A login that cannot be used; the message names the file, the fact and the next step."""


@dataclass(frozen=True)
class Broker:
    """Where the broker is, and whether TLS is spoken there."""

    host: str
    port: int
    tls: bool = False

    @classmethod
    def from_url(cls, url: str) -> "Broker":
        """`mqtt://host[:port]`, or `mqtts://` for TLS."""
        if "@" in url:
            raise BrokerUrlError(
                f"broker {without_password(url)}: a user and password do not belong in the URL; give login.user, and "
                "login.password_file, a file with mode 0600"
            )
        try:
            parts = urlsplit(url)
        except ValueError as error:
            raise BrokerUrlError(f"broker {url!r}: {error}") from error
        if parts.scheme not in _PORTS or not parts.hostname or parts.path.strip("/") or parts.query:
            raise BrokerUrlError(f"broker {url!r}: write it as mqtt://host:1883, or mqtts://host:8883 for TLS")
        try:
            return cls(parts.hostname, parts.port or _PORTS[parts.scheme], parts.scheme == "mqtts")
        except ValueError as error:
            raise BrokerUrlError(f"broker {url!r}: {error}") from error

    def local(self) -> bool:
        """Return True if the connection stays on this machine."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost" or self.host.endswith(".localhost")

    def __str__(self) -> str:
        """As a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'mqtts' if self.tls else 'mqtt'}://{host}:{self.port}"


class Login(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Our user and certificates, and the authority we trust; secrets are in files, so that the config holds none."""

    user: str | None = None
    password_file: str | None = None  # mode 0600
    ca_file: str | None = None  # the system's authorities, unless given
    certificate_file: str | None = None  # ours, with its chain
    key_file: str | None = None  # of our certificate, mode 0600, without a passphrase

    def with_paths(self, directory: Path) -> "Login":
        """Return it with every path made absolute."""
        return with_paths(self, directory, "password_file", "ca_file", "certificate_file", "key_file")

    def check(self, broker: Broker) -> None:
        """Check all that can be checked without the broker; LoginError has what is wrong."""
        if self.password_file and not self.user:
            raise LoginError("login.password_file is given without login.user; give both")
        if bool(self.certificate_file) != bool(self.key_file):
            raise LoginError("login.certificate_file and login.key_file go together; give both or none")
        if not broker.tls and (self.ca_file or self.certificate_file):
            raise LoginError(f"login has certificates, but {broker} is not TLS; write the broker as mqtts://")
        self.password()
        if broker.tls:
            self.present(self.context())

    def password(self) -> str | None:
        """Return the first line of the password file."""
        if not self.password_file:
            return None
        text = _secret("password_file", self.password_file, _MOST_PASSWORD_BYTES)
        try:
            line = text.decode().removesuffix("\n").removesuffix("\r")
        except UnicodeDecodeError:
            line = ""
        if not line or "\n" in line:
            raise LoginError(f"login.password_file {self.password_file}: write the password there, in one line")
        return line

    def exposed(self, broker: Broker) -> str | None:
        """Return why others can read our password, None where they cannot."""
        if not self.password_file or broker.tls or broker.local():
            return None
        return (
            f"the password of {self.user} goes to {broker} in plain text: anyone on that network can read it and "
            "publish in our name; write the broker as mqtts://"
        )

    def context(self) -> ssl.SSLContext:
        """TLS 1.2 or newer; the broker's certificate and name are checked."""
        try:
            context = ssl.create_default_context(cafile=self.ca_file)
        except OSError as error:
            raise LoginError(f"login.ca_file {self.ca_file}: {_fact(error)}; give a PEM file") from None
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        return context

    def present(self, context: ssl.SSLContext) -> None:
        """Put our certificate, as the files have it now, into a context."""
        if not self.certificate_file or not self.key_file:
            return
        _secret("key_file", self.key_file, _MOST_KEY_BYTES)
        try:
            context.load_cert_chain(self.certificate_file, self.key_file, password=lambda: "")
        except OSError as error:
            raise LoginError(
                f"login.certificate_file {self.certificate_file} with login.key_file {self.key_file}: {_fact(error)}; "
                "give PEM files that belong together, the key without a passphrase"
            ) from None


# What each key of [login] expects, for the message about a wrong value.
LOGIN_WANTED = {
    "user": "our user name at the broker",
    "password_file": "the path of a file with the password",
    "ca_file": "the path of a PEM file",
    "certificate_file": "the path of a PEM file",
    "key_file": "the path of a PEM file",
}


def _secret(field: str, path: str, most_bytes: int) -> bytes:
    try:
        text = secret(Path(path), most_bytes)
    except SecretError as error:
        raise LoginError(f"login.{field} {error}") from None
    if text is None:
        raise LoginError(f"login.{field} {path}: no such file; make it with mode 0600")
    return text


def _fact(error: OSError) -> str:
    """Return what OpenSSL or the system has found, without its own file and line."""
    reason = getattr(error, "reason", None)
    return str(reason).lower().replace("_", " ") if reason else error.strerror or str(error)


def no_connection(broker: Broker, error: Exception) -> str:
    """Return why a connection could not be made, and what to look at."""
    if isinstance(error, LoginError):
        return str(error)
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the broker at {broker} is not trusted: {_distrust(broker, error)}"
    return f"no broker at {broker}: {_unreached(broker, error)}"


def _distrust(broker: Broker, error: ssl.SSLCertVerificationError) -> str:
    if error.verify_code in (_HOSTNAME_MISMATCH, _ADDRESS_MISMATCH):
        return f"its certificate is not for {broker.host}; write the name that is in the certificate into the URL"
    if error.verify_code == _EXPIRED:
        return "its certificate has expired; renew it, and check this machine's clock"
    return f"{error.verify_message}; give the authority that signed its certificate as login.ca_file"


def _unreached(broker: Broker, error: Exception) -> str:
    if isinstance(error, socket.gaierror | UnicodeError):
        return f"the name {broker.host} is not known; check the URL and the name service"
    if isinstance(error, ConnectionRefusedError):
        return "nobody listens there; start it, or check the port"
    if isinstance(error, TimeoutError):
        return f"no answer{' to TLS' if 'handshake' in str(error) else ''}; check the address and the network"
    if broker.tls and isinstance(error, ssl.SSLError | ConnectionError):
        return f"TLS was not answered with TLS ({_fact(error)}); if this is its plain port, write mqtt://"
    return f"{error}; check the address and the network"


def no_answer(broker: Broker, login: Login, reason: str) -> str:
    """Return why a connection ended before the broker had accepted or refused us."""
    if not broker.tls:
        return f"the broker at {broker} ended the connection at once; if this is its TLS port, write mqtts://"
    advice = (
        f"if it does not take {login.certificate_file}, give one of an authority that it trusts"
        if login.certificate_file
        else "if it wants a certificate of ours, give login.certificate_file and login.key_file"
    )
    return f"the broker at {broker} ended the connection at once{f' ({reason})' if reason else ''}; {advice}"


def broker_problems(url: str, login: Login) -> list[str]:
    """Return what is wrong with a broker's address, or with the login there."""
    try:
        login.check(Broker.from_url(url))
    except (BrokerUrlError, LoginError) as error:
        return [str(error)]
    return []
