"""Packages import downwards only, files stay short, and nothing in the repository is bound to one machine."""

import subprocess
import sys
from pathlib import Path

import pytest

from hntes.platforms.registry import installed_platforms
from tests.support import architecture
from tests.support.platform_names import foreign_names

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def files() -> list[Path]:
    return architecture.tracked_files(ROOT)


def test_packages_import_downwards_only() -> None:
    # in a process of its own: it configures logging, which would silence the loggers of other tests
    command = [Path(sys.executable).parent / "lint-imports", "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_package_is_typed() -> None:
    assert (ROOT / "src" / "hntes" / "py.typed").is_file()


def test_code_files_are_short(files: list[Path]) -> None:
    assert architecture.long_files(ROOT, files) == []


def test_nothing_is_bound_to_a_registry_or_a_machine(files: list[Path]) -> None:
    assert architecture.machine_bound(ROOT, files) == []


def test_a_platform_is_named_in_its_own_package_alone(files: list[Path]) -> None:
    assert foreign_names(ROOT, files, installed_platforms()) == []


@pytest.mark.parametrize(
    "code",
    [
        'if router.platform == "junos":\n    pass\n',
        'raise ValueError("a Junos router")\n',
        "from hntes.platforms.iosxr.render import FORWARD_CLASS\n",
        "import hntes.platforms.junos\n",
        "def is_iosxe(name: str) -> bool: ...\n",
        "given = redirect.junos_keys\n",
        'print(f"an IOS-XE {name}")\n',
    ],
)
@pytest.mark.parametrize("name", ["rules/a.py", "src/hntes/platforms/cisco/a.py", "src/hntes/platforms/a.py"])
def test_code_that_names_a_platform_is_found(tmp_path: Path, name: str, code: str) -> None:
    assert foreign_names(tmp_path, _written(tmp_path, name, code), installed_platforms()) != []


def test_a_platforms_own_package_and_docstrings_may_name_it(tmp_path: Path) -> None:
    docstring = '"""As on Junos."""\n\n\ndef a() -> None:\n    """Of Junos."""  # junos\n'
    assert foreign_names(tmp_path, _written(tmp_path, "rules/a.py", docstring), installed_platforms()) == []
    below_a_field = 'class A:\n    b: int = 1\n    """Junos: the number of b"""\n'
    assert foreign_names(tmp_path, _written(tmp_path, "rules/a.py", below_a_field), installed_platforms()) == []
    own = _written(tmp_path, "src/hntes/platforms/junos/a.py", 'NAME = "junos"\n')
    assert foreign_names(tmp_path, own, installed_platforms()) == []


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
