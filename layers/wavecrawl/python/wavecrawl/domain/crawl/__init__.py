"""A crawl: its settings, frontier, waves, batches, page records, ledger and bill."""
