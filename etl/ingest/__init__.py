"""Ingest: flow files into the lake, each record judged once and counted once."""
