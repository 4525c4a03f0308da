"""A local quadratic surrogate for any noisy loss."""
