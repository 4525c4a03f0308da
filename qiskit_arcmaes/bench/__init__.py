"""Benchmarks: experiments, the methods they compare, and what comes out of them."""
