"""Signed webhook messages: verification."""
