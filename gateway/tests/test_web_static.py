"""Scripts and style sheets of the pages: short, from this server alone, text as text, every sentence known."""

import re
from pathlib import Path

import pytest
from sabot_floor.web import files, languages

STATIC = Path(files.__file__).parent / "static"
PAGES = STATIC.with_name("pages")
OWN = sorted(path for kind in ("*.js", "*.css") for path in STATIC.glob(kind))
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|\beval\(|new Function"
)
ELSEWHERE = re.compile(r"(?:https?:)?//(?!www\.w3\.org/)[\w-]+\.\w+")
SENTENCE = re.compile(r"""\b(?:t|title)\(["']([a-z_]+\.[a-z0-9_]+)["']""")


def test_there_are_scripts_and_pages() -> None:
    assert len(OWN) > 10
    assert {path.stem for path in PAGES.glob("*.html")} >= {
        "wall",
        "display",
        "dealer",
        "pit",
        "sign",
        "jackpot",
        "coup",
    }


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_a_file_is_short_and_says_what_it_is(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert len(lines) <= 400
    assert lines[0].startswith(("// ", "/* ")), lines[0]


@pytest.mark.parametrize("path", [*OWN, *PAGES.glob("*.html")], ids=lambda path: path.name)
def test_nothing_comes_from_elsewhere_and_no_text_becomes_markup(path: Path) -> None:
    text = path.read_text()
    assert FORBIDDEN.findall(text) == []
    assert ELSEWHERE.findall(text) == []


def test_every_sentence_that_a_script_names_is_there() -> None:
    words = languages.load()["en"]
    named = {key: path.name for path in OWN for key in SENTENCE.findall(path.read_text())}
    assert len(named) > 50
    assert {key: name for key, name in named.items() if key not in words} == {}


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.html")), ids=lambda path: path.name)
def test_a_page_has_no_script_and_no_style_of_its_own(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]* src=)", text)
    for name in re.findall(r'(?:src|href)="/static/([^"]+)"', text):
        assert name in files.static(), name
