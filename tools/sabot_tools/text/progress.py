"""A progress bar on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

Progress = Callable[[int], None]


@contextmanager
def bar(label: str, length: int) -> Iterator[Progress]:
    """Yield a function to call with each amount done; show nothing if stderr is not a terminal."""
    stream = typer.get_text_stream("stderr")
    if not stream.isatty() or not length:
        yield lambda done: None
        return
    with typer.progressbar(length=length, label=label, file=stream) as shown:
        yield shown.update
