"""The floor's store, opened by the option --store, or by the service's config."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from sabot_tools.stand.daemon import fail

StoreUrl = Annotated[
    str | None,
    typer.Option("--store", help="Path or postgresql:// URL of the store; then no config is read.", metavar="STORE"),
]


@contextmanager
def open_to_read(config: Path, url: str | None) -> Iterator[Any]:
    """Open the store to read; print an error on stderr and exit with status 1."""
    with _opened(config, url, read_only=True) as store:
        yield store


@contextmanager
def open_to_write(config: Path, url: str | None) -> Iterator[Any]:
    """Open the store to write, beside a running service; print an error on stderr and exit with status 1."""
    with _opened(config, url, read_only=False) as store:
        yield store


@contextmanager
def _opened(config: Path, url: str | None, *, read_only: bool) -> Iterator[Any]:
    from sabot_floor import config as configs
    from sabot_floor.store import StoreError, open_store

    if url is None:
        found, problems = configs.read(config)
        if found is None:
            fail("\n".join(f"{config}: {problem}" for problem in problems))
        url = found.store
    try:
        with open_store(url, read_only=read_only) as store:
            yield store
    except StoreError as error:
        fail(str(error))
