"""Candidates on disk, by the hash of their text: the configuration and the model it was rendered from."""

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from hntes.errors import HntesError
from hntes.files import sweep_leftovers, write_changed_text
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.json_form import from_json, text_hash, to_json
from hntes.rules.qos.model import RouterModel

# Candidates that a process keeps: those of 40 routers, each with what is approved. With fewer places than are asked for
# in turn, none would ever be found. One of 2,000 pairs takes some megabytes.
PARSED = 96


@dataclass(frozen=True, eq=False)
class Candidate:
    """One rendered configuration. `hash` is the SHA-256 of its text, to which an approval is bound."""

    model: RouterModel
    text: str

    def __eq__(self, other: object) -> bool:
        # caches ask on every request; field by field over thousands of terms takes as long as a page may
        if self is other or not isinstance(other, Candidate):
            return self is other
        return self.text == other.text and self.model_json == other.model_json

    def __hash__(self) -> int:
        return hash(self.text)  # not over thousands of terms

    @cached_property
    def hash(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def model_json(self) -> str:
        """The model as it is stored."""
        return to_json(self.model)

    @cached_property
    def model_hash(self) -> str:
        """The hash of the model in the text."""
        return text_hash(self.model_json)

    @cached_property
    def pairs(self) -> frozenset[PrefixPair]:
        """The prefix pairs that have a term."""
        return frozenset(term.pair for each in self.model.filters for term in each.terms)


class CandidateStoreError(HntesError):
    """A candidate in the database is missing or does not match its hash."""


def write_candidate(folder: Path, candidate: Candidate) -> Path:
    """Writes a candidate and its model atomically below `folder`/candidates; returns the text's path."""
    path = _path(folder, candidate.hash)
    sweep_leftovers(path.parent)
    write_changed_text(path.with_suffix(".json"), candidate.model_json)
    write_changed_text(path, candidate.text)
    return path


def read_candidate(folder: Path, candidate_hash: str) -> Candidate:
    """The candidate of that hash.

    Raises:
        CandidateStoreError: it is missing, or its text or its model was changed.
    """
    path = _path(folder, candidate_hash)
    try:
        candidate = _parsed(_Files(candidate_hash, path.read_bytes(), path.with_suffix(".json").read_bytes()))
    except (OSError, ValueError) as cause:
        raise CandidateStoreError(f"{path}: candidate cannot be read ({cause}); restore it from a backup") from cause
    if candidate.hash != candidate_hash:
        raise CandidateStoreError(f"{path}: the text was changed since it was rendered (its hash is {candidate.hash})")
    # The text, whose hash is in the database, contains the hash of its model.
    if f" model: {candidate.model_hash}\n" not in candidate.text:
        raise CandidateStoreError(
            f"{path.with_suffix('.json')}: is not the model of the configuration; restore it from a backup"
        )
    return candidate


def verify_files(folder: Path, candidate_hash: str, model_hash: str) -> None:
    """Verifies the files of a candidate by their hashes, without reading its model: enough to list it.

    Raises:
        CandidateStoreError: a file is missing, or is not what was rendered.
    """
    path = _path(folder, candidate_hash)
    model = path.with_suffix(".json")
    for each, wanted in ((path, candidate_hash), (model, model_hash)):
        try:
            now = each.stat()
            found = _hash_of(each, (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns))
        except OSError as cause:
            problem = f"{each}: candidate cannot be read ({cause}); restore it from a backup"
            raise CandidateStoreError(problem) from cause
        if found != wanted:
            raise CandidateStoreError(f"{each}: was changed since it was rendered (its hash is {found})")


@lru_cache(maxsize=2 * PARSED)
def _hash_of(path: Path, _state: tuple[int, ...]) -> str:
    """SHA-256 of a file in this state (inode, size, times of change): it is read again once the state differs."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass(frozen=True)
class _Files:
    """The content of a candidate's files. Its hash is that of the name; equality compares every byte."""

    name: str
    text: bytes
    model_json: bytes

    def __hash__(self) -> int:
        return hash(self.name)


@lru_cache(maxsize=PARSED)
def _parsed(files: _Files) -> Candidate:
    """Cached by content, not only by name: unchanged files are not parsed again."""
    stored = files.model_json.decode("utf-8")
    candidate = Candidate(from_json(stored), files.text.decode("utf-8"))
    # the hash in the text is that of these bytes; a model that would be written otherwise does not render to the text
    vars(candidate)["model_json"] = stored
    return candidate


def _path(folder: Path, candidate_hash: str) -> Path:
    return folder / "candidates" / f"{candidate_hash}.conf"
