"""Results of crawls, built from records with DuckDB."""
