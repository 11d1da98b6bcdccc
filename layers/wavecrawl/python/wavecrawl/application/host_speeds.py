"""How quick a crawl may ask a host, and how quick that host answers (design 8)."""

from dataclasses import dataclass

from wavecrawl.application.site_rules import SiteRules
from wavecrawl.domain.crawl.plan import Speed
from wavecrawl.domain.politeness.pace import Pace, pace_for, seconds_a_page
from wavecrawl.domain.urls.url import host_of, origin_of
from wavecrawl.ports.host_gate import HostGate


@dataclass(frozen=True, slots=True)
class HostSpeeds:
    """The speeds of hosts, as they are known now, for one crawl."""

    rules: SiteRules
    hosts: HostGate

    def pace_of(self, url: str) -> Pace:
        """Return how the host of a URL may be asked."""
        return self.speed_of(url).pace

    def speed_of(self, url: str) -> Speed:
        """Return how quick the host of a URL is crawled."""
        settings = self.rules.settings
        delay = self.rules.robots.crawl_delay(origin_of(url))
        host = self.hosts.read(host_of(url))
        pace = pace_for(settings.polite, crawl_delay=delay, host=host)
        return Speed(pace=pace, seconds_a_page=seconds_a_page(pace, host=host, timeout=settings.limits.timeout))
