"""A progress bar for people at a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

Progress = Callable[[int], None]


@contextmanager
def bar(label: str, length: int) -> Iterator[Progress]:
    """Call what it gives with each part that is done; nothing is shown where stderr is no terminal."""
    stream = typer.get_text_stream("stderr")
    if not stream.isatty() or not length:
        yield lambda done: None
        return
    with typer.progressbar(length=length, label=label, file=stream) as shown:
        yield shown.update
