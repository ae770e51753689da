"""The Debian package: built of a wheel, its metadata, and the program run from its tree.

Needs dpkg-deb and the Python of a Debian release; pip takes the pinned packages from the index of the machine.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
ROOT = Path(__file__).resolve().parents[2]
DEBIAN_PYTHON = os.environ.get("DEBIAN_PYTHON", "/usr/bin/python3")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("dpkg-deb") is None or not Path(DEBIAN_PYTHON).exists():
        pytest.skip("needs dpkg-deb and a Debian release's own Python")
    folder = tmp_path_factory.mktemp("deb")
    build = [str(ROOT / "scripts" / "with_rust"), sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    options = ["--no-index", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([*build, *options, str(ROOT)], check=True, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    built = subprocess.run([ROOT / "scripts" / "build_deb", wheel, folder], check=True, capture_output=True, text=True)
    return Path(built.stdout.strip().splitlines()[-1])


@pytest.fixture(scope="module")
def tree(package: Path) -> Path:
    folder = package.parent / "tree"
    subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)
    return folder


def field(package: Path, name: str) -> str:
    done = subprocess.run(["dpkg-deb", "--field", package, name], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_metadata(package: Path) -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    assert field(package, "Version").replace("~", "") == version[1]
    assert re.fullmatch(r"python3 \(>= 3\.\d+\), python3 \(<< 3\.\d+\), adduser, libc6", field(package, "Depends"))
    listed = subprocess.run(["dpkg-deb", "--contents", package], check=True, capture_output=True, text=True).stdout
    owners = {line.split()[1] for line in listed.splitlines()}
    assert owners == {"root/root"}
    assert re.search(r"^-rw------- .* \./etc/hntes/environment$", listed, re.MULTILINE)


def test_a_release_candidate_is_older_than_its_release(package: Path) -> None:
    version = field(package, "Version")
    if "~" in version:
        final = version.partition("~")[0]
        subprocess.run(["dpkg", "--compare-versions", version, "lt", final], check=True)


def test_nothing_names_the_folder_that_it_was_built_in(tree: Path) -> None:
    scripts = [each for each in (tree / "opt" / "hntes" / "bin").iterdir() if each.is_file()]
    heads = {each.read_bytes().split(b"\n")[0] for each in scripts if each.read_bytes().startswith(b"#!")}
    assert heads == {b"#!/opt/hntes/bin/python"}
    assert (tree / "usr" / "bin" / "hntes").readlink() == Path("/opt/hntes/bin/hntes")
    assert "tmp." not in (tree / "opt" / "hntes" / "pyvenv.cfg").read_text()


def test_maintainer_scripts_are_shell(package: Path, tmp_path: Path) -> None:
    subprocess.run(["dpkg-deb", "--control", package, tmp_path], check=True)
    for name in ("postinst", "prerm", "postrm"):
        subprocess.run(["sh", "-n", tmp_path / name], check=True)


def test_the_program_runs_from_the_tree(tree: Path, tmp_path: Path) -> None:
    python = tree / "opt" / "hntes" / "bin" / "python"

    def hntes(*arguments: str) -> str:
        done = subprocess.run(
            [python, "-I", "-m", "hntes", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False,
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "hntes, version" in hntes("--version")
    (tmp_path / "flows").mkdir()
    for path in (ROOT / "demo" / "flows" / "r1").iterdir():
        shutil.copy(path, tmp_path / "flows")
    assert "1 exporter" in hntes("init", "flows")
    # the extras that the package has
    extras = "import apprise, fastapi, ncclient, netmiko, pynetbox, pysnmp, grpc, hntes._native"
    subprocess.run([python, "-I", "-W", "ignore", "-c", extras], check=True)


def test_units_are_those_of_the_repository(tree: Path) -> None:
    for unit in sorted((ROOT / "packaging" / "systemd").iterdir()):
        assert (tree / "usr" / "lib" / "systemd" / "system" / unit.name).read_bytes() == unit.read_bytes()
