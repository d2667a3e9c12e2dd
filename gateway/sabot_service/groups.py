"""Groups: the group that an account must join to use a file."""

import grp
from pathlib import Path


def group_to_join(path: Path) -> str:
    """Return the group of the file, or of the first directory above it that this account cannot enter."""
    gid = next(gid for gid in map(_group_of, (path, *path.absolute().parents)) if gid is not None)
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def _group_of(path: Path) -> int | None:
    try:
        return path.stat().st_gid
    except OSError:
        return 0 if path == path.parent else None
