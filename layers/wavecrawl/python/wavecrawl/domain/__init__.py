"""Pure values and rules: no clock, no randomness, no environment, no I/O, no logger."""
