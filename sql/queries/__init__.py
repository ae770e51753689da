"""The queries of the analytics engines: one text per file, in DuckDB's dialect, on integers only."""

from pathlib import Path

_FOLDER = Path(__file__).parent


def query_text(name: str, **parameters: int) -> str:
    """The text of `name`.sql with its parameters put in. Only integers are taken, so nothing can be injected.

    Raises:
        TypeError: a parameter is not an integer.
        KeyError: the query needs a parameter that was not given.
    """
    for key, value in parameters.items():
        if type(value) is not int:
            raise TypeError(f"query {name}: parameter {key} must be an integer, not {value!r}")
    return (_FOLDER / f"{name}.sql").read_text(encoding="utf-8").format_map(parameters)
