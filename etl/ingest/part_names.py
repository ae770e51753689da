"""Names of a flow file's parts: by folder, content, and the settings by which it was read.

The ledger has the names of the parts of flows. Those of records that were set aside follow from its entries but for the
folder: one that was moved keeps its parts, and their names begin with the tag of the former.
"""

from pathlib import Path

from hntes.etl.lake.part import folder_tag

# Digits of the hashes, in hex.
_CONTENT_DIGITS, _SETTINGS_DIGITS = 16, 8


def part_stem(folder: Path, sha256: str, ingest_hash: str) -> str:
    """The name of a file's parts without its ending."""
    return f"{folder_tag(folder)}-{content_key(sha256, ingest_hash)}"


def content_key(sha256: str, ingest_hash: str) -> str:
    """What the names of a file's parts have in common, whatever the folder is called."""
    return f"{sha256[:_CONTENT_DIGITS]}-{ingest_hash[:_SETTINGS_DIGITS]}"


def key_of(name: str) -> str:
    """The content key in the name of a part; of an unfinished one, or of another file, something that is none."""
    return stem_of(name).partition("-")[2]


def stem_of(name: str) -> str:
    """The name of a part without folder and ending."""
    return name.rpartition("/")[2].removesuffix(".parquet")
