"""Parts of records that were set aside, and the files of the ledger that they belong to."""

from collections.abc import Iterable
from pathlib import Path

from hntes.etl.ingest.part_names import content_key, key_of, part_stem, stem_of
from hntes.etl.lake.store import Stored
from hntes.sql.ledger import ReadContent


def without_file(lying: Iterable[Stored], contents: Iterable[ReadContent]) -> list[Stored]:
    """Those of the parts that belong to none of the contents that were read, from whatever folder."""
    left: dict[str, list[Stored]] = {}
    for part in lying:
        left.setdefault(key_of(part.name), []).append(part)
    for content in contents:
        left.pop(content_key(content.sha256, content.ingest_hash), None)
    return [part for parts in left.values() for part in parts]


def only_of(lying: Iterable[Stored], forgotten: Iterable[ReadContent], contents: Iterable[ReadContent]) -> list[Stored]:
    """Those of the parts that belong to forgotten contents, and to none of the others.

    A part of another folder's name belongs to a content if that has none of its own: its folder was moved.
    """
    gone = {content_key(each.sha256, each.ingest_hash) for each in forgotten}
    mine = [part for part in lying if key_of(part.name) in gone]
    stems = {stem_of(part.name) for part in mine}
    kept, borrowed = set(), set()
    for each in contents:
        if (key := content_key(each.sha256, each.ingest_hash)) in gone:
            stem = part_stem(Path(each.folder), each.sha256, each.ingest_hash)
            (kept.add(stem) if stem in stems else borrowed.add(key))
    return [part for part in mine if stem_of(part.name) not in kept and key_of(part.name) not in borrowed]
