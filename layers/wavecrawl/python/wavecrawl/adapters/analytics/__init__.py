"""Results from records: DuckDB for everything that may be large, one module per question."""
