"""wavecrawl: a website crawler whose frontier advances in waves."""

__version__ = "0.1.0"
