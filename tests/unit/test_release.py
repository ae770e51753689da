"""What a release says of itself: version, changelog, bill of materials."""

import json
import re
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = PROJECT["version"]


def test_the_version_stands_everywhere() -> None:
    assert re.search(rf"^## {re.escape(VERSION)} \(\d{{4}}-\d\d-\d\d\)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    chart = (ROOT / "packaging" / "helm" / "hntes" / "Chart.yaml").read_text()
    assert f"\nappVersion: {VERSION}\n" in chart
    for name in ("docker-compose.yml", "docker-compose.demo.yml"):
        images = re.findall(r"image: hntes(?:-collector)?:(\S+)", (ROOT / name).read_text())
        assert set(images) == {VERSION}, name


@pytest.fixture(scope="module")
def bill() -> dict[str, dict[str, object]]:
    from scripts.sbom import document

    text = document()
    assert text == document(), "equal locks give equal documents"
    return {each["purl"]: each for each in json.loads(text)["components"]}


def test_the_bill_has_what_is_shipped_in_the_versions_of_the_lock(bill: dict[str, dict[str, object]]) -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    names = {re.split(r"[<>=!\[]", line)[0] for line in PROJECT["dependencies"]}
    for name in names:
        versions = re.findall(rf"^{re.escape(name)}(?:\[[^\]]*\])?==([^\s;]+)", lock, re.MULTILINE)
        found = [each for purl, each in bill.items() if purl in {f"pkg:pypi/{name}@{version}" for version in versions}]
        assert len(found) == 1, name
        assert found[0]["scope"] == "required"
    assert any(purl.startswith("pkg:pypi/pyspark@") and bill[purl]["scope"] == "optional" for purl in bill)
    assert not any(re.match(r"pkg:pypi/(pytest|mypy|ruff|hypothesis)@", purl) for purl in bill)


def test_the_bill_has_the_crates(bill: dict[str, dict[str, object]]) -> None:
    if not (ROOT / "Cargo.lock").exists():
        pytest.skip("the crates were not compiled here")
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    crates = {f"pkg:cargo/{each['name']}@{each['version']}" for each in lock["package"] if "checksum" in each}
    assert crates == {unquote(purl) for purl in bill if purl.startswith("pkg:cargo/")}


def test_the_bill_is_valid(bill: dict[str, dict[str, object]]) -> None:
    pytest.importorskip("jsonschema")
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    from scripts.sbom import document

    assert bill
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(document()) is None
