"""Tests of the containers that need no engine."""
