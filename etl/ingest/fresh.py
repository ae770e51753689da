"""Which files of a folder are certainly new, by their lengths alone: whoever reads them takes their hashes, too.

A hash is needed before reading only to find out that a file was read already, or is a copy of another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hntes.etl.ingest.content import Content

if TYPE_CHECKING:  # workers and Spark's executors have no database
    from hntes.sql.entries import FileEntry

# In the name of a part whose file has no hash yet: the place of the hash's first digits.
HASH_TO_COME = "{sha256}"
_DIGITS = 16


def certainly_new(sizes: Mapping[str, int], known: Mapping[str, FileEntry]) -> frozenset[str]:
    """The paths that the ledger does not know, of files of a length that no other file has or had.

    Files of different lengths have different contents.
    """
    lengths = Counter(sizes.values()) + Counter(entry.size_bytes for entry in known.values())
    return frozenset(path for path, size in sizes.items() if path not in known and lengths[size] == 1)


def hash_digits(content: Content) -> str:
    """How a part's name begins by the content that it is of."""
    return content.sha256[:_DIGITS] if content.sha256 else HASH_TO_COME


def with_hash(stem: str, content: Content) -> str:
    """The name of a part, now that the hash is known."""
    return stem.replace(HASH_TO_COME, hash_digits(content))
