"""The queries of the analytics engines: one text per file, in DuckDB's dialect, on integers only.

Steps and expressions that several queries share are files of `staging`; a query names one in braces, like a parameter.
"""

from pathlib import Path
from string import Formatter

_FOLDER = Path(__file__).parent
_STAGING = _FOLDER / "staging"


def query_text(name: str, **parameters: int) -> str:
    """The text of `name`.sql with its staging and parameters put in: integers only, so nothing can be injected.

    Raises:
        TypeError: a parameter is not an integer.
        KeyError: the query needs a parameter that was not given.
    """
    for key, value in parameters.items():
        if type(value) is not int:
            raise TypeError(f"query {name}: parameter {key} must be an integer, not {value!r}")
    return _filled(_FOLDER / f"{name}.sql", parameters)


def _filled(path: Path, parameters: dict[str, int]) -> str:
    text = path.read_text(encoding="utf-8")
    named = {name for _, name, _, _ in Formatter().parse(text) if name and name not in parameters}
    staged = {name: _STAGING / f"{name}.sql" for name in named}
    texts = {name: _filled(file, parameters).strip() for name, file in staged.items() if file.is_file()}
    return text.format_map({**texts, **parameters})
