"""Code shared by tests, other than fixtures."""
