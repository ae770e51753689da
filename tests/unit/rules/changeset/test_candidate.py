"""Candidates are equal where text and model are, whether they were read once or twice."""

import dataclasses

from hntes.rules.changeset.candidate import Candidate
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
