"""Attacks on the promises of the package, seeded and counted: ``python -m tools.attack``."""
