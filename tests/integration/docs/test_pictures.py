"""The pictures of the review page: each view has one, and each is shown with words for those who do not see it."""

import re

from tests.support.installation import ROOT
from tests.support.looks import IMAGES, PICTURES, SHOWN
from tests.support.page_addresses import VIEWS

PAGES = {
    path: path.read_text(encoding="utf-8") for path in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
}  # fmt: skip
SHOWING = re.compile(r"!\[([^\]]*)\]\(\S*images/web/([\w-]+\.png)\)")


def test_each_view_has_a_picture_in_light_colours_on_a_desk() -> None:
    page = PAGES[ROOT / "docs" / "reference" / "review-page.md"]
    assert SHOWN.keys() == VIEWS.keys()
    for route, name in SHOWN.items():
        assert f"images/web/{name}-1280-light.png" in page, route
        assert name in PICTURES[1280, "light"], route


def test_all_that_are_taken_are_shown_and_no_others_are_kept() -> None:
    shown = {picture: words for text in PAGES.values() for words, picture in SHOWING.findall(text)}
    taken = {f"{name}-{width}-{scheme}.png" for (width, scheme), names in PICTURES.items() for name in names}
    assert shown.keys() == taken == {path.name for path in IMAGES.glob("*.png")}
    assert all(shown.values())


def test_they_are_light() -> None:
    """A clone has each version of each of them."""
    sizes = [path.stat().st_size for path in IMAGES.glob("*.png")]
    assert max(sizes) < 150_000
    assert sum(sizes) < 3_000_000
