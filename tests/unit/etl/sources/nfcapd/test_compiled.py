"""Without the compiled module, or with one that cannot be loaded, the reason is known and nothing breaks."""

import importlib.util
import runpy
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from hntes.etl.sources.nfcapd import compiled

MODULE = "hntes._native"


def as_loaded_anew() -> tuple[object, str]:
    found = runpy.run_path(str(compiled.__file__))
    return found["native"], found["PROBLEM"]


def test_a_module_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, MODULE, None)
    assert as_loaded_anew() == (None, "the native reader is not compiled here")


def test_half_a_module_is_named_with_the_loaders_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    half = tmp_path / "_native.abi3.so"
    half.write_bytes(b"\x7fELF")

    class Finder:
        @staticmethod
        def find_spec(name: str, *_: object) -> ModuleSpec | None:
            return importlib.util.spec_from_file_location(name, half) if name == MODULE else None

    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Finder, *sys.meta_path])
    native, problem = as_loaded_anew()
    assert native is None
    assert problem.startswith(f"the native reader cannot be loaded here ({half}: ")
