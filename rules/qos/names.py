"""Names allowed in a router's configuration: strict character sets, so that no value can end a line, word or block."""

import re
from collections.abc import Iterator

from hntes.rules.qos.model import RouterModel

MAX_NAME_LENGTH = 64

# `\Z`, not `$`: `$` also matches before a final newline.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*\Z")
# The operator's classes and scheduler maps may begin with a digit.
_OPERATOR_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
_TERM_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*\Z")
# Ports may be named by their place alone.
_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9/:._-]*\Z")


def name_problems(model: RouterModel) -> Iterator[str]:
    """One line for each name that must not be written, in the model's order."""
    yield from _of("router", model.router, _NAME)
    yield from _of_classes(model)
    for scheduler in model.schedulers:
        yield from _of("scheduler", scheduler.name, _NAME)
    for profile in model.drop_profiles:
        yield from _of("drop profile", profile.name, _NAME)
    for name in model.policer_names:
        yield from _of("policer", name, _NAME)
    for each_filter in model.filters:
        yield from _of("filter", each_filter.name, _NAME)
        for term in each_filter.all_terms:
            yield from _of("term", term.name, _TERM_NAME)
            if term.counter != term.name:
                yield from _of(f"counter of term {term.name}", term.counter, _TERM_NAME)
    yield from _of_interfaces(model)
    if model.redirect is not None and model.redirect.lsp_name is not None:
        yield from _of("redirect: lsp", model.redirect.lsp_name, _NAME)


def _of_classes(model: RouterModel) -> Iterator[str]:
    allowed = _OPERATOR_NAME if model.keeps_classes else _NAME
    for each in model.forwarding_classes:
        yield from _of("forwarding class", each.name, allowed)
    adopted = model.adopted
    for name in () if adopted is None else (adopted.forwarding_class, adopted.policy):
        if name is not None:
            yield from _of("adopted", name, _OPERATOR_NAME)


def _of_interfaces(model: RouterModel) -> Iterator[str]:
    for each in model.interfaces:
        yield from _of("interface", each.name, _INTERFACE)
        if each.logical is not None:
            yield from _of(f"interface {each.name}: logical", each.logical, _INTERFACE)
        for own in each.operator_filters:
            yield from _of(f"interface {each.name}: the operator's filter", own.name, _NAME)


def _of(what: str, name: str, allowed: re.Pattern[str]) -> Iterator[str]:
    if not allowed.match(name):
        first = "a letter or digit" if allowed in (_OPERATOR_NAME, _INTERFACE) else "a letter"
        yield f"{what} {name!r}: start with {first} and use only {_words(allowed)}"
    if len(name) > MAX_NAME_LENGTH:
        yield f"{what} {name!r}: has {len(name)} characters; use at most {MAX_NAME_LENGTH}"
    if name.startswith("__") or name.endswith("__"):
        yield f"{what} {name!r}: starts or ends with `__`, which routers reserve; choose another name"


def _words(allowed: re.Pattern[str]) -> str:
    if allowed is _TERM_NAME:
        return "ASCII letters, digits and `-`"
    return "ASCII letters, digits and " + ("`/ : . _ -`" if allowed is _INTERFACE else "`. _ -`")
