"""Lanes and scores: which URLs of a site are worth fetching first."""
