"""Replay of archives by the engine of ReplayWeb.page, which the operator installs (ADR 41)."""
