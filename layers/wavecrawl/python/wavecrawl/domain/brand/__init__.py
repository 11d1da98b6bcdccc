"""The brand of a site: colours, fonts and logo of its home page."""
