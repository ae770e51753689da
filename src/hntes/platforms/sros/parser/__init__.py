"""Parsing of MD-CLI text, independent of the renderer."""
