"""Licences: what is used from others, as a page for people and as the copyright file of a package.

`python -m sabot_tools.package.licences` writes gateway/package/THIRD_PARTY.md; `make lock` does that.
"""

import sysconfig
from collections.abc import Iterator, Sequence
from importlib.metadata import distributions
from pathlib import Path

from sabot_floor.web import vendor

from sabot_tools.package import inventory, lock
from sabot_tools.package.inventory import Item
from sabot_tools.package.lock import ROOT, normal

PAGE = lock.FOLDER / "THIRD_PARTY.md"
_HEAD = """# What Sabot uses from others

Written by `make lock`. The packages carry the same list as an SBOM, and the text of each licence.

| name | version | licence | used by |
|---|---|---|---|
"""
_NOTICES = ("LICEN", "COPYING", "NOTICE", "AUTHORS", "EDL", "EPL")


def page(items: list[tuple[Item, str]]) -> str:
    """Return the list, with who uses each."""
    rows = (f"| {one.name} | {one.version} | {one.licence} | {used_by} |\n" for one, used_by in items)
    return _HEAD + "".join(rows)


def current() -> str:
    """Return the page of this checkout, from the environment it runs in."""
    here = Path(sysconfig.get_path("purelib"))
    gateway = {item.name for item in inventory.of_distributions(here, "gateway")}
    rows = [(item, _users(item, gateway)) for item in inventory.of_distributions(here, "floor")]
    rows += [(item, "pages in the browser") for item in inventory.of_pages()]
    rows += [(item, "shoe, below the firmware") for item in inventory.of_shoes()]
    return page(rows)


def _users(item: Item, gateway: set[str]) -> str:
    return "gateway, floor" if item.name in gateway else "floor"


def copyright_text(site_packages: Path, items: list[Item]) -> str:
    """Return our licence, and the texts that everything in the package came with."""
    texts = [f"Sabot\n\n{(ROOT / 'LICENSE').read_text()}"]
    names = {item.name: item for item in items}
    for one in sorted(distributions(path=[str(site_packages)]), key=lambda one: one.metadata["Name"].lower()):
        item = names.get(normal(one.metadata["Name"]))
        if item is not None:
            notices = "".join(_notices(Path(str(one.locate_file(""))), one.files or []))
            texts.append(f"{item.name} {item.version}: {item.licence}\n\n{notices}")
    for path in sorted(vendor.FOLDER.glob("LICENSE-*.txt")):
        texts.append(f"{path.stem.removeprefix('LICENSE-')}, in the pages\n\n{path.read_text()}")
    return f"\n{'-' * 72}\n".join(texts)


def _notices(base: Path, files: Sequence[object]) -> Iterator[str]:
    for name in sorted(map(str, files)):
        if ".dist-info/" in name and Path(name).name.upper().startswith(_NOTICES):
            yield (base / name).read_text(errors="replace")


def main() -> None:
    """Write the page."""
    PAGE.write_text(current())
    print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
