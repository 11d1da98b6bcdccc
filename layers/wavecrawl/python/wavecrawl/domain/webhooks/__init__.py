"""Outbound webhooks: deliveries and their retries."""
