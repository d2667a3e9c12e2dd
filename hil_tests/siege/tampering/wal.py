"""Changes of the write-ahead log, by the format that SQLite documents."""

import itertools
import struct

from siege.tampering.ledgers import Copy, NotThereError

_WAL_HEADER, _FRAME_HEADER = 32, 24


def _commits(wal: bytes) -> list[int]:
    """Where each whole transaction of the log ends; what an earlier round of the log left behind it does not count."""
    page = struct.unpack_from(">I", wal, 8)[0]
    size = _FRAME_HEADER + page
    salts = wal[16:24]
    starts = itertools.takewhile(
        lambda at: wal[at + 8 : at + 16] == salts, range(_WAL_HEADER, len(wal) - size + 1, size)
    )
    return [at + size for at in starts if struct.unpack_from(">I", wal, at + 4)[0]]


def _wal(copy: Copy) -> bytes:
    path = copy.beside("wal")
    if not path.exists() or path.stat().st_size <= _WAL_HEADER:
        raise NotThereError("no write-ahead log beside this ledger")
    return path.read_bytes()


def without_index(copy: Copy) -> None:
    copy.beside("shm").unlink(missing_ok=True)


def wal_deleted(copy: Copy) -> None:
    _wal(copy)
    copy.beside("wal").unlink()
    without_index(copy)


def wal_emptied(copy: Copy) -> None:
    _wal(copy)
    copy.beside("wal").write_bytes(b"")
    without_index(copy)


def _cut_wal(copy: Copy, share: float) -> None:
    wal = _wal(copy)
    ends = _commits(wal)
    copy.beside("wal").write_bytes(wal[: ends[min(int(len(ends) * share), len(ends) - 2)]])
    without_index(copy)


def wal_cut_at_half_of_the_commits(copy: Copy) -> None:
    _cut_wal(copy, 0.5)


def wal_cut_before_the_last_commit(copy: Copy) -> None:
    _cut_wal(copy, 1.0)


def wal_cut_in_mid_frame(copy: Copy) -> None:
    wal = _wal(copy)
    ends = _commits(wal)
    copy.beside("wal").write_bytes(wal[: ends[len(ends) // 2] + 1000])
    without_index(copy)


def wal_byte_changed(copy: Copy) -> None:
    wal = bytearray(_wal(copy))
    ends = _commits(bytes(wal))
    wal[ends[len(ends) // 2] + 500] ^= 1
    copy.beside("wal").write_bytes(wal)
    without_index(copy)
