"""The database URL in the settings file: no password in it."""

from pathlib import Path

import pytest

from tests.support.settings_file import MINIMAL, load, refusal


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://u:secret@h/d",
        "postgresql+psycopg://u:secret@h:5432/d",
        "postgresql+psycopg://u:sec/ret@h/d",
        "postgresql+psycopg://u:sec?ret@h/d",
        "postgresql+psycopg://u:secret@@h/d",
        "postgresql+psycopg://:secret@h/d",
        "postgresql+psycopg://u@h/d?sslmode=require&password=secret",
        "postgresql+psycopg://h/d?user=u&PASSWORD=secret",
    ],
)
def test_a_password_in_the_url_is_refused_and_not_repeated(tmp_path: Path, url: str) -> None:
    message = refusal(tmp_path, f'{MINIMAL}[database]\nurl = "{url}"\n')
    assert "database.url" in message
    assert "HNTES_DATABASE_PASSWORD" in message
    assert "secret" not in message
    assert "ret@" not in message


def test_a_password_under_a_key_of_its_own_is_refused_and_not_repeated(tmp_path: Path) -> None:
    message = refusal(tmp_path, f'{MINIMAL}[database]\npassword = "secret"\n')
    assert "database.password" in message
    assert "secret" not in message


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://hntes@db.example.net/hntes",
        "postgresql+psycopg://hntes@db.example.net:5432/hntes?sslmode=require",
        "postgresql+psycopg://hntes@[2001:db8::1]:5432/hntes",
        "postgresql+psycopg://[2001:db8::1]/hntes",
        "postgresql+psycopg:///hntes?host=/run/postgresql",
        "sqlite:////srv/a:b@c.db",
    ],
)
def test_urls_without_a_password_are_taken(tmp_path: Path, url: str) -> None:
    assert load(tmp_path, f'{MINIMAL}[database]\nurl = "{url}"\n').database.url == url
