"""The power is cut while images are pushed: the board always starts a whole image, and a bad one is given up.

SABOT_UPDATE_CUTS=1000 .venv/bin/pytest sim/tests/test_update_cuts.py cuts more often (`make update-cuts`).
"""

import ast
import os
import re

from sabot_sim.rigs import update_cuts

CUTS = int(os.environ.get("SABOT_UPDATE_CUTS", "30"))
SEED = int(os.environ.get("SABOT_UPDATE_SEED", "1"))


def test_a_board_always_starts_a_whole_image() -> None:
    good, found = update_cuts.run(CUTS, SEED)
    print(found)
    assert good, found
    match = re.search(r"^counts (.*)$", found, re.MULTILINE)
    assert match, found
    counts = ast.literal_eval(match[1])
    assert (counts["cuts"], counts["errors"]) == (CUTS, 0)
    assert min(counts["switched"], counts["confirmed"], counts["reverted"], counts["resumed"]) > 0
