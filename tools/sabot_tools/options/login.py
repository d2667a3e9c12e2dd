"""Options of a login to a broker, the same as [login] in the gateway's config."""

import re
from typing import Annotated

import typer

UserOption = Annotated[str | None, typer.Option("--user", help="User name at the broker.")]
PasswordFileOption = Annotated[
    str | None, typer.Option("--password-file", help="File with the password on one line, mode 0600.", metavar="FILE")
]
CaFileOption = Annotated[
    str | None,
    typer.Option("--ca-file", help="CA of the broker's certificate, if it is not one of the system's.", metavar="PEM"),
]
CertificateFileOption = Annotated[
    str | None,
    typer.Option("--certificate-file", help="Client certificate, if the broker requires one.", metavar="PEM"),
]
KeyFileOption = Annotated[
    str | None,
    typer.Option("--key-file", help="Key of the client certificate, mode 0600, without a passphrase.", metavar="PEM"),
]


def as_options(text: str) -> str:
    """Return a message about a login with the names of the options: login.ca_file becomes --ca-file."""
    return re.sub(r"login\.(\w+)", lambda found: f"--{found[1].replace('_', '-')}", text)
