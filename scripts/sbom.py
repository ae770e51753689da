"""sbom FILE: writes the bill of materials of this version (CycloneDX 1.6, JSON): what a wheel needs, and its crates.

Python packages are those that pyproject.toml needs, with the versions and hashes of requirements.lock; what only an
extra needs has the scope "optional". Crates are those of Cargo.lock, which are compiled into the wheel. Equal locks
give equal documents.
"""

import sys
import tomllib
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from scripts.shipped import ROOT, locked, needed, requirements

# What only builds, checks or documents is not shipped.
NOT_SHIPPED = {"dev", "containers"}


def document() -> str:
    """The bill of materials as indented JSON."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    root = Component(
        name="hntes", version=project["version"], type=ComponentType.APPLICATION, bom_ref="hntes",
        purl=PackageURL("pypi", name="hntes", version=project["version"]),
    )  # fmt: skip
    components = [*_packages(set(project["optional-dependencies"]) - NOT_SHIPPED), *_crates()]
    bom = Bom(components=components)
    bom.metadata.component = root
    bom.metadata.timestamp = datetime.fromtimestamp(0, UTC)
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_OID, " ".join(sorted(str(each.purl) for each in components)))
    bom.register_dependency(root, components)
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _packages(extras: set[str]) -> Iterator[Component]:
    pins = locked()
    required = needed(requirements(), pins)
    for name in sorted(required | needed(requirements(sorted(extras)), pins)):
        scope = ComponentScope.REQUIRED if name in required else ComponentScope.OPTIONAL
        yield _component("pypi", name, pins[name].version, scope, pins[name].hashes)


def _crates() -> Iterator[Component]:
    path = ROOT / "Cargo.lock"
    if not path.exists():
        sys.exit("no Cargo.lock: run make setup, which compiles the crates of this version")
    for crate in tomllib.loads(path.read_text(encoding="utf-8"))["package"]:
        if "checksum" in crate:  # the others are the project's own
            yield _component("cargo", crate["name"], crate["version"], ComponentScope.REQUIRED, (crate["checksum"],))


def _component(kind: str, name: str, version: str, scope: ComponentScope, hashes: tuple[str, ...]) -> Component:
    purl = PackageURL(kind, name=name, version=version)
    files = ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION, url=XsUri(str(purl)), comment="any of the files with these hashes",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in hashes],
    )  # fmt: skip
    return Component(
        name=name, version=version, type=ComponentType.LIBRARY, scope=scope, purl=purl, bom_ref=str(purl),
        external_references=[files],
    )  # fmt: skip


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(document(), encoding="utf-8")
