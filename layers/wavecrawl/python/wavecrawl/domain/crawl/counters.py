"""The progress of a crawl in numbers."""

from msgspec import Struct, field

from wavecrawl.domain.crawl.bill import Usage


class Counters(Struct, kw_only=True):
    """The progress of a crawl in numbers."""

    fetched: int = 0  # pages that count towards max_pages: fetched and unchanged
    tries: int = 0  # page requests, including retries; postponed URLs do not count
    done: int = 0  # URLs with a terminal record
    requests: int = 0  # of every kind; robots.txt files count if the crawl has a limit of requests
    render_bytes: int = 0  # that rendered pages received
    resource_bytes: int = 0  # of the archive's resources, without unchanged ones
    retries: int = 0
    max_bfs_depth: int = 0  # depth of the deepest URL requested in the bfs phase
    usage: Usage = field(default_factory=Usage)  # AWS usage so far; counted only if the crawl has a budget
