"""Looks at the views of the review page on the way through them, in four windows; keeps the documents' pictures."""

from tests.support.chromium import Page
from tests.support.installation import ROOT
from tests.support.readable import problems

IMAGES = ROOT / "docs" / "images" / "web"
WINDOWS = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]
# The pictures of docs/reference/review-page.md, taken with --golden-update.
PICTURES = {
    (1280, "light"): {
        # of the demonstration's nights
        "waiting", "morning", "change", "approved",
        # of forty routers
        "overview", "nothing-to-do", "large", "first", "failed", "sites", "together", "large-texts", "list", "traffic",
        "by-router", "explore-sites", "explore-as", "one-pair", "pin-preview", "exclude-preview", "rounds", "events",
        "started", "variants",
        # of reservations
        "calendar", "scheduled", "scheduled-approved",
    },
    (1280, "dark"): {"overview", "large", "traffic", "variants"},
    (390, "light"): {"pairs", "pin", "no-change", "nothing-to-do", "list"},
    (390, "dark"): {"overview", "first", "change", "login", "router", "refused", "explore-pairs", "calendar",
                    "scheduled-approved"},
}  # fmt: skip
# Of each route of pages (tests/support/page_addresses.py) the picture in light colours on a desk.
SHOWN = {
    "/": "overview",
    "/routers": "list",
    "/change/{name}/{day}": "large",
    "/change/{name}/{day}/difference": "large-texts",
    "/pair": "one-pair",
    "/router/{name}": "traffic",
    "/explore": "by-router",
    "/backtests": "started",
    "/backtests/{name}": "variants",
    "/deliveries": "rounds",
    "/reservations": "calendar",
    "/log": "events",
    "/exclude": "exclude-preview",
    "/pin": "pin-preview",
}


class Looks:
    """Looks at each view on its way: it can be read, and its picture is kept where the documents show it."""

    def __init__(self, page: Page, width: int, scheme: str, *, keeps: bool) -> None:
        page.show(width, scheme)
        self.page, self.width, self.scheme, self.keeps = page, width, scheme, keeps

    def __call__(self, view: str, *, unfolded: str = "") -> None:
        """Looks at the page as the view of this name; `unfolded` is open in the picture."""
        found = problems(self.page, self.width)
        assert found == [], f"{view}: {found}"
        if unfolded:
            self.page.unfold(unfolded)
        if self.keeps and view in PICTURES[self.width, self.scheme]:
            self.page.picture(IMAGES / f"{view}-{self.width}-{self.scheme}.png", self.width)
