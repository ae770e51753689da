"""The picture of the house shows the imports that the code has."""

import re
from pathlib import Path

import pytest

from scripts import draw_architecture
from tests.support import architecture

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_shows_the_imports_of_the_code() -> None:
    page = draw_architecture.PAGE.read_text(encoding="utf-8")
    drawn = draw_architecture.drawn(page, draw_architecture.picture(ROOT))
    assert page == drawn, "run: python -m scripts.draw_architecture"


def test_every_room_has_a_section() -> None:
    page = draw_architecture.PAGE.read_text(encoding="utf-8")
    headings = re.findall(r"^### ([a-z ]+)", page, re.MULTILINE)
    assert set(architecture.MAY_IMPORT) <= {word for heading in headings for word in heading.split()}


def test_every_sub_room_has_a_line() -> None:
    """Except of `sql` and the two callers, whose sub-folders are explained with them."""
    page = draw_architecture.PAGE.read_text(encoding="utf-8")
    sub_rooms = {
        path.parent.relative_to(ROOT).as_posix()
        for path in architecture.tracked_files(ROOT)
        if path.name == "__init__.py" and len(path.relative_to(ROOT).parts) == 3
    }
    in_rooms = {name for name in sub_rooms if name.partition("/")[0] in {"etl", "rules", "gate", "simulator"}}
    assert {name for name in in_rooms if f"| `{name}/` |" not in page} == set()


def test_an_arrow_leads_downwards_and_a_circle_shares_a_layer() -> None:
    arrows = {"top": {"left", "right"}, "left": {"right", "floor"}, "right": {"left"}, "floor": set[str]()}
    assert draw_architecture.layers(arrows) == {"floor": 0, "left": 1, "right": 1, "top": 2}


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="lacks the markers"):
        draw_architecture.drawn("# A page\n", "text")


def test_a_new_import_changes_the_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, code in {"etl/__init__.py": "", "etl/deep/__init__.py": "", "etl/deep/a.py": "from sql import b"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(code)
    files = sorted(path for path in tmp_path.rglob("*.py"))
    monkeypatch.setattr(architecture, "tracked_files", lambda _: files)
    before = draw_architecture.picture(tmp_path)
    (tmp_path / "etl/deep/a.py").write_text("from settings import b\nfrom etl import c\nfrom etl.other import d")
    after = draw_architecture.picture(tmp_path)
    assert "etl        sql\n" in before
    assert "etl        settings\n" in after
    assert "deep         (own files)\n" in after
