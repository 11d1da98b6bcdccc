"""Saved sites: schedules and cron expressions."""
