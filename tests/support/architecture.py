"""The rooms of the house and who may use whom, checked by reading the code."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

MAY_IMPORT: dict[str, set[str]] = {
    "base": set(),
    "settings": {"base"},
    "simulator": {"base"},
    "sql": {"base", "settings"},
    "etl": {"base", "sql", "settings"},
    "rules": {"base", "sql", "settings"},
    "gate": {"base", "sql", "rules", "simulator", "settings"},
    "delivery": {"base", "rules", "settings"},
    "pipeline": {"base", "settings", "etl", "sql", "rules", "gate", "simulator", "delivery"},
    "web": {"base", "settings", "pipeline"},
    "console": {"base", "settings", "pipeline", "simulator", "web"},
    "dags": {"base", "settings", "pipeline"},
}
READS_TEMPLATES = {"rules", "gate"}
OUTSIDE = {"tests", "benchmarks", "demo", "docs", "scripts"}
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
TEMPLATES_PATH = re.compile(r"(?:\S*/)?templates(?:/\S*)?")


def tracked_files(root: Path) -> list[Path]:
    """The files git knows, and new ones it does not ignore, so that a mistake is seen before it is committed."""
    # A checkout mounted into a container belongs to somebody else there; listing its files is harmless.
    git = ["git", "-c", "safe.directory=*", "-C", str(root)]
    command = [*git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    return sorted(path for name in listed.split("\0") if name and (path := root / name).is_file())


def forbidden_imports(root: Path, files: list[Path]) -> list[str]:
    """Imports between rooms that MAY_IMPORT does not list, as "file:line: room imports room"."""
    rooms = set(MAY_IMPORT) | OUTSIDE
    found = []
    for path, room in _rooms(root, files):
        for line, module in imports(path):
            other = module.partition(".")[0]
            if other in rooms and other != room and other not in MAY_IMPORT[room]:
                found.append(f"{path.relative_to(root)}:{line}: {room} imports {other}")
    return found


def forbidden_template_readers(root: Path, files: list[Path]) -> list[str]:
    """Places that name the templates folder in a room that may not read templates."""
    return [
        f"{path.relative_to(root)}:{node.lineno}: {room} names {node.value!r}"
        for path, room in _rooms(root, files)
        if room not in READS_TEMPLATES
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and TEMPLATES_PATH.fullmatch(node.value)
    ]


def unknown_rooms(root: Path, files: list[Path]) -> set[str]:
    """Top-level folders with Python code that MAY_IMPORT says nothing about."""
    folders = {path.relative_to(root).parts[0] for path in files if path.suffix == ".py" and path.parent != root}
    return folders - set(MAY_IMPORT) - OUTSIDE


def long_files(root: Path, files: list[Path]) -> list[str]:
    """Code files above their limit of lines."""
    counted = ((path, len(path.read_text().splitlines())) for path in files if path.suffix in LINE_LIMITS)
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


def _rooms(root: Path, files: list[Path]) -> Iterator[tuple[Path, str]]:
    for path in files:
        room = path.relative_to(root).parts[0]
        if path.suffix == ".py" and room in MAY_IMPORT:
            yield path, room


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every import of a file, wherever in it: its line, and the module that is named."""
    for node in ast.walk(_tree(path)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield node.lineno, module
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                yield node.lineno, module


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))
