"""What all tests share."""

import signal

import pytest


@pytest.fixture(autouse=True)
def interrupts_raise():
    """A process started in the background ignores interrupts: here they raise, as at a terminal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
