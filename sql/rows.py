"""Conversion between frozen entries and tables: fields have the columns' names, so one function handles all."""

import hashlib
from collections.abc import Iterable
from dataclasses import fields, replace
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import ColumnElement, Delete, Insert, Select, Table, bindparam, delete, func, insert, select

from hntes.sanitize import text_problem
from hntes.sql.errors import InvalidEntryError
from hntes.sql.session import Session

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Entry = TypeVar("Entry", bound="DataclassInstance")
# What a column holds.
MOST = 2**63 - 1
_HALF = 1 << 32


def fetch(session: Session, table: Table, entry: type[Entry], *where: ColumnElement[bool]) -> list[Entry]:
    """Entries of the rows that fulfil all conditions, in no order that may be relied upon.

    The callers sort: databases order texts by their own collations.
    """
    return [entry(*row) for row in session.execute(_columns_of(table, entry).where(*where))]


def fetch_by(
    session: Session, table: Table, entry: type[Entry], *, days: tuple[date, date] | None = None, **values: object
) -> list[Entry]:
    """Entries of the rows whose columns have these values, and whose `day` is within `days`, both ends included.

    Their statement is made once: a page asks the same of router after router, and making it takes longer than the
    answer.
    """
    chosen = _columns_by(table, entry, tuple(values), days is not None)
    if days is not None:
        values |= {"from_day": days[0], "until_day": days[1]}
    return [entry(*row) for row in session.execute(chosen, values)]


@cache
def _columns_by(table: Table, entry: "type[DataclassInstance]", names: tuple[str, ...], has_days: bool) -> Select[Any]:
    of = table.c
    where = [of[name] == bindparam(name) for name in names]
    if has_days:
        where += [of.day >= bindparam("from_day"), of.day <= bindparam("until_day")]
    return _columns_of(table, entry).where(*where)


@cache
def _columns_of(table: Table, entry: "type[DataclassInstance]") -> Select[Any]:
    return select(*(table.c[field.name] for field in fields(entry)))


def halves_summed(column: ColumnElement[int]) -> tuple[ColumnElement[int], ColumnElement[int]]:
    """Sums of the upper and the lower halves of counters: SQLite gives up where a sum is more than 64 bits hold."""
    return func.sum(column // _HALF), func.sum(column % _HALF)


def whole_sum(upper: int | None, lower: int | None) -> int:
    """Of what `halves_summed` has found. PostgreSQL adds up 64-bit integers as numeric."""
    return int(upper or 0) * _HALF + int(lower or 0)


def values_of(entry: "DataclassInstance") -> dict[str, Any]:
    """The columns of an entry, by name."""
    return {name: getattr(entry, name) for name in _names_of(type(entry))}


@cache
def _names_of(entry: "type[DataclassInstance]") -> tuple[str, ...]:
    return tuple(field.name for field in fields(entry))


def store(session: Session, table: Table, entries: "Iterable[DataclassInstance]", **more: Any) -> None:
    """Inserts one row per entry; `more` gives columns that the entries do not have."""
    rows = [values_of(entry) | more for entry in entries]
    if rows:
        session.execute(_insertion(table), rows)


@cache
def _insertion(table: Table) -> Insert:
    return insert(table)


def capped(entry: Entry, counters: Iterable[str]) -> Entry:
    """The entry with these counters as far as a column holds them: forged records may add up to more."""
    beyond = {name: MOST for name in counters if (getattr(entry, name) or 0) > MOST}
    return replace(entry, **beyond) if beyond else entry


def remove(session: Session, table: Table, **values: object) -> None:
    """Deletes the rows whose columns have these values. Its statement, too, is made once."""
    session.execute(_removal_by(table, tuple(values)), values)


@cache
def _removal_by(table: Table, names: tuple[str, ...]) -> Delete:
    return delete(table).where(*(table.c[name] == bindparam(name) for name in names))


def check_free_text(what: str, **texts: str | None) -> None:
    """Refuses texts of people that are not one printable line; the message begins with `what` and names the text.

    Raises:
        InvalidEntryError: a text cannot be taken.
    """
    for name, text in texts.items():
        if text is not None and (problem := text_problem(text)):
            raise InvalidEntryError(f"{what}: its {name} {problem}")


def lock(session: Session, *partition: str) -> None:
    """Makes writers of one partition wait for each other until their transaction ends.

    On PostgreSQL only: two that delete and insert the same keys would else fail. SQLite has one writer anyway.
    """
    if session.dialect.name == "postgresql":
        digest = hashlib.sha256("\x00".join(partition).encode()).digest()
        session.execute(select(func.pg_advisory_xact_lock(int.from_bytes(digest[:8], signed=True))))
