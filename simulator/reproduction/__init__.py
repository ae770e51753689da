"""Reproducing the published experiments: which runs, what became of each published cell, report and figures."""

from simulator.reproduction.reproduce import Reproduction, reproduce
from simulator.reproduction.selection import Selection, SelectionError, parse_selections

__all__ = ["Reproduction", "Selection", "SelectionError", "parse_selections", "reproduce"]
