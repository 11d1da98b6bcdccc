"""How fast hosts can be crawled: their permitted request rate and their measured response time."""

import msgspec

from wavecrawl.application.site_rules import SiteRules
from wavecrawl.domain.crawl.batching import Speed
from wavecrawl.domain.politeness.circuit_breaker import paused_until
from wavecrawl.domain.politeness.pace import interval_between_workers, pace_for, seconds_a_page, sender_turn, turn
from wavecrawl.domain.politeness.waits import pause_of, slowness_of
from wavecrawl.domain.urls.url import host_of, origin_of
from wavecrawl.ports.host_gate import HostGate


class HostSpeeds(msgspec.Struct, frozen=True):
    """The current speeds of hosts for one crawl."""

    rules: SiteRules
    hosts: HostGate

    def speed_of(self, url: str) -> Speed:
        """Return the speed of the host of a URL."""
        settings = self.rules.settings
        delay = self.rules.robots.crawl_delay(origin_of(url))
        name = host_of(url)
        sender = self.rules.sender.at(name)
        host = self.hosts.read(name, sender=sender)
        pace = pace_for(settings.polite, crawl_delay=delay, host=host)
        return Speed(
            pace=pace,
            seconds_a_page=seconds_a_page(pace, host=host, timeout=settings.limits.timeout),
            turn=turn(pace, host),
            spacing=interval_between_workers(pace, latency=host.latency),
            paused_until=paused_until(host, settings.polite),
            pause=pause_of(host, settings.polite),
            slowness=slowness_of(name, pace, settings.polite),
            sender=sender,
            sender_turn=sender_turn(pace, host),
        )
