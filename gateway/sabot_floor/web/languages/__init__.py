"""Languages of the pages: one TOML file each, `section.key = sentence`; English has every key."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

FALLBACK = "en"
_OWN = Path(__file__).parent
_MOST_BYTES, _MOST_FILES = 1 << 18, 50
_NAME = re.compile(r"\A[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}\Z")
_VALUE = re.compile(r"\{(\w+)\}")

Words = dict[str, str]  # by section.key


class LanguageError(ValueError):
    """A language file that cannot be used; the message names the file, the key and the next step."""


def load(further: Path | None = None) -> dict[str, Words]:
    """Return all languages by name; those of the directory are added, and replace our own of the same name."""
    found = {path.stem: _read(path) for path in sorted(_OWN.glob("*.toml"))}
    english = found[FALLBACK]
    for path in _files(further) if further is not None else ():
        if not _NAME.match(path.stem):
            raise LanguageError(f"{path}: name the file by its language, such as fr.toml or pt-BR.toml")
        words = _read(path)
        if odd := differences(english, words):
            raise LanguageError(f"{path}: {odd[0]}; compare it with {_OWN / 'en.toml'}")
        found[path.stem] = words
    return {name: {**english, **words} for name, words in found.items()}


def _files(directory: Path) -> list[Path]:
    try:
        found = sorted(path for path in directory.iterdir() if path.suffix == ".toml")
    except OSError as error:
        raise LanguageError(f"{directory}: {error.strerror}; give a directory with language files") from error
    if len(found) > _MOST_FILES:
        raise LanguageError(f"{directory}: more than {_MOST_FILES} files; give a directory with language files alone")
    return found


def _read(path: Path) -> Words:
    try:
        data = path.read_bytes()
        if len(data) > _MOST_BYTES:
            raise LanguageError(f"{path}: more than {_MOST_BYTES} bytes; this is no language file")
        sections = tomllib.loads(data.decode())
    except OSError as error:
        raise LanguageError(f"{path}: {error.strerror}; make it readable for the service") from error
    except (ValueError, RecursionError) as error:
        raise LanguageError(f"{path}: {error}; correct it there") from error
    words: Words = {}
    for section, sentences in sections.items():
        if not isinstance(sentences, dict) or not all(isinstance(text, str) for text in sentences.values()):
            raise LanguageError(f'{path}: [{section}] has something else than sentences; write key = "sentence"')
        words |= {f"{section}.{key}": text for key, text in sentences.items()}
    return words


def differences(english: Words, words: Words) -> list[str]:
    """Return keys that English does not have, and sentences whose {values} are not the same."""
    unknown = [f"{key}: English has no such key" for key in words if key not in english]
    return unknown + [
        f"{key}: has the values {sorted(_values(words[key]))}, English has {sorted(_values(english[key]))}"
        for key in words
        if key in english and _values(words[key]) != _values(english[key])
    ]


def _values(sentence: str) -> set[str]:
    return set(_VALUE.findall(sentence))


def choose(known: Mapping[str, object], asked: str, accepted: str, usual: str) -> str:
    """Return the language of a page: as asked (`?lang=`), else the best of Accept-Language, else the usual one."""
    wanted = [asked] if asked else []
    return next((found for one in [*wanted, *_ranked(accepted)] if (found := _fitting(known, one))), usual)


def _ranked(accepted: str) -> list[str]:
    """Return the languages of an Accept-Language header, the best first."""
    ranked = []
    for part in accepted[:200].split(","):
        name, _, quality = part.partition(";q=")
        try:
            ranked.append((-float(quality or 1), name.strip()))
        except ValueError:
            continue
    return [name for _, name in sorted(ranked, key=lambda one: one[0])]


# A browser names the script by the country.
_SCRIPTS = {"zh": "zh-Hans", "zh-cn": "zh-Hans", "zh-sg": "zh-Hans", "zh-tw": "zh-Hant", "zh-hk": "zh-Hant"}
_SCRIPTS["zh-mo"] = "zh-Hant"


def _fitting(known: Mapping[str, object], wanted: str) -> str:
    """Return the language file for a name such as en-AU; empty if there is none."""
    by_name = {name.casefold(): name for name in known}
    wanted = wanted.casefold()
    scripted = _SCRIPTS.get(wanted, wanted).casefold()
    parents = [scripted.rsplit("-", cut)[0] for cut in range(scripted.count("-") + 1)]
    return next((by_name[name] for name in parents if name in by_name), "")
