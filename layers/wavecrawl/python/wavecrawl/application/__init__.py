"""One use case per file."""
