"""One run of a method on an oracle: budget, history, checkpoint, result."""
