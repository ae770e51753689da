"""All sentences of the program exchanged for others: whatever still works the same does not depend on how they read."""

import hashlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import Engine, update

from hntes.rules.changeset import wording
from hntes.rules.lifetime import reasons
from hntes.sql import audit, change_facts, decisions, judgements
from hntes.sql.change_facts import CHANGE_NOTE, CHANGE_PAIR
from hntes.sql.judgements import GATE_VERDICT
from hntes.sql.session import transaction
from hntes.workflow.review import status_words, words
from hntes.workflow.stages import propose_words, verdict_lines

_BEGINNING = "other words, "
_WORDING = (wording, reasons, words, status_words, propose_words, verdict_lines)
_SENTENCES = (decisions.named, decisions.hold_text)  # type: ignore[attr-defined]


def other_words(text: str) -> str:
    """Another text for each text, the same each time; nothing stays nothing."""
    if not text or text.startswith(_BEGINNING):
        return text
    return f"{_BEGINNING}{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def reword(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on every sentence is another one: those that are stored, and those that are shown."""
    for function in [*_SENTENCES, *(each for module in _WORDING for each in _makers_of_text(module))]:
        _exchange(monkeypatch, function, _reworded(function))
    _exchange(monkeypatch, audit.append, _with_event(audit.append))
    _exchange(monkeypatch, audit.append_changed, _with_event(audit.append_changed))
    _exchange(monkeypatch, change_facts.replace_facts, _replace_facts(change_facts.replace_facts))
    _exchange(monkeypatch, judgements.replace_judgement, _replace_judgement(judgements.replace_judgement))


def reword_stored(database: Engine) -> None:
    """Exchanges the sentences that lie in a database already, but for those of the audit log, which nobody can."""
    with transaction(database) as session:
        for column in (CHANGE_PAIR.c.words, CHANGE_NOTE.c.words, GATE_VERDICT.c.sentence):
            session.execute(update(column.table).values({column: f"{_BEGINNING}stored before"}))


def _makers_of_text(module: ModuleType) -> list[Callable[..., Any]]:
    found = [each for _, each in inspect.getmembers(module, inspect.isfunction) if each.__module__ == module.__name__]
    return [each for each in found if inspect.signature(each).return_annotation is str]


def _exchange(monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any], other: Callable[..., Any]) -> None:
    """Wherever a module of the program knows it."""
    for module in [each for name, each in sys.modules.items() if name.startswith("hntes.")]:
        for name, value in list(vars(module).items()):
            if value is function:
                monkeypatch.setattr(module, name, other)


def _reworded(function: Callable[..., str]) -> Callable[..., str]:
    return lambda *given, **more: other_words(function(*given, **more))


def _with_event(function: Callable[..., Any]) -> Callable[..., Any]:
    def append(session: Any, event: audit.NewEvent, *subject: str) -> Any:
        note = event.note if event.who is not None else other_words(event.note or "") or None
        return function(session, replace(event, detail=other_words(event.detail), note=note), *subject)

    return append


def _replace_facts(function: Callable[..., None]) -> Callable[..., None]:
    def replace_facts(session: Any, change_id: str, facts: Any) -> None:
        pairs = tuple(replace(each, words=other_words(each.words)) for each in facts.pairs)
        function(session, change_id, replace(facts, pairs=pairs, notes=tuple(map(other_words, facts.notes))))

    return replace_facts


def _replace_judgement(function: Callable[..., None]) -> Callable[..., None]:
    def replace_judgement(session: Any, judgement: Any, entries: Any) -> None:
        function(session, judgement, [replace(each, sentence=other_words(each.sentence)) for each in entries])

    return replace_judgement
