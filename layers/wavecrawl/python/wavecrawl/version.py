"""The version of wavecrawl."""

__version__ = "0.1.0"
