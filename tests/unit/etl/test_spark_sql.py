"""Queries in Spark's dialect: which words change, and which parts of a query are kept aside."""

import pytest

pytest.importorskip("sqlglot", reason="sqlglot is not installed: make everything")

from etl.spark_sql import spark_steps


def test_words_of_the_other_dialect() -> None:
    ((name, text),) = spark_steps("select bytes // 60 as b, unnest(generate_series(a, c)) as minute from flows")
    assert name == ""
    assert text == "SELECT bytes DIV 60 AS b, EXPLODE(SEQUENCE(a, c)) AS minute FROM flows"


def test_advice_to_duckdb_is_left_out() -> None:
    ((_, text),) = spark_steps("with a as not materialized (select 1 as x) select x from a")
    assert text == "WITH a AS (SELECT 1 AS x) SELECT x FROM a"


def test_what_is_marked_materialized_becomes_a_step_of_its_own() -> None:
    steps = spark_steps(
        "with a as (select x from flows), b as materialized (select x from a), c as (select x from b) "
        "select c.x from c inner join b on b.x = c.x"
    )
    assert steps[0] == ("b", "WITH a AS (SELECT x FROM flows) SELECT x FROM a")
    name, text = steps[1]
    assert name == ""
    assert "c AS (SELECT x FROM b)" in text
    assert "b AS (" not in text


def test_comments_and_parameters_reach_no_engine() -> None:
    ((_, text),) = spark_steps("-- a remark\nselect 1 as one -- another")
    assert text == "SELECT 1 AS one"
