"""Login options: who we are to a broker and whom we trust, as [login] of the gateway's config has it."""

import re
from typing import Annotated

import typer

UserOption = Annotated[str | None, typer.Option("--user", help="The name that the broker knows you by.")]
PasswordFileOption = Annotated[
    str | None, typer.Option("--password-file", help="A file with the password in one line, mode 0600.", metavar="FILE")
]
CaFileOption = Annotated[
    str | None,
    typer.Option("--ca-file", help="The authority of the broker's certificate; else the system's.", metavar="PEM"),
]
CertificateFileOption = Annotated[
    str | None, typer.Option("--certificate-file", help="Yours, where the broker asks for one.", metavar="PEM")
]
KeyFileOption = Annotated[
    str | None, typer.Option("--key-file", help="Of your certificate, mode 0600, without a passphrase.", metavar="PEM")
]


def as_options(text: str) -> str:
    """What is said of a login in the words of the command line: login.ca_file is --ca-file."""
    return re.sub(r"login\.(\w+)", lambda found: f"--{found[1].replace('_', '-')}", text)
