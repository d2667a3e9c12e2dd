"""Writes frames.jsonl: frames that both sides must accept and bytes that both must refuse."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bad_frames import bad_bodies, bad_framing, bad_macs
from good_frames import in_session, plain_frames, sealed_frames

HERE = Path(__file__).parent


def frames() -> Iterator[dict[str, Any]]:
    """Frames that both sides must accept, and bytes that both must refuse."""
    for some in (in_session, plain_frames, sealed_frames, bad_framing, bad_bodies, bad_macs):
        yield from some()


def main() -> None:
    """Rewrite the file."""
    (HERE / "frames.jsonl").write_text("".join(json.dumps(line) + "\n" for line in frames()))


if __name__ == "__main__":
    main()
