"""Candidates on disk, by the hash of their text: the configuration and the model it was rendered from."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from base.errors import HntesError
from base.files import sweep_leftovers, write_changed_text
from rules.pairs import PrefixPair
from rules.qos.json_form import from_json, model_hash, to_json
from rules.qos.model import RouterModel


@dataclass(frozen=True)
class Candidate:
    """One rendered configuration. `hash` is the SHA-256 of its text: what an approval is bound to."""

    model: RouterModel
    text: str

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def pairs(self) -> frozenset[PrefixPair]:
        """The prefix pairs that have a term."""
        return frozenset(term.pair for each in self.model.filters for term in each.terms)


class CandidateStoreError(HntesError):
    """A candidate that the database names is missing or is not what its name says."""


def write_candidate(folder: Path, candidate: Candidate) -> Path:
    """Writes a candidate and its model below `folder`/candidates, whole or not at all; returns the text's path."""
    path = _path(folder, candidate.hash)
    sweep_leftovers(path.parent)
    write_changed_text(path.with_suffix(".json"), to_json(candidate.model))
    write_changed_text(path, candidate.text)
    return path


def read_candidate(folder: Path, candidate_hash: str) -> Candidate:
    """The candidate of that hash.

    Raises:
        CandidateStoreError: it is missing, or its text or its model was changed.
    """
    path = _path(folder, candidate_hash)
    try:
        text = path.read_text(encoding="utf-8")
        model = from_json(path.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as cause:
        raise CandidateStoreError(f"{path}: candidate cannot be read ({cause}); restore it from a backup") from cause
    candidate = Candidate(model, text)
    if candidate.hash != candidate_hash:
        raise CandidateStoreError(f"{path}: the text was changed since it was rendered (its hash is {candidate.hash})")
    # The text, whose hash the database holds, names the model that it was rendered from.
    if f" model: {model_hash(model)}\n" not in text:
        raise CandidateStoreError(
            f"{path.with_suffix('.json')}: is not the model that the text was rendered from; restore it from a backup"
        )
    return candidate


def _path(folder: Path, candidate_hash: str) -> Path:
    return folder / "candidates" / f"{candidate_hash}.conf"
