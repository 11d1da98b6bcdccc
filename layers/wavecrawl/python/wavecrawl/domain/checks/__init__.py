"""Checks of URLs that are not crawled as pages: links to other sites and to files, images and others."""
