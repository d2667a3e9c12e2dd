"""Socket path of the floor service: `control` of its config, or a socket beside its store."""

from pathlib import Path


def default_control(store: str, worker: str) -> str:
    """Return the socket beside the store; in the directory of the config where the store is a database server."""
    directory = Path() if "://" in store else Path(store).parent
    return str(directory / f"floor-{worker}.sock")
