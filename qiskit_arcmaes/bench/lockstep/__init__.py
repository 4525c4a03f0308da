"""Repetitions of one method run as one batch of arrays, each the run that it is by itself."""
