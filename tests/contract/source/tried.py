"""A source under test, and what is known of its sample files."""

from dataclasses import dataclass, field
from pathlib import Path

from hntes.etl.sources.source import FlowSource


@dataclass(frozen=True)
class Sample:
    """A file, and what it holds: records, bytes as stored, first and last moment, 1 packet in so many by exporter.

    `factors` is None where it is not known by other means.
    """

    path: Path
    records: int
    bytes: int
    first_ms: int | None = None
    last_ms: int | None = None
    factors: dict[str, int | None] | None = None


@dataclass(frozen=True)
class Tried:
    """A source under test. foreign: what has its files' names and is none of them; damaged: what identifies as one."""

    source: FlowSource
    samples: list[Sample]
    foreign: list[Path]
    damaged: list[Path]
    good_name: str
    unusable_name: str
    unfinished: list[str] = field(default_factory=list)
