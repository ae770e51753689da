"""Reproducing the published experiments: which runs, what became of each published cell, report and figures."""

from hntes.papers.errors import SelectionError
from hntes.papers.reproduction.reproduce import Reproduction, reproduce
from hntes.papers.reproduction.selection import CaseSelection, parse_selections

__all__ = ["CaseSelection", "Reproduction", "SelectionError", "parse_selections", "reproduce"]
