"""The option that `sabot gateway install` and `sabot floor install` share."""

from typing import Annotated

import typer

DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the commands; change nothing.")]
