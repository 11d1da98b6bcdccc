"""Sitemaps: parsing, discovery, writing."""
