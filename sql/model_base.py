"""What all tables have in common: names of their constraints, and the types of their columns."""

from datetime import date

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Date, Double, MetaData, Text
from sqlalchemy.orm import DeclarativeBase

NAMES = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(referred_table_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
}


class Base(DeclarativeBase):
    """All tables of HNTES."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {str: Text, int: BigInteger, float: Double, bool: Boolean, date: Date}  # noqa: RUF012  # SQLAlchemy's form


def one_of(column: str, *words: str) -> CheckConstraint:
    """That a column holds one of these words."""
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=column)
