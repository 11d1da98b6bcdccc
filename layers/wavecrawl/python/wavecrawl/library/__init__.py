"""Crawls from Python on this machine, without a service."""

from wavecrawl.library.crawling import crawl, iter_crawl
from wavecrawl.library.page import Link, Page
from wavecrawl.library.results import Crawl, open_crawl

__all__ = ["Crawl", "Link", "Page", "crawl", "iter_crawl", "open_crawl"]
