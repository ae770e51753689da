"""The rooms keep to the arrow, files stay short, and nothing in the repository is bound to one machine."""

from pathlib import Path

import pytest

from tests.support import architecture

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def files() -> list[Path]:
    return architecture.tracked_files(ROOT)


def test_there_is_something_to_look_at(files: list[Path]) -> None:
    assert ROOT / "etl" / "__init__.py" in files


def test_imports_follow_the_arrow(files: list[Path]) -> None:
    assert architecture.forbidden_imports(ROOT, files) == []


def test_only_rules_and_the_gate_read_templates(files: list[Path]) -> None:
    assert architecture.forbidden_template_readers(ROOT, files) == []


def test_every_folder_of_code_has_a_place_in_the_arrow(files: list[Path]) -> None:
    assert architecture.unknown_rooms(ROOT, files) == set()


def test_every_room_says_that_it_is_typed() -> None:
    packages = [ROOT / ("dags/hntes_airflow" if room == "dags" else room) for room in architecture.MAY_IMPORT]
    assert [package.name for package in packages if not (package / "py.typed").is_file()] == []


def test_code_files_are_short(files: list[Path]) -> None:
    assert architecture.long_files(ROOT, files) == []


def test_nothing_is_bound_to_a_registry_or_a_machine(files: list[Path]) -> None:
    assert architecture.machine_bound(ROOT, files) == []


def _written(root: Path, name: str, text: str) -> list[Path]:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return [path]


ALLOWED = [
    ("simulator/a.py", "from base.errors import HntesError"),
    ("gate/a.py", "import rules.pairs, simulator"),
    ("etl/a.py", "from sql.models import Day"),
    ("etl/a.py", "import etl.ingest.times, datetime"),
    ("sql/a.py", "from settings import load"),
    ("console/a.py", "import pipeline.night, simulator, settings"),
    ("dags/a.py", "from pipeline.judge import judge"),
    ("etl/a.py", "from .rules import own"),
    ("etl/a.py", "import rulesets"),
    ("tests/a.py", "import console.cli"),
]
FORBIDDEN = [
    ("console/a.py", "from sql import change_sets"),
    ("dags/a.py", "from sql.entries import ChangeSetEntry"),
    ("base/a.py", "import settings"),
    ("rules/a.py", "import simulator"),
    ("rules/a.py", "import gate.judge"),
    ("etl/a.py", "from rules import pairs"),
    ("etl/a.py", "import simulator.engine"),
    ("rules/a.py", "from etl.lake.parts import Lake"),
    ("rules/deep/a.py", "def late():\n    import etl"),
    ("sql/a.py", "import etl"),
    ("sql/a.py", "from rules.pairs import Pair"),
    ("settings/a.py", "import sql"),
    ("simulator/a.py", "import settings"),
    ("rules/a.py", "import console"),
    ("etl/a.py", "from dags.nightly import dag"),
    ("dags/a.py", "import console"),
    ("console/a.py", "import dags"),
    ("rules/a.py", "from tests.support import postgres"),
    ("etl/a.py", "import importlib\nimportlib.import_module('rules.pairs')"),
    ("etl/a.py", "if TYPE_CHECKING:\n    from rules.pairs import Pair"),
]


@pytest.mark.parametrize(("name", "code"), ALLOWED)
def test_an_allowed_import_passes(tmp_path: Path, name: str, code: str) -> None:
    assert architecture.forbidden_imports(tmp_path, _written(tmp_path, name, code)) == []


@pytest.mark.parametrize(("name", "code"), FORBIDDEN)
def test_a_forbidden_import_is_found(tmp_path: Path, name: str, code: str) -> None:
    found = architecture.forbidden_imports(tmp_path, _written(tmp_path, name, code))
    assert len(found) == 1
    assert found[0].startswith(f"{name}:")


@pytest.mark.parametrize("named", ["templates", "templates/junos", "../templates/junos/filter.j2"])
def test_a_room_that_reads_templates_without_leave_is_found(tmp_path: Path, named: str) -> None:
    code = f'"""Nothing about templates here."""\nfolder = {named!r}\n'
    assert len(architecture.forbidden_template_readers(tmp_path, _written(tmp_path, "etl/a.py", code))) == 1
    assert architecture.forbidden_template_readers(tmp_path, _written(tmp_path, "rules/a.py", code)) == []


def test_an_unknown_folder_of_code_is_found(tmp_path: Path) -> None:
    assert architecture.unknown_rooms(tmp_path, _written(tmp_path, "helpers/a.py", "")) == {"helpers"}


@pytest.mark.parametrize(("name", "limit"), [("etl/a.py", 400), ("simulator/a.rs", 400), ("templates/junos/a.j2", 60)])
def test_a_long_file_is_found(tmp_path: Path, name: str, limit: int) -> None:
    assert architecture.long_files(tmp_path, _written(tmp_path, name, "x\n" * limit)) == []
    assert len(architecture.long_files(tmp_path, _written(tmp_path, name, "x\n" * (limit + 1)))) == 1


@pytest.mark.parametrize("host", architecture.REGISTRY_HOSTS)
def test_a_registry_is_found(tmp_path: Path, host: str) -> None:
    files = _written(tmp_path, "requirements.lock", f"first\n--index-url https://{host.upper()}/simple\n")
    assert architecture.machine_bound(tmp_path, files) == [f"requirements.lock:2: names {host}"]


@pytest.mark.parametrize("text", ["cd {}", "'{}/main'", "{}", "path={}/data", "file://{}/x"])
def test_a_folder_of_one_machine_is_found(tmp_path: Path, text: str) -> None:
    files = _written(tmp_path, "a.md", text.format("/" + "work"))
    assert len(architecture.machine_bound(tmp_path, files)) == 1


@pytest.mark.parametrize("text", ["frame/work", "~/work", "$HOME/work/x", "/workers", "a/work/b", "/work-list"])
def test_other_words_are_left_alone(tmp_path: Path, text: str) -> None:
    assert architecture.machine_bound(tmp_path, _written(tmp_path, "a.md", text)) == []
