"""Give back the turns at hosts that a crawl reserved and no longer needs."""

from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.all_ports import Ports


def give_back_turns(crawl: CrawlId, ports: Ports, *, now: float) -> None:
    """Give back the unused turns of a crawl that has ended. Idempotent.

    Turns of earlier waves are given back when these are gathered, so only the hosts of the last wave are left. If its
    snapshot cannot be read, the turns expire.
    """
    try:
        snapshot = CrawlStates(ports.objects).snapshot(crawl, ports.waves.last(crawl))
    except CorruptDataError:
        return
    hosts = {host for batch in snapshot.batches for host in batch.by_host()} if snapshot else set()
    for host in sorted(hosts):
        ports.hosts.give_back(host, holder=str(crawl), now=now)
