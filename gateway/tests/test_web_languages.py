"""Languages of the pages: the same keys and values in all, the choice of one, and a further file."""

import hashlib
from pathlib import Path

import pytest
from sabot_floor.web import languages, vendor
from sabot_floor.web.languages import LanguageError

OWN = Path(languages.__file__).parent


def test_every_language_has_the_same_keys_and_values() -> None:
    found = {path.stem: languages._read(path) for path in OWN.glob("*.toml")}
    assert sorted(found) == ["en", "zh-Hans", "zh-Hant"]
    for name, words in found.items():
        assert sorted(words) == sorted(found["en"]), name
        assert languages.differences(found["en"], words) == [], name
        assert all(text.strip() for text in words.values()), name


@pytest.mark.parametrize(
    ("asked", "accepted", "chosen"),
    [
        ("", "", "en"),
        ("zh-Hant", "en", "zh-Hant"),
        ("", "de, zh-TW;q=0.9, en;q=0.8", "zh-Hant"),
        ("", "en-AU,en;q=0.9", "en"),
        ("", "zh", "zh-Hans"),
        ("", "zh-Hant-HK", "zh-Hant"),
        ("", "zh-CN;q=0.2, en;q=0.7", "en"),
        ("xx", "fr", "en"),
        ("../en", ";q=,,", "en"),
    ],
)
def test_the_choice(asked: str, accepted: str, chosen: str) -> None:
    assert languages.choose(languages.load(), asked, accepted, "en") == chosen


def test_a_further_language_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "fr.toml").write_text('[wall]\ntitle = "Toutes les tables"\n')
    found = languages.load(tmp_path)
    assert found["fr"]["wall.title"] == "Toutes les tables"
    assert found["fr"]["link.live"] == found["en"]["link.live"]
    assert languages.choose(found, "", "fr-FR", "en") == "fr"


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("fr", '[wall]\ntitel = "x"', "wall.titel: English has no such key"),
        ("fr", '[wall]\ntitle = "{table}"', "wall.title: has the values"),
        ("fr", "[wall]\ntitle = 1", "something else than sentences"),
        ("fr", "[wall", "correct it there"),
        ("..", "", "name the file by its language"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(tmp_path: Path, name: str, text: str, problem: str) -> None:
    (tmp_path / f"{name}.toml").write_text(text)
    with pytest.raises(LanguageError, match=problem):
        languages.load(tmp_path)


def test_scripts_of_others_are_as_vendor_toml_names_them() -> None:
    listed = {one["name"]: one["sha256"] for one in vendor.listed()}
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in vendor.FOLDER.glob("*.[jc]s*")}
    assert found == listed
