"""Links between pages lead somewhere, and the paths that pages name exist."""

from pathlib import Path

import pytest

from hntes.papers.reproduction.site_figures import missing_figures
from scripts import draw_bursts
from scripts.draw_controls import FIGURE
from tests.support import documents

ROOT = Path(__file__).resolve().parents[3]
REPORT = ROOT / "docs" / "reference" / "reproduction" / "report.md"
# Pages that show a reader where things are. Others may name a path that is made when HNTES runs.
GUIDES = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/concepts/architecture.md",
    "docs/concepts/glossary.md",
    "docs/concepts/pipeline.md",
    *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))),
]


def test_every_link_leads_somewhere() -> None:
    drawn = {f"figures/{stem}.svg" for stem in missing_figures(REPORT)}  # by scripts/build_docs
    drawn.add(f"reproduction/figures/{draw_bursts.STEM}.svg")
    drawn.add(f"../reference/reproduction/figures/{FIGURE}.svg")
    broken = documents.broken_links(ROOT, documents.pages(ROOT))
    assert [one for one in broken if one.rpartition(" ")[2] not in drawn] == []


@pytest.mark.parametrize("name", GUIDES)
def test_the_paths_that_a_guide_names_exist(name: str) -> None:
    assert documents.missing_paths(ROOT, documents.read(ROOT / name)) == []


def test_the_modules_that_a_page_runs_exist() -> None:
    """The changelog apart, which also names what is gone."""
    pages = [page for page in documents.pages(ROOT) if page.path.name != "CHANGELOG.md"]
    assert [missing for page in pages for missing in documents.missing_modules(ROOT, page)] == []


def test_a_module_that_does_not_exist_is_found(tmp_path: Path) -> None:
    for name in ("a/b.py", "a/c/__main__.py"):
        _page(tmp_path, name, "")
    page = _page(tmp_path, "d.md", "    python -m a.b\n`python -m a.c`, `python -m a.d`, `python -m mypy`")
    assert documents.missing_modules(tmp_path, page) == ["d.md: a.d"]


def _page(root: Path, name: str, text: str) -> documents.Page:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    return documents.read(root / name)


@pytest.mark.parametrize("target", ["b.md", "../a.md#two-words", "#here", "https://example.net/x", "."])
def test_a_good_link_passes(tmp_path: Path, target: str) -> None:
    found = [
        _page(tmp_path, "a.md", "# Two `words`\n"),
        _page(tmp_path, "d/b.md", "x"),
        _page(tmp_path, "d/c.md", f"## Here\n[go]({target})"),
    ]
    assert documents.broken_links(tmp_path, found) == []


@pytest.mark.parametrize("target", ["gone.md", "../a.md#three-words", "#there", "a.md"])
def test_a_broken_link_is_found(tmp_path: Path, target: str) -> None:
    found = [
        _page(tmp_path, "a.md", "# Two words\n"),
        _page(tmp_path, "d/c.md", f"## Here\n```\n[code](no.md)\n```\n![go]({target})"),
    ]
    assert documents.broken_links(tmp_path, found) == [f"d/c.md:5: {target}"]


def test_a_path_that_does_not_exist_is_found() -> None:
    text = "`etl/schema.py`, `etl/gone.py`, `output/ROUTER/approved`, `etl/*.py`, `a/b`, `gate/`, `pytest tests/gone`"
    page = documents.Page(ROOT / "README.md", text)
    assert documents.missing_paths(ROOT, page) == ["README.md:1: etl/gone.py", "README.md:1: tests/gone"]
