"""A process that appends to a store: `python floor_writer.py URL NAME BATCHES SIZE [MODE]`; prints each commit.

It begins with the first line on stdin, and ends with the second at the latest.
"""

import os
import select
import signal
import sys
from typing import Any

from sabot_floor.store import Decide, Decision, Entry, Head, Store, open_store

LOGS = ("a", "b")


def batch(name: str, number: int, size: int) -> Decide:
    """Append entries `<name>-<number>`; the state counts all entries of all writers."""

    def decide(head: Head) -> Decision:
        ids = range(number * size, number * size + size)
        entries = [Entry(f"{name}-{each}", "increment", b"x" * 300) for each in ids]
        return Decision(entries, b"%d" % (int(head.state or b"0") + size))

    return decide


def die_before_the_heads(store: Store) -> None:
    """Kill this process when it has written entries and is about to write a head."""
    execute = store._execute

    def dying(query: str, values: Any = ()) -> list[tuple[Any, ...]]:
        if query.startswith("INSERT INTO logs") and int(values[1]) > int(sys.argv[4]):
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(query, values)

    store._execute = dying  # type: ignore[method-assign]


def main(url: str, name: str, batches: str, size: str, mode: str = "") -> None:
    """Append to one log, or with mode `both` to two logs, in the order of the name."""
    with open_store(url) as store:
        if mode == "dying":
            die_before_the_heads(store)
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(int(batches)):
            if select.select([sys.stdin], [], [], 0)[0] and sys.stdin.readline():
                return
            decide = batch(name, number, int(size))
            if mode == "both":
                store.append_many(dict.fromkeys(sorted(LOGS, reverse=name > "m"), decide))
            else:
                store.append("a", decide)
            print(number, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
