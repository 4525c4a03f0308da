"""Numerical parts that several methods share; nothing here knows of oracles, methods or runs."""
