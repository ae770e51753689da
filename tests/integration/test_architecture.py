"""Packages import downwards only, files stay short, and nothing in the repository is bound to one machine."""

from pathlib import Path

import pytest
from importlinter.cli import lint_imports

from tests.support import architecture

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def files() -> list[Path]:
    return architecture.tracked_files(ROOT)


def test_packages_import_downwards_only() -> None:
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0, "see the captured output"


def test_the_package_is_typed() -> None:
    assert (ROOT / "src" / "hntes" / "py.typed").is_file()


def test_code_files_are_short(files: list[Path]) -> None:
    assert architecture.long_files(ROOT, files) == []


def test_nothing_is_bound_to_a_registry_or_a_machine(files: list[Path]) -> None:
    assert architecture.machine_bound(ROOT, files) == []


def _written(root: Path, name: str, text: str) -> list[Path]:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return [path]


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
