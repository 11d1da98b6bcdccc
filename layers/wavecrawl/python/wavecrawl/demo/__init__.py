"""Generated sites whose structure is known, served on loopback."""
