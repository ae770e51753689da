"""Queries in Spark's dialect: which words change, and which parts of a query are kept aside."""

import pytest

pytest.importorskip("sqlglot", reason="sqlglot is not installed: make everything")

from hntes.etl.engines.dialect import Step, spark_steps


def test_words_of_the_other_dialect() -> None:
    steps, text = spark_steps("select bytes // 60 as b, unnest(generate_series(a, c)) as minute from flows")
    assert steps == ()
    assert text == "SELECT bytes DIV 60 AS b, EXPLODE(SEQUENCE(a, c)) AS minute FROM flows"


def test_every_named_relation_becomes_a_step_and_what_is_marked_materialized_is_kept() -> None:
    steps, text = spark_steps(
        "with a as not materialized (select x from flows), b as materialized (select x from a), c as (select x from b) "
        "select c.x from c inner join b on b.x = c.x"
    )
    assert steps == (
        Step("a", "SELECT x FROM flows", False),
        Step("b", "SELECT x FROM a", True),
        Step("c", "SELECT x FROM b", False),
    )
    assert text == "SELECT c.x FROM c INNER JOIN b ON b.x = c.x"


@pytest.mark.parametrize(
    "query",
    [
        "select x from (with a as (select x from flows) select x from a) as b",
        "with b as materialized (with a as (select x from flows) select x from a) select x from b",
    ],
)
def test_a_with_inside_another_part_is_refused(query: str) -> None:
    with pytest.raises(TypeError, match="a WITH is nested in another part of the query"):
        spark_steps(query)


def test_comments_and_parameters_reach_no_engine() -> None:
    assert spark_steps("-- a remark\nselect 1 as one -- another") == ((), "SELECT 1 AS one")
