"""SBOM: the inventory of a package as CycloneDX 1.6, JSON; the same inventory gives the same bytes."""

import json
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from sabot_tools.package.inventory import OURS, Item

_SCHEMA = "http://cyclonedx.org/schema/bom-1.6.schema.json"
_NAMESPACE = uuid.UUID("5ab07000-0000-4000-8000-000000000000")


def document(package: str, version: str, items: list[Item], direct: Iterable[str], epoch_s: int) -> str:
    """Return the SBOM of a package; `direct` are the names of what Sabot itself needs."""
    main = f"pkg:deb/{OURS}/{package}@{version}"
    by_name = {item.name: item.purl for item in items}
    needed = [by_name[name] for name in direct] + [item.purl for item in items if "npm" in item.purl]
    seed = json.dumps([main, *items])
    bom = {
        "$schema": _SCHEMA,
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(_NAMESPACE, seed)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": main,
                "name": package,
                "version": version,
                "purl": main,
                "licenses": _licences("MIT"),
            },
        },
        "components": [_component(item) for item in items],
        "dependencies": [
            {"ref": main, "dependsOn": sorted(needed)},
            *({"ref": item.purl, "dependsOn": [by_name[name] for name in item.needs]} for item in items),
        ],
    }
    return json.dumps(bom, indent=1) + "\n"


def _component(item: Item) -> dict[str, Any]:
    about: dict[str, Any] = {"type": item.kind, "bom-ref": item.purl, "name": item.name, "version": item.version}
    about["scope"] = "required" if item.included else "excluded"
    if item.sha256:
        about["hashes"] = [{"alg": "SHA-256", "content": item.sha256}]
    return {**about, "licenses": _licences(item.licence), "purl": item.purl}


def _licences(expression: str) -> list[dict[str, Any]]:
    """Return one licence by its id, and several as an expression."""
    return [{"expression": expression}] if " " in expression else [{"license": {"id": expression}}]
