"""How fast hosts can be crawled: their permitted request rate and their measured response time."""

from dataclasses import dataclass

from wavecrawl.application.site_rules import SiteRules
from wavecrawl.domain.crawl.plan import Speed
from wavecrawl.domain.politeness.pace import Pace, pace_for, seconds_a_page
from wavecrawl.domain.urls.url import host_of, origin_of
from wavecrawl.ports.host_gate import HostGate


@dataclass(frozen=True, slots=True)
class HostSpeeds:
    """The current speeds of hosts for one crawl."""

    rules: SiteRules
    hosts: HostGate

    def pace_of(self, url: str) -> Pace:
        """Return the pace of the host of a URL."""
        return self.speed_of(url).pace

    def speed_of(self, url: str) -> Speed:
        """Return the pace of the host of a URL, and the seconds per page."""
        settings = self.rules.settings
        delay = self.rules.robots.crawl_delay(origin_of(url))
        host = self.hosts.read(host_of(url))
        pace = pace_for(settings.polite, crawl_delay=delay, host=host)
        return Speed(pace=pace, seconds_a_page=seconds_a_page(pace, host=host, timeout=settings.limits.timeout))
