"""The queries of sql/queries in Spark's dialect."""

import functools

import sqlglot
from sqlglot import exp


@functools.lru_cache(maxsize=64)
def spark_steps(query: str) -> tuple[tuple[str, str], ...]:
    """A query as steps (name, text) to be run in order; the last one, without a name, gives the rows.

    Spark puts the text of a common table expression wherever its name stands, and so reads the lake once for each. One
    that the query marks `materialized` becomes a step of its own, to be kept as a view of that name for those after it.
    """
    tree = sqlglot.parse_one(query, read="duckdb")
    if not isinstance(tree, exp.Query):
        raise TypeError(f"not a query: {query[:80]!r}")
    inlined: list[exp.CTE] = []
    steps = []
    for cte in tree.ctes:
        is_kept = cte.args.get("materialized")
        cte.set("materialized", None)  # advice to DuckDB, which Spark does not parse
        if is_kept:
            steps.append((cte.alias, _text(cte.this.copy(), inlined)))
        else:
            inlined.append(cte)
    tree.set("with_", None)
    return (*steps, ("", _text(tree, inlined)))


def _text(body: exp.Query, ctes: list[exp.CTE]) -> str:
    if ctes:
        body.set("with_", exp.With(expressions=[cte.copy() for cte in ctes]))
    return body.sql(dialect="spark", comments=False)
