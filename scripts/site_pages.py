"""A hook of mkdocs: takes Markdown and figures from outside docs/ into the site, and makes links between both work.

In the repository a link leads from file to file. On the site it leads from page to page; a link to code, which the
site does not hold, becomes plain text. The pages of commands, settings and the API get what build_docs has written
of the program itself, and the example with every key.
"""

import os
import re
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

OUTSIDE = {
    "README.md": "project/readme.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "src/hntes/simulator/README.md": "project/simulator.md",
    "demo/README.md": "project/demo.md",
}
# What is appended to a page: Markdown that scripts/build_docs has written, or a file that is shown as code.
APPENDED = {
    "reference/commands.md": ("build/commands.md",),
    "reference/api.md": ("build/api.md",),
    "reference/settings.md": ("build/settings.md", "hntes.example.toml"),
}
# Drawn by scripts/build_docs.
FIGURES, SITE_FIGURES = "build/figures", "reference/reproduction/figures"
_FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages from outside docs/, and the figures."""
    root = Path(config.config_file_path).parent
    for source, page in OUTSIDE.items():
        files.append(File.generated(config, page, abs_src_path=str(root / source)))
    for figure in sorted((root / FIGURES).glob("*.svg")):
        files.append(File.generated(config, f"{SITE_FIGURES}/{figure.name}", abs_src_path=str(figure)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page with the site's links in the place of the repository's; fenced code stays as it is."""
    for name in APPENDED.get(page.file.src_uri, ()):
        appended = (Path(config.config_file_path).parent / name).read_text(encoding="utf-8")
        markdown += f"\n{appended}" if name.endswith(".md") else f"\n## `{name}`\n\n```toml\n{appended}```\n"
    parts = _FENCED.split(markdown)
    parts[::2] = [_LINK.sub(lambda match: _link(match, page.file.src_uri, files), part) for part in parts[::2]]
    return "".join(parts)


def _link(match: re.Match[str], page: str, files: Files) -> str:
    text, target, anchor = match[1], match[2], match[3] or ""
    if "://" in target or target.startswith("mailto:"):
        return match[0]
    inside = {site: repository for repository, site in OUTSIDE.items()}
    here = PurePosixPath(inside.get(page, f"docs/{page}")).parent
    named = os.path.normpath(here / target)
    found = OUTSIDE.get(named) or _in_docs(named, files)
    if found is None:
        return text
    return f"[{text}]({os.path.relpath(found, PurePosixPath(page).parent)}{anchor})"


def _in_docs(named: str, files: Files) -> str | None:
    """The site's name of a repository path; a folder is its README. None for what the site does not hold.

    A path inside docs/ that is missing keeps its name, so that mkdocs reports the link.
    """
    if not named.startswith("docs/"):
        return None
    name = named.removeprefix("docs/")
    index = f"{name}/README.md"
    return index if files.get_file_from_path(index) else name
