"""Tables, declared by the frozen rows that they hold: a column per field, with its name and type.

Days are SQL dates in UTC; `_ms` and `_s` columns count milliseconds and seconds since 1970 in UTC; counters are 64 bits
wide. No column is filled by the database: a run that was killed and repeated leaves the same rows as one that was not.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Double,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
)
from sqlalchemy.schema import SchemaItem

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)
_TYPES: Mapping[type, Any] = {str: Text, int: BigInteger, float: Double, bool: Boolean, date: Date, bytes: LargeBinary}


def table(
    name: str, row: "type[DataclassInstance]", *more: SchemaItem, key: Sequence[str], grain: str,
    also: Mapping[str, type] | None = None,
) -> Table:  # fmt: skip
    """The table of such rows.

    Args:
        name: Its name in the database.
        row: A frozen dataclass.
        more: Checks, foreign keys and indexes.
        key: The columns of its primary key.
        grain: What a row stands for, beginning with "One row per".
        also: Columns that the rows do not have, before theirs.
    """
    columns = {**(also or {}), **get_type_hints(row)}
    made = [_column(column, kind) for column, kind in columns.items()]
    return Table(name, METADATA, *made, PrimaryKeyConstraint(*key), *more, info={"grain": grain})


def one_of(column: str, words: object) -> CheckConstraint:
    """That a column holds one of the words of a Literal."""
    listed = ", ".join(f"'{word}'" for word in get_args(words))
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def _column(name: str, kind: Any) -> Column[Any]:
    options = get_args(kind) if NoneType in get_args(kind) else (kind,)
    (known,) = (each for each in options if each is not NoneType)
    known = str if get_origin(known) is Literal else known
    return Column(name, _TYPES[known](), nullable=NoneType in options, autoincrement=False)
