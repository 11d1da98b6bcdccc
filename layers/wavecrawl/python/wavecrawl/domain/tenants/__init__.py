"""Tenants: plans, settings, quota months."""
