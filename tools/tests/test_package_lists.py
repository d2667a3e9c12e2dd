"""What a release uses from others: locked by hash, listed with licences, and as an SBOM of CycloneDX."""

import json
import re
import sysconfig
from importlib import resources
from importlib.metadata import PathDistribution, distribution
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource
from sabot_floor.web import vendor
from sabot_tools.package import inventory, licences, lock, sbom

ROOT = Path(__file__).parents[2]
SITE = Path(sysconfig.get_path("purelib"))
PINNED = {
    lock.normal(name): version
    for name, version in re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
}


def locked(extra: str) -> dict[str, lock.Pinned]:
    return lock.parsed(lock.path_of(extra).read_text())


@pytest.mark.parametrize("extra", lock.EXTRAS)
def test_the_lock_has_the_versions_of_constraints(extra: str) -> None:
    found = locked(extra)
    assert found
    assert {name: one.version for name, one in found.items()} == {name: PINNED[name] for name in found}


@pytest.mark.parametrize("extra", [*lock.EXTRAS, lock.BUILD])
def test_every_locked_file_has_a_hash(extra: str) -> None:
    for one in locked(extra).values():
        assert one.hashes
        assert all(re.fullmatch("[0-9a-f]{64}", value) for value in one.hashes)


@pytest.mark.parametrize("extra", lock.EXTRAS)
def test_the_lock_has_all_that_is_needed(extra: str) -> None:
    """Follow what each distribution says that it needs, from Sabot on."""
    every = {lock.normal(name) for name in PINNED}
    wanted = {*inventory.needs(distribution("sabot"), every, extra), *inventory.needs(distribution("sabot"), every)}
    wanted |= {*inventory.needs(distribution("sabot"), every, "gateway")}  # the floor needs the gateway's
    seen: set[str] = set()
    while wanted - seen:
        name = min(wanted - seen)
        seen.add(name)
        wanted |= {*inventory.needs(distribution(name), every)}
    extras_of_others = {"psycopg-binary"}  # psycopg[binary]
    assert seen <= {*locked(extra)}
    assert {*locked(extra)} - seen <= extras_of_others


def test_a_lock_is_read_as_it_is_written() -> None:
    pins = [lock.Pinned("b_c", "2", frozenset({"ef" * 32, "ab" * 32})), lock.Pinned("A", "1", frozenset({"cd" * 32}))]
    assert lock.parsed(lock.text("gateway", pins)) == {"a": pins[1], "b-c": pins[0]}


def test_the_page_of_licences_is_current() -> None:
    assert licences.PAGE.read_text() == licences.current(), "run `make lock`"


def test_every_script_of_the_pages_is_listed_with_its_licence() -> None:
    page = licences.PAGE.read_text()
    for one in vendor.listed():
        assert f"| {one['package']} ({one['name']}) | {one['version']} | " in page


def test_texts_of_licences_come_with_the_package() -> None:
    text = licences.copyright_text(SITE, inventory.all_items(SITE, "gateway"))
    assert text.startswith("Sabot\n\nMIT License\n")
    for line in ("cryptography ", "paho-mqtt ", "Jason Miller", "Permission is hereby granted", "Apache License"):
        assert line in text


def test_a_distribution_without_a_known_licence_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="odd: its metadata names no licence"):
        inventory.licence_of(_distribution(tmp_path, "License: see the web site\n"))
    assert inventory.licence_of(_distribution(tmp_path, "License-Expression: MIT\n")) == "MIT"
    classifier = "Classifier: License :: OSI Approved :: ISC License (ISCL)\n"
    assert inventory.licence_of(_distribution(tmp_path, classifier)) == "ISC"


def _distribution(folder: Path, metadata: str) -> PathDistribution:
    (folder / "METADATA").write_text(f"Metadata-Version: 2.4\nName: odd\nVersion: 1\n{metadata}")
    return PathDistribution(folder)


def document() -> dict[str, Any]:
    items = inventory.all_items(SITE, "floor")
    text = sbom.document("sabot-gateway", "0.1.0", items, ["msgspec", "pyserial"], 1_790_000_000)
    found: dict[str, Any] = json.loads(text)
    return found


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(resources.files("cyclonedx.schema._res").joinpath(name).read_text())
    return found


def test_the_schema_of_cyclonedx_takes_the_sbom() -> None:
    others = ("spdx.SNAPSHOT.schema.json", "jsf-0.82.SNAPSHOT.schema.json")
    known = [(f"http://cyclonedx.org/schema/{name}", schema(name)) for name in others]
    registry: Any = Registry().with_resources([(uri, Resource.from_contents(one)) for uri, one in known])
    checker = jsonschema.Draft7Validator(schema("bom-1.6.SNAPSHOT.schema.json"), registry=registry)
    assert [error.message for error in checker.iter_errors(document())] == []
    broken = {**document(), "serialNumber": "1"}
    assert [*checker.iter_errors(broken)]


def test_the_sbom_has_everything_once_and_every_reference_leads_somewhere() -> None:
    bom = document()
    refs = [one["bom-ref"] for one in bom["components"]]
    assert len(refs) == len({*refs})
    assert {*locked("floor")} <= {one["name"] for one in bom["components"]}
    assert {"pkg:npm/htm@3.1.1#preact/standalone.module.js", "pkg:github/micropython/micropython@v1.25.0"} <= {*refs}
    depended = {ref for one in bom["dependencies"] for ref in one["dependsOn"]}
    assert depended <= {*refs}
    assert [one["ref"] for one in bom["dependencies"]] == [bom["metadata"]["component"]["bom-ref"], *refs]
    (cryptography,) = (one for one in bom["dependencies"] if "cryptography" in one["ref"])
    assert [ref.split("@")[0] for ref in cryptography["dependsOn"]] == ["pkg:pypi/cffi"]


def test_the_same_inventory_gives_the_same_sbom() -> None:
    assert document() == document()
    assert document()["metadata"]["timestamp"] == "2026-09-21T14:13:20Z"
