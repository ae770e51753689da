"""The results of a mapped group, however many of its tasks ended well."""

import pytest

from hntes.airflow.results import Results, results

R1, R2 = {"router": "r1"}, {"router": "r2"}


@pytest.mark.parametrize(
    ("given", "expected"), [(None, []), ([], []), (R1, [R1]), ([R1], [R1]), (iter([R1, R2]), [R1, R2])]
)
def test_one_result_counts_as_a_group_of_one(given: Results, expected: list[dict[str, str]]) -> None:
    assert results(given) == expected
