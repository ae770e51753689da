"""Replay: which bytes of past days a set of prefix pairs would have put into the alpha queue."""
