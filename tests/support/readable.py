"""Obstacles to reading a page: by eye in any window, by keyboard, with a screen reader."""

from pathlib import Path

from tests.support.axe import axe_problems, axe_script
from tests.support.chromium import Page

# Of normal and of large text (WCAG 2.2, success criterion 1.4.3).
LEAST_CONTRAST = 4.5
# Of what is pressed and stands by itself, CSS pixels (2.5.8); links within sentences are excepted there.
LEAST_TARGET = 24
CONTRASTS = (Path(__file__).parent.parent / "long" / "contrasts.js").read_text(encoding="utf-8")
UNLABELLED = (
    "return [...document.querySelectorAll('input:not([type=hidden]), select')]"
    ".filter(e => !e.labels.length && !e.getAttribute('aria-label')).map(e => e.outerHTML)"
)
SMALL = (
    "return [...document.querySelectorAll('button, select, summary, input:not([type=hidden])')]"
    ".map(e => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])"
    ".filter(([, box]) => box.width && Math.min(box.width, box.height) < arguments[0]).map(([html]) => html)"
)
COVERED = """
const wanted = [...document.querySelectorAll(arguments[0])];
const isSeen = e => {
  const box = e.getBoundingClientRect();
  const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth && at && e.contains(at);
};
return wanted.length ? wanted.filter(e => !isSeen(e)).map(e => e.outerHTML.slice(0, 120)) : ["nothing is there"];
"""
ARE_OPEN = "return [...document.querySelectorAll('details')].map(each => each.open)"
OPEN_AGAIN = "document.querySelectorAll('details').forEach((each, number) => each.open = arguments[0][number])"
OPEN = "document.querySelectorAll('details').forEach(each => each.open = arguments[0])"


def problems(page: Page, width: int) -> list[str]:
    """All that is wrong with the page that is shown, at this width of its window; leaves the page as it was."""
    run = page.chrome.execute_script
    were_open = run(ARE_OPEN)
    found = [f"unlabelled: {each}" for each in run(UNLABELLED)]
    if run("return document.querySelectorAll('h1').length") != 1:
        found.append("it has not exactly one first heading")
    if run("return document.querySelectorAll('thead th:not([scope])').length"):
        found.append("a column's head has no scope")
    if not page.chrome.title.endswith(" - HNTES"):
        found.append(f"its title is {page.chrome.title!r}")
    for is_open in (False, True):  # what is folded, too
        run(OPEN, is_open)
        wide = run("return document.documentElement.scrollWidth")
        if wide > width:
            found.append(f"it is {wide} pixels wide")
        found += [f"contrast {each['ratio']:.2f}: {each['text']}" for each in run(CONTRASTS) if _is_faint(each)]
        found += [f"small to press: {each}" for each in run(SMALL, LEAST_TARGET)]
    found += axe_problems(page) if axe_script() else []
    run(OPEN_AGAIN, were_open)
    return found


def covered(page: Page, selector: str) -> list[str]:
    """What of these elements is not whole on the screen, without scrolling, or has something over it."""
    page.chrome.execute_script("window.scrollTo(0, 0)")
    found: list[str] = page.chrome.execute_script(COVERED, selector)
    return found


def _is_faint(text: dict[str, float]) -> bool:
    return text["ratio"] < LEAST_CONTRAST
