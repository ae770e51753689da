"""The queries of sql/queries in Spark's dialect."""

import functools
from dataclasses import dataclass

import sqlglot
from sqlglot import exp


@dataclass(frozen=True)
class Step:
    """One named relation of a query, in terms of those before it; `is_kept` where it is read more than once."""

    name: str
    text: str
    is_kept: bool


@functools.lru_cache(maxsize=64)
def spark_steps(query: str) -> tuple[tuple[Step, ...], str]:
    """A query as steps, each to become a view of its name, and the text that gives the rows.

    Spark puts the text of a common table expression wherever its name stands, and so reads the lake once for each. One
    that the query marks `materialized` is a step to be kept. The others are views as well and none stays in a WITH:
    where both what was kept and what reads it have one, Spark 4.3 does not know the kept rows again and reads the lake.
    """
    tree = sqlglot.parse_one(query, read="duckdb")
    if not isinstance(tree, exp.Query):
        raise TypeError(f"not a query: {query[:80]!r}")
    steps = tuple(Step(cte.alias, _text(cte.this), bool(cte.args.get("materialized"))) for cte in tree.ctes)
    tree.set("with_", None)
    return steps, _text(tree)


def _text(body: exp.Query) -> str:
    if body.find(exp.With):
        raise TypeError("a WITH is nested in another part of the query; Spark would not reuse its materialized steps")
    return body.sql(dialect="spark", comments=False)
