"""Groups: which group somebody joins who may not use a file."""

import grp
from pathlib import Path


def to_join(path: Path) -> str:
    """`join group X`: the file's own, or that of the first directory on the way to it that is shut."""
    gid = next(gid for gid in map(_group_of, (path, *path.absolute().parents)) if gid is not None)
    try:
        return f"join group `{grp.getgrgid(gid).gr_name}`"
    except KeyError:
        return f"join group `{gid}`"


def _group_of(path: Path) -> int | None:
    try:
        return path.stat().st_gid
    except OSError:
        return 0 if path == path.parent else None
