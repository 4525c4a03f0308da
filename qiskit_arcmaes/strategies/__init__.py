"""Evolution strategies: CMA-ES and one short file for each way to handle noise."""
