"""Candidates are equal where text and model are, whether they were read once or twice; altered files are found."""

import dataclasses
import os
from pathlib import Path

import pytest

from hntes.rules.changeset.candidate import Candidate, CandidateStoreError, verify_files, write_candidate
from hntes.rules.qos.json_form import from_json
from tests.support.qos_models import model


def test_a_candidate_that_is_read_again_is_the_same() -> None:
    first = Candidate(model(), "text")
    again = Candidate(from_json(first.model_json), "".join(["te", "xt"]))
    assert first == again
    assert len({first, again}) == 1


def test_another_text_or_another_model_is_another_candidate() -> None:
    first = Candidate(model(), "text")
    assert first != Candidate(model(), "other text")
    altered = dataclasses.replace(model(), router="another")
    assert first != Candidate(altered, "text")
    assert first != "text"


def test_files_are_verified_by_their_hashes_each_time_they_have_changed(tmp_path: Path) -> None:
    candidate = Candidate(model(), "text")
    path = write_candidate(tmp_path, candidate)
    kept = {each: each.read_bytes() for each in (path, path.with_suffix(".json"))}
    verify_files(tmp_path, candidate.hash, candidate.model_hash)
    for each, content in kept.items():
        before = each.stat()
        each.write_bytes(bytes([content[0] ^ 1]) + content[1:])
        os.utime(each, ns=(before.st_atime_ns, before.st_mtime_ns))  # as large and as old as before
        with pytest.raises(CandidateStoreError, match="was changed since it was rendered"):
            verify_files(tmp_path, candidate.hash, candidate.model_hash)
        each.unlink()
        with pytest.raises(CandidateStoreError, match="cannot be read"):
            verify_files(tmp_path, candidate.hash, candidate.model_hash)
        each.write_bytes(content)
        verify_files(tmp_path, candidate.hash, candidate.model_hash)
