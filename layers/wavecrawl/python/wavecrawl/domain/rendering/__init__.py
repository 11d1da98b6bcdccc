"""Rendering in a browser: which pages need it, where it adds something, and its settings."""
