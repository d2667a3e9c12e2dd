"""Power cuts during updates over the wire, on the MicroPython VM with its littlefs: python -m … CUTS SEED.

Makes a publisher's key and three small images, of which the last never confirms itself, and has the VM push them one
after the other to a board whose power is cut (`firmware/bench/update_cuts.py`).
"""

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from sabot_protocol import firmware

from sabot_sim.rigs import build
from sabot_sim.rigs.signed_image import signed_image
from sabot_sim.rigs.vm import firmware_dir, micropython

_HEAP: Final = "heapsize=4M"
_FILES: Final = ("program.py", "sabot/one.mpy", "sabot/two.mpy", "sabot/deep/three.mpy", "sabot/deep/four.mpy")
_LONGEST: Final = 6000
_CLOSED_LATE: Final = "OSError: [Errno 5] EIO"  # a file of a life that is over, closed by the garbage collector


def make_images(folder: Path, seed: int) -> None:
    """Write firmware.pub and signed images: two good ones, and one whose program crashes."""
    rng = random.Random(seed)
    public = firmware.make_keys(folder)
    (folder / "firmware.pub").write_bytes(public.raw)
    for number, program in enumerate((b"good", b"good", b"crash")):
        files = {name: program + rng.randbytes(rng.randint(1, _LONGEST)) for name in _FILES[rng.randint(0, 2) :]}
        files["program.py"] = program + f"{number:04d}".encode()
        digest = build.image_digest(files)
        image = signed_image(folder / "firmware.key", files | {"image.bin": digest}, bytes((0, 1, number)))
        (folder / f"{number}.img").write_bytes(image.file_bytes())


def run(cuts: int, seed: int) -> tuple[bool, str]:
    """Cut the power so often; return whether the board always had a good image, and what was found."""
    with tempfile.TemporaryDirectory() as folder:
        make_images(Path(folder), seed)
        program = str(firmware_dir() / "bench" / "update_cuts.py")
        ran = subprocess.run(
            [micropython(), "-X", _HEAP, program, folder, str(cuts), str(seed)],
            env={**os.environ, "MICROPYPATH": f"{firmware_dir()}:.frozen"},
            capture_output=True,
            text=True,
            check=False,
        )
        lines = [line for line in ran.stdout.splitlines() if line != _CLOSED_LATE]
        return ran.returncode == 0, "\n".join([*lines, ran.stderr])


if __name__ == "__main__":
    good, found = run(int(sys.argv[1]), int(sys.argv[2]))
    print(found)
    sys.exit(not good)
