"""shipped EXTRA...: prints the part of requirements.lock that hntes needs with these extras, without build and tests.

Run as .venv/bin/python -m scripts.shipped, where the packages are installed: what they need is asked of them.
"""

import re
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Pin:
    """A package of the lock file: its version, the SHA-256 hashes of its files, and its lines."""

    version: str
    hashes: tuple[str, ...]
    text: str


def main(extras: list[str]) -> None:
    pins = locked()
    print("".join(pins[name].text for name in sorted(needed(requirements(extras), pins))), end="")


def requirements(extras: Iterable[str] = ()) -> list[str]:
    """The requirements of pyproject.toml with these extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    return [*project["dependencies"], *(line for extra in extras for line in optional[extra])]


def needed(lines: Iterable[str], pins: dict[str, Pin]) -> set[str]:
    """The packages of requirements and all that they need on this platform, recursively; all have to be locked."""
    found: set[tuple[str, str]] = set()
    waiting = [(Requirement(line), "") for line in lines]
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        for each in ("", *sorted(requirement.extras)):
            if (name, each) not in found:
                found.add((name, each))
                waiting += [(Requirement(line), each) for line in _needs(name)]
    names = {name for name, _ in found}
    if missing := sorted(names - set(pins)):
        sys.exit(f"not in requirements.lock: {', '.join(missing)}; run: make lock")
    return names


def locked() -> dict[str, Pin]:
    """The pins by package, of those with several markers the one for this Python."""
    text = re.sub(r"(?m)^# .*\n", "", (ROOT / "requirements.lock").read_text(encoding="utf-8"))
    found: dict[str, Pin] = {}
    for entry in re.split(r"(?m)^(?=[a-z0-9])", text):
        if not entry.strip():
            continue
        pin = Requirement(entry.partition("\\")[0])
        if pin.marker is None or pin.marker.evaluate():
            version = next(iter(pin.specifier)).version
            hashes = tuple(re.findall(r"sha256:([0-9a-f]{64})", entry))
            found[canonicalize_name(pin.name)] = Pin(version, hashes, entry)
    return found


def _needs(name: str) -> list[str]:
    try:
        return distribution(name).requires or []
    except PackageNotFoundError:
        sys.exit(f"{name} is not installed in this environment; run: make everything")


if __name__ == "__main__":
    main(sys.argv[1:])
