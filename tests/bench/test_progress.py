import contextlib
import io
import os
import pty

from qiskit_arcmaes.bench.progress import sweep_progress


def test_lines_where_there_is_no_terminal(monkeypatch):
    clock = iter([0.0, 10.0, 40.0, 41.0])
    monkeypatch.setattr("qiskit_arcmaes.bench.progress.time.monotonic", lambda: next(clock))
    text = io.StringIO()
    with sweep_progress("demo", text) as progress:
        for done in (2, 3, 6, 10):
            progress(done, 10)
    assert text.getvalue().splitlines() == [
        "demo: 2 of 10 done",
        "demo: 6 of 10 done, about 40 s left",  # four tasks in 40 s, four to go
        "demo: 10 of 10 done in 41 s",
    ]


def everything(master):
    """What was written to a terminal that is closed by now; Linux ends it with an error."""
    parts = []
    with os.fdopen(master, "rb", buffering=0) as stream, contextlib.suppress(OSError):
        while part := stream.read(10_000):
            parts.append(part)
    return b"".join(parts).decode()


def test_a_bar_with_the_time_left_on_a_terminal():
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as terminal, sweep_progress("demo", terminal) as progress:
        progress(0, 4)
        progress(4, 4)
    shown = everything(master)
    assert "4/4" in shown
    assert "demo" in shown
    assert "0:00:0" in shown
