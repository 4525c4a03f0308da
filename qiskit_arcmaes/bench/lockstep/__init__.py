"""Repetitions of one method run together as arrays, each the run that it is by itself."""
