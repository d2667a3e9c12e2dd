"""Markup: text from people becomes HTML only here, so that nothing in a name or a note can be markup."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape
from typing import NewType

from sabot_protocol.inputs.plain_text import printable

Markup = NewType("Markup", str)
NOTHING = Markup("")


@lru_cache(4096)  # names, roles and clauses come again and again
def text(value: str) -> Markup:
    """Return text in one line, escaped, with a replacement for each character that cannot be printed."""
    return Markup(escape(printable(" ".join(value.split()))))


def words(name: str) -> Markup:
    """Return a name of code as words: `shoe_discrepancy` as shoe discrepancy."""
    return text(name.replace("_", " "))


def element(name: str, *content: Markup, **attributes: str) -> Markup:
    """Return an element; an attribute `class_` is `class`, an empty one is left out."""
    written = "".join(f' {key.rstrip("_")}="{text(value)}"' for key, value in attributes.items() if value)
    return Markup(f"<{name}{written}>{''.join(content)}</{name}>")


def joined(parts: Iterable[Markup], between: str = ", ") -> Markup:
    """Return the parts that are not empty, with plain text between them."""
    return Markup(escape(between).join(part for part in parts if part))


def stack(*parts: Markup) -> Markup:
    """Return the parts that are not empty, each on a line of its own."""
    return Markup("<br>".join(part for part in parts if part))


def note(*parts: Markup) -> Markup:
    """Return parts in small type, or nothing if all are empty."""
    content = joined(parts)
    return element("small", content) if content else NOTHING


def strong(content: Markup) -> Markup:
    """Return content in bold, or nothing."""
    return element("strong", content) if content else NOTHING


def reference(name: str, value: str) -> Markup:
    """Return an id with what it is an id of, or nothing."""
    return joined([text(name), element("code", text(value))], " ") if value else NOTHING
