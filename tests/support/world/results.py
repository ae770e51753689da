"""Results of worlds in a file, a line of JSON each, so that a campaign goes on where an earlier sitting ended.

A result counts only for the sources that it was found with: whatever a world runs is in their version.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]
# What lies at the top is a link in src/hntes, and links are not followed.
_SOURCES = ("src/hntes", "etl", "rules", "sql", "templates", "tests/support", "tests/contract")
_READ = (".py", ".so", ".j2", ".toml", ".sql")


@dataclass(frozen=True)
class Result:
    """What became of a world: faults that took effect and acts, by name; `broken` says which invariant and how, or "".

    `cpu_s`: of the process and its children.
    """

    version: str
    seed: int
    nights: int
    cpu_s: float
    happened: dict[str, int] = field(default_factory=dict)
    acts: dict[str, int] = field(default_factory=dict)
    broken: str = ""


@dataclass(frozen=True)
class Results:
    """The results of worlds of so many nights, of the sources of this version, in a file."""

    path: Path
    nights: int
    version: str

    def known(self) -> dict[int, Result]:
        """By seed. A line that a kill cut off is none."""
        found = (each for each in self._all() if (each.version, each.nights) == (self.version, self.nights))
        return {each.seed: each for each in found}

    def add(self, result: Result) -> None:
        """Appends a result, behind whole lines."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            file.truncate(self.path.read_bytes().rfind(b"\n") + 1)
            file.write(json.dumps(asdict(result), sort_keys=True).encode() + b"\n")

    def _all(self) -> Iterator[Result]:
        if self.path.exists():
            yield from (Result(**json.loads(line)) for line in self.path.read_text().split("\n")[:-1])


def summed(results: list[Result]) -> str:
    """Worlds, CPU, faults and acts of results, and the seeds that are broken."""
    happened, acts, kinds = Counter[str](), Counter[str](), Counter[str]()
    for each in results:
        happened.update(each.happened)
        acts.update(each.acts)
        kinds[each.broken.partition(":")[0]] += bool(each.broken)
    cpu_s = sum(each.cpu_s for each in results)
    lines = [
        f"{len(results)} worlds, {cpu_s:.0f} s of a processor, {cpu_s / max(1, len(results)):.1f} s each",
        f"faults: {_counted(happened)}",
        f"acts: {_counted(acts)}",
        f"broken: {_counted(+kinds) or 'none'}",
        *(f"  seed {each.seed}: {each.broken.splitlines()[0]}" for each in results if each.broken),
    ]
    return "\n".join(lines)


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counter.items()))


@cache
def version_of_sources() -> str:
    """A hash of all files that decide what happens in a world."""
    digest = hashlib.sha256()
    for folder in _SOURCES:
        for path in sorted((_ROOT / folder).rglob("*")):
            if path.suffix in _READ and path.is_file():
                digest.update(f"{path.relative_to(_ROOT)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
