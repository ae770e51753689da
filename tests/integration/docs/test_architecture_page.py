"""The picture of the packages shows the imports that the code has."""

import grimp
import pytest

from scripts import draw_architecture


def test_the_page_shows_the_imports_of_the_code() -> None:
    page = draw_architecture.PAGE.read_text(encoding="utf-8")
    drawn = draw_architecture.drawn(page, draw_architecture.picture())
    assert page == drawn, "run: python -m scripts.draw_architecture"


def test_there_are_few_packages_and_no_circle() -> None:
    arrows = draw_architecture.arrows(grimp.build_graph("hntes"), "hntes")
    assert len(arrows.keys() - {draw_architecture.MODULES}) <= 11
    heights = draw_architecture.layers(arrows)
    assert all(heights[node] > heights[other] for node, others in arrows.items() for other in others)


def test_an_arrow_leads_downwards_and_a_circle_shares_a_layer() -> None:
    arrows = {"top": {"left", "right"}, "left": {"right", "floor"}, "right": {"left"}, "floor": set[str]()}
    assert draw_architecture.layers(arrows) == {"floor": 0, "left": 1, "right": 1, "top": 2}


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="lacks the markers"):
        draw_architecture.drawn("# A page\n", "text")


def test_a_new_import_changes_the_picture() -> None:
    graph = grimp.build_graph("hntes")
    assert "etl" not in draw_architecture.arrows(graph, "hntes")["simulator"]
    graph.add_import(importer="hntes.simulator.engine", imported="hntes.etl.errors")
    assert "etl" in draw_architecture.arrows(graph, "hntes")["simulator"]
