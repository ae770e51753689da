"""Records may lie in files later than those that are read for a day."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from hntes.workflow.stages.day_flows import late_note, rotation_s


def context(max_record_delay_s: int) -> Any:
    return cast(
        Any,
        SimpleNamespace(
            settings=SimpleNamespace(ingest=SimpleNamespace(max_record_delay_s=max_record_delay_s, rotation_s=300))
        ),
    )


def router(own_rotation_s: int | None) -> Any:
    return cast(Any, SimpleNamespace(rotation_s=own_rotation_s))


@pytest.mark.parametrize(
    ("longest_s", "max_record_delay_s", "is_told"), [(1800, 2100, False), (1801, 2100, True), (1800, 900, True)]
)
def test_a_record_that_lasts_longer_than_files_are_read_is_told(
    longest_s: int, max_record_delay_s: int, is_told: bool
) -> None:
    note = late_note(context(max_record_delay_s), router(None), longest_s * 1000)
    assert bool(note) == is_told
    assert (f"raise max_record_delay_s to {longest_s + 300}" in note) == is_told


def test_a_routers_own_rotation_comes_first() -> None:
    assert [rotation_s(context(900), router(own)) for own in (None, 60)] == [300, 60]
    assert late_note(context(900), router(60), 840_000) == ""


def test_a_day_without_alpha_flows_needs_no_longer_delay() -> None:
    assert late_note(context(0), router(86_400), 0) == ""
