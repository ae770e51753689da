"""The site's navigation has each page once (single decisions apart), and the site fetches nothing."""

import re
import subprocess
from pathlib import Path

from tests.support import documents

ROOT = Path(__file__).resolve().parents[3]
SITE = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
HOOK = (ROOT / "scripts" / "site_pages.py").read_text(encoding="utf-8")
NOT_PAGES = {"docs/decisions/0000-template.md"}


def test_every_page_is_in_the_navigation_once() -> None:
    listed = re.findall(r"^ +- [^:]+: (\S+\.md)$", SITE.partition("\nnav:\n")[2], re.MULTILINE)
    outside = dict(re.findall(r'^    "(\S+)": "(\S+\.md)",$', HOOK, re.MULTILINE))
    pages = {page.path.relative_to(ROOT).as_posix() for page in documents.pages(ROOT)} - NOT_PAGES
    in_docs = {name.removeprefix("docs/") for name in pages if name.startswith("docs/")}
    records = {name for name in in_docs if re.fullmatch(r"decisions/0\d+-.+\.md", name)}
    assert sorted(listed) == sorted(in_docs - records | set(outside.values()))
    assert pages - {f"docs/{name}" for name in in_docs} == outside.keys()


def test_nothing_is_fetched() -> None:
    assert "  font: false\n" in SITE
    assert "://" not in SITE
    for page in documents.pages(ROOT):
        assert [target for target in page.embedded() if "://" in target] == [], page.path


def test_the_lock_of_the_site_has_hashes_and_no_address() -> None:
    pinned = subprocess.run([ROOT / "scripts" / "pins", "docs"], check=True, capture_output=True, text=True)
    lock = re.sub(r"(?m)^#.*\n", "", pinned.stdout)
    pins = re.findall(r"^[a-z0-9-]+==\S+.*\\\n    --hash=sha256:", lock, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^\S", lock, re.MULTILINE))
    assert "mkdocs-material==" in lock
    assert "://" not in lock
