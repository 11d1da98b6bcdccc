"""The oracle: the correct result of a crawl of a generated site, computed from the site's model alone."""
