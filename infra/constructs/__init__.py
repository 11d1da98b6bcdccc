"""One construct per concern."""
