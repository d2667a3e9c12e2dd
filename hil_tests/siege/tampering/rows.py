"""Changes of the file and of single rows: entries and cursors."""

from siege.tampering.ledgers import Change, Copy, NotThereError

_MIDDLE = "seq = (SELECT max(seq) / 2 FROM entries)"
_LAST = "seq = (SELECT max(seq) FROM entries)"


def file_emptied(copy: Copy) -> None:
    copy.ledger.write_bytes(b"")


def file_cut_in_half(copy: Copy) -> None:
    data = copy.ledger.read_bytes()
    copy.ledger.write_bytes(data[: len(data) // 2])


def file_deleted(copy: Copy) -> None:
    copy.ledger.unlink()


def everything_deleted(copy: Copy) -> None:
    for path in copy.folder.iterdir():
        path.unlink()


def byte_changed(copy: Copy) -> None:
    data = bytearray(copy.ledger.read_bytes())
    payload: bytes = copy.one("SELECT payload FROM entries WHERE topic = 'coup' ORDER BY seq LIMIT 1 OFFSET 3")
    data[data.index(payload) + len(payload) // 2] ^= 1
    copy.ledger.write_bytes(data)


def last_row_deleted(copy: Copy) -> None:
    copy.sql(f"DELETE FROM entries WHERE {_LAST}")


def last_rows_deleted(copy: Copy) -> None:
    copy.sql("DELETE FROM entries WHERE seq > (SELECT max(seq) FROM entries) - 20")


def first_rows_deleted(copy: Copy) -> None:
    copy.sql("DELETE FROM entries WHERE seq < 10")


def all_rows_deleted(copy: Copy) -> None:
    copy.sql("DELETE FROM entries")


def middle_row_deleted(copy: Copy) -> None:
    copy.sql(f"DELETE FROM entries WHERE {_MIDDLE}")


def payload_edited(copy: Copy) -> None:
    copy.sql(
        "UPDATE entries SET payload = replace(payload, 'player', 'banker') "
        "WHERE seq = (SELECT min(seq) FROM entries WHERE topic = 'coup')"
    )


def frame_edited(copy: Copy) -> None:
    copy.sql(f"UPDATE entries SET frame = x'00' WHERE {_MIDDLE}")


def time_edited(copy: Copy) -> None:
    copy.sql(f"UPDATE entries SET time = '2020-01-01T00:00:00.000Z' WHERE {_MIDDLE}")


def hash_edited(copy: Copy) -> None:
    copy.sql(f"UPDATE entries SET hash = zeroblob(32) WHERE {_MIDDLE}")


def last_hash_edited(copy: Copy) -> None:
    copy.sql(f"UPDATE entries SET hash = zeroblob(32) WHERE {_LAST}")


def type_edited(copy: Copy) -> None:
    copy.sql(f"UPDATE entries SET payload = 7, unit = x'00' WHERE {_MIDDLE}")


def table_edited(copy: Copy) -> None:
    copy.sql("UPDATE entries SET table_name = 'h2' WHERE table_name = 'h1' AND seq > 100")


def rows_swapped(copy: Copy) -> None:
    low = int(copy.one("SELECT max(seq) / 2 FROM entries"))
    moves = ((low, -1), (low + 1, low), (-1, low + 1))
    copy.sql(*(f"UPDATE entries SET seq = {new} WHERE seq = {old}" for old, new in moves))


def renumbered(copy: Copy) -> None:
    low = int(copy.one("SELECT max(seq) / 2 FROM entries"))
    copy.sql(f"UPDATE entries SET seq = -seq WHERE seq > {low}", "UPDATE entries SET seq = 1 - seq WHERE seq < 0")


def row_added(copy: Copy) -> None:
    copy.sql(
        "INSERT INTO entries (seq, unit, event_no, table_name, topic, payload, frame, hash, time, rulebook, before) "
        "SELECT seq + 1, unit, event_no + 1, table_name, topic, payload, frame, hash, time, rulebook, seq "
        "FROM entries WHERE seq = (SELECT max(seq) FROM entries)"
    )


def cursor(change: str) -> Change:
    def done(copy: Copy) -> None:
        copy.sql(f"UPDATE cursors SET seq = {change}")

    return done


def cursor_back_with_its_hash(copy: Copy) -> None:
    copy.sql("UPDATE cursors SET seq = seq - 50")
    copy.fit_cursors()


def cursor_to_the_end_with_its_hash(copy: Copy) -> None:
    """What was not published yet would never be."""
    if copy.one("SELECT min(seq) = (SELECT max(seq) FROM entries) FROM cursors"):
        raise NotThereError("everything in this ledger was published")
    copy.sql("UPDATE cursors SET seq = (SELECT max(seq) FROM entries)")
    copy.fit_cursors()


def cursor_deleted(copy: Copy) -> None:
    copy.sql("DELETE FROM cursors")
