"""The pictures of the pages: the README shows each of them, and they are small."""

import re
from pathlib import Path

import pytest
from sabot_tools.stand.demo_pictures import pictures

ROOT = Path(__file__).parents[2]
NAMES = [picture.name for picture in pictures({"bac-02": "id"})]


def test_the_readme_shows_every_picture_with_a_text() -> None:
    text = (ROOT / "README.md").read_text()
    shown = re.findall(r"\]\(pictures/([a-z-]+)\.png\)", text)
    assert sorted(shown) == sorted(NAMES)
    assert not re.search(r"!\[\]\(pictures/", text)


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_a_small_png(name: str) -> None:
    data = (ROOT / "pictures" / f"{name}.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) <= 150_000


def test_no_picture_is_left_over() -> None:
    assert sorted(path.stem for path in (ROOT / "pictures").glob("*.png")) == sorted(NAMES)
