"""Rules for every file of the repository, checked by reading it. Imports are checked by import-linter."""

import re
import subprocess
from pathlib import Path

LINE_LIMITS = {".py": 400, ".rs": 400, ".j2": 60}

# Which registry is used is the client's own configuration. The names stand here in parts, to pass themselves.
REGISTRY_HOSTS = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("crates", "io"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("proxy", "golang", "org"),
        ("repo", "maven", "apache", "org"),
        ("repo1", "maven", "org"),
        ("deb", "debian", "org"),
        ("security", "debian", "org"),
        ("archive", "ubuntu", "com"),
        ("apt", "postgresql", "org"),
    )
)
# Folders of one particular machine; a path that merely contains such a name deeper down is none of them.
MACHINE_PATH = re.compile(r"(?<![\w.~$})-])/(?:work|farm)(?![\w.-])")


def tracked_files(root: Path) -> list[Path]:
    """The files git knows, and new ones it does not ignore, so that a mistake is seen before it is committed."""
    # A checkout mounted into a container belongs to somebody else there; listing its files is harmless.
    git = ["git", "-c", "safe.directory=*", "-C", str(root)]
    command = [*git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    return sorted(path for name in listed.split("\0") if name and (path := root / name).is_file())


def long_files(root: Path, files: list[Path]) -> list[str]:
    """Code files above their limit of lines; a migration is data."""
    code = (path for path in files if path.suffix in LINE_LIMITS and not path.match("sql/migrations/versions/*.py"))
    counted = ((path, len(path.read_text().splitlines())) for path in code)
    return [
        f"{path.relative_to(root)}: {lines} lines, at most {LINE_LIMITS[path.suffix]}"
        for path, lines in counted
        if lines > LINE_LIMITS[path.suffix]
    ]


def machine_bound(root: Path, files: list[Path]) -> list[str]:
    """Lines that name a package registry's host or a folder of one particular machine."""
    found = []
    for path in files:
        text = path.read_bytes().decode("latin-1")
        for number, line in enumerate(text.split("\n"), 1):
            named = [host for host in REGISTRY_HOSTS if host in line.lower()]
            named += [match.group() for match in MACHINE_PATH.finditer(line)]
            found += [f"{path.relative_to(root)}:{number}: names {name}" for name in named]
    return found
