"""Checks that every method must pass, for this package and for methods of your own."""
