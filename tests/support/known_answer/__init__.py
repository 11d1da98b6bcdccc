"""The oracle: what a crawl of a site with a known structure must find, computed from the structure alone."""
