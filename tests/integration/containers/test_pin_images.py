"""scripts/pin_images, with a program in docker's place that answers as docker does; nothing is asked of a registry."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DIGESTS = {"postgres": "a" * 64, "debian": "b" * 64}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copy(ROOT / "docker-compose.yml", tmp_path / "docker-compose.yml"))


def _pin(copy: Path, docker: str | None) -> subprocess.CompletedProcess[str]:
    """Runs the script with this program as docker; None leaves none on the path."""
    programs = copy.parent / "bin"
    programs.mkdir(exist_ok=True)
    for name in ("bash", "dirname", "sed", "awk", "mktemp", "cp", "mv", "rm", "chmod"):
        if not (programs / name).exists():
            found = shutil.which(name)
            assert found is not None
            (programs / name).symlink_to(found)
    if docker is not None:
        (programs / "docker").write_text(f"#!/bin/bash\n{docker}\n", encoding="utf-8")
        (programs / "docker").chmod(0o755)
    command = [ROOT / "scripts" / "pin_images", copy]
    return subprocess.run(
        command, env=os.environ | {"PATH": str(programs)}, capture_output=True, text=True, check=False
    )


def _answers(last: str) -> str:
    return f"""case $1 in info) exit 0 ;; esac
case $2 in
  postgres:*) echo "17: Pulling"; echo "Digest: sha256:{DIGESTS["postgres"]}"; exit 0 ;;
  debian:*) {last} ;;
esac
exit 9"""


def _images(file: Path) -> list[str]:
    return [line.split(":-")[1] for line in file.read_text(encoding="utf-8").splitlines() if "_image ${" in line]


def test_every_image_gets_the_digest_that_the_registry_names(copy: Path) -> None:
    before = copy.read_text(encoding="utf-8")
    tags = [image.rstrip("}").partition("@")[0] for image in _images(copy)]
    answering = _answers(f'echo "Digest: sha256:{DIGESTS["debian"]}"; exit 0')
    for _ in range(2):  # the second time over the digests of the first
        done = _pin(copy, answering)
        assert done.returncode == 0, done.stderr
        assert _images(copy) == [f"{tag}@sha256:{DIGESTS[tag.partition(':')[0]]}}}" for tag in tags]
    changed = [new for old, new in zip(before.splitlines(), copy.read_text().splitlines(), strict=True) if old != new]
    assert len(changed) == len(DIGESTS)


@pytest.mark.parametrize(
    ("docker", "said"),
    [
        (None, "there is no docker on this machine"),
        ("exit 1", r"no container engine answers \(docker info\); start it"),
        (_answers("echo 'lookup failed: no such host' >&2; exit 1"), r"no answer for debian:.* \(.*no such host\)"),
        (_answers("echo pulled; exit 0"), "debian:.* names no digest"),
    ],
)
def test_without_an_answer_nothing_is_written_and_a_sentence_says_why(
    copy: Path, docker: str | None, said: str
) -> None:
    before = copy.read_bytes()
    done = _pin(copy, docker)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.endswith("is unchanged.\n")
    assert re.search(said, done.stderr), done.stderr
    assert copy.read_bytes() == before
    assert [path.name for path in copy.parent.iterdir() if path.name.startswith("docker-compose.yml.")] == []
