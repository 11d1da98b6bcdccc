"""The page client: requests behind a guarded transport."""
