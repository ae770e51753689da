"""What of a candidate is computed again for a page, and for a decision."""

from datetime import date

import pytest

from hntes.platforms.render import render
from hntes.platforms.section import GENERATOR
from hntes.rules.qos.model import RouterModel
from hntes.workflow import judgement
from hntes.workflow.change_lookup import change_of
from hntes.workflow.context import opened
from hntes.workflow.judgement import Depth, blocking_reasons_now
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT


@pytest.mark.parametrize(
    ("depth", "generator", "times"),
    [
        ("page", GENERATOR, 0),
        ("page", "hntes-render 0", 1),  # an update may render otherwise, and says so by its number
        ("decision", GENERATOR, 1),
    ],
)
def test_a_page_renders_only_what_another_renderer_wrote(
    read_only: Installation, monkeypatch: pytest.MonkeyPatch, depth: Depth, generator: str, times: int
) -> None:
    rendered = []

    def counted(model: RouterModel) -> str:
        rendered.append(model)
        return render(model)

    monkeypatch.setattr(judgement, "render", counted)
    monkeypatch.setattr(judgement, "GENERATOR", generator)
    judgement._renders.cache_clear()
    with opened(read_only.settings) as context:
        change = change_of(context, "r1", date.fromisoformat(NIGHT))
        assert change is not None
        assert blocking_reasons_now(context, change, depth=depth) == []
    assert len(rendered) == times


def test_what_does_not_render_to_its_text_is_refused_by_a_decision(
    read_only: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judgement, "render", lambda _: "another text\n")
    judgement._renders.cache_clear()
    with opened(read_only.settings) as context:
        change = change_of(context, "r1", date.fromisoformat(NIGHT))
        assert change is not None
        (reason,) = blocking_reasons_now(context, change)
    judgement._renders.cache_clear()
    assert "does not render to its text" in reason
