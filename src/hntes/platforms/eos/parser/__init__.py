"""Parsing of EOS text, independent of the renderer."""
