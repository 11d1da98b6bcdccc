"""Checks of URLs that are not crawled as pages: external links, images, scripts and stylesheets."""
