"""axe-core on a page that is shown. Its script is no part of the project: docs/how-to/test.md says how to get it."""

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tests.support.chromium import Page

# Where `npm pack axe-core` was unpacked, if the environment names no file.
CACHED = Path.home() / ".cache" / "hntes" / "axe.min.js"


def axe_script() -> Path | None:
    """axe.min.js: the file that HNTES_AXE names, that in the cache, or that of the package axe_core_python."""
    installed = find_spec("axe_core_python")
    beside = [Path(installed.origin).parent / "axe.min.js"] if installed and installed.origin else []
    named = [Path(os.environ["HNTES_AXE"])] if os.environ.get("HNTES_AXE") else [CACHED, *beside]
    return next((each for each in named if each.is_file()), None)


def axe_problems(page: Page) -> list[str]:
    """Each violation with the element that has it.

    Raises:
        FileNotFoundError: there is no script; ask `axe_script` first.
    """
    page.chrome.execute_script(_text())
    found = page.chrome.execute_async_script("axe.run(document).then(arguments[arguments.length - 1])")
    assert len(found["passes"]) > 15, "it has looked at the page"
    return [f"{each['id']}: {node['html']}" for each in found["violations"] for node in each["nodes"]]


@cache
def _text() -> str:
    path = axe_script()
    if path is None:
        raise FileNotFoundError("axe.min.js")
    return path.read_text(encoding="utf-8")
