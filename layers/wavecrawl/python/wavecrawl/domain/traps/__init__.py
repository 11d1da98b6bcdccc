"""Traps for crawlers: parts of a site that have more URLs than content."""
