"""Columns of a table in a migration, several of one type at once."""

from typing import Any

import sqlalchemy as sa


def text(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return _columns(sa.Text(), names, nullable)


def integer(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return _columns(sa.BigInteger(), names, nullable)


def real(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return _columns(sa.Double(), names, nullable)


def boolean(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return _columns(sa.Boolean(), names, nullable)


def day(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return _columns(sa.Date(), names, nullable)


def binary(*names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return _columns(sa.LargeBinary(), names, nullable)


def _columns(kind: sa.types.TypeEngine[Any], names: tuple[str, ...], nullable: bool) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=nullable, autoincrement=False) for name in names]
